/*
 * wtnode's secondary indexes: a find through one gives what the same find without it gives, for
 * values of all kinds and after any writes; it examines few entries and is no scan; its table has
 * statistics of its own; it survives a restart and a crash. Skipped where wtnode was not built.
 */
#include "../support/support.h"
#include "../support/wtnode.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct wtnode shared;
static mongoc_client_t *client;

static int setup(void **state)
{
	(void)state;
	client = wtnode_setup(&shared);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wtnode_teardown(&shared, client);
	return 0;
}

static void create_index(const char *db, const char *coll, const char *key, const char *name)
{
	char json[512];
	bson_t reply;

	snprintf(json, sizeof(json),
		"{\"createIndexes\": \"%s\", \"indexes\": [{\"key\": %s, \"name\": \"%s\"}]}", coll,
		key, name);
	wtnode_run(client, db, &reply, json);
	assert_int_equal(
		doc_num(&reply, "numIndexesAfter"), doc_num(&reply, "numIndexesBefore") + 1);
	bson_destroy(&reply);
}

/* What a command in the database examined and scanned. */
struct cost {
	int64_t keys, docs, scans;
};

static struct cost read_cost(void)
{
	bson_t reply;
	struct cost c;

	wtnode_run(client, "admin", &reply, "{\"serverStatus\": 1}");
	c.keys = doc_num(&reply, "metrics.queryExecutor.scanned");
	c.docs = doc_num(&reply, "metrics.queryExecutor.scannedObjects");
	c.scans = doc_num(&reply, "metrics.queryExecutor.collectionScans.total");
	bson_destroy(&reply);
	return c;
}

static void assert_cost(const char *db, const char *json, int64_t keys, int64_t docs, int64_t scans)
{
	struct cost before = read_cost();
	wtnode_run_quietly(client, db, json);
	struct cost after = read_cost();

	assert_int_equal(after.keys - before.keys, keys);
	assert_int_equal(after.docs - before.docs, docs);
	assert_int_equal(after.scans - before.scans, scans);
}

/* ---- what it costs ---------------------------------------------------------------------------
 */

/* An equality and a range on the first field read their entries and no more. */
static void test_examines_little(void **state)
{
	const char *equal = "{\"find\": \"items\", \"filter\": {\"n\": 4711}}";
	const char *range =
		"{\"count\": \"items\", \"query\": {\"n\": {\"$gte\": 100, \"$lt\": 110}}}";
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	assert_cost("lab", equal, 0, WTNODE_DOCS, 1);
	create_index("lab", "items", "{\"n\": 1}", "n_1");
	assert_cost("lab", equal, 1, 1, 0);
	assert_cost("lab", range, 10, 10, 0);
	assert_int_equal(wtnode_count(client, range), 10);
	wtnode_run(client, "lab", &reply, equal);
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0._id"), 4711);
	bson_destroy(&reply);
	/* a limit ends it early; a filter on another field is a scan as before */
	assert_cost("lab",
		"{\"find\": \"items\", \"limit\": 3, \"filter\": {\"n\": {\"$gt\": 100}}}", 3, 3,
		0);
	assert_cost("lab", "{\"count\": \"items\", \"query\": {\"hits\": 1}}", 0, WTNODE_DOCS, 1);
	assert_cost("lab", "{\"count\": \"items\", \"query\": {\"n\": {\"$ne\": 1}}}", 0,
		WTNODE_DOCS, 1);
}

static void test_current_op_says_ixscan(void **state)
{
	struct wtnode_op w = {.app = "index-reader", .plan = "IXSCAN { n: 1 }"};

	(void)state;
	NEEDS_NODE(client);
	wtnode_see_running(&shared, client, &w,
		"{\"count\": \"items\", \"query\": {\"n\": {\"$gte\": 0}, \"hits\": 1}}");
	assert_string_equal(doc_str(&w.found, "ns"), "lab.items");
	assert_string_equal(doc_str(&w.found, "planSummary"), "IXSCAN { n: 1 }");
	bson_destroy(&w.found);
}

/* The index's table is one of the collection's, with statistics that move when it is read. */
static void test_statistics(void **state)
{
	const char *stats = "{\"collStats\": \"items\"}";
	const char *searches = "indexDetails.n_1.cursor.search near calls";
	bson_t before, after;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run(client, "lab", &before, stats);
	wtnode_run_quietly(client, "lab", "{\"find\": \"items\", \"filter\": {\"n\": 7}}");
	wtnode_run(client, "lab", &after, stats);
	assert_int_equal(doc_num(&after, searches) - doc_num(&before, searches), 1);
	assert_true(doc_num(&after, "indexDetails.n_1.cache.bytes currently in the cache") > 0);
	assert_int_equal(doc_num(&after, "nindexes"), 2);
	assert_int_equal(doc_elements(&after, "indexSizes"), 2);
	assert_int_equal(doc_num(&after, "totalIndexSize"),
		doc_num(&after, "indexSizes._id_") + doc_num(&after, "indexSizes.n_1"));
	bson_destroy(&before);
	bson_destroy(&after);
}

