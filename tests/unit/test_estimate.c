/*
 * Estimates are given only where they mean something: each gate that fails is the reason, and what
 * passes them is right. The captures of a real server are judged in test_rules_captures.
 */
#include "hotset/model.h"
#include "support.h"

#include <math.h>

#define MAX 1000000.0 /* bytes of the cache */

static struct model *m;
static double now;
static uint64_t uptime_s; /* 0: not sent */
static struct {
	double pages, bytes, evicted, ops, scans, updates;
} sums;

struct second {
	double fill; /* percent */
	double pages, evicted, ops, scans, updates;
};

/* Tables that a poll samples; their rates per second, their share of the cache in percent. */
struct table {
	const char *ns, *index;
	double held, pages, search, next;
};
static struct table tables[4];
static unsigned ntables;

static void add_table(struct sample *s, const struct table *t)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_COLL);

	assert_non_null(row);
	s->tables[TABLE_MONGO_COLL].asked = true;
	raw_set_text(s, &row[COL_MONGO_COLL_NS], t->ns, strlen(t->ns));
	raw_set_text(s, &row[COL_MONGO_COLL_INDEX], t->index, strlen(t->index));
	raw_set_f64(&row[COL_MONGO_COLL_BYTES_IN_CACHE], t->held / 100 * MAX);
	raw_set_u64(&row[COL_MONGO_COLL_PAGES_READ], (uint64_t)(t->pages * now));
	raw_set_u64(&row[COL_MONGO_COLL_SEARCH], (uint64_t)(t->search * now));
	raw_set_u64(&row[COL_MONGO_COLL_NEXT], (uint64_t)(t->next * now));
}

static int start(void **state)
{
	(void)state;
	m = model_create();
	now = 1000;
	uptime_s = 0;
	ntables = 0;
	memset(&sums, 0, sizeof(sums));
	return m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static void pass(struct second sec)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	now += 1;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = (int64_t)(now * 1e9);
	s->epoch = 1;
	sums.pages += sec.pages;
	sums.bytes += sec.pages * 1000;
	sums.evicted += sec.evicted;
	sums.ops += sec.ops;
	sums.scans += sec.scans;
	sums.updates += sec.updates;
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, sec.fill / 100 * MAX);
	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, MAX);
	sample_set_f64(s, METRIC_MONGO_CACHE_TARGET, 80);
	sample_set_f64(s, METRIC_MONGO_CACHE_TRIGGER, 95);
	sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, (uint64_t)sums.pages);
	sample_set_u64(s, METRIC_MONGO_CACHE_BYTES_READ_TOTAL, (uint64_t)sums.bytes);
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, (uint64_t)sums.evicted);
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_DIRTY_TOTAL, 0);
	sample_set_u64(s, METRIC_MONGO_LAT_READS_OPS, (uint64_t)sums.ops);
	sample_set_u64(s, METRIC_MONGO_LAT_WRITES_OPS, 0);
	sample_set_u64(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, (uint64_t)sums.scans);
	sample_set_u64(s, METRIC_MONGO_OPS_UPDATE_TOTAL, (uint64_t)sums.updates);
	if (uptime_s)
		sample_set_u64(s, METRIC_MONGO_UPTIME, uptime_s);
	for (unsigned i = 0; i < ntables; i++)
		add_table(s, &tables[i]);
	model_push(m, s);
}

static void pass_many(unsigned n, struct second sec)
{
	while (n-- > 0)
		pass(sec);
}

static const struct frame *frame(void)
{
	return &m->ep[0]->frame;
}

static void assert_refused(enum reason why)
{
	assert_string_equal(
		reason_name((enum reason)frame()->v[METRIC_MONGO_WS_RATIO].why), reason_name(why));
	assert_int_equal(frame()->v[METRIC_MONGO_WS_LOW].why, why);
	assert_int_equal(frame()->v[METRIC_MONGO_WS_HIGH].why, why);
	assert_null(frame_info(frame(), METRIC_MONGO_WS_KIND));
}

static const struct second fits = {.fill = 50, .ops = 1000};
static const struct second misses = {.fill = 85, .pages = 500, .evicted = 500, .ops = 1000};

static void what_fits_is_at_most_the_fill(void **state)
{
	(void)state;
	pass_many(5, fits);
	assert_refused(REASON_NEEDS_HISTORY);
	pass_many(6, fits);
	assert_string_equal(frame_info(frame(), METRIC_MONGO_WS_KIND), "at most");
	test_near(frame()->v[METRIC_MONGO_WS_RATIO].v, 0.5, 1e-6);
	test_near(frame()->v[METRIC_MONGO_WS_HIGH].v, 0.5, 1e-6);
}

static void steady_misses_give_the_uniform_equivalent(void **state)
{
	(void)state;
	pass_many(30, misses);
	assert_string_equal(frame_info(frame(), METRIC_MONGO_WS_KIND), "uniform-equivalent");
	test_near(frame()->v[METRIC_MONGO_WS_RATIO].v, 1.7, 1e-3); /* 0.85 / (1 - 0.5) */
	/* the totals err by up to a sixth */
	test_near(frame()->v[METRIC_MONGO_WS_LOW].v, 1.7 * 0.8, 0.01);
	test_near(frame()->v[METRIC_MONGO_WS_HIGH].v, 1.7 * 1.2, 0.01);
}

