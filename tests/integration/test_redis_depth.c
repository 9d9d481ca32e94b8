/*
 * What a Redis tells beyond its memory, on real servers: how long commands take, what each policy
 * means when the memory is full, counters that begin anew, replicas and a failover, a cluster.
 */
#include "support.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hotset/clock.h"
#include "hotset/model.h"
#include "../fake/fake_tls.h"
#include "servers.h"
#include "watched.h"

#define WAIT_MS 10000

struct stage {
	struct server *server;
	struct watched w;
	struct model *m;
};

/* A command, or several lines of them; waits for as many answers. */
static void say(const struct server *s, const char *lines, unsigned answers)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(server_port(s))};
	struct timeval limit = {.tv_sec = 10};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char buf[4096];

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		fail_msg("no connection");
	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	while (answers > 0) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n <= 0)
			fail_msg("no answer");
		for (ssize_t i = 0; i < n && answers > 0; i++)
			answers -= buf[i] == '\n';
	}
	close(fd);
}

static void begin(struct stage *s, const char *const *args)
{
	*s = (struct stage){.server = server_redis(args)};
	if (!s->server)
		skip();
	watch_begin(&s->w, server_uri(s->server), 5);
	s->m = model_create();
	assert_non_null(model_add(s->m, KIND_REDIS, "redis@x", "x", "x", 600));
}

static void end(struct stage *s)
{
	model_destroy(s->m);
	watch_end(&s->w);
	server_stop(s->server);
}

static const struct endpoint *look(struct stage *s)
{
	watch_poll(&s->w);
	model_push(s->m, s->w.last);
	s->w.last = NULL; /* the model's now */
	return s->m->ep[0];
}

static const struct verdict *verdict(const struct model *m, const char *code)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, code) == 0)
			return &m->verdicts[i];
	return NULL;
}

static const struct event *event(const struct model *m, const char *code)
{
	for (unsigned i = 0; model_event(m, i); i++)
		if (strcmp(model_event(m, i)->code, code) == 0)
			return model_event(m, i);
	return NULL;
}

static struct value figure(const struct stage *s, enum metric_id id)
{
	return s->m->ep[0]->frame.v[id];
}

/* ---- commands ---- */

static void percentiles_are_those_of_the_interval(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, NULL);
	look(&s);
	if (!s.m->ep[0]->frame.tables[TABLE_REDIS_LATENCY].asked) { /* before 7.0 */
		end(&s);
		skip();
	}
	assert_int_equal(figure(&s, METRIC_REDIS_LAT_P50).why, REASON_NO_TRAFFIC);
	/* one that takes milliseconds among 20 quick ones: beyond the median, within the 99th */
	for (unsigned i = 0; i < 20; i++)
		say(s.server, "GET a\r\n", 1);
	say(s.server, "EVAL \"local x = 0 for i = 1, 3000000 do x = x + i end return 1\" 0\r\n", 1);
	look(&s);
	assert_true(value_ok(figure(&s, METRIC_REDIS_LAT_P50)));
	assert_true(figure(&s, METRIC_REDIS_LAT_P50).v < 1000);
	assert_true(figure(&s, METRIC_REDIS_LAT_P99).v > 2000);
	/* it is over: nothing of it is in the next interval */
	say(s.server, "GET a\r\n", 1);
	look(&s);
	assert_true(figure(&s, METRIC_REDIS_LAT_P99).v < 1000);
	end(&s);
}

/* ---- memory ---- */

#define FILL                                                                                       \
	"EVAL \"local v = string.rep('x', 1000) for i = 1, 4000 do "                               \
	"redis.pcall('SET', 'k' .. i, v) end return 1\" 0\r\n"

static void fill(struct stage *s, const char *policy, enum level level)
{
	const char *const args[] = {"--maxmemory", "3mb", "--maxmemory-policy", policy, NULL};
	const struct verdict *v;

	begin(s, args);
	look(s);
	say(s->server, FILL, 1);
	say(s->server, "SET one more\r\n", 1);
	look(s);
	assert_string_equal(frame_info(&s->m->ep[0]->frame, METRIC_REDIS_MEM_POLICY), policy);
	assert_true(figure(s, METRIC_REDIS_MEM_FILL).v > 90);
	v = verdict(s->m, "redis.noeviction_full");
	assert_string_equal(level_word(v ? v->level : LEVEL_OK), level_word(level));
}

/* Full is the normal state of a cache that may evict, and the end of one that may not. */
static void a_full_memory_is_judged_by_its_policy(void **state)
{
	static const char *const evict[] = {"allkeys-lru", "allkeys-lfu", "allkeys-random"};
	static const char *const refuse[] = {"noeviction", "volatile-lru", "volatile-ttl"};
	struct stage s;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		fill(&s, evict[i], LEVEL_OK);
		assert_true(figure(&s, METRIC_REDIS_EVICTED).v > 0);
		assert_true(value_ok(figure(&s, METRIC_REDIS_RESIDENCE)));
		end(&s);
	}
	for (unsigned i = 0; i < 3; i++) {
		fill(&s, refuse[i], LEVEL_CRIT);
		assert_true(figure(&s, METRIC_REDIS_ERRORS).v > 0);
		end(&s);
	}
}

