/*
 * serverStatus, hello and failed commands of every kind of server: the right figures of a real
 * reply, names of all versions, all numeric types; and where there is no figure, the reason and
 * never a zero.
 */
#include "../support/support.h"

#include <string.h>

#include "../support/capture.h"
#include "../support/ejson.h"
#include "hotset/parse.h"

static struct sample *parse(const bson_t *doc)
{
	struct sample *s = sample_create(0);
	struct err err = {0};

	assert_non_null(s);
	s->status = STATUS_OK;
	if (!parse_mongo_status(doc, s, &err))
		fail_msg("%s", err.msg);
	return s;
}

static struct sample *parse_text(const char *text)
{
	bson_t *doc = test_ejson(text);
	struct sample *s = parse(doc);

	bson_destroy(doc);
	return s;
}

/* The document at a path of a case file; NULL path: the file itself. */
static struct sample *parse_case(const char *name, const char *path)
{
	bson_t *doc = test_ejson_fixture(name), sub;
	struct sample *s;

	if (path)
		test_subdocument(doc, path, &sub);
	s = parse(path ? &sub : doc);
	bson_destroy(doc);
	return s;
}

static void assert_number(const struct sample *s, enum metric_id id, double want)
{
	assert_true(sample_has(s, id));
	test_near(sample_f64(s, id), want, 0);
}

static void assert_missing(const struct sample *s, enum metric_id id, enum reason why)
{
	assert_false(sample_has(s, id));
	assert_int_equal(s->raw[id].why, why);
}

static void assert_text(const struct sample *s, enum metric_id id, const char *want)
{
	assert_non_null(sample_text(s, id));
	assert_string_equal(sample_text(s, id), want);
}

static double percent(const struct sample *s, enum metric_id part, enum metric_id whole)
{
	return sample_f64(s, part) * 100 / sample_f64(s, whole);
}

/* ---- a real reply ---- */

/* The number that follows a quoted key in the raw text, whatever its wrapper. */
static double raw_figure(const char *text, const char *section, const char *key)
{
	char quoted[128];
	const char *p;

	snprintf(quoted, sizeof(quoted), "\"%s\": {", section);
	p = strstr(text, quoted);
	assert_non_null(p);
	snprintf(quoted, sizeof(quoted), "\"%s\": {", key);
	p = strstr(p, quoted);
	assert_non_null(p);
	p = strstr(p, "\": \"");
	assert_non_null(p);
	return strtod(p + 4, NULL);
}

/* Figures of the dump as a text search finds them. */
static void a_real_reply_gives_its_figures(void **state)
{
	static const struct {
		enum metric_id id;
		const char *section, *key;
	} figures[] = {
		{METRIC_MONGO_CACHE_USED, "cache", "bytes currently in the cache"},
		{METRIC_MONGO_CACHE_MAX, "cache", "maximum bytes configured"},
		{METRIC_MONGO_CACHE_DIRTY, "cache", "tracked dirty bytes in the cache"},
		{METRIC_MONGO_CACHE_UPDATES, "cache", "bytes allocated for updates"},
		{METRIC_MONGO_CACHE_PAGES_READ_TOTAL, "cache", "pages read into cache"},
		{METRIC_MONGO_CACHE_PAGES_REQUESTED_TOTAL, "cache",
			"pages requested from the cache"},
		{METRIC_MONGO_CACHE_EVICTED_APP_TOTAL, "cache",
			"pages evicted by application threads"},
		{METRIC_MONGO_CACHE_APP_EVICT_TOTAL, "thread-yield",
			"application thread time evicting (usecs)"},
		{METRIC_MONGO_CACHE_APP_WAIT_TOTAL, "thread-yield",
			"application thread time waiting for cache (usecs)"},
		{METRIC_MONGO_READ_TIME, "cache",
			"application threads page read from disk to cache time (usecs)"},
		{METRIC_MONGO_BLOCK_BYTES_READ_TOTAL, "block-manager", "bytes read"},
		{METRIC_MONGO_HS_SIZE, "cache", "history store table on-disk size"},
		{METRIC_MONGO_CONN_CURRENT, "connections", "current"},
		{METRIC_MONGO_CONN_AVAILABLE, "connections", "available"},
		{METRIC_MONGO_OPS_COMMAND_TOTAL, "opcounters", "command"},
		{METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, "queryExecutor", "scannedObjects"},
		{METRIC_MONGO_SCAN_KEYS_EXAMINED_TOTAL, "queryExecutor", "scanned"},
		{METRIC_MONGO_SCAN_COLLSCANS_TOTAL, "queryExecutor", "nonTailable"},
		{METRIC_MONGO_TICKETS_READ_OUT, "read", "out"},
	};
	bson_t *doc = test_ejson_fixture("captures/serverStatus-5.0.7.json.gz");
	char *text = test_ejson_text("captures/serverStatus-5.0.7.json.gz");
	struct sample *s = parse(doc);

	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		assert_number(
			s, figures[i].id, raw_figure(text, figures[i].section, figures[i].key));
	assert_int_equal(s->status, STATUS_OK);
	assert_string_equal(s->product, "mongod");
	assert_string_equal(s->version, "5.0.7");
	assert_true(s->epoch != 0);
	assert_number(s, METRIC_MONGO_UPTIME, 12);
	assert_number(s, METRIC_MONGO_MEM_RESIDENT, 104.0 * 1048576);
	assert_number(s, METRIC_MONGO_PINNED_WINDOW, 300);
	assert_number(s, METRIC_MONGO_PINNED_LAG, 0);
	assert_number(s, METRIC_MONGO_CKPT_RUNNING, 0);
	assert_number(s, METRIC_MONGO_FLOW_LIMITED, 0);
	assert_number(s, METRIC_MONGO_TICKETS_WRITE_AVAILABLE, 128);
	assert_missing(s, METRIC_MONGO_TICKETS_READ_QUEUED, REASON_NOT_SENT);
	assert_missing(s, METRIC_MONGO_HS_REUSABLE, REASON_NOT_SENT);
	assert_text(s, METRIC_MONGO_STORAGE_ENGINE, "wiredTiger");
	assert_text(s, METRIC_MONGO_CACHE_STATE, "SCRUB");
	sample_destroy(s);
	free(text);
	bson_destroy(doc);
}

