/*
 * Our own timed gets at a real memcached: they are timed, they write nothing, and the server's hits
 * and misses are told without them; at a server that answers nonsense nothing is timed.
 */
#include "support.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fake.h"
#include "hotset/clock.h"
#include "hotset/model.h"
#include "hotset/source.h"
#include "servers.h"

struct stage {
	struct target target;
	struct source *source;
	struct model *m;
};

static void begin(struct stage *s, const char *uri, const char *key)
{
	struct source_options o = {
		.interval_s = 1, .timeout_s = 5, .probe = true, .probe_key = key};
	struct err err;

	if (!target_parse(uri, &s->target, &err))
		fail_msg("%s", err.msg);
	s->source = s->target.ops->create(&s->target, &o);
	s->m = model_create();
	assert_non_null(model_add(s->m, KIND_MEMCACHED, "memcached@x", "x", "x", 60));
}

static void end(struct stage *s)
{
	s->target.ops->destroy(s->source);
	model_destroy(s->m);
	target_finish(&s->target);
}

static struct endpoint *look(struct stage *s)
{
	struct poll_request r = {clock_mono_ns() + 5 * NS_PER_SEC, 0};
	struct sample *out = sample_create(0);

	s->target.ops->poll(s->source, &r, out);
	model_push(s->m, out);
	return s->m->ep[0];
}

/* Sends a command and reads until the answer ends with `last`. */
static void say(uint16_t port, const char *text, const char *last, char *reply, size_t cap)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct timeval limit = {.tv_sec = 10};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t len = 0;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	reply[0] = '\0';
	while (!strstr(reply, last)) {
		ssize_t n = read(fd, reply + len, cap - 1 - len);

		if (n <= 0)
			fail_msg("no '%s' in '%s'", last, reply);
		len += (size_t)n;
		reply[len] = '\0';
	}
	close(fd);
}

static double figure(const struct stage *s, enum metric_id id)
{
	struct value v = s->m->ep[0]->frame.v[id];

	if (!value_ok(v))
		fail_msg("%s: %s", metric_desc(id)->name, reason_text((enum reason)v.why));
	return v.v;
}

static void own_gets_are_no_traffic(void **state)
{
	struct server *server = server_memcached(NULL);
	char reply[8192];
	struct stage s;

	(void)state;
	if (!server)
		skip();
	begin(&s, server_uri(server), NULL);
	for (unsigned i = 0; i < 3; i++)
		look(&s);
	assert_true(figure(&s, METRIC_MEMCACHED_PROBE_P50) > 0);
	assert_true(
		figure(&s, METRIC_MEMCACHED_PROBE_P50) <= figure(&s, METRIC_MEMCACHED_PROBE_P95));
	assert_true(
		figure(&s, METRIC_MEMCACHED_PROBE_P95) <= figure(&s, METRIC_MEMCACHED_PROBE_P99));
	assert_int_equal(s.m->ep[0]->frame.v[METRIC_MEMCACHED_PROBE_KEY_P50].why, REASON_OFF);
	test_near(figure(&s, METRIC_MEMCACHED_MISSES), 0, 0);
	assert_int_equal(s.m->ep[0]->frame.v[METRIC_MEMCACHED_HIT_RATIO].why, REASON_NO_TRAFFIC);
	assert_int_equal(
		s.m->ep[0]->frame.v[METRIC_MEMCACHED_HIT_RATIO_TOTAL].why, REASON_NO_TRAFFIC);
	/* the server has counted them, and holds nothing */
	say(server_port(server), "stats\r\n", "END\r\n", reply, sizeof(reply));
	assert_non_null(strstr(reply, "STAT get_misses 150\r\n"));
	assert_non_null(strstr(reply, "STAT curr_items 0\r\n"));
	assert_non_null(strstr(reply, "STAT cmd_set 0\r\n"));
	end(&s);
	server_stop(server);
}

static void a_named_key_is_timed_and_others_are_counted(void **state)
{
	struct server *server = server_memcached(NULL);
	char reply[8192], text[9000];
	struct stage s;

	(void)state;
	if (!server)
		skip();
	/* longer than what is read at once */
	snprintf(text, sizeof(text), "set k 0 0 8500\r\n%08500d\r\n", 0);
	say(server_port(server), text, "STORED\r\n", reply, sizeof(reply));
	begin(&s, server_uri(server), "k");
	look(&s);
	look(&s);
	assert_true(figure(&s, METRIC_MEMCACHED_PROBE_KEY_P50) > 0);
	test_near(figure(&s, METRIC_MEMCACHED_HITS), 0, 0);
	for (unsigned i = 0; i < 3; i++)
		say(server_port(server), "get nothing\r\n", "END\r\n", reply, sizeof(reply));
	look(&s);
	test_near(figure(&s, METRIC_MEMCACHED_MISSES_TOTAL), 3, 0);
	test_near(figure(&s, METRIC_MEMCACHED_HITS_TOTAL), 0, 0);
	test_near(figure(&s, METRIC_MEMCACHED_HIT_RATIO), 0, 0);
	/* counters begin anew, and ours with them */
	say(server_port(server), "stats reset\r\n", "RESET\r\n", reply, sizeof(reply));
	say(server_port(server), "get nothing\r\n", "END\r\n", reply, sizeof(reply));
	look(&s);
	test_near(figure(&s, METRIC_MEMCACHED_MISSES_TOTAL), 1, 0);
	assert_non_null(model_event(s.m, 0));
	assert_string_equal(model_event(s.m, 0)->code, "memcached.stats_reset");
	look(&s);
	test_near(figure(&s, METRIC_MEMCACHED_MISSES), 0, 0);
	end(&s);
	server_stop(server);
}

/* ---- nonsense ---- */

static void serve_nonsense(struct fake_conn *c)
{
	char line[512];

	while (fake_read_line(c, line, sizeof(line))) {
		if (strncmp(line, "get ", 4) == 0)
			fake_puts(c, c->arg);
		else if (strcmp(line, "stats\r\n") == 0)
			fake_puts(c, "STAT version 1.6.21\r\nSTAT get_hits 7\r\n"
				     "STAT get_misses 3\r\nEND\r\n");
		else
			fake_puts(c, "END\r\n");
	}
}

static void nonsense_is_not_timed(void **state)
{
	static const char *const replies[] = {"VALUE k 0 99999999999999\r\n",
		"SERVER_ERROR busy\r\n", "VALUE\r\n", "END\r\nEND\r\n",
		"VALUE k 0 2\r\nab\r\nEND\r\nVALUE k 0 2\r\nab\r\nEND\r\n"};

	(void)state;
	for (unsigned i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		struct fake *f = fake_start(serve_nonsense, replies[i]);
		struct stage s;

		begin(&s, fake_uri(f, "memcached", NULL), NULL);
		look(&s);
		assert_true(status_has_data(s.m->ep[0]->status));
		assert_false(value_ok(s.m->ep[0]->frame.v[METRIC_MEMCACHED_PROBE_P50]));
		look(&s); /* on a new connection */
		assert_true(status_has_data(s.m->ep[0]->status));
		test_near(figure(&s, METRIC_MEMCACHED_HITS_TOTAL), 7, 0);
		end(&s);
		fake_stop(f);
	}
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
		cmocka_unit_test(own_gets_are_no_traffic),
		cmocka_unit_test(a_named_key_is_timed_and_others_are_counted),
		cmocka_unit_test(nonsense_is_not_timed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
