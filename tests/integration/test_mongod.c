/*
 * A real mongod, where MONGOD= names one (all is skipped otherwise): what the embedded node and the
 * captures stand for is there, by the names that this version gives it.
 */
#include "support.h"

#include <mongoc/mongoc.h>

#include "hotset/source.h"
#include "servers.h"
#include "watched.h"

#define DOCUMENTS 20000

/* A real server has what hotset is about; nothing of it may be missing by a new name. */
static void its_cache_is_read(void **state)
{
	static const enum metric_id needed[] = {METRIC_MONGO_CACHE_USED, METRIC_MONGO_CACHE_MAX,
		METRIC_MONGO_CACHE_DIRTY, METRIC_MONGO_CACHE_PAGES_READ_TOTAL,
		METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, METRIC_MONGO_CACHE_EVICTED_DIRTY_TOTAL,
		METRIC_MONGO_CACHE_EVICTED_APP_TOTAL, METRIC_MONGO_CACHE_APP_EVICT_TOTAL,
		METRIC_MONGO_CACHE_APP_WAIT_TOTAL, METRIC_MONGO_READ_TIME, METRIC_MONGO_READ_COUNT,
		METRIC_MONGO_BLOCK_BYTES_READ_TOTAL, METRIC_MONGO_CACHE_TARGET,
		METRIC_MONGO_CACHE_TRIGGER, METRIC_MONGO_CKPT_LAST, METRIC_MONGO_CKPT_RUNNING,
		METRIC_MONGO_TICKETS_READ_OUT, METRIC_MONGO_OPS_QUERY_TOTAL,
		METRIC_MONGO_LAT_READS_OPS, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL,
		METRIC_MONGO_MEM_RESIDENT, METRIC_MONGO_UPTIME};
	struct server *s = server_mongod(NULL);
	struct watched w;

	(void)state;
	if (!s)
		skip();
	watch_begin(&w, server_uri(s), 5);
	assert_status(watch_poll(&w), STATUS_OK);
	assert_string_equal(w.last->product, "mongod");
	assert_string_equal(w.last->role, "standalone");
	assert_true(w.last->epoch != 0 && w.last->tables[TABLE_MONGO_OP].asked);
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!sample_has(w.last, needed[i]))
			fail_msg("%s has no value on %s %s", metric_table[needed[i]].name,
				w.last->product, w.last->version);
	test_near(sample_f64(w.last, METRIC_MONGO_CACHE_MAX), 256.0 * 1048576, 0);
	assert_string_equal(sample_text(w.last, METRIC_MONGO_CACHE_TARGET_SOURCE), "default");
	watch_end(&w);
	server_stop(s);
}

static void insert_documents(mongoc_collection_t *c)
{
	bson_error_t error;

	for (int i = 0; i < DOCUMENTS; i += 1000) {
		mongoc_bulk_operation_t *bulk =
			mongoc_collection_create_bulk_operation_with_opts(c, NULL);
		bson_t reply;

		for (int k = i; k < i + 1000; k++) {
			bson_t *doc = BCON_NEW("_id", BCON_INT32(k), "a", BCON_INT32(k % 97));

			mongoc_bulk_operation_insert(bulk, doc);
			bson_destroy(doc);
		}
		assert_true(mongoc_bulk_operation_execute(bulk, &reply, &error) != 0);
		bson_destroy(&reply);
		mongoc_bulk_operation_destroy(bulk);
	}
}

/* A scan counts when it ends, and its documents with it. */
static void a_scan_is_counted(void **state)
{
	struct server *s = server_mongod(NULL);
	mongoc_client_t *client;
	mongoc_collection_t *c;
	struct watched w;
	bson_t *count;
	bson_error_t error;
	double before;

	(void)state;
	if (!s)
		skip();
	client = mongoc_client_new(server_uri(s));
	c = mongoc_client_get_collection(client, "hotset_test", "items");
	insert_documents(c);
	watch_begin(&w, server_uri(s), 5);
	w.target.ops->destroy(w.source);
	w.source = w.target.ops->create(&w.target,
		&(struct source_options){.interval_s = 1, .timeout_s = 5, .all_parts = true});
	assert_status(watch_poll(&w), STATUS_OK);
	before = sample_f64(w.last, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL);
	count = BCON_NEW("count", "items", "query", "{", "a", BCON_INT32(5), "}");
	assert_true(mongoc_client_command_simple(
		client, "hotset_test", count, NULL, NULL, &error));
	bson_destroy(count);
	assert_status(watch_poll(&w), STATUS_OK);
	assert_true(sample_f64(w.last, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL) >=
		    before + DOCUMENTS);
	watch_end(&w);
	mongoc_collection_destroy(c);
	mongoc_client_destroy(client);
	server_stop(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(its_cache_is_read),
		cmocka_unit_test(a_scan_is_counted),
	};

	source_quiet();
	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