static void test_compound(void **state)
{
	char json[256];

	(void)state;
	NEEDS_NODE(client);
	for (int i = 0; i < 100; i++) {
		snprintf(json, sizeof(json),
			"{\"insert\": \"pairs\", \"documents\": [{\"_id\": %d, \"a\": %d, \"b\": "
			"{\"c\": "
			"%d}}]}",
			i, i / 10, i % 10);
		wtnode_run_quietly(client, "ix", json);
	}
	create_index("ix", "pairs", "{\"a\": 1, \"b.c\": 1}", "pair");
	assert_cost("ix", "{\"find\": \"pairs\", \"filter\": {\"a\": 3}}", 10, 10, 0);
	assert_cost("ix", "{\"find\": \"pairs\", \"filter\": {\"b.c\": 4, \"a\": 3}}", 1, 1, 0);
	assert_cost("ix",
		"{\"find\": \"pairs\", \"filter\": {\"a\": 3, \"b.c\": {\"$gt\": 4, \"$lte\": 6}}}",
		2, 2, 0);
	assert_cost("ix", "{\"find\": \"pairs\", \"filter\": {\"b.c\": 4}}", 0, 100, 1);
}

/* ---- the same answers ------------------------------------------------------------------------
 */

/* Values of all kinds, close to each other, so that wrong order and wrong bounds show. */
static const char *const values[] = {"null", "0", "-0.0", "1", "1.5", "-1", "-1.5", "2", "255",
	"256", "-256", "1e300", "-1e300", "{\"$numberLong\": \"9007199254740993\"}",
	"{\"$numberLong\": \"9007199254740992\"}", "{\"$numberLong\": \"9223372036854775807\"}",
	"{\"$numberLong\": \"-9223372036854775808\"}", "9007199254740992.0",
	"{\"$numberDouble\": \"Infinity\"}", "\"\"", "\"a\"", "\"ab\"", "\"b\"", "\"a\\u0000b\"",
	"\"\\u00ff\"", "true", "false", "{\"x\": 1}", "{\"x\": 2}", "[1, 2]", "[]",
	"{\"$date\": {\"$numberLong\": \"-5\"}}", "{\"$date\": {\"$numberLong\": \"5\"}}",
	"{\"$timestamp\": {\"t\": 5, \"i\": 1}}", "{\"$timestamp\": {\"t\": 5, \"i\": 2}}",
	"{\"$oid\": \"000000000000000000000001\"}", "{\"$oid\": \"ff0000000000000000000001\"}",
	"{\"$binary\": {\"base64\": \"AAE=\", \"subType\": \"00\"}}",
	"{\"$binary\": {\"base64\": \"AAE=\", \"subType\": \"05\"}}",
	"{\"$binary\": {\"base64\": \"AAEC\", \"subType\": \"00\"}}"};

#define VALUES (sizeof(values) / sizeof(values[0]))

static const char *pick(uint64_t *seed)
{
	return values[test_random(seed) % VALUES];
}