static uint64_t bucket_sum(const struct sample *s, unsigned col)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < s->tables[TABLE_MONGO_LATENCY].n; i++)
		sum += sample_row(s, TABLE_MONGO_LATENCY, i)[col].u;
	return sum;
}

/* All samples of a capture are whole, and counters never fall within it. */
static void captures_replay(void **state)
{
	static const char *const names[] = {"idle", "sweep-0.5", "sweep-2", "heavy-writes"};
	char path[128];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		double pages = 0;
		const bson_t *doc;
		struct capture *c;

		snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", names[i]);
		c = capture_open(path);
		assert_non_null(c);
		while ((doc = capture_next(c))) {
			struct sample *s = capture_sample(doc, 0, 0);

			assert_int_equal(s->status, STATUS_OK);
			assert_number(s, METRIC_MONGO_CACHE_MAX, 268435456);
			assert_number(s, METRIC_MONGO_CACHE_TRIGGER, 95);
			assert_true(
				sample_f64(s, METRIC_MONGO_CACHE_PAGES_REQUESTED_TOTAL) >= pages);
			pages = sample_f64(s, METRIC_MONGO_CACHE_PAGES_REQUESTED_TOTAL);
			/* the histogram holds each read once */
			assert_int_equal(bucket_sum(s, COL_MONGO_LATENCY_READS),
				s->raw[METRIC_MONGO_LAT_READS_OPS].u);
			assert_int_equal(bucket_sum(s, COL_MONGO_LATENCY_WRITES),
				s->raw[METRIC_MONGO_LAT_WRITES_OPS].u);
			sample_destroy(s);
		}
		assert_true(pages > 0);
		capture_close(c);
	}
}

/* ---- names of other versions ---- */

static void names_of_4_0(void **state)
{
	struct sample *s =
		parse_text("{version: '4.0.28', process: 'C:\\\\bin\\\\mongod.exe', uptime: 9.0, "
			   "wiredTiger: {cache: {"
			   "'bytes currently in the cache': 50, 'maximum bytes configured': 100,"
			   "'pages evicted by application threads': 7, 'eviction state': 193,"
			   "'cache overflow table on-disk size': 4096, 'cache overflow table "
			   "insert calls': 3},"
			   "'thread-yield': {'application thread time evicting (usecs)': 11},"
			   "transaction: {'transaction checkpoint currently running': 1,"
			   "'transaction checkpoint most recent time (msecs)': 250,"
			   "'transaction range of timestamps currently pinned': "
			   "NumberLong('21474836485')}}, ok: 1}");

	(void)state;
	assert_string_equal(s->product, "mongod");
	assert_number(s, METRIC_MONGO_UPTIME, 9);
	assert_number(s, METRIC_MONGO_CACHE_EVICTED_APP_TOTAL, 7);
	assert_number(s, METRIC_MONGO_CACHE_APP_EVICT_TOTAL, 11);
	assert_number(s, METRIC_MONGO_HS_SIZE, 4096);
	assert_number(s, METRIC_MONGO_HS_INSERTS_TOTAL, 3);
	assert_number(s, METRIC_MONGO_CKPT_RUNNING, 1);
	assert_number(s, METRIC_MONGO_CKPT_LAST, 250);
	assert_number(s, METRIC_MONGO_PINNED_LAG, 5);
	assert_missing(s, METRIC_MONGO_CACHE_UPDATES, REASON_NOT_SENT);
	assert_missing(s, METRIC_MONGO_PINNED_READER, REASON_NOT_SENT);
	assert_text(s, METRIC_MONGO_CACHE_STATE, "CLEAN NOKEEP SCRUB");
	sample_destroy(s);
	s = parse_text(
		"{version: '4.0.1', wiredTiger: {cache: {'lookaside table insert calls': 4}}}");
	assert_number(s, METRIC_MONGO_HS_INSERTS_TOTAL, 4);
	sample_destroy(s);
}

