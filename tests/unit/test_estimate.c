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
static struct {
	double pages, bytes, evicted, ops, scans, updates;
} sums;

struct second {
	double fill; /* percent */
	double pages, evicted, ops, scans, updates;
};

static int start(void **state)
{
	(void)state;
	m = model_create();
	now = 1000;
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
	test_near(frame()->v[METRIC_MONGO_WS_LOW].v, 1.7 * 0.85, 0.01);
	test_near(frame()->v[METRIC_MONGO_WS_HIGH].v, 1.7 * 1.15, 0.01);
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
