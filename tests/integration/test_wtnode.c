/*
 * wtnode as its clients see it: a driver can work with it, documents, collections and parameters
 * behave as a mongod's do, and it ends when it is told to. One node serves all tests but those that
 * end theirs. Skipped where wtnode was not built.
 */
#include "../support/support.h"
#include "../support/wtnode.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

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

/* ---- who it is --------------------------------------------------------------------------------
 */

/* Nobody may take the node for a mongod, and drivers must take it for a standalone server. */
static void test_names_itself(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run(client, "admin", &reply, "{\"buildinfo\": 1}");
	assert_memory_equal(doc_str(&reply, "version"), "wtnode (WiredTiger ", 19);
	assert_true(doc_num(&reply, "wtnode"));
	assert_string_equal(doc_str(&reply, "process"), "wtnode");
	bson_destroy(&reply);
	wtnode_run(client, "admin", &reply, "{\"hello\": 1}");
	assert_true(doc_num(&reply, "isWritablePrimary"));
	assert_true(doc_num(&reply, "maxWireVersion") >= 6);
	assert_false(doc_has(&reply, "msg") || doc_has(&reply, "setName") ||
		     doc_has(&reply, "topologyVersion") ||
		     doc_has(&reply, "logicalSessionTimeoutMinutes"));
	bson_destroy(&reply);
	wtnode_run(client, "admin", &reply, "{\"serverStatus\": 1}");
	assert_string_equal(doc_str(&reply, "process"), "wtnode");
	assert_memory_equal(doc_str(&reply, "version"), "wtnode (WiredTiger ", 19);
	assert_int_equal(doc_num(&reply, "pid"), shared.pid);
	bson_destroy(&reply);
	wtnode_run(client, "admin", &reply, "{\"getCmdLineOpts\": 1}");
	assert_int_equal(doc_num(&reply, "parsed.net.port"), shared.port);
	bson_destroy(&reply);
	wtnode_run(client, "admin", &reply, "{\"hostInfo\": 1}");
	assert_true(doc_num(&reply, "system.memSizeMB") > 0);
	bson_destroy(&reply);
}

/* What the node does not know it says so, instead of answering something else. */
static void test_refuses_unknown(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	assert_int_equal(wtnode_code_of(client, "lab", "{\"mapReduce\": \"x\"}"), 59);
	assert_int_equal(
		wtnode_code_of(client, "lab", "{\"find\": \"x\", \"sort\": {\"a\": 1}}"), 238);
	assert_int_equal(wtnode_code_of(client, "lab",
				 "{\"find\": \"x\", \"filter\": {\"a\": {\"$regex\": \"b\"}}}"),
		238);
	assert_int_equal(wtnode_code_of(client, "lab",
				 "{\"find\": \"x\", \"readConcern\": {\"level\": "
				 "\"snapshot\"}}"),
		238);
	assert_int_equal(wtnode_code_of(client, "lab", "{\"find\": \"\"}"), 73);
	assert_int_equal(wtnode_code_of(client, "lab",
				 "{\"aggregate\": \"x\", \"pipeline\": [{\"$group\": {}}]}"),
		40324);
	assert_int_equal(wtnode_code_of(client, "lab", "{\"getParameter\": \"*\"}"), 13);
}

/* ---- documents --------------------------------------------------------------------------------
 */

static void test_insert_find_count(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run(client, "crud", &reply,
		"{\"insert\": \"a\", \"documents\": [{\"_id\": 1, \"v\": 10}, {\"_id\": \"x\", "
		"\"v\": 20}, "
		"{\"_id\": {\"k\": 1}, \"v\": 30, \"sub\": {\"f\": 2.5}}]}");
	assert_int_equal(doc_num(&reply, "n"), 3);
	bson_destroy(&reply);
	/* 1.0 is the same _id as 1 */
	wtnode_run(client, "crud", &reply, "{\"find\": \"a\", \"filter\": {\"_id\": 1.0}}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.v"), 10);
	assert_int_equal(doc_num(&reply, "cursor.id"), 0);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply,
		"{\"find\": \"a\", \"filter\": {\"v\": {\"$gt\": 10, \"$lte\": 30}}}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 2);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"find\": \"a\", \"filter\": {\"sub.f\": 2.5}}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"find\": \"a\", \"limit\": 2}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 2);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"count\": \"a\"}");
	assert_int_equal(doc_num(&reply, "n"), 3);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"count\": \"a\", \"query\": {\"v\": {\"$lt\": 30}}}");
	assert_int_equal(doc_num(&reply, "n"), 2);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"find\": \"none\", \"filter\": {}}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 0);
	bson_destroy(&reply);
}