/* Both orders: the better name wins wherever it stands. */
static void names_of_8(void **state)
{
	struct sample *s = parse_text(
		"{version: '8.0.32', process: 'mongod', wiredTiger: {cache: {"
		"'maximum bytes configured': 100, 'eviction state': 17,"
		"'pages evicted by application threads': 7,"
		"'page evict attempts by application threads': 9,"
		"'tracked dirty leaf page bytes in the cache': 4, 'tracked dirty bytes in the "
		"cache': 5,"
		"'application thread time evicting (usecs)': 12,"
		"'history store table on-disk size': 1, 'bytes allocated for updates': 2},"
		"checkpoint: {'most recent time (msecs)': 30, 'progress state': 3},"
		"historyStorageStats: {'block-manager': {'file size in bytes': 28672,"
		"'file bytes available for reuse': 4096}}},"
		"queues: {execution: {read: {out: 3, available: 5, totalTickets: 8,"
		"normalPriority: {queueLength: 2}, exempt: {queueLength: NumberLong(1)}},"
		"write: {out: 0, available: 8}}}, ok: true}");

	(void)state;
	assert_number(s, METRIC_MONGO_CACHE_EVICTED_APP_TOTAL, 9);
	assert_number(s, METRIC_MONGO_CACHE_DIRTY, 4);
	assert_number(s, METRIC_MONGO_CACHE_APP_EVICT_TOTAL, 12);
	assert_number(s, METRIC_MONGO_HS_SIZE, 28672);
	assert_number(s, METRIC_MONGO_HS_REUSABLE, 4096);
	assert_number(s, METRIC_MONGO_CKPT_LAST, 30);
	assert_number(s, METRIC_MONGO_CKPT_RUNNING, 1);
	assert_number(s, METRIC_MONGO_TICKETS_READ_OUT, 3);
	assert_number(s, METRIC_MONGO_TICKETS_READ_AVAILABLE, 5);
	assert_number(s, METRIC_MONGO_TICKETS_READ_QUEUED, 3);
	assert_missing(s, METRIC_MONGO_TICKETS_WRITE_QUEUED, REASON_NOT_SENT);
	assert_text(s, METRIC_MONGO_CACHE_STATE, "CLEAN NOKEEP");
	sample_destroy(s);
	s = parse_text("{wiredTiger: {cache: {'tracked dirty bytes in the cache': 5,"
		       "'tracked dirty leaf page bytes in the cache': 4}}}");
	assert_number(s, METRIC_MONGO_CACHE_DIRTY, 4);
	sample_destroy(s);
}

/* One bit means another thing in each layout, and nothing in an unknown one. */
static void eviction_state_by_version(void **state)
{
	static const struct {
		const char *version, *mask, *want;
	} rows[] = {
		{"4.2.25", "32", "LOOKASIDE"},
		{"wtnode (WiredTiger 3.2.1)", "193", "CLEAN NOKEEP SCRUB"},
		{"4.4.29", "32", "NOKEEP"},
		{"5.0.7", "33", "CLEAN NOKEEP"},
		{"6.0.24", "768", "UPDATES_HARD URGENT"},
		{"7.0.21", "32", "SCRUB"},
		{"8.1.1", "10", "CLEAN_HARD DIRTY_HARD"},
		{"8.2.0-alpha", "0", "idle"},
		{"5.0.7", "1025", "CLEAN 0x400"},
		{"6.1.0", "33", "0x21"},
		{"9.0.0", "3", "0x3"},
		{"", "0", "idle"},
		{"eight", "64", "0x40"},
	};
	char text[160];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample *s;

		snprintf(text, sizeof(text),
			"{version: '%s', wiredTiger: {cache: {'eviction state': %s}}}",
			rows[i].version, rows[i].mask);
		s = parse_text(text);
		assert_text(s, METRIC_MONGO_CACHE_STATE, rows[i].want);
		sample_destroy(s);
	}
}

/* ---- odd values ---- */

