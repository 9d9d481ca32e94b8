/*
 * $currentOp: the operation that scans is found and named, the holder of a snapshot is found, what
 * drivers and this program do all the time is left out, and no literal of a command survives.
 */
#include "../support/support.h"

#include <math.h>
#include <string.h>

#include "../support/capture.h"
#include "../support/ejson.h"
#include "hotset/parse.h"

static const char *text_of(const struct sample *s, unsigned row, unsigned col)
{
	const struct raw *r = &sample_row(s, TABLE_MONGO_OP, row)[col];

	return r->type == RAW_TEXT ? r->s : NULL;
}

static void a_scan_is_named(void **state)
{
	struct capture *c = capture_open("tests/fixtures/captures/collscan-slow-hot.bson.gz");
	const bson_t *doc;
	unsigned scans = 0;

	(void)state;
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		struct sample *s = capture_sample(doc, 0, 0);
		int t = (int)capture_time(doc);

		for (unsigned i = 0; i < s->tables[TABLE_MONGO_OP].n; i++) {
			const char *plan = text_of(s, i, COL_MONGO_OP_PLAN);

			if (!plan || strcmp(plan, "COLLSCAN") != 0)
				continue;
			assert_in_range(t, 13, 15);
			assert_string_equal(text_of(s, i, COL_MONGO_OP_NS), "l21a.items");
			assert_string_equal(text_of(s, i, COL_MONGO_OP_APP), "report-job");
			assert_string_equal(text_of(s, i, COL_MONGO_OP_SHAPE),
				"{aggregate: ?, pipeline: [{$match: {pad: {$regex: ?}}}, {$count: "
				"?}], "
				"comment: ?}");
			scans++;
		}
		/* nothing else ran for long: the drivers' waiting hellos are no rows */
		assert_true(s->tables[TABLE_MONGO_OP].n <= 2);
		sample_destroy(s);
	}
	capture_close(c);
	assert_int_equal(scans, 3);
}

/* The rows of one document. */
static struct sample *parse(const char *text)
{
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson(text);

	assert_non_null(s);
	parse_mongo_current_op(doc, s);
	bson_destroy(doc);
	return s;
}

static unsigned rows_of(const char *text)
{
	struct sample *s = parse(text);
	unsigned n = s->tables[TABLE_MONGO_OP].n;

	sample_destroy(s);
	return n;
}

static double number_of(const struct sample *s, unsigned col)
{
	return raw_f64(&sample_row(s, TABLE_MONGO_OP, 0)[col]);
}

static void the_holder_of_a_snapshot_is_found(void **state)
{
	struct sample *s = parse(
		"{type: 'idleSession', desc: 'inactive transaction', client: '127.0.0.1:60546',"
		"connectionId: 11, appName: 'report-job', active: false, lsid: {id: {$binary: "
		"{base64:"
		"'GrUvoc+pQuqDqdC5eUWEag==', subType: '04'}}}, transaction: {parameters: "
		"{txnNumber: 1},"
		"readTimestamp: Timestamp(1796073169, 456), timeOpenMicros: "
		"NumberLong(44989102)}}");

	(void)state;
	assert_int_equal(s->tables[TABLE_MONGO_OP].n, 1);
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_OPID), "lsid:1ab52fa1");
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_APP), "report-job");
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_CLIENT), "127.0.0.1:60546");
	test_near(number_of(s, COL_MONGO_OP_TXN_OPEN), 44.989102, 1e-9);
	test_near(number_of(s, COL_MONGO_OP_READ_TS), 1796073169, 0);
	assert_int_equal(sample_row(s, TABLE_MONGO_OP, 0)[COL_MONGO_OP_SECS].type, RAW_NONE);
	sample_destroy(s);
	s = parse("{opid: 5, active: true, op: 'query', transaction: {readTimestamp: Timestamp(0, "
		  "0)}}");
	assert_int_equal(
		sample_row(s, TABLE_MONGO_OP, 0)[COL_MONGO_OP_READ_TS].why, REASON_NOT_SET);
	sample_destroy(s);
}

static struct sample *parse_transaction(const char *head, const char *fields)
{
	char text[512];

	snprintf(text, sizeof(text), "{%s, op: 'command', transaction: {%s}}", head, fields);
	return parse(text);
}

static void assert_txn(const char *head, const char *fields, const char *state, double left_s)
{
	struct sample *s = parse_transaction(head, fields);
	const struct raw *left = &sample_row(s, TABLE_MONGO_OP, 0)[COL_MONGO_OP_TXN_LEFT];

	assert_string_equal(text_of(s, 0, COL_MONGO_OP_TXN), state);
	if (isnan(left_s))
		assert_int_equal(left->type, RAW_NONE);
	else
		test_near(raw_f64(left), left_s, 1e-6);
	sample_destroy(s);
}