/* A duplicate stops an ordered insert where it is; the others of an unordered one are made. */
static void test_duplicate_keys(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "crud", "{\"insert\": \"d\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run(client, "crud", &reply,
		"{\"insert\": \"d\", \"documents\": [{\"_id\": 0}, {\"_id\": 1}, {\"_id\": 2}]}");
	assert_int_equal(doc_num(&reply, "n"), 1);
	assert_int_equal(doc_num(&reply, "writeErrors.0.index"), 1);
	assert_int_equal(doc_num(&reply, "writeErrors.0.code"), 11000);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply,
		"{\"insert\": \"d\", \"ordered\": false, \"documents\": [{\"_id\": 1}, {\"_id\": "
		"3}]}");
	assert_int_equal(doc_num(&reply, "n"), 1);
	bson_destroy(&reply);
	wtnode_run(
		client, "crud", &reply, "{\"count\": \"d\", \"query\": {\"_id\": {\"$gte\": 0}}}");
	assert_int_equal(doc_num(&reply, "n"), 3);
	bson_destroy(&reply);
}

static void test_update_delete(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "crud",
		"{\"insert\": \"u\", \"documents\": [{\"_id\": 1, \"n\": 1, \"s\": \"a\"}]}");
	wtnode_run(client, "crud", &reply,
		"{\"update\": \"u\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
		"{\"$set\": {\"s\": \"b\", \"t\": 1}, \"$inc\": {\"n\": 41}}}]}");
	assert_int_equal(doc_num(&reply, "n"), 1);
	assert_int_equal(doc_num(&reply, "nModified"), 1);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"find\": \"u\", \"filter\": {\"_id\": 1}}");
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.n"), 42);
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.t"), 1);
	assert_string_equal(doc_str(&reply, "cursor.firstBatch.0.s"), "b");
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply,
		"{\"update\": \"u\", \"updates\": [{\"q\": {\"_id\": 2}, \"u\": "
		"{\"$inc\": {\"n\": 5}}, \"upsert\": true}]}");
	assert_int_equal(doc_num(&reply, "upserted.0._id"), 2);
	assert_int_equal(doc_num(&reply, "nModified"), 0);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply,
		"{\"update\": \"u\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
		"{\"$inc\": {\"s\": 1}}}]}");
	assert_int_equal(doc_num(&reply, "writeErrors.0.code"), 14);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply,
		"{\"delete\": \"u\", \"deletes\": [{\"q\": {\"_id\": 2}, \"limit\": 1}]}");
	assert_int_equal(doc_num(&reply, "n"), 1);
	bson_destroy(&reply);
	wtnode_run(client, "crud", &reply, "{\"count\": \"u\"}");
	assert_int_equal(doc_num(&reply, "n"), 1);
	bson_destroy(&reply);
}