static void unset_timestamps_are_not_lags(void **state)
{
	struct sample *s = parse_text(
		"{wiredTiger: {cache: {}, transaction: {"
		"'transaction range of timestamps currently pinned': NumberLong('1340029796355'),"
		"'transaction range of timestamps pinned by a checkpoint':" /* 11 years */
		" NumberLong('1489906975014912000'),"
		"'transaction range of timestamps pinned by the oldest timestamp':"
		" NumberLong('9223372036854775807'),"
		"'transaction range of timestamps pinned by the oldest active read timestamp': "
		"-1}}}");

	(void)state;
	assert_number(s, METRIC_MONGO_PINNED_LAG, 312);
	assert_missing(s, METRIC_MONGO_PINNED_CHECKPOINT, REASON_NOT_SET);
	assert_missing(s, METRIC_MONGO_PINNED_OLDEST, REASON_NOT_SET);
	assert_missing(s, METRIC_MONGO_PINNED_READER, REASON_IMPLAUSIBLE);
	sample_destroy(s);
}

static void assert_reader_ts(const char *stamp, double want)
{
	char text[160];
	struct sample *s;

	snprintf(text, sizeof(text),
		"{wiredTiger: {cache: {}, transaction: {'transaction read timestamp of the oldest "
		"active reader': %s}}}",
		stamp);
	s = parse_text(text);
	if (want > 0)
		assert_number(s, METRIC_MONGO_PINNED_READER_TS, want);
	else
		assert_missing(s, METRIC_MONGO_PINNED_READER_TS, REASON_NOT_SET);
	sample_destroy(s);
}

/* Seconds, so that the reader's transaction can be found by them. */
static void the_oldest_readers_timestamp(void **state)
{
	(void)state;
	assert_reader_ts("NumberLong('7714075522078081480')", 1796073169);
	assert_reader_ts("0", -1);
	assert_reader_ts("NumberLong('9223372036854775807')", -1);
}

static void what_keeps_history_besides_readers(void **state)
{
	struct sample *s = parse_text(
		"{storageEngine: {name: 'wiredTiger', backupCursorOpen: true}, wiredTiger: {"
		"cache: {}, 'snapshot-window-settings': {"
		"'minimum target snapshot window size in seconds': 300,"
		"'current available snapshot window size in seconds': 512,"
		"'pinned timestamp requests': 2}}}");

	(void)state;
	assert_number(s, METRIC_MONGO_PINNED_WINDOW, 300);
	assert_number(s, METRIC_MONGO_PINNED_AVAILABLE, 512);
	assert_number(s, METRIC_MONGO_PINNED_REQUESTS, 2);
	assert_number(s, METRIC_MONGO_PINNED_BACKUP, 1);
	sample_destroy(s);
	s = parse_text("{wiredTiger: {cache: {}, 'snapshot-window-settings': {"
		       "'current available snapshots window size in seconds': 5}}}"); /* 4.4 */
	assert_number(s, METRIC_MONGO_PINNED_AVAILABLE, 5);
	assert_missing(s, METRIC_MONGO_PINNED_REQUESTS, REASON_NOT_SENT);
	assert_missing(s, METRIC_MONGO_PINNED_BACKUP, REASON_NOT_SENT);
	sample_destroy(s);
}

static void negative_cache_figures(void **state) /* C09 */
{
	struct sample *s = parse_case("cases/C09.json", NULL);

	(void)state;
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MONGO_CACHE_DIRTY, REASON_IMPLAUSIBLE);
	assert_number(s, METRIC_MONGO_CACHE_MAX, 1073741824);
	assert_number(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, 5000);
	sample_destroy(s);
	s = parse_text("{wiredTiger: {cache: {"
		       "'bytes currently in the cache': NumberLong('9223372036854775807'),"
		       "'tracked dirty bytes in the cache': 1.8446744073709552e19}}}");
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MONGO_CACHE_DIRTY, REASON_IMPLAUSIBLE);
	sample_destroy(s);
}

static void every_numeric_type(void **state) /* C07 */
{
	static const char *const paths[] = {"0", "1", "2"};
	struct sample *s;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		s = parse_case("cases/C07.json", paths[i]);
		assert_number(s, METRIC_MONGO_UPTIME, 86400);
		assert_number(s, METRIC_MONGO_CONN_CURRENT, 42);
		test_near(sample_f64(s, METRIC_MONGO_CONN_CURRENT) * 100 /
				  (42 + sample_f64(s, METRIC_MONGO_CONN_AVAILABLE)),
			0.08, 0.005);
		sample_destroy(s);
	}
	s = parse_text("{connections: {current: NumberDecimal('7'), available: true}, uptime: 5,"
		       "flowControl: {isLagged: 1}, ok: NumberLong(1)}");
	assert_number(s, METRIC_MONGO_CONN_CURRENT, 7);
	assert_number(s, METRIC_MONGO_CONN_AVAILABLE, 1);
	assert_number(s, METRIC_MONGO_FLOW_LIMITED, 1);
	sample_destroy(s);
}

