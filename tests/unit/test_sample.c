/* A sample keeps numbers exactly, texts harmless, tables bounded, and never takes missing for 0. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "hotset/sample.h"

static void missing_is_not_zero(void **state)
{
	(void)state;
	struct sample *s = sample_create(3);
	assert_int_equal(s->endpoint, 3);
	assert_int_equal(s->status, STATUS_WAITING);
	assert_false(sample_has(s, METRIC_REDIS_KEYS));
	assert_true(isnan(raw_f64(&s->raw[METRIC_REDIS_KEYS])));
	sample_set_u64(s, METRIC_REDIS_KEYS, 0);
	assert_true(sample_has(s, METRIC_REDIS_KEYS));
	sample_set_f64(s, METRIC_REDIS_KEYS, (double)NAN);
	assert_false(sample_has(s, METRIC_REDIS_KEYS));
	assert_int_equal(s->raw[METRIC_REDIS_KEYS].why, REASON_IMPLAUSIBLE);
	sample_destroy(s);
	sample_destroy(NULL);
}

static void counters_stay_exact(void **state)
{
	(void)state;
	struct sample *s = sample_create(0);
	uint64_t v = (UINT64_C(1) << 60) + 1;
	sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, v);
	assert_true(s->raw[METRIC_REDIS_HITS_TOTAL].u == v);
	sample_destroy(s);
}

static void explaining_touches_only_what_is_missing(void **state)
{
	(void)state;
	struct sample *s = sample_create(0);
	sample_set_u64(s, METRIC_REDIS_KEYS, 5);
	sample_set_missing(s, METRIC_REDIS_MEM_MAX, REASON_NO_LIMIT);
	sample_explain_missing(s, KIND_REDIS, REASON_SENTINEL);
	assert_true(sample_has(s, METRIC_REDIS_KEYS));
	assert_int_equal(s->raw[METRIC_REDIS_MEM_MAX].why, REASON_NO_LIMIT);
	assert_int_equal(s->raw[METRIC_REDIS_MEM_USED].why, REASON_SENTINEL);
	assert_int_equal(s->raw[METRIC_MONGO_CACHE_USED].why, REASON_NOT_SENT);
	sample_destroy(s);
}

static void texts_are_sanitised_and_bounded(void **state)
{
	(void)state;
	struct sample *s = sample_create(0);
	sample_set_text(s, METRIC_REDIS_ROLE, "mas\033ter", 7);
	assert_string_equal(sample_text(s, METRIC_REDIS_ROLE), "mas\xEF\xBF\xBDter");
	char big[2000];
	memset(big, 'x', sizeof(big));
	sample_set_text(s, METRIC_REDIS_MODE, big, sizeof(big));
	assert_int_equal(strlen(sample_text(s, METRIC_REDIS_MODE)), SAMPLE_TEXT_MAX);
	sample_set_text(s, METRIC_REDIS_STATE, "", 0);
	assert_null(sample_text(s, METRIC_REDIS_STATE));
	sample_destroy(s);
}

static void tables_grow_to_their_bound(void **state)
{
	(void)state;
	struct sample *s = sample_create(0);
	assert_false(s->tables[TABLE_REDIS_DB].asked);
	for (unsigned i = 0; i < TABLE_ROWS_MAX; i++) {
		struct raw *row = sample_add_row(s, TABLE_REDIS_DB);
		assert_non_null(row);
		raw_set_u64(&row[COL_REDIS_DB_KEYS], i);
	}
	assert_null(sample_add_row(s, TABLE_REDIS_DB));
	assert_true(s->tables[TABLE_REDIS_DB].cut);
	for (unsigned i = 0; i < TABLE_ROWS_MAX; i++) {
		const struct raw *row = sample_row(s, TABLE_REDIS_DB, i);
		assert_true(row[COL_REDIS_DB_KEYS].u == i);
		assert_int_equal(row[COL_REDIS_DB_EXPIRES].why, REASON_NOT_SENT);
	}
	sample_destroy(s);
}

static void statuses_have_their_words(void **state)
{
	(void)state;
	for (unsigned i = 0; i < STATUS_COUNT; i++) {
		enum status found;
		assert_true(status_find(status_word((enum status)i), &found));
		assert_int_equal(found, i);
	}
	assert_int_equal(status_from_err(ERR_AUTH), STATUS_AUTH);
	assert_int_equal(status_from_err(ERR_LIMIT), STATUS_PROTOCOL);
	assert_int_equal(status_from_err(ERR_SYSTEM), STATUS_ERROR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_is_not_zero),
		cmocka_unit_test(counters_stay_exact),
		cmocka_unit_test(explaining_touches_only_what_is_missing),
		cmocka_unit_test(texts_are_sanitised_and_bounded),
		cmocka_unit_test(tables_grow_to_their_bound),
		cmocka_unit_test(statuses_have_their_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