/*
 * Whether the client works in its transaction or forgot it, and how long the server lets it live:
 * by the server's clock alone, so that no other clock can falsify it.
 */
static void what_a_transaction_does_and_how_long_it_may(void **state)
{
	static const char open45[] = "startWallClockTime: '2026-11-30T21:12:49.923+00:00',"
				     "expiryTime: '2026-11-30T21:22:49.923+00:00',"
				     "timeOpenMicros: NumberLong(44989102)";

	(void)state;
	assert_txn("active: false, type: 'idleSession'", open45, "idle", 600 - 44.989102);
	assert_txn("active: true, opid: 7", open45, "active", 600 - 44.989102);
	assert_txn("active: true, opid: 7",
		"startWallClockTime: new Date(5000), expiryTime: new Date(65000),"
		"timeOpenMicros: 70000000",
		"active", -10); /* past its limit, not ended yet */
	/* the reaper spares it, whatever its expiry says */
	assert_txn("active: false",
		"timePreparedMicros: 5, startWallClockTime: new Date(5000),"
		"expiryTime: new Date(65000), timeOpenMicros: 70",
		"prepared", (double)NAN);
	assert_txn("active: false", "timeOpenMicros: 5, expiryTime: 'soon'", "idle", (double)NAN);
	assert_txn("active: false",
		"startWallClockTime: new Date(5000), expiryTime: new Date(65000)", "idle",
		(double)NAN);
}

static void a_read_at_a_timestamp_without_transaction(void **state)
{
	struct sample *s = parse(
		"{opid: 1, active: true, op: 'query', command: {find: 'c', readConcern: {level: "
		"'snapshot', atClusterTime: Timestamp(1796073169, 2)}}}");

	(void)state;
	test_near(number_of(s, COL_MONGO_OP_READ_TS), 1796073169, 0);
	assert_null(text_of(s, 0, COL_MONGO_OP_TXN));
	sample_destroy(s);
}

static void cells_of_an_operation(void **state)
{
	struct sample *s = parse(
		"{opid: 'shard01:77', active: true, secs_running: 9, microsecs_running: 9250000.0,"
		"op: 'getmore', ns: 'l21a.items', planSummary: 'IXSCAN { a: 1 }', docsExamined: "
		"1234,"
		"client_s: '10.0.0.1:5', command: {getMore: 5, collection: 'items'},"
		"cursor: {originatingCommand: {find: 'items', filter: {a: 'secret'}, $db: 'x'}}}");

	(void)state;
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_OPID), "shard01:77");
	test_near(number_of(s, COL_MONGO_OP_SECS), 9.25, 0);
	test_near(number_of(s, COL_MONGO_OP_DOCS), 1234, 0);
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_OP), "getmore");
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_PLAN), "IXSCAN { a: 1 }");
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_CLIENT), "10.0.0.1:5");
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_SHAPE), "{find: ?, filter: {a: ?}}");
	sample_destroy(s);
	s = parse("{opid: -7, active: true, secs_running: 2, op: 'query'}");
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_OPID), "-7");
	test_near(number_of(s, COL_MONGO_OP_SECS), 2, 0);
	sample_destroy(s);
}

static void what_is_no_row(void **state)
{
	(void)state;
	assert_int_equal(rows_of("{opid: 1, active: true, op: 'command', command: {ping: 1}}"), 1);
	assert_int_equal(rows_of("{opid: 1, active: true, op: 'command', appName: 'hotset'}"), 0);
	assert_int_equal(
		rows_of("{opid: 1, active: true, appName: 'hotset-lab', transaction: {}}"), 0);
	assert_int_equal(rows_of("{opid: 1, active: true, op: 'command', appName: 'hots'}"), 1);
	assert_int_equal(rows_of("{opid: 1, active: false, op: 'command'}"), 0);
	assert_int_equal(rows_of("{opid: 1, active: true, op: 'none', desc: 'Checkpointer'}"), 0);
	assert_int_equal(rows_of("{type: 'idleSession', active: false}"), 0);
	assert_int_equal(rows_of("{opid: 1, active: true, op: 'command',"
				 "command: {hello: 1, maxAwaitTimeMS: 10000}}"),
		0);
	assert_int_equal(rows_of("{}"), 0);
	assert_int_equal(
		rows_of("{opid: 1, active: true, command: 5, ns: {}, planSummary: []}"), 1);
}

static void assert_shape(const char *command, const char *want)
{
	char text[2048];
	struct sample *s;

	snprintf(text, sizeof(text), "{opid: 1, active: true, command: %s}", command);
	s = parse(text);
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_SHAPE), want);
	sample_destroy(s);
}