/* A field of the wrong type, keys of 400 characters, with '$' and '.', or double: C19. */
static void odd_fields_spoil_only_themselves(void **state)
{
	struct sample *s = parse_case("cases/C19.json", NULL);

	(void)state;
	test_near(percent(s, METRIC_MONGO_CACHE_USED, METRIC_MONGO_CACHE_MAX), 75, 0);
	assert_int_equal(s->status, STATUS_OK);
	sample_destroy(s);
	s = parse_text(
		"{wiredTiger: {cache: {'bytes currently in the cache': 'many',"
		"'maximum bytes configured': {$numberLong: 'x'}, 'eviction state': [],"
		"'pages read into cache': 3, 'pages read into cache': 4},"
		"transaction: [1], 'block-manager': null, concurrentTransactions: {read: 5}},"
		"opLatencies: {reads: {histogram: {a: 1}, ops: 'x'}, writes: [],"
		"commands: {histogram: [5, {micros: 2}, {micros: 4, count: 6}], ops: 6}},"
		"connections: 7, uptimeMillis: 'x', uptime: 3, version: 5, process: {},"
		"mem: {resident: NumberLong('9000000000000000')}}");
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MONGO_CACHE_MAX, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MONGO_CACHE_STATE, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MONGO_MEM_RESIDENT, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_MONGO_LAT_READS_OPS, REASON_IMPLAUSIBLE);
	assert_number(s, METRIC_MONGO_LAT_COMMANDS_OPS, 6);
	assert_int_equal(s->tables[TABLE_MONGO_LATENCY].n, 1);
	assert_true(sample_has(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL));
	assert_number(s, METRIC_MONGO_UPTIME, 3);
	assert_string_equal(s->version, "");
	sample_destroy(s);
}

/* Bytes from a server never reach the terminal raw: E01. */
static void texts_are_sanitised(void **state)
{
	struct sample *s =
		parse_text("{version: '5\\u001b[2J', process: 'mon\\u0007god',"
			   "storageEngine: {name: 'a\\u001b]52;c;x\\u0007\\r\\n\\u007f'}}");
	const char *const texts[] = {
		s->version, s->product, sample_text(s, METRIC_MONGO_STORAGE_ENGINE)};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (const char *p = texts[i]; *p; p++)
			assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	}
	sample_destroy(s);
}

/* ---- kinds of server ---- */

static void a_router_has_no_cache(void **state) /* C01 */
{
	struct sample *s = parse_case("cases/C01.json", NULL);

	(void)state;
	assert_int_equal(s->status, STATUS_OK);
	assert_string_equal(s->role, "mongos");
	assert_string_equal(s->product, "mongos");
	assert_text(s, METRIC_MONGO_REPL_STATE, "mongos");
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_ROUTER);
	assert_missing(s, METRIC_MONGO_CACHE_STATE, REASON_ROUTER);
	assert_missing(s, METRIC_MONGO_TICKETS_READ_OUT, REASON_ROUTER);
	assert_number(s, METRIC_MONGO_CONN_CURRENT, 42);
	assert_number(s, METRIC_MONGO_CONN_AVAILABLE, 51158);
	assert_number(s, METRIC_MONGO_OPS_TOTAL_TOTAL, 902005);
	assert_number(s, METRIC_MONGO_MEM_RESIDENT, 2048.0 * 1048576);
	sample_destroy(s);
}

static void an_arbiter_holds_no_data(void **state) /* C03 */
{
	bson_t *doc = test_ejson_fixture("cases/C03.json"), hello, login, status;
	struct sample *s = sample_create(0);
	struct err err;

	(void)state;
	test_subdocument(doc, "0.reply", &hello);
	test_subdocument(doc, "1.reply", &login);
	test_subdocument(doc, "2.reply", &status);
	s->status = STATUS_OK;
	assert_true(parse_mongo_hello(&hello, s, &err));
	assert_string_equal(s->role, "ARBITER");
	assert_text(s, METRIC_MONGO_REPL_STATE, "ARBITER");
	assert_text(s, METRIC_MONGO_REPL_SET, "rs0");
	assert_int_equal(s->status, STATUS_OK);
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_ARBITER);
	assert_false(parse_mongo_status(&login, s, &err));
	assert_int_equal(err.code, ERR_AUTH);
	assert_false(parse_mongo_status(&status, s, &err));
	assert_int_equal(err.code, ERR_AUTH);
	bson_destroy(doc);
	/* one that lets us in has a cache of its own, which says nothing */
	doc = test_ejson("{process: 'mongod', connections: {current: 1, available: 2},"
			 "wiredTiger: {cache: {'bytes currently in the cache': 5}}, ok: 1}");
	assert_true(parse_mongo_status(doc, s, &err));
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_ARBITER);
	assert_number(s, METRIC_MONGO_CONN_CURRENT, 1);
	assert_int_equal(s->status, STATUS_OK);
	bson_destroy(doc);
	sample_destroy(s);
}

