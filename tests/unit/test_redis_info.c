/*
 * INFO of Redis and its relatives: a number is what the server said or it is missing with a
 * reason, a strange line spoils only itself, and who answers is told by what only they send.
 */
#include "hotset/fields.h"
#include "hotset/parse.h"
#include "hotset/text.h"
#include "parsed.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static struct sample *info(const char *name)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "cases/%s", name);
	return parsed_fixture(parse_redis_info, path);
}

static struct sample *text(const char *lines)
{
	return parsed_text(parse_redis_info, lines);
}

static void reads_a_real_reply(void **state)
{
	(void)state;
	struct sample *s = parsed_fixture(parse_redis_info, "replies/redis-7.0.15.info");
	assert_string_equal(s->product, "redis");
	assert_string_equal(s->version, "7.0.15");
	assert_string_equal(s->role, "master");
	assert_int_equal(s->status, STATUS_OK);
	static const char run_id[] = "e2baec367f8597f4bcad12f1e21d7f15780eb370";
	assert_true(s->epoch == text_hash(TEXT_HASH_INIT, run_id, strlen(run_id)));
	assert_number(s, METRIC_REDIS_MEM_USED, 965856);
	assert_missing(s, METRIC_REDIS_MEM_MAX, REASON_NO_LIMIT);
	assert_number(s, METRIC_REDIS_MEM_FRAG, 1.08);
	assert_number(s, METRIC_REDIS_MEM_FRAG_RSS, 13.6);
	assert_number(s, METRIC_REDIS_HITS_TOTAL, 1);
	assert_number(s, METRIC_REDIS_MISSES_TOTAL, 1);
	assert_number(s, METRIC_REDIS_KEYS, 2);
	assert_number(s, METRIC_REDIS_EXPIRES, 1);
	assert_number(s, METRIC_REDIS_UPTIME, 5);
	assert_number(s, METRIC_REDIS_EVICT_EXCEEDED_TOTAL, 0);
	assert_text(s, METRIC_REDIS_MEM_POLICY, "noeviction");
	assert_text(s, METRIC_REDIS_MODE, "standalone");
	assert_text(s, METRIC_REDIS_STATE, "ok");
	assert_int_equal(s->tables[TABLE_REDIS_CMD].n, 2);
	assert_number(s, METRIC_REDIS_MAX_CLIENTS, 10000);
	sample_destroy(s);
}

/* A01, A03 */
static void shows_wrapped_negatives_as_negatives(void **state)
{
	(void)state;
	struct sample *s = info("A01.info");
	assert_number(s, METRIC_REDIS_MEM_FRAG_BYTES, -111149056);
	assert_number(s, METRIC_REDIS_MEM_RSS_OVERHEAD, -8404992);
	assert_number(s, METRIC_REDIS_MEM_FRAG_RSS, 0.79);
	sample_destroy(s);

	s = info("A03.info");
	assert_number(s, METRIC_REDIS_MEM_DATASET, -88080384);
	assert_number(s, METRIC_REDIS_MEM_USED, 524288000);
	sample_destroy(s);

	s = text("used_memory_dataset:-5\nmem_fragmentation_bytes:18446744073709551615\n"
		 "rss_overhead_bytes:9223372036854775808\n");
	assert_number(s, METRIC_REDIS_MEM_DATASET, -5);
	assert_number(s, METRIC_REDIS_MEM_FRAG_BYTES, -1);
	assert_number(s, METRIC_REDIS_MEM_RSS_OVERHEAD, -9223372036854775808.0);
	sample_destroy(s);
}

static void finds_no_negative_and_no_wrapped_size_or_counter(void **state)
{
	(void)state;
	struct sample *s = text(
		"used_memory:18446744073709551000\nused_memory_rss:-5\n"
		"keyspace_hits:18446744073709551615\nconnected_clients:99999999999999999999999\n"
		"evicted_keys:x12\nexpired_keys:\nuptime_in_seconds:3000000123\nmaxclients:"
		"1e300\n");
	assert_missing(s, METRIC_REDIS_MEM_USED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_REDIS_MEM_RSS, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_REDIS_HITS_TOTAL, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_REDIS_CLIENTS, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_REDIS_EVICTED_TOTAL, REASON_TEXT);
	assert_missing(s, METRIC_REDIS_EXPIRED_TOTAL, REASON_NOT_SENT);
	assert_missing(s, METRIC_REDIS_UPTIME, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_REDIS_MAX_CLIENTS, REASON_IMPLAUSIBLE);
	sample_destroy(s);
}

