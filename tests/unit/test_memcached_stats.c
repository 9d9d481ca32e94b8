/*
 * memcached's statistics: absent is not zero, a flash miss is a miss, a proxy is none of a cache,
 * and the identity of a run does not wander with its clock.
 */
#include "hotset/parse.h"
#include "parsed.h"

#include <math.h>
#include <string.h>

static struct sample *stats(const char *name)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "cases/%s", name);
	return parsed_fixture(parse_memcached_stats, path);
}

static struct sample *text(const char *lines)
{
	return parsed_text(parse_memcached_stats, lines);
}

static double cell(const struct sample *s, const char *class, unsigned col)
{
	const struct raw *r = parsed_cell(s, TABLE_MEMCACHED_SLAB, class, col);
	assert_non_null(r);
	return raw_f64(r);
}

/* What the client counted is the truth: 3,708 hits, 2,292 misses; 64 pages of 1 MiB are handed out.
 */
static void reads_a_real_reply_with_extstore(void **state)
{
	(void)state;
	struct sample *s =
		parsed_fixture(parse_memcached_stats, "replies/memcached-1.6.18-extstore.stats");
	assert_string_equal(s->product, "memcached");
	assert_string_equal(s->version, "1.6.18");
	assert_int_equal(s->status, STATUS_OK);
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 3708);
	assert_number(s, METRIC_MEMCACHED_MISSES_TOTAL, 2292);
	assert_number(s, METRIC_MEMCACHED_EXT_HITS_TOTAL, 1480);
	assert_number(s, METRIC_MEMCACHED_EXT_READS_TOTAL, 1480);
	assert_number(s, METRIC_MEMCACHED_EXT_MISSES_TOTAL, 0);
	assert_number(s, METRIC_MEMCACHED_EXT_USED, 34185860);
	assert_number(s, METRIC_MEMCACHED_EXT_MAX, 134217728);
	assert_number(s, METRIC_MEMCACHED_EXT_PAGES_FREE, 10);
	assert_number(s, METRIC_MEMCACHED_MEM_USED, 67108864); /* `bytes` says 86 MB */
	assert_number(s, METRIC_MEMCACHED_MEM_MAX, 67108864);
	assert_number(
		s, METRIC_MEMCACHED_EVICTIONS_TOTAL, 24881); /* not the setting "evictions on" */
	assert_number(s, METRIC_MEMCACHED_SLABS_ACTIVE, 2);
	assert_number(s, METRIC_MEMCACHED_MAX_CONNS, 1024);
	assert_text(s, METRIC_MEMCACHED_INTER, "127.0.0.1");
	assert_text(s, METRIC_MEMCACHED_KIND, "server");
	assert_text(s, METRIC_MEMCACHED_STATE, "ok");
	assert_int_equal(s->tables[TABLE_MEMCACHED_SLAB].n, 2);
	test_near(cell(s, "1", COL_MEMCACHED_SLAB_PAGES), 2, 0);
	test_near(cell(s, "1", COL_MEMCACHED_SLAB_EVICTED), 24881, 0);
	test_near(cell(s, "1", COL_MEMCACHED_SLAB_EVICTED_TIME), 3, 0);
	test_near(cell(s, "14", COL_MEMCACHED_SLAB_CHUNK), 1856, 0);
	assert_true(sample_has(s, METRIC_MEMCACHED_TAIL_AGE));
	assert_true(s->pid != 0 && s->start_s > 1000000000);
	sample_destroy(s);
}

static void counts_a_flash_miss_as_a_miss(void **state)
{
	(void)state;
	struct sample *s = text("STAT pid 1\r\nSTAT get_hits 9414\r\nSTAT get_misses 10\r\nSTAT "
				"get_extstore 500\r\n"
				"STAT miss_from_extstore 116\r\nSTAT get_aborted_extstore 3\r\n"
				"STAT get_oom_extstore 1\r\nSTAT bytes 5\r\nSTAT "
				"extstore_limit_maxbytes 9\r\nEND\r\n");
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 9294);
	assert_number(s, METRIC_MEMCACHED_MISSES_TOTAL, 130);
	assert_number(s, METRIC_MEMCACHED_EXT_HITS_TOTAL, 384);
	assert_missing(s, METRIC_MEMCACHED_MEM_USED, REASON_NOT_ASKED); /* needs the slabs */
	sample_destroy(s);
	s = text("STAT pid 1\r\nSTAT get_hits 5\r\nSTAT bytes 1\r\nSTAT miss_from_extstore "
		 "6\r\nEND\r\n");
	assert_missing(s, METRIC_MEMCACHED_HITS_TOTAL, REASON_IMPLAUSIBLE);
	sample_destroy(s);
}

