/*
 * wtnode's top: each collection's operations by kind, none of another's, and none once it was
 * dropped. Skipped where wtnode was not built.
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

/* A number of the collection's entry; fails the test when the collection has none. */
static int64_t of(const bson_t *reply, const char *ns, const char *event, const char *field)
{
	bson_iter_t it, entry, number;
	char path[64];

	/* the name holds a dot, so it is no path */
	assert_true(doc_at(reply, "totals", &it) && bson_iter_recurse(&it, &entry));
	if (!bson_iter_find(&entry, ns)) {
		fail_msg("top has no %s", ns);
	}
	snprintf(path, sizeof(path), "%s.%s", event, field);
	bson_iter_t sub;
	assert_true(bson_iter_recurse(&entry, &sub) &&
		    bson_iter_find_descendant(&sub, path, &number) &&
		    BSON_ITER_HOLDS_INT64(&number));
	return bson_iter_int64(&number);
}

static bool has(const bson_t *reply, const char *ns)
{
	bson_iter_t it, entry;

	assert_true(doc_at(reply, "totals", &it) && bson_iter_recurse(&it, &entry));
	return bson_iter_find(&entry, ns);
}

/* Every operation is counted where it belongs, and in the totals; times add up the same way. */
static void test_counts(void **state)
{
	static const char *const kinds[] = {
		"queries", "getmore", "insert", "update", "remove", "commands"};
	static const int64_t wanted[] = {3, 0, 1, 2, 1, 1};
	int64_t time = 0;
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "top",
		"{\"insert\": \"a\", \"documents\": [{\"_id\": 1}, {\"_id\": 2}, {\"_id\": 3}]}");
	for (int i = 0; i < 3; i++) {
		wtnode_run_quietly(client, "top", "{\"find\": \"a\"}");
	}
	wtnode_run_quietly(client, "top",
		"{\"update\": \"a\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": {\"$set\": {\"v\": "
		"1}}}, {\"q\": {\"_id\": 2}, \"u\": {\"$set\": {\"v\": 1}}}]}");
	wtnode_run_quietly(client, "top",
		"{\"delete\": \"a\", \"deletes\": [{\"q\": {\"_id\": 3}, \"limit\": 1}]}");
	wtnode_run_quietly(client, "top", "{\"count\": \"a\"}");
	wtnode_run_quietly(client, "top", "{\"find\": \"b\"}");
	wtnode_run_quietly(client, "top", "{\"ping\": 1}");

	wtnode_run(client, "admin", &reply, "{\"top\": 1}");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(of(&reply, "top.a", kinds[i], "count"), wanted[i]);
		time += of(&reply, "top.a", kinds[i], "time");
	}
	assert_int_equal(of(&reply, "top.a", "total", "count"), 8);
	assert_int_equal(of(&reply, "top.a", "readLock", "count"), 4);
	assert_int_equal(of(&reply, "top.a", "writeLock", "count"), 4);
	assert_true(time > 0);
	assert_int_equal(of(&reply, "top.a", "total", "time"), time);
	assert_int_equal(of(&reply, "top.b", "queries", "count"), 1);
	assert_int_equal(of(&reply, "top.b", "total", "count"), 1);
	assert_string_equal(doc_str(&reply, "totals.note"), "all times in microseconds");
	assert_false(has(&reply, "top.$cmd") || has(&reply, "admin.$cmd"));
	bson_destroy(&reply);
	assert_int_equal(wtnode_code_of(client, "top", "{\"top\": 1}"), 13);
}

static void test_drop_forgets(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "gone", "{\"insert\": \"c\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run_quietly(client, "gone", "{\"insert\": \"d\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run_quietly(client, "gone", "{\"drop\": \"c\"}");
	wtnode_run(client, "admin", &reply, "{\"top\": 1}");
	assert_false(has(&reply, "gone.c"));
	assert_int_equal(of(&reply, "gone.d", "insert", "count"), 1);
	bson_destroy(&reply);
	wtnode_run_quietly(client, "gone", "{\"dropDatabase\": 1}");
	wtnode_run(client, "admin", &reply, "{\"top\": 1}");
	assert_false(has(&reply, "gone.d"));
	bson_destroy(&reply);
}

/* Each table's own part of the cache: what a read of one collection brings in is no other's. */
static void test_collection_statistics(void **state)
{
	static const char *const sections[] = {"cache", "cursor", "btree", "block-manager"};
	const char *stats = "{\"collStats\": \"items\"}";
	char path[128];
	bson_t before, after, empty;

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	wtnode_run_quietly(client, "lab", "{\"insert\": \"small\", \"documents\": [{\"_id\": 1}]}");
	wtnode_run(client, "lab", &before, stats);
	assert_int_equal(
		wtnode_count(client, "{\"count\": \"items\", \"query\": {\"nope\": 1}}"), 0);
	wtnode_run(client, "lab", &after, stats);
	wtnode_run(client, "lab", &empty, "{\"collStats\": \"small\"}");
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		snprintf(path, sizeof(path), "wiredTiger.%s", sections[i]);
		assert_true(doc_elements(&after, path) > 0);
		snprintf(path, sizeof(path), "indexDetails._id_.%s", sections[i]);
		assert_true(doc_elements(&after, path) > 0);
	}
	/* 24 MB of documents, in pages of at most 64 KB, through a cache of 8 MB */
	assert_true(doc_num(&after, "wiredTiger.cache.pages read into cache") -
			    doc_num(&before, "wiredTiger.cache.pages read into cache") >
		    100);
	assert_in_range(doc_num(&after, "wiredTiger.cursor.next calls") -
				doc_num(&before, "wiredTiger.cursor.next calls"),
		WTNODE_DOCS - 100, WTNODE_DOCS + 1);
	assert_true(doc_num(&after, "wiredTiger.cache.bytes currently in the cache") > 1 << 20);
	assert_true(doc_num(&after, "wiredTiger.block-manager.file size in bytes") > 1 << 20);
	assert_int_equal(doc_num(&after, "count"), WTNODE_DOCS);
	assert_true(doc_num(&empty, "wiredTiger.cache.pages read into cache") < 10);
	assert_true(doc_num(&empty, "wiredTiger.cache.bytes currently in the cache") < 1 << 17);
	bson_destroy(&before);
	bson_destroy(&after);
	bson_destroy(&empty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_drop_forgets),
		cmocka_unit_test(test_collection_statistics),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