/* A06 */
static void sums_keyspace_lines_by_name(void **state)
{
	(void)state;
	struct sample *s = info("A06.info");
	assert_number(s, METRIC_REDIS_KEYS, 37314);
	assert_number(s, METRIC_REDIS_EXPIRES, 35950);
	assert_int_equal(s->tables[TABLE_REDIS_DB].n, 4);
	test_near(
		raw_f64(parsed_cell(s, TABLE_REDIS_DB, "db0", COL_REDIS_DB_AVG_TTL)), 590000123, 0);
	assert_int_equal(parsed_cell(s, TABLE_REDIS_DB, "db1", COL_REDIS_DB_AVG_TTL)->why,
		REASON_IMPLAUSIBLE);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_DB, "db3", COL_REDIS_DB_KEYS)), 14, 0);
	sample_destroy(s);

	/* in another order, with a db that cannot be read, and with keys that only look like one */
	s = text("db0:expires=1,new=7,keys=3\ndb1:keys=oops,expires=2\ndb0_distrib_lists:1=2\n");
	assert_missing(s, METRIC_REDIS_KEYS, REASON_TEXT);
	assert_number(s, METRIC_REDIS_EXPIRES, 3);
	assert_int_equal(s->tables[TABLE_REDIS_DB].n, 2);
	sample_destroy(s);
}

/* A08 */
static void takes_an_empty_text_as_absent(void **state)
{
	(void)state;
	struct sample *s = info("A08.info");
	assert_missing(s, METRIC_REDIS_UPTIME, REASON_NOT_SENT);
	assert_missing(s, METRIC_REDIS_NET_IN_TOTAL, REASON_NOT_SENT);
	assert_missing(s, METRIC_REDIS_NET_OUT_TOTAL, REASON_NOT_SENT);
	assert_int_equal(s->status, STATUS_OK);
	assert_number(s, METRIC_REDIS_KEYS, 1000);
	sample_destroy(s);
}

/* A10, A24 */
static void reads_commands_with_colons_and_bars(void **state)
{
	(void)state;
	struct sample *s = info("A10.info");
	assert_int_equal(s->tables[TABLE_REDIS_CMD].n, 3);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "get", COL_REDIS_CMD_CALLS)), 500, 0);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "host:", COL_REDIS_CMD_CALLS)), 9, 0);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "host:", COL_REDIS_CMD_USEC)), 450, 0);
	test_near(
		raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "info", COL_REDIS_CMD_CALLS_TOTAL)), 40, 0);
	/* 6.0 and before send no failed calls: not zero */
	assert_int_equal(
		parsed_cell(s, TABLE_REDIS_CMD, "get", COL_REDIS_CMD_FAILED)->type, RAW_NONE);
	sample_destroy(s);

	s = info("A24.info");
	assert_int_equal(s->tables[TABLE_REDIS_CMD].n, 2);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "get", COL_REDIS_CMD_CALLS)), 1000, 0);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "acl|list", COL_REDIS_CMD_CALLS)), 3, 0);
	test_near(raw_f64(parsed_cell(s, TABLE_REDIS_CMD, "acl|list", COL_REDIS_CMD_FAILED)), 1, 0);
	sample_destroy(s);
}

