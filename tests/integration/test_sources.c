/*
 * The sources against real servers: redis over TCP, unix socket and TLS, with a password and with
 * an ACL user that may do almost nothing; memcached; the embedded lab node; this host. With workers
 * and a schedule, a black hole among four endpoints keeps nobody else waiting.
 */
#include "support.h"

#include <arpa/inet.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake.h"
#include "hotset/clock.h"
#include "hotset/worker.h"
#include "servers.h"
#include "watched.h"

static void with_userinfo(const char *uri, const char *userinfo, char *out, size_t cap)
{
	const char *host = strstr(uri, "://") + 3;

	snprintf(out, cap, "%.*s%s@%s", (int)(host - uri), uri, userinfo, host);
}

/* ---- redis ---- */

static void redis_answers_over_tcp_and_socket(void **state)
{
	struct server *s = server_redis(NULL);
	struct watched w;

	(void)state;
	if (!s)
		skip();
	watch_begin(&w, server_uri(s), 5);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&w), STATUS_OK);
	assert_string_equal(w.last->product, "redis");
	assert_string_equal(w.last->role, "master");
	assert_true(w.last->epoch != 0 && w.last->rtt_ns > 0);
	assert_true(sample_f64(w.last, METRIC_REDIS_MEM_USED) > 100000);
	assert_true(w.last->tables[TABLE_REDIS_CMD].n > 0);
	test_near(sample_f64(w.last, METRIC_REDIS_CLIENTS), 1, 0);
	watch_end(&w);
	watch_begin(&w, server_unix_uri(s), 5);
	assert_status(watch_poll(&w), STATUS_OK);
	watch_end(&w);
	server_stop(s);
}

static void passwords_decide(void **state)
{
	const char *const args[] = {"--requirepass", "hush", NULL};
	struct server *s = server_redis(args);
	static const struct {
		const char *userinfo;
		enum status want;
	} cases[] = {{":hush", STATUS_OK}, {"default:hush", STATUS_OK}, {":wrong", STATUS_AUTH},
		{"nobody:hush", STATUS_AUTH}, {"", STATUS_AUTH}};
	struct watched w;
	char uri[128];

	(void)state;
	if (!s)
		skip();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		with_userinfo(server_uri(s), cases[i].userinfo, uri, sizeof(uri));
		watch_begin(&w, uri, 5);
		assert_status(watch_poll(&w), cases[i].want);
		assert_null(strstr(w.last->err.msg, "hush"));
		watch_end(&w);
	}
	server_stop(s);
}

static void info_and_ping_suffice(void **state)
{
	const char *const args[] = {
		"--user", "probe", "on", ">pw", "-@all", "+info", "+ping", NULL};
	const char *const less[] = {"--user", "probe", "on", ">pw", "-@all", "+ping", NULL};
	struct server *s = server_redis(args);
	struct watched w;
	char uri[128];

	(void)state;
	if (!s)
		skip();
	with_userinfo(server_uri(s), "probe:pw", uri, sizeof(uri));
	watch_begin(&w, uri, 5);
	for (unsigned i = 0; i < 2; i++) { /* all of INFO, and what more there could be */
		assert_status(watch_poll(&w), STATUS_PARTIAL);
		assert_says(w.last, "ACL rights would add: +slowlog|get (slow commands), "
				    "+latency|histogram (latency percentiles)");
		assert_true(sample_f64(w.last, METRIC_REDIS_MEM_USED) > 100000);
		assert_int_equal(
			w.last->raw[METRIC_REDIS_LAT_P99].why, REASON_NO_PRIVILEGE);
	}
	watch_end(&w);
	server_stop(s);
	s = server_redis(less);
	with_userinfo(server_uri(s), "probe:pw", uri, sizeof(uri));
	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), STATUS_AUTH);
	watch_end(&w);
	server_stop(s);
}

