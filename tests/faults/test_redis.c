/*
 * What a Redis port may do to its client: nothing, too little, too much, too late, the wrong
 * protocol. Every poll ends in time, with a status that says what happened, and never with half of
 * a reply; the next poll starts on a connection of its own.
 */
#include "support.h"

#include <sys/resource.h>

#include "fake.h"
#include "servers.h"
#include "watched.h"

#include "../../src/source/resp.h"

static const char info[] =
	"# Server\r\nredis_version:7.2.5\r\nredis_mode:standalone\r\nprocess_id:42\r\n"
	"run_id:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\nuptime_in_seconds:86400\r\n"
	"# Memory\r\nused_memory:53687091\r\nmaxmemory:0\r\n"
	"# Stats\r\ntotal_commands_processed:9000000\r\n";

/* Answers INFO with its argument, everything else with +OK. */
static void serve_info(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	while (fake_read_command(c, w)) {
		if (strcmp(w[0], "INFO") == 0)
			fake_send_bulk(c, c->arg ? c->arg : info);
		else
			fake_puts(c, "+OK\r\n");
	}
}

static void one_poll(
	fake_fn *serve, const void *arg, double timeout_s, enum status want, const char *says)
{
	struct fake *f = fake_start(serve, arg);
	struct watched w;
	const struct sample *s;

	watch_begin(&w, fake_uri(f, "redis", NULL), timeout_s);
	s = watch_poll(&w);
	assert_status(s, want);
	assert_says(s, says);
	if (!status_has_data(want))
		assert_false(sample_has(s, METRIC_REDIS_MEM_USED));
	assert_int_equal(fake_accepted(f), 1);
	watch_end(&w);
	fake_stop(f);
}

static void a_good_reply_is_taken(void **state)
{
	(void)state;
	one_poll(serve_info, NULL, 1, STATUS_OK, "");
}

/* A proxy in the environment is for web pages: passwords of a Redis must not pass there. */
static void proxies_of_the_environment_are_not_used(void **state)
{
	static const char *const names[] = {"http_proxy", "https_proxy", "ALL_PROXY"};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		setenv(names[i], "http://127.0.0.1:1", 1);
	one_poll(serve_info, NULL, 1, STATUS_OK, "");
	for (size_t i = 0; i < 3; i++)
		unsetenv(names[i]);
}

/* ---- unreachable ---- */

static void closed_port_refuses(void **state)
{
	struct watched w;
	char uri[64];

	(void)state;
	snprintf(uri, sizeof(uri), "redis://127.0.0.1:%u", server_free_port());
	watch_begin(&w, uri, 1);
	assert_status(watch_poll(&w), STATUS_REFUSED);
	assert_true(w.took_s < 0.5);
	watch_end(&w);
}

static void black_hole_times_out(void **state)
{
	struct blackhole *b = blackhole_start();
	struct watched w;
	char uri[64];

	(void)state;
	if (!b)
		skip();
	snprintf(uri, sizeof(uri), "redis://127.0.0.1:%u", blackhole_port(b));
	watch_begin(&w, uri, 0.4);
	assert_status(watch_poll(&w), STATUS_TIMEOUT);
	assert_status(watch_poll(&w), STATUS_TIMEOUT);
	watch_end(&w);
	blackhole_stop(b);
}

static void unknown_name_is_dns(void **state)
{
	struct watched w;

	(void)state;
	watch_begin(&w, "redis://no-such-host.invalid:6379", 1);
	assert_status(watch_poll(&w), STATUS_DNS);
	watch_end(&w);
}

/* ---- silent and slow ---- */

static void serve_silence(struct fake_conn *c)
{
	fake_hold(c);
}

static void silence_times_out_and_uses_one_socket(void **state)
{
	struct fake *f = fake_start(serve_silence, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "redis", NULL), 0.3);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&w), STATUS_TIMEOUT);
	assert_int_equal(fake_accepted(f), 3);
	watch_end(&w);
	fake_stop(f);
}

/* The whole reply, a byte every 100 ms: each read succeeds, the poll must not go on for ever. */
static void serve_slow_drip(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	fake_read_command(c, w);
	fake_drip(c, "$500\r\n# Server\r\nredis_version:7", 31, 1, 100);
	fake_hold(c);
}