/* B01 */
static void takes_absent_fields_of_an_old_server_as_absent(void **state)
{
	(void)state;
	struct sample *s = stats("B01.stats");
	assert_int_equal(s->status, STATUS_OK);
	assert_missing(s, METRIC_MEMCACHED_MAX_CONNS, REASON_NOT_SENT);
	assert_missing(s, METRIC_MEMCACHED_EVICTED_UNFETCHED, REASON_NOT_SENT);
	assert_missing(s, METRIC_MEMCACHED_EXT_USED, REASON_NO_EXTSTORE);
	test_near(parsed_derived(s, KIND_MEMCACHED, METRIC_MEMCACHED_HIT_RATIO_TOTAL), 75, 1e-9);
	test_near(parsed_derived(s, KIND_MEMCACHED, METRIC_MEMCACHED_MEM_FILL), 50, 1e-9);
	sample_destroy(s);
}

/* B03 */
static void recognises_a_proxy(void **state)
{
	(void)state;
	struct sample *s = stats("B03.stats");
	assert_text(s, METRIC_MEMCACHED_KIND, "proxy");
	assert_string_equal(s->product, "mcrouter");
	assert_string_equal(s->version, "2.0.0");
	assert_int_equal(s->status, STATUS_UNSUPPORTED);
	assert_non_null(strstr(s->err.msg, "mcrouter"));
	assert_missing(s, METRIC_MEMCACHED_MEM_USED, REASON_PROXY);
	assert_missing(s, METRIC_MEMCACHED_MEM_MAX, REASON_PROXY);
	assert_missing(s, METRIC_MEMCACHED_CONNS, REASON_PROXY);
	assert_number(s, METRIC_MEMCACHED_UPTIME, 700123);
	assert_true(isnan(parsed_derived(s, KIND_MEMCACHED, METRIC_MEMCACHED_HIT_RATIO_TOTAL)));
	sample_destroy(s);

	/* memcached's own, which sends the zeros of an unused cache; and some other */
	s = text("STAT pid 7\r\nSTAT version 1.6.38\r\nSTAT get_hits 0\r\nSTAT bytes 0\r\nSTAT "
		 "total_items 0\r\n"
		 "STAT limit_maxbytes 67108864\r\nSTAT proxy_conn_requests 5\r\nEND\r\n");
	assert_text(s, METRIC_MEMCACHED_KIND, "proxy");
	assert_missing(s, METRIC_MEMCACHED_HITS_TOTAL, REASON_PROXY);
	sample_destroy(s);
	s = text("STAT pid 7\r\nSTAT version some 1.0\r\nSTAT uptime 5\r\nEND\r\n");
	assert_text(s, METRIC_MEMCACHED_KIND, "proxy");
	assert_string_equal(s->product, "some");
	sample_destroy(s);
	/* with things stored in it, it is a cache as well */
	s = text("STAT pid 7\r\nSTAT get_hits 3\r\nSTAT bytes 9\r\nSTAT total_items 5\r\n"
		 "STAT proxy_conn_requests 5\r\nEND\r\n");
	assert_text(s, METRIC_MEMCACHED_KIND, "server");
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 3);
	sample_destroy(s);
}

/* B09 */
static void keeps_an_absurd_limit(void **state)
{
	(void)state;
	struct sample *s = stats("B09.stats");
	assert_number(s, METRIC_MEMCACHED_MEM_MAX, 3575712745259008.0);
	test_near(sample_f64(s, METRIC_MEMCACHED_MEM_MAX) / 1125899906842624.0, 3.18, 0.005);
	test_near(parsed_derived(s, KIND_MEMCACHED, METRIC_MEMCACHED_MEM_FILL), 0.00000094, 1e-8);
	sample_destroy(s);
	s = text("STAT limit_maxbytes 0\r\nSTAT bytes 0\r\nEND\r\n");
	assert_missing(s, METRIC_MEMCACHED_MEM_MAX, REASON_NO_LIMIT);
	sample_destroy(s);
}