/* More than a reply can hold is an error, never a part of the answer. */
static void test_huge_result(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	assert_int_equal(
		wtnode_code_of(client, "lab", "{\"find\": \"items\", \"filter\": {}}"), 10334);
	wtnode_run(client, "lab", &reply, "{\"find\": \"items\", \"filter\": {}, \"limit\": 5000}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 5000);
	bson_destroy(&reply);
}

/* ---- administration ---------------------------------------------------------------------------
 */

static void test_collection_stats(void **state)
{
	bson_t reply;
	const char *stage = "cursor.firstBatch.0.storageStats";
	char path[128];

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	wtnode_run_quietly(client, "admin", "{\"fsync\": 1}");
	wtnode_run(client, "lab", &reply, "{\"collStats\": \"items\"}");
	assert_int_equal(doc_num(&reply, "count"), WTNODE_DOCS);
	assert_int_equal(doc_num(&reply, "size") / WTNODE_DOCS, doc_num(&reply, "avgObjSize"));
	assert_true(doc_num(&reply, "storageSize") > 1 << 20);
	assert_int_equal(doc_num(&reply, "totalIndexSize"), doc_num(&reply, "indexSizes._id_"));
	assert_true(doc_num(&reply, "wiredTiger.cache.bytes currently in the cache") > 0);
	assert_true(doc_has(&reply, "indexDetails._id_.cache.bytes currently in the cache"));
	bson_destroy(&reply);
	wtnode_run(client, "lab", &reply,
		"{\"aggregate\": \"items\", \"cursor\": {}, \"pipeline\": "
		"[{\"$collStats\": {\"storageStats\": {\"scale\": 1024}}}]}");
	assert_string_equal(doc_str(&reply, "cursor.firstBatch.0.ns"), "lab.items");
	snprintf(path, sizeof(path), "%s.size", stage);
	test_near((double)doc_num(&reply, path), WTNODE_DOCS * 2.03, WTNODE_DOCS * 0.05);
	bson_destroy(&reply);
}

static void test_lists_and_drops(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "drops", "{\"insert\": \"one\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run_quietly(client, "drops", "{\"insert\": \"two\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run(client, "drops", &reply, "{\"listCollections\": 1}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 2);
	assert_string_equal(doc_str(&reply, "cursor.firstBatch.0.name"), "one");
	bson_destroy(&reply);
	wtnode_run_quietly(client, "drops", "{\"drop\": \"one\"}");
	assert_int_equal(wtnode_code_of(client, "drops", "{\"drop\": \"one\"}"), 26);
	wtnode_run(client, "drops", &reply,
		"{\"listCollections\": 1, \"filter\": {\"name\": \"two\"}}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	/* a collection that comes back is empty */
	wtnode_run(client, "drops", &reply, "{\"insert\": \"one\", \"documents\": [{\"_id\": 1}]}");
	assert_int_equal(doc_num(&reply, "n"), 1);
	bson_destroy(&reply);
	wtnode_run_quietly(client, "drops", "{\"dropDatabase\": 1}");
	wtnode_run(client, "drops", &reply, "{\"listCollections\": 1}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 0);
	bson_destroy(&reply);
	wtnode_run_quietly(client, "kept", "{\"insert\": \"c\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run(client, "admin", &reply, "{\"listDatabases\": 1}");
	char *text = bson_as_canonical_extended_json(&reply, NULL);
	assert_non_null(strstr(text, "\"kept\""));
	assert_null(strstr(text, "\"drops\""));
	assert_true(doc_num(&reply, "totalSize") > 0);
	bson_free(text);
	bson_destroy(&reply);
}

/* The engine can be reconfigured as far as thresholds and the cache's size go, no further. */
static void test_parameters(void **state)
{
	const char *max = "wiredTiger.cache.maximum bytes configured";
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "admin",
		"{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
		"\"cache_size=16MB,eviction_dirty_trigger=30\"}");
	assert_int_equal(wtnode_status_num(client, max), 16 << 20);
	wtnode_run(client, "admin", &reply,
		"{\"getParameter\": 1, \"wiredTigerEngineRuntimeConfig\": 1}");
	assert_string_equal(doc_str(&reply, "wiredTigerEngineRuntimeConfig"),
		"cache_size=16MB,eviction_dirty_trigger=30");
	bson_destroy(&reply);
	assert_int_equal(wtnode_code_of(client, "admin",
				 "{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
				 "\"statistics=(none)\"}"),
		2);
	assert_int_equal(wtnode_code_of(client, "admin",
				 "{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
				 "\"eviction_target=5\"}"),
		2);
	assert_int_equal(
		wtnode_code_of(client, "admin", "{\"setParameter\": 1, \"noSuch\": 1}"), 72);
	wtnode_run_quietly(client, "admin",
		"{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
		"\"cache_size=8MB\"}");
	assert_int_equal(wtnode_status_num(client, max), WTNODE_CACHE_BYTES);
	wtnode_run(client, "admin", &reply, "{\"getParameter\": \"*\"}");
	assert_int_equal(doc_num(&reply, "transactionLifetimeLimitSeconds"), 60);
	bson_destroy(&reply);
}

/* ---- start and end ----------------------------------------------------------------------------
 */

/* Runs the program with an option that makes it end; returns its exit status. */
static int exit_status(const char *option)
{
	struct wtnode node = {.pid = fork()};

	if (node.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (freopen("/dev/null", "w", stdout) == NULL ||
			freopen("/dev/null", "w", stderr) == NULL) {
			_exit(126);
		}
		execl(wtnode_program(), "wtnode", option, (char *)NULL);
		_exit(127);
	}
	node.out = dup(STDIN_FILENO);
	return wtnode_reap(&node);
}

static void test_options(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	assert_int_equal(exit_status("--help"), 0);
	assert_int_equal(exit_status("--version"), 0);
	assert_int_equal(exit_status("--no-such-option"), 2);
	assert_int_equal(exit_status("--cache-size=12"), 2);
	assert_int_equal(exit_status("--port=65536"), 2);
}

/* Only who read the token can end the node; what was written is there after the restart. */
static void test_shutdown_and_restart(void **state)
{
	struct wtnode node = {.dir = NULL};
	char json[128];
	bson_t reply;
	mongoc_client_t *c;

	(void)state;
	NEEDS_NODE(client);
	node.dir = test_dir_create();
	wtnode_start(&node, "0");
	c = wtnode_connect(&node, "owner");
	wtnode_run(
		c, "keep", &reply, "{\"insert\": \"k\", \"documents\": [{\"_id\": 1, \"v\": 8}]}");
	bson_destroy(&reply);
	wtnode_run(c, "keep", &reply, "{\"insert\": \"gone\", \"documents\": [{\"_id\": 1}]}");
	bson_destroy(&reply);
	wtnode_run(c, "keep", &reply, "{\"drop\": \"gone\"}");
	bson_destroy(&reply);
	assert_int_equal(wtnode_try(c, "admin", &reply, "{\"shutdown\": 1}"), 13);
	bson_destroy(&reply);
	assert_int_equal(wtnode_try(c, "admin", &reply,
				 "{\"shutdown\": 1, \"token\": "
				 "\"00000000000000000000000000000000\"}"),
		13);
	bson_destroy(&reply);
	assert_int_equal(kill(node.pid, 0), 0);
	snprintf(json, sizeof(json), "{\"shutdown\": 1, \"token\": \"%s\"}", node.token);
	wtnode_run(c, "admin", &reply, json);
	bson_destroy(&reply);
	mongoc_client_destroy(c);
	assert_int_equal(wtnode_reap(&node), 0);

	wtnode_start(&node, "0");
	c = wtnode_connect(&node, "owner");
	wtnode_run(c, "keep", &reply, "{\"listCollections\": 1}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	wtnode_run(
		c, "keep", &reply, "{\"insert\": \"k\", \"documents\": [{\"_id\": 2, \"v\": 9}]}");
	bson_destroy(&reply);
	wtnode_run(c, "keep", &reply, "{\"count\": \"k\"}");
	assert_int_equal(doc_num(&reply, "n"), 2);
	bson_destroy(&reply);
	wtnode_run(c, "keep", &reply, "{\"find\": \"k\", \"filter\": {\"_id\": 1}}");
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.v"), 8);
	bson_destroy(&reply);
	/* SIGTERM ends it as well, with a client connected */
	assert_int_equal(wtnode_stop(&node), 0);
	mongoc_client_destroy(c);
	test_dir_remove(node.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_itself),
		cmocka_unit_test(test_refuses_unknown),
		cmocka_unit_test(test_insert_find_count),
		cmocka_unit_test(test_duplicate_keys),
		cmocka_unit_test(test_update_delete),
		cmocka_unit_test(test_huge_result),
		cmocka_unit_test(test_collection_stats),
		cmocka_unit_test(test_lists_and_drops),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_shutdown_and_restart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
