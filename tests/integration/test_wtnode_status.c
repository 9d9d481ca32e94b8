/*
 * What wtnode reports of itself: its numbers are the engine's own, a scan is a scan in the counters
 * and among the running operations, and the pinned range is the history window. Skipped where
 * wtnode was not built.
 */
#include "../support/support.h"
#include "../support/wtnode.h"

#include <stdio.h>

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

/* ---- plans ------------------------------------------------------------------------------------
 */

/* A find by _id reads two trees, one entry each, and scans nothing. */
static void test_id_find(void **state)
{
	struct wtnode_op w = {.app = "point-reader", .plan = "IDHACK"};
	const char *stats = "{\"aggregate\": \"items\", \"cursor\": {}, \"pipeline\": "
			    "[{\"$collStats\": {\"storageStats\": {}}}]}";
	const char *records = "cursor.firstBatch.0.storageStats.wiredTiger.cursor.search calls";
	const char *index =
		"cursor.firstBatch.0.storageStats.indexDetails._id_.cursor.search calls";
	bson_t before, after, s1, s2, reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	wtnode_run(client, "admin", &s1, "{\"serverStatus\": 1}");
	wtnode_run(client, "lab", &before, stats);
	wtnode_run(client, "lab", &reply, "{\"find\": \"items\", \"filter\": {\"_id\": 77}}");
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.n"), 77);
	wtnode_run(client, "lab", &after, stats);
	wtnode_run(client, "admin", &s2, "{\"serverStatus\": 1}");
	assert_int_equal(doc_num(&after, records) - doc_num(&before, records), 1);
	assert_int_equal(doc_num(&after, index) - doc_num(&before, index), 1);
	assert_int_equal(doc_num(&s2, "metrics.queryExecutor.scanned") -
				 doc_num(&s1, "metrics.queryExecutor.scanned"),
		1);
	assert_int_equal(doc_num(&s2, "metrics.queryExecutor.scannedObjects") -
				 doc_num(&s1, "metrics.queryExecutor.scannedObjects"),
		1);
	assert_int_equal(doc_num(&s2, "metrics.queryExecutor.collectionScans.total"),
		doc_num(&s1, "metrics.queryExecutor.collectionScans.total"));
	assert_int_equal(doc_num(&s2, "opcounters.query") - doc_num(&s1, "opcounters.query"), 1);
	assert_int_equal(
		doc_num(&s2, "opLatencies.reads.ops") - doc_num(&s1, "opLatencies.reads.ops"), 1);
	bson_destroy(&s1);
	bson_destroy(&s2);
	bson_destroy(&before);
	bson_destroy(&after);
	bson_destroy(&reply);
	wtnode_see_running(&shared, client, &w, "{\"find\": \"items\", \"filter\": {\"_id\": 5}}");
	assert_string_equal(doc_str(&w.found, "op"), "query");
	bson_destroy(&w.found);
}

/* A filter on another field reads the whole collection, and everybody can see that it does. */
static void test_collscan(void **state)
{
	struct wtnode_op w = {.app = "report-job", .plan = "COLLSCAN"};
	bson_t s1, s2;

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	wtnode_run(client, "admin", &s1, "{\"serverStatus\": 1}");
	assert_int_equal(
		wtnode_count(client, "{\"count\": \"items\", \"query\": {\"n\": 4711}}"), 1);
	wtnode_run(client, "admin", &s2, "{\"serverStatus\": 1}");
	assert_int_equal(doc_num(&s2, "metrics.queryExecutor.collectionScans.nonTailable") -
				 doc_num(&s1, "metrics.queryExecutor.collectionScans.nonTailable"),
		1);
	assert_int_equal(doc_num(&s2, "metrics.queryExecutor.scannedObjects") -
				 doc_num(&s1, "metrics.queryExecutor.scannedObjects"),
		WTNODE_DOCS);
	/* 24 MB do not fit 8 MB: most of the 32 KB pages come from the file. */
	assert_true(doc_num(&s2, "wiredTiger.cache.pages read into cache") -
			    doc_num(&s1, "wiredTiger.cache.pages read into cache") >
		    100);
	assert_true(doc_num(&s2, "wiredTiger.cache.unmodified pages evicted") > 0);
	bson_destroy(&s1);
	bson_destroy(&s2);

	wtnode_see_running(&shared, client, &w, "{\"find\": \"items\", \"filter\": {\"nope\": 1}}");
	assert_string_equal(doc_str(&w.found, "ns"), "lab.items");
	assert_string_equal(doc_str(&w.found, "type"), "op");
	assert_string_equal(doc_str(&w.found, "op"), "query");
	assert_string_equal(doc_str(&w.found, "command.find"), "items");
	assert_memory_equal(doc_str(&w.found, "client"), "127.0.0.1:", 10);
	assert_memory_equal(doc_str(&w.found, "desc"), "conn", 4);
	assert_true(doc_num(&w.found, "active"));
	assert_true(doc_num(&w.found, "opid") > 0);
	assert_true(doc_num(&w.found, "microsecs_running") >= 0);
	assert_true(doc_num(&w.found, "numYields") >= 0);
	bson_destroy(&w.found);
}

/* A limit on time ends a scan, between two of its slices. */
static void test_max_time(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	assert_int_equal(wtnode_code_of(client, "lab",
				 "{\"count\": \"items\", \"query\": {\"nope\": 1}, "
				 "\"maxTimeMS\": 1}"),
		50);
}

/* ---- serverStatus -----------------------------------------------------------------------------
 */

