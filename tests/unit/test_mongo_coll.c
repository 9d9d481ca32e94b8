/*
 * collStats becomes a row for the collection's records and one for each index; what the server does
 * not say stays missing, and what has no statistics has no row.
 */
#include "capture.h"
#include "support.h"

#include "hotset/parse.h"

static struct sample *parsed(const char *json)
{
	struct sample *s = sample_create(0);
	struct err err;
	bool is_array;
	bson_t *doc = parse_ejson(json, strlen(json), &is_array, &err);

	assert_non_null(s);
	assert_non_null(doc);
	parse_mongo_coll_stats(doc, "shop.items", s);
	bson_destroy(doc);
	return s;
}

static void a_real_reply_becomes_two_rows(void **state)
{
	struct capture *c = capture_open("tests/fixtures/captures/sweep-2.bson.gz");
	const bson_t *doc = capture_next(c);
	struct sample *s = capture_sample(doc, 0, 0);
	const struct raw *row;

	(void)state;
	assert_true(s->tables[TABLE_MONGO_COLL].asked);
	assert_int_equal(s->tables[TABLE_MONGO_COLL].n, 2);
	row = sample_row(s, TABLE_MONGO_COLL, 0);
	assert_string_equal(row[COL_MONGO_COLL_NS].s, "l21a.items");
	assert_null(row[COL_MONGO_COLL_INDEX].s); /* the records */
	assert_int_equal(row[COL_MONGO_COLL_SIZE].u, 814720000);
	assert_int_equal(row[COL_MONGO_COLL_SEARCH].u, 83462);
	assert_int_equal(row[COL_MONGO_COLL_NEXT].u, 0);
	row = sample_row(s, TABLE_MONGO_COLL, 1);
	assert_string_equal(row[COL_MONGO_COLL_INDEX].s, "_id_");
	assert_int_equal(row[COL_MONGO_COLL_PAGES_READ].u, 513);
	assert_int_equal(row[COL_MONGO_COLL_SEARCH].u, 83463); /* all of them search near */
	assert_int_equal(row[COL_MONGO_COLL_SIZE].type, RAW_NONE); /* the capture left it out */
	sample_destroy(s);
	capture_close(c);
}

static void sums_and_gaps(void **state)
{
	struct sample *s = parsed(
		"{size: 10, wiredTiger: {cache: {'unmodified pages evicted': 3,"
		"'modified pages evicted': 4, 'pages read into cache': -1},"
		"cursor: {'search calls': 5, 'search near calls': 'many', 'next calls': 6}},"
		"indexSizes: {b: 44},"
		"indexDetails: {'a\x1b_1': {cache: {'bytes currently in the cache': 7}}, b: {}}}");
	const struct raw *row = sample_row(s, TABLE_MONGO_COLL, 0);

	(void)state;
	assert_int_equal(row[COL_MONGO_COLL_EVICTED].u, 7);
	assert_int_equal(row[COL_MONGO_COLL_PAGES_READ].why, REASON_IMPLAUSIBLE);
	assert_int_equal(row[COL_MONGO_COLL_SEARCH].why, REASON_IMPLAUSIBLE);
	assert_int_equal(row[COL_MONGO_COLL_NEXT].u, 6);
	assert_int_equal(row[COL_MONGO_COLL_BYTES_IN_CACHE].type, RAW_NONE);
	row = sample_row(s, TABLE_MONGO_COLL, 1);
	assert_null(strchr(row[COL_MONGO_COLL_INDEX].s, '\x1b'));
	assert_int_equal(row[COL_MONGO_COLL_BYTES_IN_CACHE].u, 7);
	assert_int_equal(row[COL_MONGO_COLL_SIZE].type, RAW_NONE);
	row = sample_row(s, TABLE_MONGO_COLL, 2);
	assert_int_equal(row[COL_MONGO_COLL_SIZE].u, 44);
	sample_destroy(s);
}

static void no_statistics_no_row(void **state)
{
	static const char *const replies[] = {"{}", "{wiredTiger: 5}",
		"{size: 0, count: 0, nindexes: 0}", "{indexDetails: {_id_: {}}}"};

	(void)state;
	for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
		struct sample *s = parsed(replies[i]);

		assert_true(s->tables[TABLE_MONGO_COLL].asked);
		assert_int_equal(s->tables[TABLE_MONGO_COLL].n, 0);
		sample_destroy(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_real_reply_becomes_two_rows),
		cmocka_unit_test(sums_and_gaps),
		cmocka_unit_test(no_statistics_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