/* A12 */
static void shows_the_worst_of_several_masters(void **state)
{
	(void)state;
	struct sample *s = info("A12.info");
	assert_number(s, METRIC_REDIS_REPL_LINKS, 2);
	assert_text(s, METRIC_REDIS_REPL_LINK, "down");
	assert_missing(s, METRIC_REDIS_REPL_LAG, REASON_NOT_SENT);
	assert_string_equal(s->product, "keydb");
	const struct raw *row = sample_row(s, TABLE_REDIS_MASTER, 0);
	assert_string_equal(row[COL_REDIS_MASTER_STATE].s, "up");
	assert_string_equal(row[COL_REDIS_MASTER_ADDRESS].s, "192.0.2.11:6380");
	row = sample_row(s, TABLE_REDIS_MASTER, 1);
	assert_string_equal(row[COL_REDIS_MASTER_STATE].s, "down");
	assert_string_equal(row[COL_REDIS_MASTER_ADDRESS].s, "192.0.2.12:6381");
	sample_destroy(s);

	/* the later notation, the bad one first, and repetition without any header */
	s = text("role:active-replica\nmaster_global_link_status:up\nmaster_host:2001:db8::1\n"
		 "master_port:1\nmaster_link_status:down\nmaster_1_host:b\nmaster_1_port:2\n"
		 "master_1_link_status:up\nmaster_2_host:c\nmaster_2_link_status:connecting\n");
	assert_number(s, METRIC_REDIS_REPL_LINKS, 3);
	assert_text(s, METRIC_REDIS_REPL_LINK, "down");
	assert_string_equal(sample_row(s, TABLE_REDIS_MASTER, 0)[COL_REDIS_MASTER_ADDRESS].s,
		"[2001:db8::1]:1");
	sample_destroy(s);
	s = text("master_host:a\nmaster_link_status:up\nmaster_host:b\nmaster_link_status:up\n");
	assert_number(s, METRIC_REDIS_REPL_LINKS, 2);
	assert_text(s, METRIC_REDIS_REPL_LINK, "up");
	sample_destroy(s);
}

static void measures_the_lag_of_the_slowest_replica(void **state)
{
	(void)state;
	struct sample *s = text("role:master\nconnected_slaves:3\n"
				"slave0:ip=192.0.2.1,port=1,state=online,offset=900,lag=0\n"
				"slave1:ip=192.0.2.2,port=1,state=online,offset=400,lag=1\n"
				"slave2:ip=192.0.2.3,port=1,state=wait_bgsave,offset=0,lag=0\n"
				"master_repl_offset:1000\n");
	assert_number(s, METRIC_REDIS_REPL_LAG, 600);
	assert_missing(s, METRIC_REDIS_REPL_LINKS, REASON_NOT_SENT);
	sample_destroy(s);
	s = text("slave0:state=online,offset=900\nmaster_repl_offset:100\n");
	assert_missing(s, METRIC_REDIS_REPL_LAG, REASON_IMPLAUSIBLE);
	sample_destroy(s);
}

/* A14, A28 */
static void divides_by_ram_where_there_is_no_limit(void **state)
{
	(void)state;
	struct sample *s = info("A14.info");
	assert_missing(s, METRIC_REDIS_MEM_MAX, REASON_NO_LIMIT);
	assert_true(isnan(parsed_derived(s, KIND_REDIS, METRIC_REDIS_MEM_FILL)));
	test_near(parsed_derived(s, KIND_REDIS, METRIC_REDIS_MEM_OF_RAM), 35.9, 0.05);
	sample_destroy(s);

	s = info("A28.info");
	test_near(parsed_derived(s, KIND_REDIS, METRIC_REDIS_MEM_OF_RAM), 190.9, 0.05);
	assert_number(s, METRIC_REDIS_MEM_FRAG_RSS, 0.05);
	sample_destroy(s);

	s = text("used_memory:200\nused_memory_rss:100\n"); /* no mem_fragmentation_ratio: Dragonfly
							     */
	assert_number(s, METRIC_REDIS_MEM_FRAG_RSS, 0.5);
	sample_destroy(s);
	s = text("used_memory:0\nused_memory_rss:100\nmem_fragmentation_ratio:-nan\n");
	assert_missing(s, METRIC_REDIS_MEM_FRAG_RSS, REASON_TEXT);
	sample_destroy(s);
}

/* A16 */
static void keeps_versions_as_text(void **state)
{
	(void)state;
	struct sample *s = info("A16.info");
	assert_string_equal(s->version, "7.2");
	sample_destroy(s);
	s = info("A16b.info");
	assert_string_equal(s->version, "");
	assert_string_equal(s->product, "redis");
	sample_destroy(s);
}