static void commands_become_shapes(void **state)
{
	(void)state;
	assert_shape("{find: 'c', filter: {a: 'x', b: {$gt: 5}, _id: ObjectId("
		     "'6b0de492af52c62962202f17')}, lsid: {id: 1}, $db: 'd', txnNumber: 4}",
		"{find: ?, filter: {a: ?, b: {$gt: ?}, _id: ?}}");
	assert_shape("{a: {$in: [1, 2, 3]}, b: [], c: [{x: 1}, {x: 2}, {y: 3}, {x: 4}]}",
		"{a: {$in: [?]}, b: [], c: [{x: ?}, {y: ?}, {x: ?}]}");
	assert_shape("{d: new Date(5), e: /secret/i, f: BinData(0, 'c2VjcmV0'), g: null, h: true,"
		     "i: Timestamp(1, 2), j: Code('secret'), k: NumberDecimal('5')}",
		"{d: ?, e: ?, f: ?, g: ?, h: ?, i: ?, j: ?, k: ?}");
	assert_shape("{$truncated: \"{ find: 'c', filter: { ssn: 'secret' } }\", comment: 'x'}",
		"{$truncated: ?, comment: ?}");
	assert_shape("{a: {b: {c: {d: {e: {f: {g: {h: {i: {j: 1}}}}}}}}}}",
		"{a: {b: {c: {d: {e: {f: {g: {h: ?}}}}}}}}");
	assert_shape("{}", "{}");
}

/* However long the command, its shape is bounded and shows that it was cut. */
static void long_shapes_are_cut(void **state)
{
	char command[1600] = "{", *p = command + 1;
	struct sample *s;
	const char *shape;

	(void)state;
	for (int i = 0; i < 100; i++)
		p += snprintf(p, sizeof(command) - (size_t)(p - command), "field%02d: 1,", i);
	snprintf(p, sizeof(command) - (size_t)(p - command), "}");
	char text[1700];

	snprintf(text, sizeof(text), "{opid: 1, active: true, command: %s}", command);
	s = parse(text);
	shape = text_of(s, 0, COL_MONGO_OP_SHAPE);
	assert_in_range(strlen(shape), 200, 250);
	assert_string_equal(shape + strlen(shape) - 3, "...");
	sample_destroy(s);
}

/* Texts of clients never reach the terminal raw: E01. */
static void texts_are_sanitised(void **state)
{
	bson_t *cases = test_ejson_fixture("cases/E01.json");
	bson_iter_t it, s;

	(void)state;
	assert_true(bson_iter_init(&it, cases));
	while (bson_iter_next(&it)) {
		struct sample *out = sample_create(0);
		bson_t doc = BSON_INITIALIZER, command = BSON_INITIALIZER;
		const char *text;

		assert_true(bson_iter_recurse(&it, &s) && bson_iter_find(&s, "s"));
		text = bson_iter_utf8(&s, NULL);
		BSON_APPEND_INT32(&command, text, 1);
		BSON_APPEND_BOOL(&doc, "active", true);
		BSON_APPEND_UTF8(&doc, "opid", text);
		BSON_APPEND_UTF8(&doc, "ns", text);
		BSON_APPEND_UTF8(&doc, "appName", text);
		BSON_APPEND_UTF8(&doc, "client", text);
		BSON_APPEND_UTF8(&doc, "op", text);
		BSON_APPEND_UTF8(&doc, "planSummary", text);
		BSON_APPEND_DOCUMENT(&doc, "command", &command);
		parse_mongo_current_op(&doc, out);
		assert_int_equal(out->tables[TABLE_MONGO_OP].n, 1);
		for (unsigned col = 0; col < COL_MONGO_OP_COUNT; col++) {
			for (const char *p = text_of(out, 0, col); p && *p; p++)
				assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
		}
		assert_non_null(text_of(out, 0, COL_MONGO_OP_SHAPE));
		bson_destroy(&doc);
		bson_destroy(&command);
		sample_destroy(out);
	}
	bson_destroy(cases);
}

/* ---- more than fit ---- */

static void append_op(bson_t *array, unsigned n, const char *text)
{
	bson_t *doc = test_ejson(text);
	char buf[16];
	const char *key;

	bson_uint32_to_string(n, &key, buf, sizeof(buf));
	BSON_APPEND_DOCUMENT(array, key, doc);
	bson_destroy(doc);
}