static void dripping_ends_at_the_deadline(void **state)
{
	(void)state;
	one_poll(serve_slow_drip, NULL, 0.5, STATUS_TIMEOUT, "in time");
}

static void serve_segments(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX], reply[600];

	while (fake_read_command(c, w)) {
		snprintf(reply, sizeof(reply), "$%zu\r\n%s\r\n", strlen(info), info);
		if (strcmp(w[0], "INFO") == 0)
			fake_drip(c, reply, strlen(reply), 1, 1);
		else
			fake_puts(c, "+OK\r\n");
	}
}

static void single_bytes_make_a_reply(void **state)
{
	(void)state;
	one_poll(serve_segments, NULL, 5, STATUS_OK, "");
}

/* The first connection answers after the deadline; that answer must never be read as another's. */
static void serve_late(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	if (c->number == 0) {
		fake_read_command(c, w);
		fake_pause(c, 600);
		fake_send_bulk(c, "# Server\r\nredis_version:1.1.1\r\nused_memory:111\r\n");
		fake_hold(c);
	} else {
		serve_info(c);
	}
}

static void a_late_reply_is_not_used(void **state)
{
	struct fake *f = fake_start(serve_late, NULL);
	struct watched w;
	const struct sample *s;

	(void)state;
	watch_begin(&w, fake_uri(f, "redis", NULL), 0.3);
	assert_status(watch_poll(&w), STATUS_TIMEOUT);
	w.timeout_s = 2;
	s = watch_poll(&w);
	assert_status(s, STATUS_OK);
	assert_string_equal(s->version, "7.2.5");
	assert_int_equal(fake_accepted(f), 2);
	watch_end(&w);
	fake_stop(f);
}

/* ---- cut and damaged ---- */

struct bytes {
	const char *data;
	size_t len;
	bool reset;
};

/* Sends given bytes after the first command, then closes. */
static void serve_bytes(struct fake_conn *c)
{
	const struct bytes *b = c->arg;
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	fake_read_command(c, w);
	fake_send(c, b->data, b->len);
	if (b->reset)
		fake_reset(c);
}

static void a_cut_reply_is_all_or_nothing(void **state)
{
	struct bytes b = {.reset = false};
	char *file = test_fixture("cases/F09.raw", &b.len);

	(void)state;
	b.data = file;
	one_poll(serve_bytes, &b, 1, STATUS_PROTOCOL, "middle of a reply");
	b.reset = true;
	one_poll(serve_bytes, &b, 1, STATUS_PROTOCOL, "middle of a reply");
	free(file);
}

static long peak_kib(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void huge_headers_are_refused(void **state)
{
	static const char *const files[] = {"F07a", "F07b", "F07c", "F07d", "F07e", "F07g"};
	long before = peak_kib();
	char name[32];

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct bytes b = {.reset = false};
		char *file;

		snprintf(name, sizeof(name), "cases/%s.raw", files[i]);
		file = test_fixture(name, &b.len);
		b.data = file;
		one_poll(serve_bytes, &b, 1, STATUS_PROTOCOL, "");
		free(file);
	}
	assert_true(peak_kib() - before < 20 * 1024);
}

static void serve_endless_line(struct fake_conn *c)
{
	char block[4096], w[FAKE_WORDS][FAKE_WORD_MAX];
	size_t sent = 0;

	memset(block, 'x', sizeof(block));
	fake_read_command(c, w);
	fake_puts(c, "+");
	while (sent < 100u * 1024 * 1024 && fake_send(c, block, sizeof(block)))
		sent += sizeof(block);
}

static void a_line_without_end_is_cut_off(void **state)
{
	long before = peak_kib();

	(void)state;
	one_poll(serve_endless_line, NULL, 3, STATUS_PROTOCOL, "line without an end");
	assert_true(peak_kib() - before < 20 * 1024);
}

