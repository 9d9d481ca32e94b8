/*
 * What a memcached port may do: refuse with a banner, know no stats, close, say nothing, stop in
 * the middle. A sample is whole or not there, and one socket at a time is all that we take.
 */
#include "support.h"

#include "fake.h"
#include "watched.h"

static const char stats[] =
	"STAT pid 881\r\nSTAT uptime 7200\r\nSTAT time 1700007200\r\n"
	"STAT version 1.6.21\r\nSTAT max_connections 1024\r\nSTAT curr_connections 10\r\n"
	"STAT get_hits 75\r\nSTAT get_misses 25\r\nSTAT cmd_set 5\r\n"
	"STAT bytes 33554432\r\nSTAT limit_maxbytes 67108864\r\nEND\r\n";
static const char slabs[] =
	"STAT 1:chunk_size 96\r\nSTAT 1:total_pages 1\r\nSTAT active_slabs 1\r\n"
	"STAT total_malloced 1048576\r\nEND\r\n";

static const char *reply_to(const char *line)
{
	if (strcmp(line, "stats\r\n") == 0)
		return stats;
	if (strcmp(line, "stats settings\r\n") == 0)
		return "STAT maxbytes 67108864\r\nSTAT item_size_max 1048576\r\nEND\r\n";
	if (strcmp(line, "stats slabs\r\n") == 0)
		return slabs;
	return strcmp(line, "stats items\r\n") == 0 ? "END\r\n" : "ERROR\r\n";
}

/* A server that answers everything. */
static void serve_stats(struct fake_conn *c)
{
	char line[256];

	while (fake_read_line(c, line, sizeof(line)))
		fake_puts(c, reply_to(line));
}

static void one_poll_of(unsigned connections, fake_fn *serve, const void *arg, double timeout_s,
	enum status want, const char *says)
{
	struct fake *f = fake_start(serve, arg);
	struct watched w;
	const struct sample *s;

	watch_begin(&w, fake_uri(f, "memcached", NULL), timeout_s);
	s = watch_poll(&w);
	assert_status(s, want);
	assert_says(s, says);
	if (!status_has_data(want))
		assert_false(sample_has(s, METRIC_MEMCACHED_HITS_TOTAL));
	assert_int_equal(fake_accepted(f), connections);
	watch_end(&w);
	fake_stop(f);
}

static void one_poll(
	fake_fn *serve, const void *arg, double timeout_s, enum status want, const char *says)
{
	one_poll_of(1, serve, arg, timeout_s, want, says);
}

static void one_connection_serves_every_poll(void **state)
{
	struct fake *f = fake_start(serve_stats, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "memcached", NULL), 1);
	for (unsigned i = 0; i < 5; i++) {
		assert_status(watch_poll(&w), STATUS_OK);
		test_near(sample_f64(w.last, METRIC_MEMCACHED_HITS_TOTAL), 75, 0);
		test_near(sample_f64(w.last, METRIC_MEMCACHED_ITEM_SIZE_MAX), 1048576, 0);
	}
	assert_int_equal(fake_accepted(f), 1);
	watch_end(&w);
	fake_stop(f);
}

static void serve_bytes(struct fake_conn *c)
{
	char line[256];

	fake_read_line(c, line, sizeof(line));
	fake_puts(c, c->arg);
}

/* A line that comes before anything was asked, then the end. */
static void serve_banner(struct fake_conn *c)
{
	fake_puts(c, c->arg);
}

static void ports_that_know_no_stats(void **state)
{
	(void)state;
	one_poll(serve_bytes, "ERROR Unknown command\r\n", 1, STATUS_UNSUPPORTED, "ERROR");
	/* the second connection asks whether it wants TLS */
	one_poll_of(2, serve_bytes, "", 1, STATUS_UNSUPPORTED, "proxy?");
}

static void too_many_connections_is_a_refusal(void **state)
{
	(void)state;
	one_poll(serve_banner, "ERROR Too many open connections\r\n", 1, STATUS_REFUSED, "");
}

static void serve_silence(struct fake_conn *c)
{
	fake_hold(c);
}

static void silence_names_its_likely_cause(void **state)
{
	struct fake *f = fake_start(serve_silence, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "memcached", NULL), 0.3);
	for (unsigned i = 0; i < 3; i++) {
		assert_status(watch_poll(&w), STATUS_TIMEOUT);
		assert_says(w.last, "no answer to ASCII stats");
	}
	assert_int_equal(fake_accepted(f), 3);
	watch_end(&w);
	fake_stop(f);
}

static void serve_cut(struct fake_conn *c)
{
	char line[256];

	fake_read_line(c, line, sizeof(line));
	fake_send(c, stats, sizeof(stats) - 9);
	if (c->arg)
		fake_hold(c);
}