/* 150 long reads, 150 open transactions, and behind them a scan that just began and a holder. */
static unsigned append_many(bson_t *array)
{
	char text[256];
	unsigned n = 0;

	while (n < 150) {
		snprintf(text, sizeof(text), "{opid: %u, active: true, op: 'query', ns: 'a.b', "
			"microsecs_running: %u}", n, 2000000 + n);
		append_op(array, n++, text);
	}
	while (n < 300) {
		snprintf(text, sizeof(text), "{type: 'idleSession', active: false, appName: 'w%u', "
			"lsid: {id: {$binary: {base64: 'GrUvoc+pQuqDqdC5eUWEag==', subType: '04'}}},"
			"transaction: {timeOpenMicros: %u}}", n, 3000000 + n);
		append_op(array, n++, text);
	}
	append_op(array, n++, "{opid: 900, active: true, op: 'query', ns: 'a.scanned', "
		"planSummary: 'COLLSCAN', microsecs_running: 5}");
	append_op(array, n++, "{type: 'idleSession', active: false, appName: 'holder', "
		"lsid: {id: {$binary: {base64: 'GrUvoc+pQuqDqdC5eUWEag==', subType: '04'}}},"
		"transaction: {timeOpenMicros: 90000000}}");
	return n;
}

static void none_that_matters_is_cut_off(const bson_t *reply)
{
	struct sample *s = sample_create(0);
	double last = 1e9;
	unsigned reads = 0;

	assert_true(parse_mongo_op_list(reply, s));
	assert_int_equal(s->tables[TABLE_MONGO_OP].n, MONGO_OPS_MAX);
	/* the first of each kind, in turn */
	assert_string_equal(text_of(s, 0, COL_MONGO_OP_NS), "a.scanned");
	assert_string_equal(text_of(s, 1, COL_MONGO_OP_APP), "holder");
	test_near(raw_f64(&sample_row(s, TABLE_MONGO_OP, 2)[COL_MONGO_OP_OPID]), 149, 0);
	for (unsigned i = 0; i < MONGO_OPS_MAX; i++) {
		const struct raw *row = sample_row(s, TABLE_MONGO_OP, i);

		if (row[COL_MONGO_OP_TXN].type == RAW_TEXT || row[COL_MONGO_OP_PLAN].type == RAW_TEXT)
			continue;
		assert_true(raw_f64(&row[COL_MONGO_OP_SECS]) < last);
		last = raw_f64(&row[COL_MONGO_OP_SECS]);
		reads++;
	}
	assert_in_range(reads, 49, 50);
	sample_destroy(s);
}

static void a_long_list_keeps_what_matters(void **state)
{
	bson_t command = BSON_INITIALIZER, plain = BSON_INITIALIZER, faceted = BSON_INITIALIZER;
	bson_t array, cursor, batch, doc;

	(void)state;
	bson_append_array_begin(&command, "inprog", -1, &array);
	append_many(&array);
	bson_append_array_end(&command, &array);
	none_that_matters_is_cut_off(&command);

	bson_append_document_begin(&plain, "cursor", -1, &cursor);
	bson_append_array_begin(&cursor, "firstBatch", -1, &batch);
	append_many(&batch);
	bson_append_array_end(&cursor, &batch);
	bson_append_document_end(&plain, &cursor);
	none_that_matters_is_cut_off(&plain);

	bson_append_document_begin(&faceted, "cursor", -1, &cursor);
	bson_append_array_begin(&cursor, "firstBatch", -1, &batch);
	bson_append_document_begin(&batch, "0", -1, &doc);
	bson_append_array_begin(&doc, "hotsetAny", -1, &array);
	append_many(&array);
	bson_append_array_end(&doc, &array);
	bson_append_array_begin(&doc, "hotsetNone", -1, &array);
	bson_append_array_end(&doc, &array);
	bson_append_document_end(&batch, &doc);
	bson_append_array_end(&cursor, &batch);
	bson_append_document_end(&faceted, &cursor);
	none_that_matters_is_cut_off(&faceted);

	bson_destroy(&command);
	bson_destroy(&plain);
	bson_destroy(&faceted);
}

static void a_reply_without_a_list_is_none(void **state)
{
	bson_t *reply = test_ejson("{ok: 1, cursor: {firstBatch: 5}}");
	struct sample *s = sample_create(0);

	(void)state;
	assert_false(parse_mongo_op_list(reply, s));
	assert_false(s->tables[TABLE_MONGO_OP].asked);
	sample_destroy(s);
	bson_destroy(reply);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scan_is_named),
		cmocka_unit_test(the_holder_of_a_snapshot_is_found),
		cmocka_unit_test(what_a_transaction_does_and_how_long_it_may),
		cmocka_unit_test(a_read_at_a_timestamp_without_transaction),
		cmocka_unit_test(cells_of_an_operation),
		cmocka_unit_test(what_is_no_row),
		cmocka_unit_test(commands_become_shapes),
		cmocka_unit_test(long_shapes_are_cut),
		cmocka_unit_test(texts_are_sanitised),
		cmocka_unit_test(a_long_list_keeps_what_matters),
		cmocka_unit_test(a_reply_without_a_list_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