/* B11 */
static void does_not_believe_a_century_of_uptime(void **state)
{
	(void)state;
	struct sample *s = stats("B11.stats");
	assert_missing(s, METRIC_MEMCACHED_UPTIME, REASON_IMPLAUSIBLE);
	assert_text(s, METRIC_MEMCACHED_STATE, "the server's clock is wrong");
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 300000);
	assert_true(s->start_s == 0 && s->epoch != 0);
	sample_destroy(s);
}

/* B15 */
static void reads_a_big_slab_table(void **state)
{
	(void)state;
	struct sample *s = stats("B15.stats");
	assert_number(s, METRIC_MEMCACHED_SLABS_ACTIVE, 63);
	assert_number(s, METRIC_MEMCACHED_SLABS_MALLOCED, 198180864);
	assert_int_equal(s->tables[TABLE_MEMCACHED_SLAB].n, 63);
	test_near(cell(s, "1", COL_MEMCACHED_SLAB_WASTE), 21844.0 * 96 - 1887235, 0);
	test_near(cell(s, "63", COL_MEMCACHED_SLAB_WASTE), 8.0 * 524288 - 3774873, 0);
	double sum = 0;
	for (unsigned i = 0; i < 63; i++)
		sum += raw_f64(&sample_row(s, TABLE_MEMCACHED_SLAB, i)[COL_MEMCACHED_SLAB_WASTE]);
	assert_number(s, METRIC_MEMCACHED_SLABS_WASTE, sum);
	assert_missing(s, METRIC_MEMCACHED_MEM_MAX, REASON_NOT_SENT);
	sample_destroy(s);
}

static void gives_no_waste_that_it_cannot_know(void **state)
{
	(void)state;
	/* 1.6: `stats slabs` alone does not say what was requested */
	struct sample *s = text("STAT 1:chunk_size 96\r\nSTAT 1:total_chunks 10\r\nEND\r\n");
	assert_missing(s, METRIC_MEMCACHED_SLABS_WASTE, REASON_NOT_SENT);
	sample_destroy(s);
	/* `stats items` leaves empty classes out: all of their room is waste */
	s = text(
		"STAT items:2:number 3\r\nSTAT items:2:age 90\r\nSTAT items:2:mem_requested 250\r\n"
		"STAT items:3:number 1\r\nSTAT items:3:age 12\r\nSTAT items:3:mem_requested 100\r\n"
		"STAT items:4:number 0\r\nSTAT items:4:age 0\r\nSTAT items:4:mem_requested "
		"0\r\nEND\r\n"
		"STAT 1:chunk_size 96\r\nSTAT 1:total_chunks 10\r\n"
		"STAT 2:chunk_size 120\r\nSTAT 2:total_chunks 10\r\n"
		"STAT 3:chunk_size 144\r\nSTAT 3:total_chunks 10\r\n"
		"STAT 4:chunk_size 100\r\nSTAT 4:total_chunks 1\r\nEND\r\n");
	assert_number(s, METRIC_MEMCACHED_SLABS_WASTE, 960 + 1200 - 250 + 1440 - 100 + 100);
	assert_number(s, METRIC_MEMCACHED_TAIL_AGE, 12); /* the empty class has no tail */
	sample_destroy(s);
	s = text("STAT 1:chunk_size 96\r\nSTAT 1:total_chunks 1\r\nSTAT 1:mem_requested 97\r\n"
		 "STAT 2:chunk_size 18446744073709551615\r\nSTAT 2:total_chunks 5\r\n"
		 "STAT 300:chunk_size 1\r\nSTAT 99999999999999999999:age 1\r\nSTAT 3:\r\nSTAT :x "
		 "1\r\nEND\r\n");
	assert_missing(s, METRIC_MEMCACHED_SLABS_WASTE, REASON_IMPLAUSIBLE);
	assert_int_equal(s->tables[TABLE_MEMCACHED_SLAB].n, 2);
	sample_destroy(s);
}

/* B17 */
static void leaves_the_ratio_to_hits_and_misses(void **state)
{
	(void)state;
	struct sample *s = stats("B17a.stats");
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 0);
	assert_true(isnan(parsed_derived(s, KIND_MEMCACHED, METRIC_MEMCACHED_HIT_RATIO_TOTAL)));
	sample_destroy(s);
	s = stats("B17b.stats");
	test_near(parsed_derived(s, KIND_MEMCACHED, METRIC_MEMCACHED_HIT_RATIO_TOTAL), 88, 1e-9);
	sample_destroy(s);
}