static void a_connection_limit_is_a_refusal(void **state)
{
	const char *const args[] = {"--maxclients", "1", NULL};
	struct server *s = server_redis(args);
	struct watched a, b;

	(void)state;
	if (!s)
		skip();
	watch_begin(&a, server_uri(s), 5);
	watch_begin(&b, server_uri(s), 5);
	/* the connection that found the server ready may still count */
	for (unsigned i = 0; i < 100 && watch_poll(&a)->status != STATUS_OK; i++)
		poll(NULL, 0, 10);
	assert_status(a.last, STATUS_OK);
	assert_status(watch_poll(&b), STATUS_REFUSED);
	watch_end(&a);
	watch_end(&b);
	server_stop(s);
}

static void a_stopped_server_times_out_and_comes_back(void **state)
{
	struct server *s = server_redis(NULL);
	struct watched w;

	(void)state;
	if (!s)
		skip();
	watch_begin(&w, server_uri(s), 5);
	assert_status(watch_poll(&w), STATUS_OK);
	kill(server_pid(s), SIGSTOP);
	w.timeout_s = 0.3;
	for (unsigned i = 0; i < 2; i++)
		assert_status(watch_poll(&w), STATUS_TIMEOUT);
	kill(server_pid(s), SIGCONT);
	w.timeout_s = 5;
	assert_status(watch_poll(&w), STATUS_OK);
	watch_end(&w);
	server_stop(s);
}

/* ---- TLS ---- */

/* A certificate of its own for 127.0.0.1; false where openssl is not installed. */
static bool make_certificate(const char *dir)
{
	char cmd[3 * PATH_MAX];

	snprintf(cmd, sizeof(cmd),
		"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hotset-test "
		"-addext subjectAltName=IP:127.0.0.1 -keyout %s/key.pem -out %s/ca.pem >/dev/null "
		"2>&1",
		dir, dir);
	return system(cmd) == 0;
}

struct tls_server {
	struct server *s;
	char *dir;
	char ca[PATH_MAX];
	uint16_t port;
};

static bool tls_begin(struct tls_server *t)
{
	char key[PATH_MAX], port[8], *relative = test_dir_create();

	t->dir = realpath(relative, NULL); /* the server changes its directory */
	free(relative);
	t->port = server_free_port();
	snprintf(port, sizeof(port), "%u", t->port);
	snprintf(key, sizeof(key), "%s/key.pem", t->dir);
	snprintf(t->ca, sizeof(t->ca), "%s/ca.pem", t->dir);
	t->s = make_certificate(t->dir)
		       ? server_redis((const char *const[]){"--tls-port", port, "--tls-cert-file",
				 t->ca, "--tls-key-file", key, "--tls-ca-cert-file", t->ca,
				 "--tls-auth-clients", "no", NULL})
		       : NULL;
	if (!t->s)
		test_dir_remove(t->dir);
	return t->s != NULL;
}

static void tls_is_verified(void **state)
{
	struct tls_server t;
	struct watched w;
	char uri[PATH_MAX + 64];

	(void)state;
	if (!tls_begin(&t))
		skip();
	snprintf(uri, sizeof(uri), "rediss://127.0.0.1:%u?tlsCAFile=%s", t.port, t.ca);
	watch_begin(&w, uri, 5);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&w), STATUS_OK);
	watch_end(&w);
	snprintf(uri, sizeof(uri), "rediss://127.0.0.1:%u", t.port);
	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), STATUS_TLS);
	assert_says(w.last, "certificate");
	watch_end(&w);
	snprintf(
		uri, sizeof(uri), "rediss://127.0.0.1:%u?tlsAllowInvalidCertificates=true", t.port);
	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), STATUS_OK);
	watch_end(&w);
	snprintf(uri, sizeof(uri), "redis://127.0.0.1:%u", t.port);
	watch_begin(&w, uri, 2);
	assert_false(
		status_has_data(watch_poll(&w)->status)); /* an alert, or a reset without one */
	assert_says(w.last, "TLS");
	watch_end(&w);
	server_stop(t.s);
	test_dir_remove(t.dir);
}

/* ---- memcached ---- */

