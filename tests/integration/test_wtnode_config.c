/*
 * wtnode's configuration of the engine: what is set at the start and at run time is in force, can
 * be read back and is in the log as a mongod writes it; a string that the engine refuses changes
 * nothing and its words are passed on. Skipped where wtnode was not built.
 */
#include "../support/support.h"
#include "../support/wtnode.h"

#include "hotset/parse.h"

#include <stdio.h>
#include <string.h>

#define START "eviction_target=30,eviction_trigger=50"

static struct wtnode shared = {.engine_config = START};
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

/* Sets the string; returns 0 or the code, and what the node said in reply. */
static uint32_t set_config(const char *config, bson_t *reply)
{
	char json[512];

	snprintf(json, sizeof(json),
		"{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": \"%s\"}", config);
	return wtnode_try(client, "admin", reply, json);
}

static void assert_set(const char *config)
{
	bson_t reply;

	assert_int_equal(set_config(config, &reply), 0);
	bson_destroy(&reply);
}

static void assert_last_is(const char *config)
{
	bson_t reply;

	wtnode_run(client, "admin", &reply,
		"{\"getParameter\": 1, \"wiredTigerEngineRuntimeConfig\": 1}");
	assert_string_equal(doc_str(&reply, "wiredTigerEngineRuntimeConfig"), config);
	bson_destroy(&reply);
}

static void assert_refused(const char *config, const char *words)
{
	bson_t reply;

	assert_int_equal(set_config(config, &reply), 2);
	if (strstr(doc_str(&reply, "errmsg"), words) == NULL) {
		fail_msg("%s: %s", config, doc_str(&reply, "errmsg"));
	}
	bson_destroy(&reply);
}

/* How full the cache is, in percent, with reads going on. */
static int64_t fill(void)
{
	bson_t reply;

	wtnode_run_quietly(client, "lab", "{\"count\": \"items\", \"query\": {\"nope\": 1}}");
	wtnode_run(client, "admin", &reply, "{\"serverStatus\": 1}");
	int64_t percent = 100 * doc_num(&reply, "wiredTiger.cache.bytes currently in the cache") /
			  doc_num(&reply, "wiredTiger.cache.maximum bytes configured");
	bson_destroy(&reply);
	return percent;
}

static bool fill_below(void *arg)
{
	return fill() < *(int *)arg;
}

static bool fill_above(void *arg)
{
	return fill() > *(int *)arg;
}

/* What is given at the start can be read back, and the cache stays at half, with three times as
 * much to read. */
static void test_start_up(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run(client, "admin", &reply, "{\"getCmdLineOpts\": 1}");
	assert_string_equal(
		doc_str(&reply, "parsed.storage.wiredTiger.engineConfig.configString"), START);
	bson_destroy(&reply);
	wtnode_load_items(&shared, client);
	for (int i = 0; i < 10; i++) {
		assert_true(fill() < 62);
	}
}

/* The same at run time: the cache grows to the thresholds that are set, and shrinks to them. */
static void test_run_time(void **state)
{
	int low = 55, high = 70;

	(void)state;
	NEEDS_NODE(client);
	wtnode_load_items(&shared, client);
	assert_set("eviction_target=80,eviction_trigger=95,eviction=(threads_min=2,threads_max=4)");
	assert_last_is(
		"eviction_target=80,eviction_trigger=95,eviction=(threads_min=2,threads_max=4)");
	assert_true(test_wait(fill_above, &high, WTNODE_WAIT_MS));
	assert_set("eviction_target=30,eviction_trigger=50");
	assert_true(test_wait(fill_below, &low, WTNODE_WAIT_MS));
}

/* Each kind of mistake in the engine's own words; nothing of the string is done. */
static void test_refusals(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	assert_set("eviction_target=79,eviction_trigger=95");
	assert_refused("eviction_target=5", "Value too small for key 'eviction_target'");
	assert_refused("no_such=1", "unknown configuration key: 'no_such'");
	assert_refused("cache_size=9MB,eviction=(threads_min=9,threads_max=4)",
		"eviction=(threads_min) cannot be greater");
	assert_refused("eviction_target=(", "Unbalanced brackets");
	assert_refused("statistics=(none)", "cannot be changed");
	assert_refused("eviction=(threads_max=4),\\\"log\\\"=(enabled=false)", "cannot be changed");
	assert_refused(" cache_overflow = (file_max=100MB)", "cannot be changed");
	assert_last_is("eviction_target=79,eviction_trigger=95");
}

/* The dashboard reads every string from the log, also those that getParameter has forgotten. */
static void test_log(void **state)
{
	static const char *const wanted[] = {
		"eviction_target=81", "cache_size=8MB,eviction_target=82", "eviction_target=80"};
	struct mongo_log log = {0};
	bson_iter_t it, lines;
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	assert_set(wanted[0]);
	assert_set(wanted[1]);
	assert_refused("eviction_target=5", "");
	assert_set(wanted[2]);
	wtnode_run(client, "admin", &reply, "{\"getLog\": \"global\"}");
	assert_true(doc_at(&reply, "log", &it) && bson_iter_recurse(&it, &lines));
	while (bson_iter_next(&lines)) {
		const char *text = bson_iter_utf8(&lines, NULL);
		struct err err;
		bool is_array;
		bson_t *line = parse_ejson(text, strlen(text), &is_array, &err);

		assert_non_null(line);
		assert_string_equal(doc_str(line, "c"), "STORAGE");
		assert_true(doc_has(line, "t") && doc_has(line, "msg"));
		bson_destroy(line);
		parse_mongo_log_line(text, &log);
	}
	assert_int_equal(doc_elements(&reply, "log"), doc_num(&reply, "totalLinesWritten"));
	bson_destroy(&reply);
	assert_true(log.whole && log.n >= 3);
	assert_non_null(strstr(log.opened, START));
	assert_non_null(strstr(log.opened, "cache_size=8388608"));
	for (int i = 0; i < 3; i++) {
		assert_string_equal(log.runtime[log.n - 3 + (unsigned)i], wanted[i]);
	}
	mongo_log_finish(&log);
	wtnode_run(client, "admin", &reply, "{\"getLog\": \"*\"}");
	assert_string_equal(doc_str(&reply, "names.0"), "global");
	bson_destroy(&reply);
	assert_int_equal(wtnode_code_of(client, "admin", "{\"getLog\": \"nope\"}"), 96);
	assert_int_equal(wtnode_code_of(client, "lab", "{\"getLog\": \"global\"}"), 13);
}

/* The ring keeps the last lines and counts all. */
static void test_log_is_bounded(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	for (int i = 0; i < 300; i++) {
		assert_set(i % 2 ? "eviction_target=80" : "eviction_target=79");
	}
	wtnode_run(client, "admin", &reply, "{\"getLog\": \"global\"}");
	assert_in_range(doc_elements(&reply, "log"), 100, 299);
	assert_true(doc_num(&reply, "totalLinesWritten") > 300);
	assert_non_null(strstr(doc_str(&reply, "log.0"), "Reconfiguring WiredTiger"));
	bson_destroy(&reply);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start_up),
		cmocka_unit_test(test_run_time),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_log_is_bounded),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