/* The guard's verdict must not depend on where the segments end. */
static void the_guard_sees_through_segments(void **state)
{
	static const struct {
		const char *text;
		bool good, done;
	} cases[] = {
		{"+OK\r\n", true, true},
		{"-ERR no\r\n", true, true},
		{":-12\r\n", true, true},
		{"$-1\r\n", true, true},
		{"$0\r\n\r\n", true, true},
		{"$5\r\nab\r\nc\r\n", true, true},
		{"*2\r\n*1\r\n:1\r\n$1\r\na\r\n", true, true},
		{"*0\r\n", true, true},
		{"*-1\r\n", true, true},
		{"*2\r\n:1\r\n", true, false},
		{"$5\r\nabc", true, false},
		{"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", true, true},
		{"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", false, false},
		{"$-2\r\n", false, false},
		{"$8388609\r\n", false, false},
		{"*65537\r\n", false, false},
		{"$1\r\nab\r\n", false, false},
		{"+OK\n", false, false},
		{"+OK\r\n+OK\r\n", false, false},
		{"$1x\r\n", false, false},
		{":\r\n", false, false},
		{"%1\r\n", false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = strlen(cases[i].text);

		for (size_t step = 1; step <= len; step++) {
			struct resp_guard g;
			struct err err;
			bool good = true;

			resp_guard_init(&g);
			for (size_t at = 0; good && at < len; at += step)
				good = resp_guard_feed(&g, cases[i].text + at,
					step < len - at ? step : len - at, &err);
			if (good != cases[i].good || (good && g.done != cases[i].done))
				fail_msg("case %zu in steps of %zu", i, step);
		}
	}
}

/* ---- other peers ---- */

static void tls_alert_means_tls(void **state)
{
	struct bytes b = {.reset = false};
	char *file = test_fixture("cases/F05.raw", &b.len);

	(void)state;
	b.data = file;
	one_poll(serve_bytes, &b, 1, STATUS_TLS, "peer expects TLS");
	free(file);
}

static void serve_plain_text(struct fake_conn *c)
{
	char byte;

	fake_read(c, &byte, 1);
	fake_puts(c, "-ERR unknown command\r\n");
	fake_hold(c);
}

static void plain_text_is_not_tls(void **state)
{
	struct fake *f = fake_start(serve_plain_text, NULL);
	struct watched w;
	const struct sample *s;

	(void)state;
	watch_begin(&w, fake_uri(f, "rediss", NULL), 1);
	s = watch_poll(&w);
	assert_status(s, STATUS_TLS);
	assert_says(s, "peer is not TLS");
	watch_end(&w);
	fake_stop(f);
}

static void another_protocol_is_named(void **state)
{
	struct bytes http = {"HTTP/1.1 400 Bad Request\r\n\r\n", 28, false};
	struct bytes none = {"", 0, false};

	(void)state;
	one_poll(serve_bytes, &http, 1, STATUS_PROTOCOL, "HTTP/1.1 400");
	one_poll(serve_bytes, &none, 1, STATUS_REFUSED, "closed without an answer");
}

static void an_unasked_refusal_is_understood(void **state)
{
	struct bytes b = {"-ERR max number of clients reached\r\n", 36, false};

	(void)state;
	one_poll(serve_bytes, &b, 1, STATUS_REFUSED, "");
}

/* ---- loading, login ---- */

static void serve_loading(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	while (fake_read_command(c, w))
		fake_puts(c, "-LOADING Redis is loading the dataset in memory\r\n");
}

static void loading_is_not_down(void **state)
{
	struct fake *f = fake_start(serve_loading, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "redis", NULL), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&w), STATUS_LOADING);
	assert_int_equal(fake_accepted(f), 1); /* no storm of connections */
	watch_end(&w);
	fake_stop(f);
}

/* Everything but INFO is refused while INFO works: the node's numbers are there. */
static void serve_side_loading(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	while (fake_read_command(c, w)) {
		if (strcmp(w[0], "INFO") == 0)
			fake_send_bulk(c, info);
		else
			fake_puts(c, "-LOADING Redis is loading the dataset in memory\r\n");
	}
}

static void side_commands_may_fail(void **state)
{
	(void)state;
	one_poll(serve_side_loading, NULL, 1, STATUS_OK, "");
}