/* The names that a reader of mongod's serverStatus looks for are there, with sane values. */
static void test_status_names(void **state)
{
	static const char *const names[] = {"cache.bytes read into cache",
		"cache.pages requested from the cache", "cache.modified pages evicted",
		"cache.pages evicted by application threads", "cache.eviction state",
		"cache.tracked dirty bytes in the cache", "cache.percentage overhead",
		"cache.eviction currently operating in aggressive mode",
		"cursor.cursor search calls", "block-manager.bytes read",
		"thread-yield.application thread time evicting (usecs)",
		"transaction.transaction checkpoint currently running",
		"transaction.transaction range of IDs currently pinned",
		"concurrentTransactions.read.totalTickets",
		"concurrentTransactions.write.available",
		"snapshot-window-settings.total number of SnapshotTooOld errors"};
	bson_t reply;
	char path[256];

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	wtnode_run(client, "admin", &reply, "{\"serverStatus\": 1}");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "wiredTiger.%s", names[i]);
		assert_true(doc_num(&reply, path) >= 0);
	}
	int64_t max = doc_num(&reply, "wiredTiger.cache.maximum bytes configured");
	int64_t bytes = doc_num(&reply, "wiredTiger.cache.bytes currently in the cache");
	assert_int_equal(max, WTNODE_CACHE_BYTES);
	assert_true(bytes > max / 10 && bytes < max * 3 / 2);
	assert_false(doc_has(&reply, "wiredTiger.LSM"));
	assert_true(doc_num(&reply, "connections.current") >= 1);
	assert_true(doc_num(&reply, "connections.available") < WTNODE_CONNECTIONS);
	assert_true(doc_num(&reply, "mem.resident") > 1);
	assert_true(doc_num(&reply, "uptimeMillis") > 0);
	assert_false(doc_has(&reply, "opLatencies.reads.histogram"));
	bson_destroy(&reply);
}

static void test_latency_histograms(void **state)
{
	bson_t reply;
	bson_iter_t it, array, bucket;
	int64_t sum = 0, last = -1, least_us = 0;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "crud", "{\"find\": \"a\", \"filter\": {\"_id\": 1}}");
	wtnode_run(client, "admin", &reply,
		"{\"serverStatus\": 1, \"opLatencies\": {\"histograms\": true}}");
	assert_true(doc_at(&reply, "opLatencies.reads.histogram", &it) &&
		    bson_iter_recurse(&it, &array));
	while (bson_iter_next(&array)) {
		assert_true(
			bson_iter_recurse(&array, &bucket) && bson_iter_find(&bucket, "micros"));
		assert_true(bson_iter_as_int64(&bucket) > last);
		last = bson_iter_as_int64(&bucket);
		assert_true(bson_iter_recurse(&array, &bucket) && bson_iter_find(&bucket, "count"));
		sum += bson_iter_as_int64(&bucket);
		least_us += last * bson_iter_as_int64(&bucket);
	}
	assert_int_equal(sum, doc_num(&reply, "opLatencies.reads.ops"));
	assert_true(sum > 0);
	/* an operation takes from its bucket's bound to twice that, or below 2 microseconds */
	assert_in_range(
		doc_num(&reply, "opLatencies.reads.latency"), least_us, 2 * (least_us + sum));
	bson_destroy(&reply);
}

/* What a client asks to leave out is left out; mem goes with metrics, as in mongod. */
static void test_exclusions(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run(client, "admin", &reply,
		"{\"serverStatus\": 1, \"wiredTiger\": 0, \"locks\": 0, "
		"\"opLatencies\": false}");
	assert_false(doc_has(&reply, "wiredTiger") || doc_has(&reply, "opLatencies"));
	assert_true(doc_has(&reply, "metrics") && doc_has(&reply, "mem") &&
		    doc_has(&reply, "opcounters"));
	bson_destroy(&reply);
	wtnode_run(client, "admin", &reply, "{\"serverStatus\": 1, \"metrics\": 0}");
	assert_false(doc_has(&reply, "metrics") || doc_has(&reply, "mem"));
	assert_true(doc_has(&reply, "wiredTiger"));
	bson_destroy(&reply);
}

/* Updates a document and gives the seconds that are pinned. */
static int64_t pinned_after_update(void)
{
	wtnode_run_quietly(client, "lab",
		"{\"update\": \"pinned\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
		"{\"$inc\": {\"n\": 1}}, \"upsert\": true}]}");
	return wtnode_status_num(client,
		       "wiredTiger.transaction.transaction range of timestamps currently pinned") >>
	       32;
}

static bool pinned_is(void *arg)
{
	return pinned_after_update() == *(int64_t *)arg;
}

/* Whether the node has run longer than a window of 2 s that is off by a second could hide. */
static bool window_is_full(void *arg)
{
	*(int64_t *)arg = pinned_after_update();
	return wtnode_status_num(client, "uptimeMillis") > 5000;
}

/* Pinned >> 32 is the history window in seconds, also after the window was changed. */
static void test_pinned_range(void **state)
{
	int64_t pinned = -1, none = 0;
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	assert_true(test_wait(window_is_full, &pinned, WTNODE_WAIT_MS));
	assert_in_range(pinned, 1, 3);
	assert_in_range(wtnode_status_num(client,
				"wiredTiger.snapshot-window-settings.current available snapshot "
				"window size in seconds"),
		1, 3);
	wtnode_run(client, "admin", &reply,
		"{\"setParameter\": 1, \"minSnapshotHistoryWindowInSeconds\": 0}");
	assert_int_equal(doc_num(&reply, "was"), 2);
	bson_destroy(&reply);
	assert_true(test_wait(pinned_is, &none, WTNODE_WAIT_MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id_find),
		cmocka_unit_test(test_collscan),
		cmocka_unit_test(test_max_time),
		cmocka_unit_test(test_status_names),
		cmocka_unit_test(test_latency_histograms),
		cmocka_unit_test(test_exclusions),
		cmocka_unit_test(test_pinned_range),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