static void roles_of_hello(void **state)
{
	static const struct {
		const char *reply, *role;
	} rows[] = {
		{"{isWritablePrimary: true, ok: 1}", "standalone"},
		{"{ismaster: true, setName: 'a', ok: 1.0}", "PRIMARY"},
		{"{isWritablePrimary: false, secondary: true, setName: 'a', ok: true}",
			"SECONDARY"},
		{"{isWritablePrimary: false, secondary: false, setName: 'a', ok: 1}", "RECOVERING"},
		{"{ismaster: false, isreplicaset: true, ok: 1}", "STARTUP"},
		{"{ismaster: true, msg: 'isdbgrid', ok: 1}", "mongos"},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sample *s = sample_create(0);
		bson_t *doc = test_ejson(rows[i].reply);

		assert_true(parse_mongo_hello(doc, s, &err));
		assert_string_equal(s->role, rows[i].role);
		bson_destroy(doc);
		sample_destroy(s);
	}
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson("{ok: 1}");

	assert_false(parse_mongo_hello(doc, s, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	bson_destroy(doc);
	sample_destroy(s);
}

/* One poll: hello (NULL: a server without processId), serverStatus, and settling. */
static uint64_t epoch_of(struct server_run *last, const char *hello, const char *status)
{
	struct sample *s = sample_create(0);
	bson_t *h = hello ? test_ejson(hello) : NULL, *d = test_ejson(status);
	struct err err;
	uint64_t epoch;

	if (h)
		assert_true(parse_mongo_hello(h, s, &err));
	assert_true(parse_mongo_status(d, s, &err));
	parse_settle_epoch(last, s);
	epoch = s->epoch;
	bson_destroy(h);
	bson_destroy(d);
	sample_destroy(s);
	return epoch;
}

static void the_run_is_identified_by_its_process_id(void **state)
{
	static const char first[] = "{ismaster: true, ok: 1, topologyVersion: {processId: ObjectId("
				    "'6b0de492af52c62962202f17'), counter: 0}}",
			  later[] = "{ismaster: true, ok: 1, topologyVersion: {processId: ObjectId("
				    "'6b0de492af52c62962202f17'), counter: 9}}",
			  other[] = "{ismaster: true, ok: 1, topologyVersion: {processId: ObjectId("
				    "'6b0de492af52c62962202f18'), counter: 0}}",
			  status[] =
				  "{pid: 1, localTime: ISODate('2026-11-30'), uptimeMillis: 5000}";
	struct server_run run = {0};
	uint64_t epoch = epoch_of(&run, first, status);

	(void)state;
	assert_true(epoch != 0);
	/* the clock was set: the same run all the same */
	assert_true(epoch ==
		    epoch_of(&run, later, "{pid: 1, localTime: ISODate('2026-12-30'), uptime: 6}"));
	assert_true(epoch != epoch_of(&run, other, status));

	/* hello read last: nothing of pid and start stays to be settled */
	struct sample *s = parse_text(status);
	bson_t *hello = test_ejson(first);
	struct err err;

	assert_true(parse_mongo_hello(hello, s, &err));
	assert_true(s->epoch == epoch);
	assert_true(s->start_s == 0);
	bson_destroy(hello);
	sample_destroy(s);
}

static void the_run_is_identified_by_pid_and_start(void **state)
{
	struct server_run run = {0};
	uint64_t epoch = epoch_of(&run, NULL,
		"{pid: 1, localTime: ISODate('2026-11-30T00:01:40.001Z'), uptimeMillis: 100000}");

	(void)state;
	assert_true(epoch != 0);
	assert_true(epoch == epoch_of(&run, NULL, /* 2 ms earlier, in another second */
				     "{pid: 1.0, localTime: ISODate('2026-11-30T00:01:40.999Z'), "
				     "uptimeMillis: 101000}"));
	assert_true(epoch ==
		    epoch_of(&run, NULL,
			    "{pid: 1, localTime: ISODate('2026-11-30T00:01:43Z'), uptime: 102.0}"));
	/* in a container the pid is 1 again */
	assert_true(epoch != epoch_of(&run, NULL,
				     "{pid: 1, localTime: ISODate('2026-11-30T00:02:00Z'), "
				     "uptimeMillis: 2000}"));
	run = (struct server_run){0};
	assert_true(epoch_of(&run, NULL, "{pid: 7}") == epoch_of(&run, NULL, "{pid: 7}"));
	assert_true(epoch_of(&run, NULL, "{uptime: 5}") == 0);
}

/* Up, nothing to watch, and no zero anywhere: C11. */
static void emulations_have_nothing(void **state)
{
	struct sample *s = parse_case("cases/C11.json", "0");

	(void)state;
	assert_int_equal(s->status, STATUS_UNSUPPORTED);
	assert_string_equal(s->version, "");
	for (unsigned id = METRIC_MONGO_CACHE_USED; id <= METRIC_MONGO_REPL_SET; id++)
		assert_false(sample_has(s, (enum metric_id)id));
	sample_destroy(s);
	s = parse_case("cases/C11.json", "1");
	assert_int_equal(s->status, STATUS_UNSUPPORTED);
	assert_string_equal(s->product, "ferretdb");
	assert_string_equal(s->version, "7.0.77");
	assert_number(s, METRIC_MONGO_UPTIME, 5);
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_NOT_SENT);
	sample_destroy(s);
	s = parse_text("{process: 'ferret', ferretdb: {version: '2'}, ok: 1}");
	assert_string_equal(s->product, "ferretdb");
	sample_destroy(s);
	/* another engine: operations without a cache */
	s = parse_text("{process: 'mongod', connections: {current: 1, available: 9}, ok: 1}");
	assert_int_equal(s->status, STATUS_PARTIAL);
	sample_destroy(s);
}

static void a_busy_server_leaves_sections_out(void **state)
{
	struct sample *s = parse_text("{process: 'mongod', wiredTiger: {}, metrics: {queryExecutor:"
				      "{scannedObjects: 5, collectionScans: {nonTailable: 2}}}}");

	(void)state;
	assert_int_equal(s->status, STATUS_PARTIAL);
	assert_missing(s, METRIC_MONGO_CACHE_USED, REASON_NOT_SENT);
	assert_number(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, 2);
	sample_destroy(s);
	s = parse_text("{process: 'mongod', wiredTiger: {cache: {}}}"); /* metrics: 0 */
	assert_missing(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, REASON_NOT_ASKED);
	assert_missing(s, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, REASON_NOT_ASKED);
	assert_missing(s, METRIC_MONGO_MEM_RESIDENT, REASON_NOT_ASKED);
	sample_destroy(s);
	/* what was worse before stays */
	bson_t *doc = test_ejson("{process: 'mongod', wiredTiger: {}}");
	struct err err;

	s = sample_create(0);
	s->status = STATUS_LOADING;
	assert_true(parse_mongo_status(doc, s, &err));
	assert_int_equal(s->status, STATUS_LOADING);
	sample_destroy(s);
	bson_destroy(doc);
}

/* ---- failed commands ---- */

static void failed_commands_name_what_to_do(void **state)
{
	bson_t *doc = test_ejson_fixture("cases/C15.json"), reply;
	struct sample *s = sample_create(0);
	struct err err;

	(void)state;
	assert_false(parse_mongo_status(doc, s, &err)); /* C15 */
	assert_int_equal(status_from_err(err.code), STATUS_AUTH);
	assert_string_equal(err.msg, "up, not authorised: needs the role clusterMonitor "
				     "(command serverStatus requires authentication)");
	assert_int_equal(s->status, STATUS_WAITING); /* untouched */
	bson_destroy(doc);

	doc = test_ejson_fixture("cases/C05.json"); /* the node stops between two calls */
	test_subdocument(doc, "0.reply", &reply);
	assert_true(parse_mongo_status(&reply, s, &err));
	test_near(percent(s, METRIC_MONGO_CACHE_USED, METRIC_MONGO_CACHE_MAX), 75, 0);
	test_subdocument(doc, "1.reply", &reply);
	assert_false(parse_mongo_hello(&reply, s, &err));
	assert_int_equal(err.code, ERR_REFUSED);
	assert_non_null(strstr(err.msg, "shutting down"));
	bson_destroy(doc);

	doc = test_ejson_fixture("cases/C21.json"); /* an option that 4.2 does not know */
	test_subdocument(doc, "0.reply", &reply);
	assert_false(parse_mongo_status(&reply, s, &err));
	assert_true(parse_mongo_rejects_option(40415));
	assert_true(parse_mongo_rejects_option(9));
	assert_false(parse_mongo_rejects_option(13));
	test_subdocument(doc, "1.reply", &reply);
	assert_true(parse_mongo_status(&reply, s, &err));
	test_near(percent(s, METRIC_MONGO_CACHE_USED, METRIC_MONGO_CACHE_MAX), 75, 0);
	assert_string_equal(s->version, "4.2.25");
	bson_destroy(doc);
	sample_destroy(s);
}

static void codes_become_statuses(void **state)
{
	static const struct {
		int code;
		enum status status;
	} rows[] = {
		{13, STATUS_AUTH},
		{18, STATUS_AUTH},
		{11600, STATUS_REFUSED},
		{91, STATUS_REFUSED},
		{13436, STATUS_LOADING},
		{189, STATUS_LOADING},
		{50, STATUS_TIMEOUT},
		{59, STATUS_UNSUPPORTED},
		{40415, STATUS_ERROR},
		{0, STATUS_ERROR},
	};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(parse_mongo_error(rows[i].code, "a\x1b[2J", &err), rows[i].status);
	assert_null(strchr(err.msg, '\x1b'));
	assert_int_equal(parse_mongo_error(18, NULL, &err), STATUS_AUTH);
	assert_string_equal(err.msg, "authentication failed: check user, password and authSource");
}

static void views_are_not_asked_for_statistics(void **state) /* C13 */
{
	bson_t *doc = test_ejson_fixture("cases/C13.json"), list;
	char rows[64] = "";
	bson_iter_t it, name, type;

	(void)state;
	test_subdocument(doc, "listCollections", &list);
	assert_true(bson_iter_init(&it, &list));
	while (bson_iter_next(&it)) {
		assert_true(bson_iter_recurse(&it, &name) && bson_iter_find(&name, "name"));
		assert_true(bson_iter_recurse(&it, &type) && bson_iter_find(&type, "type"));
		if (parse_mongo_has_stats(bson_iter_utf8(&name, NULL), bson_iter_utf8(&type, NULL)))
			snprintf(rows + strlen(rows), sizeof(rows) - strlen(rows), "%s ",
				bson_iter_utf8(&name, NULL));
	}
	assert_string_equal(rows, "orders ts ");
	bson_destroy(doc);
}

/* Damaged BSON, cut or flipped anywhere, is survived (run under asan). */
static void damaged_replies_are_survived(void **state)
{
	struct capture *c = capture_open("tests/fixtures/captures/collscan-slow-hot.bson.gz");
	const bson_t *doc;
	uint64_t seed = 11;

	(void)state;
	assert_non_null(c);
	do {
		doc = capture_next(c);
		assert_non_null(doc);
	} while (capture_time(doc) < 13);
	for (unsigned i = 0; i < 600; i++) {
		bson_t status, damaged;
		uint8_t *copy = malloc(doc->len);
		struct sample *s = sample_create(0);
		uint64_t r = test_random(&seed);
		struct err err;

		assert_true(copy && s);
		test_subdocument(doc, i % 2 ? "serverStatus" : "currentOp.0", &status);
		memcpy(copy, bson_get_data(&status), status.len);
		for (unsigned flips = 0; flips < 1 + i % 40; flips++, r = test_random(&seed))
			copy[4 + r % (status.len - 5)] ^= (uint8_t)(1u << (r >> 61));
		if (bson_init_static(&damaged, copy, status.len)) {
			if (!parse_mongo_status(&damaged, s, &err))
				assert_true(err.msg[0]);
			if (!parse_mongo_hello(&damaged, s, &err))
				assert_true(err.msg[0]);
			parse_mongo_current_op(&damaged, s);
		}
		sample_destroy(s);
		free(copy);
	}
	capture_close(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_reply_gives_its_figures),
		cmocka_unit_test(captures_replay),
		cmocka_unit_test(names_of_4_0),
		cmocka_unit_test(names_of_8),
		cmocka_unit_test(eviction_state_by_version),
		cmocka_unit_test(unset_timestamps_are_not_lags),
		cmocka_unit_test(the_oldest_readers_timestamp),
		cmocka_unit_test(what_keeps_history_besides_readers),
		cmocka_unit_test(negative_cache_figures),
		cmocka_unit_test(every_numeric_type),
		cmocka_unit_test(odd_fields_spoil_only_themselves),
		cmocka_unit_test(texts_are_sanitised),
		cmocka_unit_test(a_router_has_no_cache),
		cmocka_unit_test(an_arbiter_holds_no_data),
		cmocka_unit_test(roles_of_hello),
		cmocka_unit_test(the_run_is_identified_by_its_process_id),
		cmocka_unit_test(the_run_is_identified_by_pid_and_start),
		cmocka_unit_test(emulations_have_nothing),
		cmocka_unit_test(a_busy_server_leaves_sections_out),
		cmocka_unit_test(failed_commands_name_what_to_do),
		cmocka_unit_test(codes_become_statuses),
		cmocka_unit_test(views_are_not_asked_for_statistics),
		cmocka_unit_test(damaged_replies_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