static void memcached_answers_over_tcp_and_socket(void **state)
{
	struct server *s = server_memcached(NULL), *u;
	struct watched w;

	(void)state;
	if (!s)
		skip();
	watch_begin(&w, server_uri(s), 5);
	watch_poll(&w);
	assert_true(w.last->tables[TABLE_MEMCACHED_SETTING].n > 10);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&w), STATUS_OK);
	assert_false(w.last->tables[TABLE_MEMCACHED_SETTING].asked); /* once a minute */
	assert_string_equal(w.last->product, "memcached");
	test_near(sample_f64(w.last, METRIC_MEMCACHED_MEM_MAX), 64.0 * 1024 * 1024, 0);
	test_near(sample_f64(w.last, METRIC_MEMCACHED_ITEM_SIZE_MAX), 1024.0 * 1024, 0);
	watch_end(&w);
	server_stop(s);
	u = server_memcached_unix();
	watch_begin(&w, server_uri(u), 5);
	assert_status(watch_poll(&w), STATUS_OK);
	watch_end(&w);
	server_stop(u);
}

static void memcached_passwords_decide(void **state)
{
	char *dir = test_dir_create(), file[300], uri[128];
	struct server *s;
	struct watched w;
	FILE *f;

	(void)state;
	snprintf(file, sizeof(file), "%s/auth", dir);
	f = fopen(file, "w");
	assert_non_null(f);
	fprintf(f, "user:hush\n");
	fclose(f);
	s = server_memcached((const char *const[]){"-Y", file, NULL});
	if (s) {
		with_userinfo(server_uri(s), "user:hush", uri, sizeof(uri));
		watch_begin(&w, uri, 5);
		assert_status(watch_poll(&w), STATUS_OK);
		watch_end(&w);
		with_userinfo(server_uri(s), "user:wrong", uri, sizeof(uri));
		watch_begin(&w, uri, 5);
		assert_status(watch_poll(&w), STATUS_AUTH);
		watch_end(&w);
		watch_begin(&w, server_uri(s), 5);
		assert_status(watch_poll(&w), STATUS_AUTH);
		watch_end(&w);
		server_stop(s);
	}
	test_dir_remove(dir);
	if (!s)
		skip();
}

/* Sends a line and reads what comes at once. */
static const char *ask(uint16_t port, const char *text, char *reply, size_t cap)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ssize_t n;

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(send(fd, text, strlen(text), 0), strlen(text));
	n = recv(fd, reply, cap - 1, 0);
	close(fd);
	reply[n > 0 ? n : 0] = '\0';
	return reply;
}

/* A server without passwords must not keep the ones that it was offered. */
static void a_password_is_never_stored(void **state)
{
	struct server *s = server_memcached(NULL);
	struct watched w;
	char uri[128], reply[256];

	(void)state;
	if (!s)
		skip();
	with_userinfo(server_uri(s), "user:hush", uri, sizeof(uri));
	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), STATUS_OK);
	assert_string_equal(ask(server_port(s), "get hotset\r\n", reply, sizeof(reply)), "END\r\n");
	watch_end(&w);
	server_stop(s);
}

/* ---- the lab node and this host ---- */

static void the_lab_node_is_watched(void **state)
{
	struct server *s = server_wtnode(NULL);
	struct watched w;

	(void)state;
	if (!s)
		skip();
	watch_begin(&w, server_uri(s), 5);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&w), STATUS_OK);
	assert_string_equal(w.last->product, "wtnode");
	test_near(sample_f64(w.last, METRIC_MONGO_CACHE_MAX), 64.0 * 1024 * 1024, 0);
	test_near(sample_f64(w.last, METRIC_MONGO_CACHE_TRIGGER), 95, 0);
	assert_true(w.last->epoch != 0);
	watch_end(&w);
	server_stop(s);
}

static void this_host_is_watched(void **state)
{
	struct watched w;
	uint64_t epoch;

	(void)state;
	watch_begin(&w, "proc:", 5);
	assert_true(status_has_data(watch_poll(&w)->status));
	epoch = w.last->epoch;
	assert_true(status_has_data(watch_poll(&w)->status));
	assert_true(epoch != 0 && w.last->epoch == epoch);
	assert_string_equal(w.last->product, "linux");
	assert_true(sample_f64(w.last, METRIC_HOST_MEM_TOTAL) > 1e8);
	assert_true(sample_has(w.last, METRIC_HOST_VIRT));
	watch_end(&w);
	watch_begin(&w, "proc:/nonexistent", 5);
	assert_status(watch_poll(&w), STATUS_ERROR);
	watch_end(&w);
}