/* A18 */
static void shows_a_sentinel_as_one(void **state)
{
	(void)state;
	struct sample *s = info("A18.info");
	assert_int_equal(s->status, STATUS_UNSUPPORTED);
	assert_non_null(strstr(s->err.msg, "sentinel"));
	assert_text(s, METRIC_REDIS_MODE, "sentinel");
	assert_text(s, METRIC_REDIS_STATE, "odown");
	assert_number(s, METRIC_REDIS_UPTIME, 900);
	assert_missing(s, METRIC_REDIS_MEM_USED, REASON_SENTINEL);
	assert_missing(s, METRIC_REDIS_HITS_TOTAL, REASON_SENTINEL);
	assert_int_equal(s->tables[TABLE_REDIS_MASTER].n, 3);
	assert_string_equal(
		parsed_cell(s, TABLE_REDIS_MASTER, "cart", COL_REDIS_MASTER_STATE)->s, "sdown");
	assert_string_equal(parsed_cell(s, TABLE_REDIS_MASTER, "cart", COL_REDIS_MASTER_ADDRESS)->s,
		"[2001:db8::5]:6379");
	sample_destroy(s);

	/* a real one has a Stats section, too: zeros that are not about a cache */
	s = text("redis_mode:sentinel\nkeyspace_hits:0\nkeyspace_misses:0\nused_memory:100\n"
		 "master0:name=a,status=sdown,address=b:1\nmaster1:name=c,status=ok,address=d:1\n");
	assert_text(s, METRIC_REDIS_STATE, "sdown");
	assert_missing(s, METRIC_REDIS_HITS_TOTAL, REASON_SENTINEL);
	assert_missing(s, METRIC_REDIS_MEM_USED, REASON_SENTINEL);
	sample_destroy(s);
}

/* A20 */
static void tells_no_keys_from_no_keyspace(void **state)
{
	(void)state;
	struct sample *s = info("A20.info");
	assert_number(s, METRIC_REDIS_KEYS, 0);
	assert_number(s, METRIC_REDIS_UPTIME, 0);
	assert_true(isnan(parsed_derived(s, KIND_REDIS, METRIC_REDIS_HIT_RATIO_TOTAL)));
	sample_destroy(s);
	s = text("# Memory\nused_memory:1\n");
	assert_missing(s, METRIC_REDIS_KEYS, REASON_NOT_SENT);
	sample_destroy(s);
}

/* A22 */
static void reads_fractions_units_and_percent(void **state)
{
	(void)state;
	/* a locale with a decimal comma, where it is installed */
	(void)setlocale(LC_NUMERIC, "de_DE.UTF-8");
	struct sample *s = info("A22.info");
	assert_number(s, METRIC_REDIS_CPU_SYS_TOTAL, 91.27);
	assert_number(s, METRIC_REDIS_CPU_USER_TOTAL, 316.4);
	assert_number(s, METRIC_REDIS_NET_IN_REPORTED, 0.02);
	assert_number(s, METRIC_REDIS_MEM_USED, 1610612736);
	sample_destroy(s);
	s = text("used_memory:1.50G\nmaxmemory:512.00M\nused_memory_rss:943.5K\nallocator_frag_"
		 "ratio:84.06%\n"
		 "used_cpu_sys:91,27\n");
	assert_number(s, METRIC_REDIS_MEM_USED, 1610612736);
	assert_number(s, METRIC_REDIS_MEM_MAX, 536870912);
	assert_number(s, METRIC_REDIS_MEM_RSS, 966144);
	assert_number(s, METRIC_REDIS_MEM_FRAG, 84.06);
	assert_missing(s, METRIC_REDIS_CPU_SYS_TOTAL, REASON_TEXT);
	sample_destroy(s);
	(void)setlocale(LC_NUMERIC, "C");
}