static void a_reply_without_end_is_not_published(void **state)
{
	char *file;
	size_t len;

	(void)state;
	one_poll(serve_cut, NULL, 1, STATUS_PROTOCOL, "middle of a reply");
	one_poll(serve_cut, "hold", 0.3, STATUS_TIMEOUT, "");
	file = test_fixture("cases/F09b.raw", &len);
	one_poll(serve_bytes, file, 1, STATUS_PROTOCOL, "middle of a reply");
	free(file);
}

/* The first list is there, a later one is not: then nothing of the poll is. */
static void serve_cut_later(struct fake_conn *c)
{
	char line[256];

	while (fake_read_line(c, line, sizeof(line)) && strcmp(line, "stats slabs\r\n") != 0)
		fake_puts(c, reply_to(line));
	fake_puts(c, "STAT 1:chunk_size 9");
}

static void a_poll_is_whole_or_nothing(void **state)
{
	(void)state;
	one_poll(serve_cut_later, NULL, 1, STATUS_PROTOCOL, "middle of a reply");
}

static void serve_drip(struct fake_conn *c)
{
	char line[256];

	while (fake_read_line(c, line, sizeof(line)))
		fake_drip(c, reply_to(line), strlen(reply_to(line)), 3, 1);
}

/* Each reply is read to its end and no further: nothing is left over for the next one. */
static void any_segments_make_a_reply(void **state)
{
	struct fake *f = fake_start(serve_drip, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "memcached", NULL), 5);
	for (unsigned i = 0; i < 3; i++) {
		assert_status(watch_poll(&w), STATUS_OK);
		test_near(sample_f64(w.last, METRIC_MEMCACHED_SLABS_MALLOCED), 1048576, 0);
	}
	assert_int_equal(fake_accepted(f), 1);
	watch_end(&w);
	fake_stop(f);
}

static void serve_no_slabs(struct fake_conn *c)
{
	char line[256];

	while (fake_read_line(c, line, sizeof(line)))
		fake_puts(c,
			strcmp(line, "stats slabs\r\n") ? reply_to(line) : "SERVER_ERROR no\r\n");
}

static void a_missing_list_is_partial(void **state)
{
	(void)state;
	one_poll(serve_no_slabs, NULL, 1, STATUS_PARTIAL, "stats slabs");
}

/* Takes "user pass" as the value of the first set, as -Y does; checks that it expires at once. */
static void serve_auth(struct fake_conn *c)
{
	char line[256], value[256];

	fake_read_line(c, line, sizeof(line));
	fake_read_line(c, value, sizeof(value));
	if (strncmp(line, "set ", 4) != 0 || !strstr(line, " 0 -1 11\r\n") ||
		strcmp(value, "user secret\r\n") != 0) {
		fake_puts(c, "CLIENT_ERROR authentication failure\r\n");
		return;
	}
	fake_puts(c, "STORED\r\n");
	serve_stats(c);
}

static void credentials_are_sent_as_a_set(void **state)
{
	struct fake *f = fake_start(serve_auth, NULL);
	struct watched w;

	(void)state;
	watch_begin(&w, fake_uri(f, "memcached", "user:secret"), 1);
	assert_status(watch_poll(&w), STATUS_OK);
	watch_end(&w);
	watch_begin(&w, fake_uri(f, "memcached", "user:s3cret"), 1);
	assert_status(watch_poll(&w), STATUS_AUTH);
	assert_null(strstr(w.last->err.msg, "s3cret"));
	watch_end(&w);
	fake_stop(f);
}

static void serve_endless(struct fake_conn *c)
{
	char line[256], block[1024];

	fake_read_line(c, line, sizeof(line));
	memset(block, 'x', sizeof(block));
	for (unsigned i = 0; i < 20000 && fake_send(c, block, sizeof(block)); i++)
		;
}

static void a_reply_without_bound_is_cut_off(void **state)
{
	(void)state;
	one_poll(serve_endless, NULL, 3, STATUS_PROTOCOL, "too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_connection_serves_every_poll),
		cmocka_unit_test(ports_that_know_no_stats),
		cmocka_unit_test(too_many_connections_is_a_refusal),
		cmocka_unit_test(silence_names_its_likely_cause),
		cmocka_unit_test(a_reply_without_end_is_not_published),
		cmocka_unit_test(a_poll_is_whole_or_nothing),
		cmocka_unit_test(any_segments_make_a_reply),
		cmocka_unit_test(a_missing_list_is_partial),
		cmocka_unit_test(credentials_are_sent_as_a_set),
		cmocka_unit_test(a_reply_without_bound_is_cut_off),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