/* ---- together ---- */

#define ENDPOINTS 4
#define INTERVAL  (NS_PER_SEC / 5)
#define RUN       (3 * NS_PER_SEC)

struct together {
	struct target targets[ENDPOINTS];
	struct worker *w[ENDPOINTS];
	struct schedule due[ENDPOINTS];
	unsigned samples[ENDPOINTS];
	struct mailbox *box;
};

static void step(struct together *t)
{
	struct pollfd p = {.fd = mailbox_fd(t->box), .events = POLLIN};
	int64_t now = clock_mono_ns();
	struct sample *s;

	struct poll_request r = {now + NS_PER_SEC, WANT_ALL};

	for (unsigned i = 0; i < ENDPOINTS; i++)
		if (schedule_is_due(&t->due[i], now) && worker_request(t->w[i], &r))
			schedule_sent(&t->due[i], now);
	poll(&p, 1, 10);
	now = clock_mono_ns();
	while ((s = mailbox_take(t->box)) != NULL) {
		t->samples[s->endpoint]++;
		schedule_result(&t->due[s->endpoint], status_has_data(s->status), now);
		sample_destroy(s);
	}
}

static void one_black_hole_keeps_nobody_waiting(void **state)
{
	struct server *r = server_redis(NULL), *m = server_memcached(NULL);
	struct blackhole *b = blackhole_start();
	struct source_options o = {.interval_s = 0.2, .timeout_s = 1};
	struct together t = {.box = NULL};
	int64_t begin = clock_mono_ns();
	char uris[ENDPOINTS][64];
	struct err err;

	(void)state;
	if (!r || !m || !b)
		skip();
	snprintf(uris[0], 64, "redis://127.0.0.1:%u", blackhole_port(b));
	snprintf(uris[1], 64, "%s", server_uri(r));
	snprintf(uris[2], 64, "%s", server_uri(m));
	snprintf(uris[3], 64, "proc:");
	t.box = mailbox_create(&err);
	for (unsigned i = 0; i < ENDPOINTS; i++) {
		assert_true(target_parse(uris[i], &t.targets[i], &err));
		t.w[i] = worker_start((uint16_t)i, &t.targets[i], &o, t.box, &err);
		assert_non_null(t.w[i]);
		schedule_init(&t.due[i], INTERVAL, begin);
	}
	while (clock_mono_ns() - begin < RUN)
		step(&t);
	assert_in_range(t.samples[0], 1, 3);
	for (unsigned i = 1; i < ENDPOINTS; i++)
		assert_in_range(t.samples[i], 10, 16); /* 15 on an idle machine */
	begin = clock_mono_ns();
	assert_int_equal(workers_stop(t.w, ENDPOINTS, 1500), 0);
	assert_true(clock_mono_ns() - begin < 2 * NS_PER_SEC);
	for (unsigned i = 0; i < ENDPOINTS; i++)
		target_finish(&t.targets[i]);
	mailbox_destroy(t.box);
	blackhole_stop(b);
	server_stop(r);
	server_stop(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(redis_answers_over_tcp_and_socket),
		cmocka_unit_test(passwords_decide),
		cmocka_unit_test(info_and_ping_suffice),
		cmocka_unit_test(a_connection_limit_is_a_refusal),
		cmocka_unit_test(a_stopped_server_times_out_and_comes_back),
		cmocka_unit_test(tls_is_verified),
		cmocka_unit_test(memcached_answers_over_tcp_and_socket),
		cmocka_unit_test(memcached_passwords_decide),
		cmocka_unit_test(a_password_is_never_stored),
		cmocka_unit_test(the_lab_node_is_watched),
		cmocka_unit_test(this_host_is_watched),
		cmocka_unit_test(one_black_hole_keeps_nobody_waiting),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