static void knows_the_relatives(void **state)
{
	(void)state;
	static const struct {
		const char *lines, *product, *version;
	} cases[] = {
		{"redis_version:7.2.4\nserver_name:valkey\nvalkey_version:8.0.1\nserver_mode:"
		 "cluster\n"
		 "availability_zone:\n",
			"valkey", "8.0.1"},
		{"redis_version:7.4.0\ndragonfly_version:df-v1.25.1\nredis_mode:standalone\n",
			"dragonfly", "df-v1.25.1"},
		{"redis_version:6.3.4\nmvcc_depth:0\n", "keydb", "6.3.4"},
		{"redis_version:7.2.4\nredict_version:7.3.0\n", "redict", "7.3.0"},
		{"redis_version:7.0.15\n", "redis", "7.0.15"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = text(cases[i].lines);
		assert_string_equal(s->product, cases[i].product);
		assert_string_equal(s->version, cases[i].version);
		assert_true(s->epoch == 0);
		sample_destroy(s);
	}
	struct sample *s = text("valkey_version:8.0.1\nserver_mode:cluster\n");
	assert_text(s, METRIC_REDIS_MODE, "cluster");
	sample_destroy(s);
	s = text("dragonfly_version:df-v1.25.1\nmax_clients:64000\n");
	assert_true(sample_f64(s, METRIC_REDIS_MAX_CLIENTS) == 64000);
	sample_destroy(s);
}

static void lowers_the_status_while_loading(void **state)
{
	(void)state;
	struct sample *s =
		text("redis_version:7.0.0\nused_memory:5\nloading:1\nloading_loaded_perc:42.10\n");
	assert_int_equal(s->status, STATUS_LOADING);
	assert_int_equal(s->err.code, ERR_LOADING);
	assert_non_null(strstr(s->err.msg, "42 %"));
	assert_text(s, METRIC_REDIS_STATE, "loading");
	assert_number(s, METRIC_REDIS_MEM_USED, 5);
	sample_destroy(s);
}

/* E01 */
static void lets_no_control_byte_through(void **state)
{
	(void)state;
	struct sample *s = info("E01.info");
	assert_number(s, METRIC_REDIS_KEYS, 1000);
	sample_destroy(s);
	s = text("redis_version:7\x1b[2J\nrole:\x1b]0;x\a\nmaxmemory_policy:a\x7f\tb\n"
		 "cmdstat_\x1b[31m:calls=1\nmaster0:name=\x1b,status=\b,address=\x01\n");
	assert_non_null(strstr(s->version, "\xef\xbf\xbd[2J"));
	assert_text(s, METRIC_REDIS_MEM_POLICY, "a\xef\xbf\xbd\xef\xbf\xbd" "b");
	assert_null(strchr(s->role, '\x1b'));
	assert_string_equal(sample_row(s, TABLE_REDIS_CMD, 0)[0].s, "\xef\xbf\xbd[31m");
	sample_destroy(s);
}

/* F09 */
static void does_not_believe_a_cut_line(void **state)
{
	(void)state;
	static const char cut[] = "# Memory\r\nmaxmemory:100\r\nused_memory:53687";
	struct sample *s = text(cut);
	assert_number(s, METRIC_REDIS_MEM_MAX, 100);
	assert_missing(s, METRIC_REDIS_MEM_USED, REASON_NOT_SENT);
	assert_int_equal(s->status, STATUS_PARTIAL);
	sample_destroy(s);
	/* a source knows the length */
	s = sample_create(0);
	s->rtt_ns = 1000;
	assert_true(parse_redis_info(cut, strlen(cut), s, NULL));
	assert_number(s, METRIC_REDIS_MEM_USED, 53687);
	sample_destroy(s);
	s = text("# Memory\nmaxmemory:100\nused_memory:53687"); /* pasted by hand, and complete */
	assert_number(s, METRIC_REDIS_MEM_USED, 53687);
	sample_destroy(s);

	size_t len;
	char *raw = test_fixture("cases/F09.raw", &len);
	assert_non_null(strstr(parsed_refused(parse_redis_info, raw, ERR_PROTOCOL), "1434"));
	free(raw);
	s = text("$32\r\n# Memory\r\nused_memory:53687091\r\n\r\n");
	assert_number(s, METRIC_REDIS_MEM_USED, 53687091);
	sample_destroy(s);
	(void)parsed_refused(
		parse_redis_info, "$99999999999999999999999\r\nused_memory:1\r\n", ERR_PROTOCOL);
}

static void refuses_what_is_no_info(void **state)
{
	(void)state;
	(void)parsed_refused(parse_redis_info, "", ERR_PROTOCOL);
	(void)parsed_refused(
		parse_redis_info, "HTTP/1.1 400 Bad Request\r\nServer: x\r\n", ERR_PROTOCOL);
	(void)parsed_refused(parse_redis_info, "STAT pid 1\r\nEND\r\n", ERR_PROTOCOL);
	assert_null(strchr(parsed_refused(parse_redis_info, "\x15\x03\x03", ERR_TLS), '"'));
	static const char *const resp[] = {"cases/F07a.raw", "cases/F07b.raw", "cases/F07c.raw",
		"cases/F07d.raw", "cases/F07g.raw"};
	for (size_t i = 0; i < sizeof(resp) / sizeof(resp[0]); i++) {
		char *data = test_fixture(resp[i], NULL);
		(void)parsed_refused(parse_redis_info, data, ERR_PROTOCOL);
		free(data);
	}
	size_t len;
	static const struct {
		const char   *file;
		enum err_code code;
	} raw[] = {{"cases/A05.raw", ERR_LOADING}, {"cases/A26.raw", ERR_AUTH},
		{"cases/A26b.raw", ERR_AUTH}};
	for (size_t i = 0; i < 3; i++) {
		char *data = test_fixture(raw[i].file, &len);
		(void)parsed_refused(parse_redis_info, data, raw[i].code);
		free(data);
	}
}

/* A05, A26 */
static void names_the_meaning_of_errors(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		enum status status;
	} cases[] = {
		{"NOAUTH Authentication required.", STATUS_AUTH},
		{"WRONGPASS invalid username-password pair or user is disabled.", STATUS_AUTH},
		{"NOPERM User probe has no permissions to run the 'info' command", STATUS_AUTH},
		{"ERR invalid password", STATUS_AUTH},
		{"ERR operation not permitted", STATUS_AUTH},
		{"LOADING Redis is loading the dataset in memory", STATUS_LOADING},
		{"DENIED Redis is running in protected mode because ...", STATUS_REFUSED},
		{"ERR max number of clients reached", STATUS_REFUSED},
		{"ERR max number of clients + cluster connections reached", STATUS_REFUSED},
		{"MOVED 3999 192.0.2.1:6381", STATUS_UNSUPPORTED},
		{"ERR unknown command 'INFO'", STATUS_UNSUPPORTED},
		{"unsupported command 'info'", STATUS_UNSUPPORTED},
		{"BUSY Redis is busy running a script.", STATUS_ERROR},
		{"MASTERDOWN Link with MASTER is down", STATUS_ERROR},
		{"HTTP/1.1 400 Bad Request", STATUS_PROTOCOL},
		{"WHATEVER else", STATUS_ERROR},
		{"", STATUS_ERROR},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};
		assert_int_equal(parse_redis_error(cases[i].line, strlen(cases[i].line), &err),
			cases[i].status);
		assert_int_equal(status_from_err(err.code), cases[i].status);
		assert_true(err.msg[0] != '\0');
	}
	struct err err = {0};
	static const char line[] =
		"ERR unknown command `AUTH`, with args beginning with: `secret`, ";
	(void)parse_redis_error(line, strlen(line), &err);
	assert_null(strstr(err.msg, "secret"));
	assert_non_null(strstr(err.msg, "`AUTH`"));
}

