/*
 * The host of a node elsewhere, as the node samples it: what a real 5.0.7 had, and what other
 * systems, versions and damage make of it.
 */
#include "ejson.h"
#include "support.h"

#include "hotset/parse.h"

static struct sample *parse(const char *system)
{
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson(system);

	assert_non_null(s);
	parse_mongo_system(doc, s);
	bson_destroy(doc);
	return s;
}

/* The figures stand in the fixture: kB, and sectors of 512 bytes. */
static void a_real_reply_gives_the_page_cache(void **state)
{
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson_fixture("replies/mongod-5.0.7-diagnostic.json");
	int64_t taken_ms = 0;
	struct err err;

	(void)state;
	assert_true(parse_mongo_diagnostic(doc, &taken_ms, s, &err));
	test_near(sample_f64(s, METRIC_MONGO_HOST_AVAILABLE), 23976504.0 * 1024, 0);
	test_near(sample_f64(s, METRIC_MONGO_HOST_FILE_CACHE), (578316.0 + 1670076.0) * 1024, 0);
	test_near(sample_f64(s, METRIC_MONGO_HOST_DIRTY), 492.0 * 1024, 0);
	test_near(sample_f64(s, METRIC_MONGO_HOST_DISK_READ_TOTAL), 11721026.0 * 512, 0);
	test_near(sample_f64(s, METRIC_MONGO_HOST_MAJFAULT_TOTAL), 8540, 0);
	assert_false(sample_has(s, METRIC_MONGO_HOST_PSI_IO_TOTAL)); /* since 8.0 */
	bson_destroy(doc);
	sample_destroy(s);
}

static void a_server_without_it_says_so(void **state)
{
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson("{\"data\": {\"serverStatus\": {}}, \"ok\": 1}");
	int64_t taken_ms = 0;
	struct err err;

	(void)state;
	assert_false(parse_mongo_diagnostic(doc, &taken_ms, s, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	bson_destroy(doc);
	sample_destroy(s);
}

static bool gives_disks(const char *reply, int64_t *taken_ms)
{
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson(reply);
	struct err err;
	bool has;

	assert_non_null(s);
	assert_true(parse_mongo_diagnostic(doc, taken_ms, s, &err));
	has = sample_has(s, METRIC_MONGO_HOST_DISK_READ_TOTAL);
	bson_destroy(doc);
	sample_destroy(s);
	return has;
}

/* A server that has stopped to sample repeats its last reply: that is not "no reads". */
static void the_same_figures_again_are_no_news(void **state)
{
#define TAKEN(start)                                                                               \
	"{\"data\": {\"systemMetrics\": {" start "\"disks\": {\"sda\": {\"read_sectors\": 10}}}}}"
	static const char at_1[] = TAKEN("\"start\": {\"$date\": \"1970-01-01T00:00:01Z\"}, ");
	static const char at_2[] = TAKEN("\"start\": {\"$date\": \"1970-01-01T00:00:02Z\"}, ");
	int64_t taken_ms = 0;

	(void)state;
	assert_true(gives_disks(at_1, &taken_ms));
	assert_int_equal(taken_ms, 1000);
	assert_false(gives_disks(at_1, &taken_ms));
	assert_false(gives_disks(at_1, &taken_ms));
	assert_true(gives_disks(at_2, &taken_ms));
	assert_true(gives_disks(TAKEN(""), &taken_ms)); /* no time: nothing to compare */
	assert_true(gives_disks(TAKEN(""), &taken_ms));
}

/* An LVM volume reads what its disk reads. */
static void devices_upon_others_do_not_count_twice(void **state)
{
	struct sample *s = parse("{\"disks\": {\"sda\": {\"read_sectors\": 10}, \"dm-0\": "
				 "{\"read_sectors\": 10}, \"md127\": {\"read_sectors\": 10}, "
				 "\"nvme0n1\": {\"read_sectors\": 4}}}");

	(void)state;
	test_near(sample_f64(s, METRIC_MONGO_HOST_DISK_READ_TOTAL), 14 * 512, 0);
	sample_destroy(s);
}

static void half_of_a_figure_is_none(void **state)
{
	struct sample *s = parse("{\"memory\": {\"Active(file)_kb\": 5, \"MemAvailable_kb\": -1}, "
				 "\"disks\": {\"sda\": {\"read_sectors\": \"x\"}, \"sdb\": "
				 "{\"read_sectors\": 7}}}");

	(void)state;
	assert_false(sample_has(s, METRIC_MONGO_HOST_FILE_CACHE));
	assert_false(sample_has(s, METRIC_MONGO_HOST_AVAILABLE));
	assert_false(sample_has(s, METRIC_MONGO_HOST_DISK_READ_TOTAL));
	sample_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_reply_gives_the_page_cache),
		cmocka_unit_test(a_server_without_it_says_so),
		cmocka_unit_test(the_same_figures_again_are_no_news),
		cmocka_unit_test(devices_upon_others_do_not_count_twice),
		cmocka_unit_test(half_of_a_figure_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