/* B19 */
static void reads_settings_by_their_type(void **state)
{
	(void)state;
	struct sample *s = stats("B19.stats");
	assert_number(s, METRIC_MEMCACHED_ITEM_SIZE_MAX, 1048576);
	assert_text(s, METRIC_MEMCACHED_SLAB_REASSIGN, "yes");
	assert_text(s, METRIC_MEMCACHED_LRU_CRAWLER, "no");
	assert_missing(s, METRIC_MEMCACHED_INTER, REASON_NOT_SET);
	assert_number(s, METRIC_MEMCACHED_MEM_MAX, 67108864);
	assert_number(s, METRIC_MEMCACHED_MAX_CONNS, 1024);
	assert_text(s, METRIC_MEMCACHED_KIND, "server");
	sample_destroy(s);
}

static void finds_no_wrapped_or_bad_number(void **state)
{
	(void)state;
	struct sample *s = text("STAT pid 1\nSTAT bytes 18446744073709549568\nSTAT curr_items -3\n"
				"STAT curr_connections x\nSTAT evictions\nSTAT cmd_set 12 13\nSTAT "
				"get_hits 1\nEND\n");
	assert_missing(s, METRIC_MEMCACHED_MEM_USED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MEMCACHED_ITEMS, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MEMCACHED_CONNS, REASON_TEXT);
	assert_missing(s, METRIC_MEMCACHED_EVICTIONS_TOTAL, REASON_NOT_SENT);
	assert_missing(s, METRIC_MEMCACHED_SETS_TOTAL, REASON_TEXT);
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 1);
	sample_destroy(s);
}

/* F09 */
static void does_not_believe_a_cut_line(void **state)
{
	(void)state;
	char *raw = test_fixture("cases/F09b.raw", NULL);
	(void)parsed_refused(parse_memcached_stats, raw, ERR_PROTOCOL);
	free(raw);
	(void)parsed_refused(parse_memcached_stats, "STAT pid 1\r\nSTAT bytes 53687", ERR_PROTOCOL);
	(void)parsed_refused(parse_memcached_stats, "STAT pid 1\r\nEN", ERR_PROTOCOL);
	/* pasted by hand, or cut between lines: what is there is true, but not all */
	struct sample *s = text("STAT pid 1\nSTAT get_hits 1\nSTAT bytes 53687");
	assert_missing(s, METRIC_MEMCACHED_MEM_USED, REASON_NOT_SENT);
	assert_number(s, METRIC_MEMCACHED_HITS_TOTAL, 1);
	assert_int_equal(s->status, STATUS_PARTIAL);
	sample_destroy(s);
	s = text("STAT pid 1\r\nSTAT get_hits 1\r\nEND");
	assert_int_equal(s->status, STATUS_OK);
	sample_destroy(s);
	/* too early to say that it is a proxy */
	s = text("STAT pid 1\r\nSTAT uptime 5\r\n");
	assert_text(s, METRIC_MEMCACHED_KIND, "server");
	assert_int_equal(s->status, STATUS_PARTIAL);
	sample_destroy(s);
	(void)parsed_refused(parse_memcached_stats, "STAT pi", ERR_PROTOCOL);
}

/* B05, B13 */
static void names_the_meaning_of_errors(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum status status;
	} cases[] = {
		{"ERROR", STATUS_UNSUPPORTED},
		{"ERROR Unknown command", STATUS_UNSUPPORTED},
		{"ERROR Too many open connections", STATUS_REFUSED},
		{"CLIENT_ERROR unauthenticated", STATUS_AUTH},
		{"CLIENT_ERROR authentication failure", STATUS_AUTH},
		{"CLIENT_ERROR bad command line format", STATUS_UNSUPPORTED},
		{"SERVER_ERROR out of memory", STATUS_ERROR},
		{"-ERR unknown command 'stats'", STATUS_PROTOCOL},
		{"HTTP/1.1 400 Bad Request", STATUS_PROTOCOL},
		{"SSH-2.0-OpenSSH_9.2\x1b[2J", STATUS_PROTOCOL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		size_t len = strlen(cases[i].line);
		assert_int_equal(parse_memcached_error(cases[i].line, len, &err), cases[i].status);
		assert_int_equal(status_from_err(err.code), cases[i].status);
		assert_true(err.msg[0] && !strchr(err.msg, '\x1b'));
	}
	(void)parsed_refused(parse_memcached_stats, "ERROR Unknown command\r\n", ERR_UNSUPPORTED);
	(void)parsed_refused(
		parse_memcached_stats, "ERROR Too many open connections\r\n", ERR_REFUSED);
	(void)parsed_refused(parse_memcached_stats, "HTTP/1.1 400", ERR_PROTOCOL);
	(void)parsed_refused(parse_memcached_stats, "\x15\x03\x03", ERR_TLS);
	(void)parsed_refused(parse_memcached_stats, "", ERR_UNSUPPORTED);
	struct sample *s = text("END\r\n"); /* `stats items` of an empty server */
	assert_int_equal(s->status, STATUS_OK);
	sample_destroy(s);
}