/* Writes the same to both collections. */
static void write_both(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void write_both(const char *format, ...)
{
	static const char *const colls[] = {"with", "without"};
	char rest[700], json[800];
	va_list ap;

	va_start(ap, format);
	vsnprintf(rest, sizeof(rest), format, ap);
	va_end(ap);
	for (int i = 0; i < 2; i++) {
		char *at = strstr(rest, "COLL");

		snprintf(json, sizeof(json), "%.*s%s%s", (int)(at - rest), rest, colls[i], at + 4);
		wtnode_run_quietly(client, "ix", json);
	}
}

/* Which documents a filter finds: a bit of each _id below 64, and how many. */
static uint64_t found_by(const char *coll, const char *filter, unsigned *count)
{
	char json[700];
	bson_t reply;
	bson_iter_t it, docs, id;
	uint64_t bits = 0;

	snprintf(json, sizeof(json), "{\"find\": \"%s\", \"filter\": %s}", coll, filter);
	wtnode_run(client, "ix", &reply, json);
	assert_true(doc_at(&reply, "cursor.firstBatch", &it) && bson_iter_recurse(&it, &docs));
	*count = 0;
	while (bson_iter_next(&docs)) {
		assert_true(bson_iter_recurse(&docs, &id) && bson_iter_find(&id, "_id"));
		bits |= UINT64_C(1) << bson_iter_int32(&id);
		++*count;
	}
	bson_destroy(&reply);
	return bits;
}

static void assert_same(const char *filter)
{
	unsigned with = 0, without = 0;
	uint64_t a = found_by("with", filter, &with), b = found_by("without", filter, &without);

	if (a != b || with != without) {
		fail_msg("%s: %u documents by the index, %u without", filter, with, without);
	}
}

static void compare_all(uint64_t *seed)
{
	static const char *const operators[] = {"$eq", "$gt", "$gte", "$lt", "$lte"};
	char filter[600];
	int64_t scans = read_cost().scans;

	for (size_t v = 0; v < VALUES; v++) {
		for (size_t o = 0; o < 5; o++) {
			snprintf(filter, sizeof(filter), "{\"v\": {\"%s\": %s}}", operators[o],
				values[v]);
			assert_same(filter);
		}
	}
	for (int i = 0; i < 60; i++) {
		snprintf(filter, sizeof(filter), "{\"v\": {\"$gt%s\": %s, \"$lt%s\": %s}}",
			i % 2 ? "e" : "", pick(seed), i % 3 ? "e" : "", pick(seed));
		assert_same(filter);
		snprintf(filter, sizeof(filter), "{\"v\": %s, \"w\": {\"%s\": %s}}", pick(seed),
			operators[i % 5], pick(seed));
		assert_same(filter);
	}
	/* the one with the index was never scanned */
	assert_int_equal(read_cost().scans - scans, VALUES * 5 + 120);
}

static void test_same_answers(void **state)
{
	uint64_t seed = 20;

	(void)state;
	NEEDS_NODE(client);
	for (int id = 0; id < 30; id++) {
		if (id % 10 == 0) {
			write_both("{\"insert\": \"COLL\", \"documents\": [{\"_id\": %d}]}", id);
		} else {
			write_both("{\"insert\": \"COLL\", \"documents\": [{\"_id\": %d, \"v\": "
				   "%s, \"w\": "
				   "%s}]}",
				id, values[id], pick(&seed));
		}
	}
	create_index("ix", "with", "{\"v\": 1, \"w\": 1}", "v_w");
	for (int id = 30; id < 64; id++) {
		write_both("{\"insert\": \"COLL\", \"documents\": [{\"_id\": %d, \"v\": %s, \"w\": "
			   "%s}]}",
			id, id < (int)VALUES ? values[id] : pick(&seed), pick(&seed));
	}
	compare_all(&seed);
	for (int i = 0; i < 100; i++) {
		write_both("{\"update\": \"COLL\", \"updates\": [{\"q\": {\"_id\": %d}, \"u\": "
			   "{\"$set\": "
			   "{\"%s\": %s}}}]}",
			(int)(test_random(&seed) % 64), i % 3 ? "v" : "w", pick(&seed));
	}
	for (int i = 0; i < 10; i++) {
		write_both("{\"delete\": \"COLL\", \"deletes\": [{\"q\": {\"_id\": %d}, \"limit\": "
			   "1}]}",
			(int)(test_random(&seed) % 64));
	}
	compare_all(&seed);
}

/* Long strings that differ only far behind are told apart, by the documents. */
static void test_long_values(void **state)
{
	static char same[1500], json[3600];
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	memset(same, 'x', sizeof(same) - 1);
	create_index("ix", "long", "{\"s\": 1}", "s_1");
	for (int i = 0; i < 3; i++) {
		snprintf(json, sizeof(json),
			"{\"insert\": \"long\", \"documents\": [{\"_id\": %d, \"s\": \"%s%d\"}]}",
			i, same, i);
		wtnode_run_quietly(client, "ix", json);
	}
	for (int i = 0; i < 3; i++) {
		snprintf(json, sizeof(json),
			"{\"find\": \"long\", \"filter\": {\"s\": {\"%s\": \"%s1\"}}}",
			i == 0 ? "$eq" : (i == 1 ? "$gt" : "$lt"), same);
		wtnode_run(client, "ix", &reply, json);
		assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
		bson_destroy(&reply);
	}
}

/* ---- the commands ----------------------------------------------------------------------------
 */

static uint32_t create_code(const char *spec)
{
	char json[512];

	snprintf(json, sizeof(json), "{\"createIndexes\": \"defs\", \"indexes\": [%s]}", spec);
	return wtnode_code_of(client, "ix", json);
}

static void test_commands(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	assert_int_equal(wtnode_code_of(client, "ix", "{\"listIndexes\": \"defs\"}"), 26);
	wtnode_run(client, "ix", &reply,
		"{\"createIndexes\": \"defs\", \"indexes\": [{\"key\": {\"a\": 1}, \"name\": "
		"\"a_1\"}, "
		"{\"key\": {\"b\": 1.0, \"c\": 1}, \"name\": \"b_1_c_1\", \"background\": true}]}");
	assert_true(doc_num(&reply, "createdCollectionAutomatically"));
	assert_int_equal(doc_num(&reply, "numIndexesBefore"), 1);
	assert_int_equal(doc_num(&reply, "numIndexesAfter"), 3);
	bson_destroy(&reply);
	wtnode_run(client, "ix", &reply,
		"{\"createIndexes\": \"defs\", \"indexes\": [{\"key\": {\"a\": 1}, \"name\": "
		"\"a_1\"}]}");
	assert_string_equal(doc_str(&reply, "note"), "all indexes already exist");
	bson_destroy(&reply);
	wtnode_run(client, "ix", &reply, "{\"listIndexes\": \"defs\"}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 3);
	assert_string_equal(doc_str(&reply, "cursor.firstBatch.0.name"), "_id_");
	assert_string_equal(doc_str(&reply, "cursor.firstBatch.2.name"), "b_1_c_1");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch.2.key"), 2);
	bson_destroy(&reply);

	assert_int_equal(create_code("{\"key\": {\"a\": 1}, \"name\": \"other\"}"), 85);
	assert_int_equal(create_code("{\"key\": {\"z\": 1}, \"name\": \"a_1\"}"), 86);
	assert_int_equal(create_code("{\"key\": {\"z\": -1}, \"name\": \"z\"}"), 238);
	assert_int_equal(create_code("{\"key\": {\"z\": \"text\"}, \"name\": \"z\"}"), 238);
	assert_int_equal(
		create_code("{\"key\": {\"z\": 1}, \"name\": \"z\", \"unique\": true}"), 238);
	assert_int_equal(create_code("{\"key\": {}, \"name\": \"z\"}"), 67);
	assert_int_equal(create_code("{\"key\": {\"z\": 1}}"), 9);

	assert_int_equal(
		wtnode_code_of(client, "ix", "{\"dropIndexes\": \"defs\", \"index\": \"_id_\"}"),
		72);
	assert_int_equal(
		wtnode_code_of(client, "ix", "{\"dropIndexes\": \"defs\", \"index\": \"nope\"}"),
		27);
	wtnode_run(client, "ix", &reply, "{\"dropIndexes\": \"defs\", \"index\": {\"a\": 1}}");
	assert_int_equal(doc_num(&reply, "nIndexesWas"), 3);
	bson_destroy(&reply);
	wtnode_run(client, "ix", &reply, "{\"dropIndexes\": \"defs\", \"index\": \"*\"}");
	assert_int_equal(doc_num(&reply, "nIndexesWas"), 2);
	bson_destroy(&reply);
	assert_cost("ix", "{\"find\": \"defs\", \"filter\": {\"a\": 1}}", 0, 0, 1);
	wtnode_run_quietly(client, "ix", "{\"drop\": \"defs\"}");
}

/* ---- with others -----------------------------------------------------------------------------
 */

static void *create_it(void *arg)
{
	mongoc_client_t *c = wtnode_connect(&shared, "builder");

	(void)arg;
	wtnode_run_quietly(c, "ix",
		"{\"createIndexes\": \"busy\", \"indexes\": [{\"key\": {\"v\": 1}, \"name\": "
		"\"v_1\"}]}");
	mongoc_client_destroy(c);
	return NULL;
}

static bool is_building(void *arg)
{
	bson_t reply;

	(void)arg;
	wtnode_run(
		client, "admin", &reply, "{\"currentOp\": 1, \"command.createIndexes\": \"busy\"}");
	bool seen = doc_has(&reply, "inprog.0");
	bson_destroy(&reply);
	return seen;
}

#define STATEMENT(number)                                                                          \
	"\"autocommit\": false, \"txnNumber\": " number ", \"lsid\": {\"id\": {\"$binary\": "      \
	"{\"base64\": \"AAAAAAAAAAAAAAAAAAAAAA==\", \"subType\": \"04\"}}}"

/* A build waits for the transactions that wrote to the collection, and has their documents. One
 * that began before the index does not miss what the index lacks for it. */
static void test_transactions(void **state)
{
	const char *find = "{\"find\": \"busy\", \"filter\": {\"v\": 1}, " STATEMENT("2") "}";
	pthread_t thread;
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(
		client, "ix", "{\"insert\": \"busy\", \"documents\": [{\"_id\": 1, \"v\": 1}]}");
	wtnode_run_quietly(client, "ix",
		"{\"insert\": \"busy\", \"documents\": [{\"_id\": 2, \"v\": 1}], "
		"\"startTransaction\": "
		"true, " STATEMENT("1") "}");
	assert_int_equal(pthread_create(&thread, NULL, create_it, NULL), 0);
	assert_true(test_wait(is_building, NULL, WTNODE_WAIT_MS));
	/* the transaction and others go on meanwhile */
	wtnode_run_quietly(client, "ix",
		"{\"insert\": \"busy\", \"documents\": [{\"_id\": 3, \"v\": 1}], " STATEMENT(
			"1") "}");
	wtnode_run_quietly(
		client, "ix", "{\"insert\": \"busy\", \"documents\": [{\"_id\": 4, \"v\": 1}]}");
	wtnode_run_quietly(client, "admin", "{\"commitTransaction\": 1, " STATEMENT("1") "}");
	pthread_join(thread, NULL);
	assert_cost("ix", "{\"find\": \"busy\", \"filter\": {\"v\": 1}}", 4, 4, 0);

	wtnode_run_quietly(client, "ix", "{\"dropIndexes\": \"busy\", \"index\": \"v_1\"}");
	wtnode_run_quietly(client, "ix",
		"{\"find\": \"busy\", \"startTransaction\": true, \"readConcern\": {\"level\": "
		"\"snapshot\"}, " STATEMENT("2") "}");
	create_index("ix", "busy", "{\"v\": 1}", "v_1");
	wtnode_run(client, "ix", &reply, find);
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 4);
	bson_destroy(&reply);
	wtnode_run_quietly(client, "admin", "{\"abortTransaction\": 1, " STATEMENT("2") "}");
	/* one that begins now uses it, and finds what it wrote itself */
	wtnode_run_quietly(client, "ix",
		"{\"insert\": \"busy\", \"documents\": [{\"_id\": 5, \"v\": 1}], "
		"\"startTransaction\": "
		"true, " STATEMENT("3") "}");
	assert_cost(
		"ix", "{\"find\": \"busy\", \"filter\": {\"v\": 1}, " STATEMENT("3") "}", 5, 5, 0);
	wtnode_run_quietly(client, "admin", "{\"abortTransaction\": 1, " STATEMENT("3") "}");
	assert_cost("ix", "{\"find\": \"busy\", \"filter\": {\"v\": 1}}", 4, 4, 0);
}

/* A restart and a crash keep the index, with what was written before and after. */
static void test_restart(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	create_index("ix", "kept", "{\"v\": 1}", "v_1");
	for (int i = 0; i < 2; i++) {
		char json[128];

		snprintf(json, sizeof(json),
			"{\"insert\": \"kept\", \"documents\": [{\"_id\": %d, \"v\": 1}]}", i);
		wtnode_run_quietly(client, "ix", json);
		if (i == 0) {
			assert_int_equal(wtnode_stop(&shared), 0);
		} else {
			/* the log is written out once what was logged is 50 ms old, or by this */
			wtnode_run_quietly(client, "admin", "{\"fsync\": 1}");
			kill(shared.pid, SIGKILL);
			wtnode_reap(&shared);
		}
		mongoc_client_destroy(client);
		wtnode_start(&shared, "2");
		client = wtnode_connect(&shared, "test");
		assert_cost("ix", "{\"find\": \"kept\", \"filter\": {\"v\": 1}}", i + 1, i + 1, 0);
	}
	assert_cost("lab", "{\"find\": \"items\", \"filter\": {\"n\": 4711}}", 1, 1, 0);
	/* a new index does not take the table of an old one */
	create_index("ix", "kept", "{\"w\": 1}", "w_1");
	assert_cost("ix", "{\"find\": \"kept\", \"filter\": {\"w\": null}}", 2, 2, 0);
	wtnode_run_quietly(client, "ix", "{\"drop\": \"kept\"}");
	wtnode_run_quietly(
		client, "ix", "{\"insert\": \"kept\", \"documents\": [{\"_id\": 1, \"v\": 1}]}");
	assert_cost("ix", "{\"find\": \"kept\", \"filter\": {\"v\": 1}}", 0, 1, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examines_little),
		cmocka_unit_test(test_current_op_says_ixscan),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_compound),
		cmocka_unit_test(test_same_answers),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_transactions),
		cmocka_unit_test(test_restart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