/* ---- counters ---- */

static void resetstat_is_an_event_and_no_rate(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, NULL);
	for (unsigned i = 0; i < 50; i++)
		say(s.server, "GET a\r\n", 1);
	look(&s);
	look(&s);
	assert_true(value_ok(figure(&s, METRIC_REDIS_OPS)));
	say(s.server, "CONFIG RESETSTAT\r\n", 1);
	look(&s);
	assert_int_equal(figure(&s, METRIC_REDIS_OPS).why, REASON_RESET);
	assert_int_equal(figure(&s, METRIC_REDIS_HIT_RATIO).why, REASON_RESET);
	assert_non_null(event(s.m, "redis.stats_reset"));
	assert_null(event(s.m, "endpoint.restarted"));
	look(&s);
	assert_true(value_ok(figure(&s, METRIC_REDIS_OPS)));
	end(&s);
}

/* ---- replication ---- */

static bool has_online_replica(void *arg)
{
	const struct endpoint *ep = look(arg);
	const struct frame_rows *rows = &ep->frame.tables[TABLE_REDIS_REPLICA];

	return rows->n == 1 &&
	       strcmp(frame_row(&ep->frame, TABLE_REDIS_REPLICA, 0)[COL_REDIS_REPLICA_STATE].text,
		       "online") == 0;
}

static bool link_is_down(void *arg)
{
	struct stage *s = arg;

	look(s);
	return verdict(s->m, "redis.link_down") != NULL;
}

static bool is_slave(void *arg)
{
	return strcmp(look(arg)->role, "slave") == 0;
}

static void a_replica_is_listed_and_takes_over(void **state)
{
	struct stage master, replica;
	char port[16], line[64], address[64];
	const char *const args[] = {
		"--replicaof", "127.0.0.1", port, "--repl-diskless-sync-delay", "0", NULL};

	(void)state;
	begin(&master, NULL);
	snprintf(port, sizeof(port), "%u", server_port(master.server));
	begin(&replica, args);
	assert_true(test_wait(has_online_replica, &master, WAIT_MS));
	const struct cell_value *row = frame_row(&master.m->ep[0]->frame, TABLE_REDIS_REPLICA, 0);
	snprintf(address, sizeof(address), "127.0.0.1:%u", server_port(replica.server));
	assert_string_equal(row[COL_REDIS_REPLICA_ADDRESS].text, address);
	assert_true(value_ok(row[COL_REDIS_REPLICA_BEHIND].num));
	assert_true(row[COL_REDIS_REPLICA_BEHIND].num.v < 1000);
	assert_true(test_wait(is_slave, &replica, WAIT_MS));
	server_stop(master.server);
	master.server = NULL;
	assert_true(test_wait(link_is_down, &replica, WAIT_MS));
	snprintf(line, sizeof(line), "REPLICAOF NO ONE\r\n");
	say(replica.server, line, 1);
	look(&replica);
	assert_string_equal(replica.m->ep[0]->role, "master");
	assert_non_null(event(replica.m, "endpoint.role"));
	assert_null(event(replica.m, "endpoint.restarted"));
	end(&replica);
	end(&master);
}

static void a_node_of_a_cluster_lists_them(void **state)
{
	char bus[16];
	const char *const args[] = {"--cluster-enabled", "yes", "--cluster-port", bus, NULL};
	struct stage s;

	(void)state;
	snprintf(bus, sizeof(bus), "%u", server_free_port());
	begin(&s, args);
	say(s.server, "CLUSTER ADDSLOTSRANGE 0 99 200 299\r\n", 1);
	look(&s);
	assert_string_equal(frame_info(&s.m->ep[0]->frame, METRIC_REDIS_MODE), "cluster");
	assert_int_equal(s.m->ep[0]->frame.tables[TABLE_REDIS_NODE].n, 1);
	const struct cell_value *row = frame_row(&s.m->ep[0]->frame, TABLE_REDIS_NODE, 0);
	assert_string_equal(row[COL_REDIS_NODE_ROLE].text, "master");
	assert_string_equal(row[COL_REDIS_NODE_STATE].text, "ok");
	test_near(row[COL_REDIS_NODE_SELF].num.v, 1, 0);
	test_near(row[COL_REDIS_NODE_SLOTS].num.v, 200, 0);
	end(&s);
}

/* ---- hot keys ---- */

static const struct sample *look_for_hot_keys(struct stage *s)
{
	struct poll_request r = {clock_mono_ns() + 5 * NS_PER_SEC, WANT_HOT_KEYS};
	struct sample *out = sample_create(0);

	s->w.target.ops->poll(s->w.source, &r, out);
	model_push(s->m, out);
	return s->m->ep[0]->last;
}

static bool has_looked_at_all(void *arg)
{
	const char *text = sample_text(look_for_hot_keys(arg), METRIC_REDIS_HOTKEYS);

	return text && strcmp(text, "looked at 1000 of 1000 keys") == 0;
}