static void few_operations_tell_little(void **state)
{
	(void)state;
	pass_many(20, (struct second){.fill = 50, .ops = 1});
	assert_refused(REASON_FEW_OPS);
	pass_many(60, (struct second){.fill = 85, .pages = 5, .evicted = 5, .ops = 10});
	assert_refused(REASON_FEW_OPS);
}

static void a_cache_that_fills_is_warming_up(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		pass((struct second){.fill = 20 + i, .pages = 100, .ops = 1000});
	assert_refused(REASON_WARMING_UP);
}

/* Few new pages among many reads of old ones: the set is not touched yet as a whole. */
static void a_fill_that_still_grows_is_warming_up(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 30; i++)
		pass((struct second){.fill = 40 + 0.1 * i, .pages = 5, .ops = 1000});
	assert_refused(REASON_WARMING_UP);
	pass_many(60, fits);
	assert_true(value_ok(frame()->v[METRIC_MONGO_WS_RATIO]));
}

static void the_first_seconds_of_a_server_do_not_count(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= 30; i++) {
		uptime_s = i;
		pass(misses);
		if (i < 20)
			assert_refused(REASON_WARMING_UP);
	}
	assert_true(value_ok(frame()->v[METRIC_MONGO_WS_RATIO]));
	uptime_s = 3; /* a new run: what was before is of another cache */
	pass(misses);
	assert_refused(REASON_WARMING_UP);
}

static void a_scan_spoils_the_window(void **state)
{
	(void)state;
	pass_many(20, misses);
	assert_true(value_ok(frame()->v[METRIC_MONGO_WS_RATIO]));
	pass((struct second){.fill = 85, .pages = 500, .evicted = 500, .ops = 1000, .scans = 1});
	assert_refused(REASON_SCAN_IN_WINDOW);
	pass_many(70, misses);
	assert_refused(REASON_SCAN_IN_WINDOW);
	pass_many(10, misses);
	assert_true(value_ok(frame()->v[METRIC_MONGO_WS_RATIO]));
}

static void a_drift_is_not_steady(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++)
		pass((struct second){.fill = 75 + i, .pages = 500, .evicted = 400, .ops = 1000});
	assert_refused(REASON_NOT_STEADY);
}

static void falling_misses_are_not_steady(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 30; i++)
		pass((struct second){
			.fill = 85, .pages = 900 - 30.0 * i, .evicted = 400, .ops = 1000});
	assert_refused(REASON_NOT_STEADY);
}

static void almost_all_misses_have_no_end(void **state)
{
	(void)state;
	pass_many(20, (struct second){.fill = 85, .pages = 980, .evicted = 980, .ops = 1000});
	assert_refused(REASON_MISS_TOO_HIGH);
}

static void the_cache_must_turn_over_once(void **state)
{
	(void)state;
	pass_many(30, (struct second){.fill = 85, .pages = 20, .evicted = 20, .ops = 1000});
	assert_refused(REASON_NEEDS_HISTORY); /* 600 of 850 pages */
	pass_many(20, (struct second){.fill = 85, .pages = 20, .evicted = 20, .ops = 1000});
	assert_true(value_ok(frame()->v[METRIC_MONGO_WS_RATIO]));
}

static void writes_make_it_meaningless(void **state)
{
	(void)state;
	pass_many(
		20, (struct second){
			    .fill = 85, .pages = 300, .evicted = 300, .ops = 1000, .updates = 700});
	assert_refused(REASON_WRITES);
}

static void assert_basis(const char *basis, double ratio)
{
	assert_string_equal(frame_info(frame(), METRIC_MONGO_WS_BASIS), basis);
	test_near(frame()->v[METRIC_MONGO_WS_RATIO].v, ratio, 0.01);
}

static void assert_not_by_collection(enum reason why)
{
	assert_string_equal(
		reason_name((enum reason)frame()->v[METRIC_MONGO_WS_BY_COLLECTION].why),
		reason_name(why));
	assert_basis("totals", 1.7);
}

/* A cache of which a third is of a collection that is loaded and not read any more. */
static void what_is_not_read_is_left_out(void **state)
{
	(void)state;
	ntables = 3;
	tables[0] = (struct table){"a.read", "", 50, 490, 1000, 0};
	tables[1] = (struct table){"a.read", "_id_", 5, 10, 1000, 3};
	tables[2] = (struct table){"a.loaded", "", 30, 0, 0, 0};
	pass_many(30, misses);
	assert_basis("by collection", 0.5 / (1 - 0.49) + 0.05 / (1 - 0.01));
}

/* Rows of one moment, fill at another: what a table holds is averaged with the fill. */
static void breathing_is_averaged(void **state)
{
	(void)state;
	tables[0] = (struct table){"a.read", "", 85, 500, 1000, 0};
	for (unsigned i = 0; i < 60; i++) {
		struct second sec = misses;

		ntables = i % 10 == 0; /* always at the top of a breath */
		sec.fill = ntables ? 94 : 84;
		tables[0].held = sec.fill;
		pass(sec);
	}
	assert_basis("by collection", 0.85 / 0.5);
}

