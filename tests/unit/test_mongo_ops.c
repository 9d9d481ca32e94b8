/*
 * $currentOp: the operation that scans is found and named, the holder of a snapshot is found, what
 * drivers and this program do all the time is left out, and no literal of a command survives.
 */
#include "../support/support.h"

#include <string.h>

#include "../support/capture.h"
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
				"{aggregate: ?, pipeline: [{$match: {pad: {$regex: ?}}}, {$count: ?}], "
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_scan_is_named)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
