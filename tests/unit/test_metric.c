/*
 * The metric table is a contract: names are unique, begin with their kind, fit their panels, and
 * none that was ever published may vanish (tests/fixtures/metric-names.txt only grows).
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "hotset/metric.h"
#include "hotset/text.h"
#include "hotset/value.h"

static void names_are_unique_and_of_their_kind(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		const struct metric_desc *d = metric_desc((enum metric_id)i);
		const char *kind = kind_name(d->kind);
		assert_non_null(d->name);
		assert_memory_equal(d->name, kind, strlen(kind));
		assert_int_equal(d->name[strlen(kind)], '.');
		assert_true(text_width(d->label) <= 14);
		enum metric_id found;
		assert_true(metric_find(d->name, &found));
		assert_int_equal(found, i);
	}
}

static void kinds_are_contiguous(void **state)
{
	(void)state;
	unsigned next = 0;
	for (unsigned k = 0; k < KIND_COUNT; k++) {
		enum metric_id first, end;
		metric_range((enum kind)k, &first, &end);
		assert_int_equal(first, next);
		for (unsigned i = first; i < end; i++)
			assert_int_equal(metric_table[i].kind, k);
		next = end;
	}
	assert_int_equal(next, METRIC_COUNT);
}

static void a_rate_stands_before_its_counter(void **state)
{
	(void)state;
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		if (metric_table[i].sem != SEM_RATE)
			continue;
		char total[128];
		(void)snprintf(total, sizeof(total), "%s_total", metric_table[i].name);
		assert_string_equal(metric_table[i + 1].name, total);
		assert_int_equal(metric_table[i + 1].sem, SEM_COUNTER);
	}
}

static void no_published_name_vanishes(void **state)
{
	(void)state;
	char *names = test_fixture("metric-names.txt", NULL);
	char *save = NULL;
	for (char *name = strtok_r(names, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		enum metric_id id;
		if (!metric_find(name, &id))
			fail_msg("%s is gone from metrics.def", name);
	}
	free(names);
}

static void tables_are_of_their_kind(void **state)
{
	(void)state;
	for (unsigned t = 0; t < TABLE_COUNT; t++) {
		const struct table_desc *d = &table_table[t];
		const char *kind = kind_name(d->kind);
		assert_memory_equal(d->name, kind, strlen(kind));
		assert_true(d->ncols > 0 && d->ncols <= TABLE_COLS_MAX);
		assert_int_equal(d->cols[0].sem, COL_KEY);
	}
}

static void every_reason_has_a_text(void **state)
{
	(void)state;
	for (unsigned r = REASON_OK + 1; r < REASON_COUNT; r++) {
		enum reason found;
		assert_true(strlen(reason_text((enum reason)r)) > 0);
		assert_true(reason_find(reason_name((enum reason)r), &found));
		assert_int_equal(found, r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_unique_and_of_their_kind),
		cmocka_unit_test(kinds_are_contiguous),
		cmocka_unit_test(a_rate_stands_before_its_counter),
		cmocka_unit_test(no_published_name_vanishes),
		cmocka_unit_test(tables_are_of_their_kind),
		cmocka_unit_test(every_reason_has_a_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
