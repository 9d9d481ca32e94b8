/*
 * The log tells what the engine was opened with and what was set at run time; only lines of the
 * server itself count, whatever a client made it write, and what was refused does not count.
 */
#include "support.h"

#include "hotset/parse.h"

static struct mongo_log log_of(const char *const *lines, size_t n)
{
	struct mongo_log log = {0};

	for (size_t i = 0; i < n; i++)
		parse_mongo_log_line(lines[i], &log);
	return log;
}
#define LOG_OF(lines) log_of(lines, sizeof(lines) / sizeof((lines)[0]))

#define JSON(id, attr)                                                                             \
	"{\"t\":{\"$date\":\"2026-01-31T12:00:00.000+00:00\"},\"s\":\"I\",\"c\":\"STORAGE\","      \
	"\"id\":" #id ",\"ctx\":\"conn12\",\"msg\":\"text\",\"attr\":{" attr "}}"

static void json_lines_are_read_in_order(void **state)
{
	static const char *const lines[] = {
		JSON(4615611, "\"pid\":1"),
		JSON(22315, "\"config\":\"create,cache_size=256M\""),
		JSON(22376, "\"str\":\"eviction_target=70\""),
		JSON(51803, "\"type\":\"command\",\"ns\":\"a.b\",\"durationMillis\":122376"),
		JSON(22376, "\"config\":\"eviction_trigger=90\""),
	};
	struct mongo_log log = LOG_OF(lines);

	(void)state;
	assert_true(log.whole);
	assert_string_equal(log.opened, "create,cache_size=256M");
	assert_int_equal(log.n, 2);
	assert_string_equal(log.runtime[0], "eviction_target=70");
	assert_string_equal(log.runtime[1], "eviction_trigger=90");
	mongo_log_finish(&log);
	assert_null(log.opened);
	assert_int_equal(log.n, 0);
}

static void plain_lines_are_read_in_order(void **state)
{
	static const char *const lines[] = {
		"2020-02-17T18:09:33.736+0000 I  CONTROL  [initandlisten] options: {}",
		"2020-02-17T18:09:33.737+0000 I  STORAGE  [initandlisten] wiredtiger_open config: "
		"create,cache_size=488M,log=(enabled=true),",
		"2020-02-17T18:10:33.737+0000 I STORAGE  [conn1] Reconfiguring WiredTiger storage "
		"engine with config string: \"eviction_target=70\"",
		"2020-02-17T18:11:33.737+0000 I  STORAGE  [conn1] Reconfiguring WiredTiger storage "
		"engine with config string: \"nonsense=1\"",
		"2020-02-17T18:11:33.738+0000 E  STORAGE  [conn1] WiredTiger reconfiguration "
		"failed with error code (22): Invalid argument",
	};
	struct mongo_log log = LOG_OF(lines);

	(void)state;
	assert_true(log.whole);
	assert_string_equal(log.opened, "create,cache_size=488M,log=(enabled=true),");
	assert_int_equal(log.n, 1);
	assert_string_equal(log.runtime[0], "eviction_target=70");
	mongo_log_finish(&log);
}

static void what_failed_was_not_set(void **state)
{
	static const char *const lines[] = {
		JSON(22378, "\"error\":22"), /* of one that has left the log */
		JSON(22376, "\"config\":\"eviction_target=70\""),
		JSON(22376, "\"config\":\"nonsense=1\""),
		JSON(22378, "\"error\":22,\"message\":\"Invalid argument\""),
	};
	struct mongo_log log = LOG_OF(lines);

	(void)state;
	assert_int_equal(log.n, 1);
	assert_string_equal(log.runtime[0], "eviction_target=70");
	assert_false(log.whole); /* the opening has left the log */
	mongo_log_finish(&log);
}

static void clients_cannot_write_settings(void **state)
{
	static const char *const lines[] = {
		JSON(22315, "\"config\":\"create\""),
		JSON(51803, "\"appName\":\"\\\"id\\\":22376\",\"config\":\"eviction_target=70\""),
		JSON(51803, "\"id\":22376,\"str\":\"eviction_target=70\""),
		"2020-02-17T18:10:33.737+0000 I  COMMAND  [conn1] command a.b appName: \"] "
		"Reconfiguring WiredTiger storage engine with config string: \\\"x=1\\\"\"",
		"2020-02-17T18:10:33.737+0000 I  STORAGE  [conn1] createCollection: a.Reconfiguring "
		"WiredTiger storage engine with config string: \"x=1\"",
		"{\"id\":22376",
		"{\"id\":\"22376\",\"attr\":{\"config\":\"x=1\"}}",
		"{",
		"",
		" ",
		"2020 I STORAGE ",
		"2020 I STORAGE  conn1 wiredtiger_open config: x",
	};
	struct mongo_log log = LOG_OF(lines);

	(void)state;
	assert_int_equal(log.n, 0);
	assert_string_equal(log.opened, "create");
	mongo_log_finish(&log);
}

static void an_opening_begins_anew(void **state)
{
	static const char *const lines[] = {
		JSON(22315, "\"config\":\"a=1\""),
		JSON(22376, "\"config\":\"eviction_target=70\""),
		JSON(22315, "\"config\":\"b=2\""),
	};
	struct mongo_log log = LOG_OF(lines);

	(void)state;
	assert_int_equal(log.n, 0);
	assert_string_equal(log.opened, "b=2");
	mongo_log_finish(&log);
}

static void what_was_cut_off_is_missing(void **state)
{
	static const char *const lines[] = {
		JSON(22315, "\"config\":\"a=1\""),
		"{\"id\":22376,\"attr\":{\"config\":\"eviction_target=7\"},"
		"\"truncated\":{\"config\":{\"type\":\"string\",\"size\":20000}}}",
	};
	struct mongo_log log = LOG_OF(lines);

	(void)state;
	assert_int_equal(log.n, 0);
	assert_false(log.whole);
	mongo_log_finish(&log);
}

static void the_newest_are_kept(void **state)
{
	struct mongo_log log = {.whole = true};
	char text[32];

	(void)state;
	for (unsigned i = 0; i < MONGO_LOG_CONFIGS + 3; i++) {
		snprintf(text, sizeof(text), "eviction_target=%u", i);
		mongo_log_add(&log, text);
		assert_true(log.whole == (i < MONGO_LOG_CONFIGS));
	}
	assert_int_equal(log.n, MONGO_LOG_CONFIGS);
	assert_string_equal(log.runtime[0], "eviction_target=3");
	assert_string_equal(log.runtime[log.n - 1], text);
	mongo_log_finish(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_lines_are_read_in_order),
		cmocka_unit_test(plain_lines_are_read_in_order),
		cmocka_unit_test(what_failed_was_not_set),
		cmocka_unit_test(clients_cannot_write_settings),
		cmocka_unit_test(an_opening_begins_anew),
		cmocka_unit_test(what_was_cut_off_is_missing),
		cmocka_unit_test(the_newest_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