static void tables_must_account_for_the_reads(void **state)
{
	(void)state;
	ntables = 1;
	tables[0] = (struct table){"a.read", "", 50, 300, 1000, 0};
	pass_many(30, misses); /* of 500 pages read a second */
	assert_not_by_collection(REASON_NOT_COVERED);
}

static void a_walked_table_has_no_lookups(void **state)
{
	(void)state;
	ntables = 1;
	tables[0] = (struct table){"a.walked", "", 80, 500, 1000, 20000};
	pass_many(30, misses);
	assert_not_by_collection(REASON_SCAN_IN_WINDOW);
	tables[0] = (struct table){"a.walked", "", 80, 500, 1000, 0};
	ntables = 0;
	pass_many(30, misses);
	assert_not_by_collection(REASON_NOT_ASKED);
}

static void a_table_that_always_misses_has_no_end(void **state)
{
	(void)state;
	ntables = 2;
	tables[0] = (struct table){"a.read", "", 70, 300, 1000, 0};
	tables[1] = (struct table){"a.cold", "", 10, 195, 200, 0};
	pass_many(30, misses);
	assert_not_by_collection(REASON_MISS_TOO_HIGH);
}

static void times_to_trigger_need_a_clear_slope(void **state)
{
	const struct value *left = &m->ep[0]->frame.v[METRIC_MONGO_CACHE_TIME_TO_TRIGGER];

	(void)state;
	pass_many(5, fits);
	assert_int_equal(left->why, REASON_NEEDS_HISTORY);
	pass_many(20, fits);
	assert_int_equal(left->why, REASON_FLAT);
	for (unsigned i = 0; i < 30; i++) /* breathing by ten points */
		pass((struct second){.fill = i % 2 ? 90 : 80, .ops = 1000});
	assert_int_equal(left->why, REASON_FLAT);
	for (unsigned i = 0; i < 30; i++)
		pass((struct second){.fill = 50 + i, .ops = 1000});
	assert_true(value_ok(*left));
	test_near(left->v, 16, 0.1); /* from 79 to 95 at a point per second */
	for (unsigned i = 0; i < 30; i++)
		pass((struct second){.fill = 80 - i, .ops = 1000});
	assert_int_equal(left->why, REASON_FLAT);
}

static void means_cover_ten_seconds(void **state)
{
	(void)state;
	pass((struct second){.fill = 40});
	test_near(frame()->v[METRIC_MONGO_CACHE_FILL_MEAN].v, 40, 1e-6);
	pass_many(9, (struct second){.fill = 50});
	test_near(frame()->v[METRIC_MONGO_CACHE_FILL_MEAN].v, 49, 1e-6);
	pass((struct second){.fill = 50});
	test_near(frame()->v[METRIC_MONGO_CACHE_FILL_MEAN].v, 50, 1e-6);
	/* and are part of history themselves */
	test_near((double)history_at(
			  m->ep[0]->history, METRIC_MONGO_CACHE_FILL_MEAN, (int64_t)(now * 1e9)),
		50, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_fits_is_at_most_the_fill, start, stop),
		cmocka_unit_test_setup_teardown(
			steady_misses_give_the_uniform_equivalent, start, stop),
		cmocka_unit_test_setup_teardown(few_operations_tell_little, start, stop),
		cmocka_unit_test_setup_teardown(a_cache_that_fills_is_warming_up, start, stop),
		cmocka_unit_test_setup_teardown(
			a_fill_that_still_grows_is_warming_up, start, stop),
		cmocka_unit_test_setup_teardown(
			the_first_seconds_of_a_server_do_not_count, start, stop),
		cmocka_unit_test_setup_teardown(what_is_not_read_is_left_out, start, stop),
		cmocka_unit_test_setup_teardown(breathing_is_averaged, start, stop),
		cmocka_unit_test_setup_teardown(tables_must_account_for_the_reads, start, stop),
		cmocka_unit_test_setup_teardown(a_walked_table_has_no_lookups, start, stop),
		cmocka_unit_test_setup_teardown(a_table_that_always_misses_has_no_end, start, stop),
		cmocka_unit_test_setup_teardown(a_scan_spoils_the_window, start, stop),
		cmocka_unit_test_setup_teardown(a_drift_is_not_steady, start, stop),
		cmocka_unit_test_setup_teardown(falling_misses_are_not_steady, start, stop),
		cmocka_unit_test_setup_teardown(almost_all_misses_have_no_end, start, stop),
		cmocka_unit_test_setup_teardown(the_cache_must_turn_over_once, start, stop),
		cmocka_unit_test_setup_teardown(writes_make_it_meaningless, start, stop),
		cmocka_unit_test_setup_teardown(times_to_trigger_need_a_clear_slope, start, stop),
		cmocka_unit_test_setup_teardown(means_cover_ten_seconds, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