static void serve_error(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	while (fake_read_command(c, w))
		fake_puts(c, c->arg);
}

static void login_needed_is_not_down(void **state)
{
	static const char *const replies[] = {"-NOAUTH Authentication required.\r\n",
		"-WRONGPASS invalid username-password pair or user is disabled.\r\n",
		"-NOPERM User probe has no permissions to run the 'info' command\r\n"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fake *f = fake_start(serve_error, replies[i]);
		struct watched w;

		watch_begin(&w, fake_uri(f, "redis", "probe:secret"), 1);
		assert_status(watch_poll(&w), STATUS_AUTH);
		assert_null(strstr(w.last->err.msg, "secret"));
		watch_end(&w);
		fake_stop(f);
	}
}

static void serve_old(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];
	unsigned n;

	while ((n = fake_read_command(c, w)) != 0) {
		if (strcmp(w[0], "INFO") == 0 && n == 1)
			fake_send_bulk(c, info);
		else
			fake_puts(c, "-ERR wrong number of arguments for 'info' command\r\n");
	}
}

static void old_servers_get_the_plain_form(void **state)
{
	(void)state;
	one_poll(serve_old, NULL, 1, STATUS_OK, "");
}

/* ---- restarts ---- */

static const char info_after[] =
	"# Server\r\nredis_version:7.2.5\r\nredis_mode:standalone\r\nprocess_id:42\r\n"
	"run_id:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\r\nuptime_in_seconds:400000\r\n"
	"# Memory\r\nused_memory:53687091\r\n"
	"# Stats\r\ntotal_commands_processed:9500000\r\n";

/* Closes each connection after one poll; the second is another server, as after a fail-over. */
static void serve_twice(struct fake_conn *c)
{
	char w[FAKE_WORDS][FAKE_WORD_MAX];

	for (unsigned n = 0; n < 3 && fake_read_command(c, w); n++) {
		if (strcmp(w[0], "INFO") == 0)
			fake_send_bulk(c, c->number ? info_after : info);
		else
			fake_puts(c, "*0\r\n");
	}
}

static void a_closed_connection_is_opened_anew(void **state)
{
	struct fake *f = fake_start(serve_twice, NULL);
	struct watched w;
	uint64_t first;

	(void)state;
	watch_begin(&w, fake_uri(f, "redis", NULL), 1);
	assert_status(watch_poll(&w), STATUS_OK);
	first = w.last->epoch;
	/* The end of the connection may arrive during the poll: then the next one has the answer.
	 */
	for (unsigned i = 0; i < 5 && watch_poll(&w)->status != STATUS_OK; i++)
		;
	assert_status(w.last, STATUS_OK);
	assert_true(first != 0 && w.last->epoch != first);
	watch_end(&w);
	fake_stop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_reply_is_taken),
		cmocka_unit_test(proxies_of_the_environment_are_not_used),
		cmocka_unit_test(closed_port_refuses),
		cmocka_unit_test(black_hole_times_out),
		cmocka_unit_test(unknown_name_is_dns),
		cmocka_unit_test(silence_times_out_and_uses_one_socket),
		cmocka_unit_test(dripping_ends_at_the_deadline),
		cmocka_unit_test(single_bytes_make_a_reply),
		cmocka_unit_test(a_late_reply_is_not_used),
		cmocka_unit_test(a_cut_reply_is_all_or_nothing),
		cmocka_unit_test(huge_headers_are_refused),
		cmocka_unit_test(a_line_without_end_is_cut_off),
		cmocka_unit_test(the_guard_sees_through_segments),
		cmocka_unit_test(tls_alert_means_tls),
		cmocka_unit_test(plain_text_is_not_tls),
		cmocka_unit_test(another_protocol_is_named),
		cmocka_unit_test(an_unasked_refusal_is_understood),
		cmocka_unit_test(loading_is_not_down),
		cmocka_unit_test(side_commands_may_fail),
		cmocka_unit_test(login_needed_is_not_down),
		cmocka_unit_test(old_servers_get_the_plain_form),
		cmocka_unit_test(a_closed_connection_is_opened_anew),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
