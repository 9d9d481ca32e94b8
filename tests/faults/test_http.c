/*
 * What an HTTP port may answer instead of metrics: errors, redirects, pages, nothing, too much. No
 * password shows, nothing is followed, and the deadline holds.
 */
#include "support.h"

#include <zlib.h>

#include "fake.h"
#include "watched.h"

static const char metrics[] = "# TYPE node_memory_MemTotal_bytes gauge\n"
			      "node_memory_MemTotal_bytes 1.7179869184e+10\n"
			      "node_memory_MemAvailable_bytes 8.589934592e+09\n";

static bool read_request(struct fake_conn *c, char *auth, size_t cap)
{
	char line[1024];

	auth[0] = '\0';
	while (fake_read_line(c, line, sizeof(line))) {
		if (strcmp(line, "\r\n") == 0)
			return true;
		if (strncmp(line, "Authorization:", 14) == 0)
			snprintf(auth, cap, "%.200s", line + 14);
	}
	return false;
}

struct answer {
	const char *head; /* status line and headers without length */
	const char *body;
	size_t len;
};

static void serve_answer(struct fake_conn *c)
{
	const struct answer *a = c->arg;
	char head[512], auth[256];

	while (read_request(c, auth, sizeof(auth))) {
		snprintf(head, sizeof(head), "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n", a->head,
			a->len);
		fake_puts(c, head);
		fake_send(c, a->body, a->len);
	}
}

static void one_poll(
	fake_fn *serve, const void *arg, double timeout_s, enum status want, const char *says)
{
	struct fake *f = fake_start(serve, arg);
	struct watched w;

	watch_begin(&w, fake_uri(f, "http", "user:secret"), timeout_s);
	for (unsigned i = 0; i < 2; i++) {
		assert_status(watch_poll(&w), want);
		assert_says(w.last, says);
		assert_null(strstr(w.last->err.msg, "secret"));
		assert_int_equal(sample_has(w.last, METRIC_HOST_MEM_TOTAL), status_has_data(want));
	}
	watch_end(&w);
	fake_stop(f);
}

static void metrics_are_taken_over_one_connection(void **state)
{
	struct answer a = {"200 OK", metrics, sizeof(metrics) - 1};
	struct fake *f = fake_start(serve_answer, &a);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "http", NULL), 1);
	for (unsigned i = 0; i < 3; i++)
		assert_true(status_has_data(watch_poll(&w)->status));
	test_near(sample_f64(w.last, METRIC_HOST_MEM_TOTAL), 17179869184.0, 0);
	assert_int_equal(fake_accepted(f), 1);
	watch_end(&w);
	fake_stop(f);
}

static void codes_are_named(void **state)
{
	static const struct {
		struct answer a;
		enum status want;
		const char *says;
	} cases[] = {
		{{"401 Unauthorized", "no", 2}, STATUS_AUTH, "401"},
		{{"403 Forbidden", "no", 2}, STATUS_AUTH, "403"},
		{{"404 Not Found", "no", 2}, STATUS_UNSUPPORTED, "404"},
		{{"500 Oops", "no", 2}, STATUS_ERROR, "500"},
		{{"302 Found\r\nLocation: http://u:secret@192.0.2.1/login", "", 0},
			STATUS_UNSUPPORTED, "redirects to http://u:***@192.0.2.1/login"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		one_poll(serve_answer, &cases[i].a, 1, cases[i].want, cases[i].says);
}

static void pages_are_no_metrics(void **state)
{
	static const char *const files[] = {
		"cases/F19a.metrics", "cases/F19b.metrics", "cases/F19c.metrics"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct answer a = {"200 OK", NULL, 0};
		char *body = test_fixture(files[i], &a.len);

		a.body = body;
		one_poll(serve_answer, &a, 1, STATUS_UNSUPPORTED, "");
		free(body);
	}
}

static void gzip_is_unpacked(void **state)
{
	unsigned char packed[512];
	z_stream z = {.next_in = (unsigned char *)(uintptr_t)metrics,
		.avail_in = sizeof(metrics) - 1,
		.next_out = packed,
		.avail_out = sizeof(packed)};
	struct answer a = {"200 OK\r\nContent-Encoding: gzip", (const char *)packed, 0};
	struct fake *f;
	struct watched w;

	(void)state;
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	a.len = z.total_out;
	deflateEnd(&z);
	f = fake_start(serve_answer, &a);
	watch_begin(&w, fake_uri(f, "http", NULL), 1);
	assert_true(status_has_data(watch_poll(&w)->status));
	watch_end(&w);
	fake_stop(f);
}

static void serve_flood(struct fake_conn *c)
{
	char block[4096], auth[256];

	read_request(c, auth, sizeof(auth));
	memset(block, '#', sizeof(block));
	fake_puts(c, "HTTP/1.1 200 OK\r\n\r\n");
	for (unsigned i = 0; i < 100000 && fake_send(c, block, sizeof(block)); i++)
		;
}

static void serve_silence(struct fake_conn *c)
{
	fake_hold(c);
}

static void serve_half(struct fake_conn *c)
{
	char auth[256];

	read_request(c, auth, sizeof(auth));
	fake_puts(c, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nnode_memory_MemTotal_bytes 1");
}

static void serve_trickle(struct fake_conn *c)
{
	char auth[256];

	read_request(c, auth, sizeof(auth));
	fake_puts(c, "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n");
	fake_drip(c, metrics, sizeof(metrics) - 1, 1, 100);
}

static void too_much_too_little_too_late(void **state)
{
	(void)state;
	one_poll(serve_flood, NULL, 3, STATUS_PROTOCOL, "longer than 8 MiB");
	one_poll(serve_silence, NULL, 0.3, STATUS_TIMEOUT, "in time");
	one_poll(serve_trickle, NULL, 0.4, STATUS_TIMEOUT, "in time");
	one_poll(serve_half, NULL, 1, STATUS_PROTOCOL, "");
}

static void serve_secret(struct fake_conn *c)
{
	char auth[256];

	if (!read_request(c, auth, sizeof(auth)))
		return;
	if (strstr(auth, "Basic dXNlcjpzZWNyZXQ="))
		fake_puts(c, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
	else
		fake_puts(c, "HTTP/1.1 401 No\r\nConnection: close\r\n\r\n");
	fake_puts(c, metrics);
}

static void credentials_are_sent(void **state)
{
	struct fake *f = fake_start(serve_secret, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "http", "user:secret"), 1);
	assert_true(status_has_data(watch_poll(&w)->status));
	watch_end(&w);
	watch_begin(&w, fake_uri(f, "http", "user:wrong"), 1);
	assert_status(watch_poll(&w), STATUS_AUTH);
	watch_end(&w);
	fake_stop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics_are_taken_over_one_connection),
		cmocka_unit_test(codes_are_named),
		cmocka_unit_test(pages_are_no_metrics),
		cmocka_unit_test(gzip_is_unpacked),
		cmocka_unit_test(too_much_too_little_too_late),
		cmocka_unit_test(credentials_are_sent),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