static void survives_damage(void **state)
{
	(void)state;
	static const char *const files[] = {"replies/redis-7.0.15.info", "cases/A12.info",
		"cases/A18.info", "cases/A06.info", "cases/A24.info", "cases/E01.info",
		"cases/F09.raw"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t len;
		char *data = test_fixture(files[i], &len);
		parsed_damaged(parse_redis_info, data, len);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_real_reply),
		cmocka_unit_test(shows_wrapped_negatives_as_negatives),
		cmocka_unit_test(finds_no_negative_and_no_wrapped_size_or_counter),
		cmocka_unit_test(sums_keyspace_lines_by_name),
		cmocka_unit_test(takes_an_empty_text_as_absent),
		cmocka_unit_test(reads_commands_with_colons_and_bars),
		cmocka_unit_test(shows_the_worst_of_several_masters),
		cmocka_unit_test(measures_the_lag_of_the_slowest_replica),
		cmocka_unit_test(divides_by_ram_where_there_is_no_limit),
		cmocka_unit_test(keeps_versions_as_text),
		cmocka_unit_test(shows_a_sentinel_as_one),
		cmocka_unit_test(tells_no_keys_from_no_keyspace),
		cmocka_unit_test(reads_fractions_units_and_percent),
		cmocka_unit_test(knows_the_relatives),
		cmocka_unit_test(lowers_the_status_while_loading),
		cmocka_unit_test(lets_no_control_byte_through),
		cmocka_unit_test(does_not_believe_a_cut_line),
		cmocka_unit_test(refuses_what_is_no_info),
		cmocka_unit_test(names_the_meaning_of_errors),
		cmocka_unit_test(survives_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