static uint64_t epoch_at(struct server_run *run, unsigned pid, long time, long uptime)
{
	char lines[128];
	(void)snprintf(lines, sizeof(lines), "STAT pid %u\r\nSTAT uptime %ld\r\nSTAT time %ld\r\n"
		"STAT get_hits 1\r\nEND\r\n", pid, uptime, time);
	struct sample *s = text(lines);
	parse_settle_epoch(run, s);
	uint64_t epoch = s->epoch;
	sample_destroy(s);
	return epoch;
}

static void keeps_the_epoch_while_the_start_wanders(void **state)
{
	(void)state;
	struct server_run run = {0};
	uint64_t first = epoch_at(&run, 1, 1700000100, 100);
	assert_true(first != 0);
	assert_true(epoch_at(&run, 1, 1700000101, 100) == first);
	assert_true(epoch_at(&run, 1, 1700000110, 112) == first);
	/* slow drift: never more than 5 s between two polls, 12 s in all */
	for (int i = 0; i < 4; i++)
		assert_true(epoch_at(&run, 1, 1700001000 + 3 * i, 1002) == first);
	/* another pid, and a restart under the same pid (1 in a container) */
	uint64_t second = epoch_at(&run, 2, 1700001009, 1002);
	assert_true(second != first);
	assert_true(epoch_at(&run, 2, 1700001109, 3) != second);
	/* and back: the first server, again with its own epoch */
	assert_true(epoch_at(&run, 1, 1700000100, 100) == first);
}

/* E01 */
static void lets_no_control_byte_through(void **state)
{
	(void)state;
	struct sample *s = text("STAT pid 1\r\nSTAT version 1.6\x1b[2J\r\nSTAT get_hits 1\r\n"
				"STAT inter \x1b]0;x\a\r\nSTAT slab_reassign \x7f\r\nEND\r\n");
	assert_null(strchr(s->version, '\x1b'));
	assert_null(strchr(sample_text(s, METRIC_MEMCACHED_INTER), '\x1b'));
	assert_text(s, METRIC_MEMCACHED_SLAB_REASSIGN, "\xef\xbf\xbd");
	sample_destroy(s);
}

static void survives_damage(void **state)
{
	(void)state;
	static const char *const files[] = {"replies/memcached-1.6.18-extstore.stats",
		"cases/B03.stats", "cases/B09.stats", "cases/B15.stats", "cases/B19.stats",
		"cases/F09b.raw"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t len;
		char *data = test_fixture(files[i], &len);
		parsed_damaged(parse_memcached_stats, data, len);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_real_reply_with_extstore),
		cmocka_unit_test(counts_a_flash_miss_as_a_miss),
		cmocka_unit_test(takes_absent_fields_of_an_old_server_as_absent),
		cmocka_unit_test(recognises_a_proxy),
		cmocka_unit_test(keeps_an_absurd_limit),
		cmocka_unit_test(does_not_believe_a_century_of_uptime),
		cmocka_unit_test(reads_a_big_slab_table),
		cmocka_unit_test(gives_no_waste_that_it_cannot_know),
		cmocka_unit_test(leaves_the_ratio_to_hits_and_misses),
		cmocka_unit_test(reads_settings_by_their_type),
		cmocka_unit_test(finds_no_wrapped_or_bad_number),
		cmocka_unit_test(does_not_believe_a_cut_line),
		cmocka_unit_test(names_the_meaning_of_errors),
		cmocka_unit_test(keeps_the_epoch_while_the_start_wanders),
		cmocka_unit_test(lets_no_control_byte_through),
		cmocka_unit_test(survives_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