/* One key of 1,000 is read 3,000 times, another 300 times; nobody else reads. */
static void hot_keys_are_found_and_cost_no_hit(void **state)
{
	const char *const args[] = {
		"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lfu", NULL};
	struct stage s;

	(void)state;
	begin(&s, args);
	say(s.server,
		"EVAL \"for i = 1, 998 do redis.call('SET', 'k' .. i, i) end "
		"local hot = 'hot' .. string.char(10) redis.call('SET', hot, 1) "
		"redis.call('SET', 'warm', 1) for i = 1, 3000 do redis.call('GET', hot) end "
		"for i = 1, 300 do redis.call('GET', 'warm') end return 1\" 0\r\n",
		1);
	look(&s);
	assert_int_equal(s.m->ep[0]->last->tables[TABLE_REDIS_HOTKEY].asked, false);
	assert_true(test_wait(has_looked_at_all, &s, WAIT_MS));
	const struct sample *last = s.m->ep[0]->last;
	assert_int_equal(last->tables[TABLE_REDIS_HOTKEY].n, 20);
	assert_string_equal(
		sample_row(last, TABLE_REDIS_HOTKEY, 0)[COL_REDIS_HOTKEY_KEY].s, "hot\xef\xbf\xbd");
	assert_string_equal(
		sample_row(last, TABLE_REDIS_HOTKEY, 1)[COL_REDIS_HOTKEY_KEY].s, "warm");
	/* our own look-ups are no hits of theirs */
	test_near(figure(&s, METRIC_REDIS_HITS_TOTAL).v, 3300, 0);
	look(&s);
	test_near(figure(&s, METRIC_REDIS_HITS_TOTAL).v, 3300, 0);
	assert_false(s.m->ep[0]->last->tables[TABLE_REDIS_HOTKEY].asked);
	end(&s);
}

static void hot_keys_need_an_lfu_policy_and_a_right(void **state)
{
	const char *const args[] = {"--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lfu",
		"--user", "probe", "on", ">pw", "-@all", "+info", "+ping", NULL};
	struct stage s;
	struct watched w;
	char uri[128];

	(void)state;
	begin(&s, NULL);
	look_for_hot_keys(&s);
	assert_non_null(
		strstr(sample_text(s.m->ep[0]->last, METRIC_REDIS_HOTKEYS), "needs an LFU policy"));
	end(&s);
	begin(&s, args);
	snprintf(uri, sizeof(uri), "redis://probe:pw@127.0.0.1:%u", server_port(s.server));
	watch_begin(&w, uri, 5);
	struct watched admin = s.w;
	s.w = w;
	look_for_hot_keys(&s);
	assert_non_null(strstr(sample_text(s.m->ep[0]->last, METRIC_REDIS_HOTKEYS),
		"ACL rights would add it: +scan +object|freq"));
	s.w = admin;
	watch_end(&w);
	end(&s);
}

/* ---- TLS with certificates on both sides ---- */

static void poll_one(const char *uri, enum status want)
{
	struct watched w;

	watch_begin(&w, uri, 5);
	assert_status(watch_poll(&w), want);
	watch_end(&w);
}

static void a_client_shows_its_certificate(void **state)
{
	char *made = test_dir_create(), *dir = realpath(made, NULL), port[8], uri[700];
	struct fake_certs certs;
	struct server *s = NULL;

	(void)state;
	snprintf(port, sizeof(port), "%u", server_free_port());
	/* 1.2, which refuses within the handshake */
	if (fake_certs_make(dir, &certs))
		s = server_redis((const char *const[]){"--tls-port", port, "--tls-cert-file",
			certs.server, "--tls-key-file", certs.server, "--tls-ca-cert-file",
			certs.ca, "--tls-auth-clients", "yes", "--tls-protocols", "TLSv1.2", NULL});
	if (s) {
		snprintf(uri, sizeof(uri),
			"rediss://127.0.0.1:%s?tlsCAFile=%s&tlsCertificateKeyFile=%s", port,
			certs.ca, certs.client);
		poll_one(uri, STATUS_OK);
		snprintf(uri, sizeof(uri), "rediss://127.0.0.1:%s?tlsCAFile=%s", port, certs.ca);
		poll_one(uri, STATUS_TLS);
	}
	server_stop(s);
	free(dir);
	test_dir_remove(made);
	if (!s)
		skip();
}

static int setup(void **state)
{
	(void)state;
	source_quiet();
	source_global_init();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	source_global_finish();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_those_of_the_interval),
		cmocka_unit_test(a_full_memory_is_judged_by_its_policy),
		cmocka_unit_test(resetstat_is_an_event_and_no_rate),
		cmocka_unit_test(a_replica_is_listed_and_takes_over),
		cmocka_unit_test(a_node_of_a_cluster_lists_them),
		cmocka_unit_test(a_client_shows_its_certificate),
		cmocka_unit_test(hot_keys_are_found_and_cost_no_hit),
		cmocka_unit_test(hot_keys_need_an_lfu_policy_and_a_right),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
