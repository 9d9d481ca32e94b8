/*
 * History never invents: a step that nobody measured is a gap, a slow interval is filled, an outage
 * is not, and memory is bounded.
 */
#include "hotset/history.h"
#include "hotset/clock.h"
#include "support.h"

#include <math.h>

#define ID METRIC_REDIS_KEYS

static struct history *h;

static int start(void **state)
{
	(void)state;
	h = history_create(KIND_REDIS, 60);
	return h ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	history_destroy(h);
	return 0;
}

static int64_t at(double s)
{
	return (int64_t)(s * 1e9);
}

static void put(double s, double interval_s, double v)
{
	struct frame f;
	struct sample *sample = sample_create(0);

	assert_non_null(sample);
	frame_init(&f);
	sample->mono_ns = at(s);
	f.sample = sample;
	f.interval_s = interval_s;
	f.v[ID] = isnan(v) ? value_none(REASON_NOT_SENT) : value_of(v);
	history_put(h, &f);
	frame_finish(&f);
	sample_destroy(sample);
}

static void assert_step(double s, double v)
{
	float got = history_at(h, ID, at(s));

	if (isnan(v))
		assert_true(isnan(got));
	else
		test_near((double)got, v, 1e-6);
}

static void missing_is_a_gap(void **state)
{
	(void)state;
	put(10, 0, 1);
	put(11, 1, NAN);
	put(12, 1, 3);
	assert_step(9, NAN);
	assert_step(10, 1);
	assert_step(11, NAN);
	assert_step(12, 3);
	assert_step(13, NAN);
}

static void a_slow_interval_leaves_no_hole(void **state)
{
	(void)state;
	put(10, 0, 1);
	put(12, 2, 2);
	put(16.4, 4.4, 3);
	assert_step(11, 2);
	assert_step(13, 3);
	assert_step(16, 3);
}

/* An interval of sixty times the usual is an outage: what was in between is not known. */
static void an_outage_stays_a_gap(void **state)
{
	(void)state;
	put(10, 0, 1);
	put(11, 1, 1);
	put(41, 30, 9);
	assert_step(11, 1);
	assert_step(12, NAN);
	assert_step(40, NAN);
	assert_step(41, 9);
	put(71, 30, 8); /* but twice in a row it is the new interval */
	assert_step(60, 8);
}

static void jitter_neither_skips_nor_repeats(void **state)
{
	(void)state;
	put(10.01, 0, 1);
	put(11.99, 1, 2); /* covers 11 */
	put(13.01, 1.02, 3);
	assert_step(11, 2);
	assert_step(12, 3);
	assert_step(13, 3);
}

static void the_same_frame_may_be_put_again(void **state)
{
	(void)state;
	put(10, 0, 1);
	put(13, 3, 2);
	put(13, 3, 2);
	put(16, 3, 4);
	assert_step(14, 4);
	assert_step(12, 2);
}

static void old_steps_make_room(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++)
		put(100 + i, i ? 1 : 0, i);
	assert_step(299, 199);
	assert_step(240, 140);
	assert_step(239, NAN);
	assert_true(history_bytes(h) < 60 * sizeof(float) + 4096);
	put(5, 0, 7); /* another clock: everything before it is another time */
	assert_step(5, 7);
	assert_step(299, NAN);
}

static void a_long_jump_clears_all(void **state)
{
	(void)state;
	put(10, 0, 1);
	put(100000, 1, 2);
	assert_step(10, NAN);
	assert_step(99999.5, NAN);
	assert_step(100000, 2);
}

static void windows_and_means_skip_gaps(void **state)
{
	float w[4];
	double v;

	(void)state;
	put(10, 0, 2);
	put(11, 1, NAN);
	put(12, 1, 10);
	put(13, 1, 3);
	assert_int_equal(history_window(h, ID, at(13), 4, w), 3);
	test_near((double)w[0], 2, 0);
	assert_true(isnan(w[1]));
	test_near((double)w[3], 3, 0);
	assert_true(history_mean(h, ID, at(13), 4, 3, &v));
	test_near(v, 5, 1e-9);
	assert_false(history_mean(h, ID, at(13), 4, 4, &v));
	assert_true(history_median(h, ID, at(13), 4, 3, &v));
	test_near(v, 3, 1e-9);
	assert_true(history_median(h, ID, at(12), 3, 2, &v));
	test_near(v, 6, 1e-9);
	assert_false(history_mean(h, METRIC_REDIS_EXPIRES, at(13), 4, 1, &v));
}

static void slope_and_its_error(void **state)
{
	static const double noise[] = {1, -1, -1, 1, 1, -1, -1, 1, 1, -1};
	double slope, error;

	(void)state;
	for (int i = 0; i < 10; i++)
		put(10 + i, i ? 1 : 0, 3.0 * i);
	assert_true(history_slope(h, ID, at(19), 10, 10, &slope, &error));
	test_near(slope, 3, 1e-6);
	test_near(error, 0, 1e-5);
	for (int i = 0; i < 10; i++)
		put(20 + i, 1, noise[i]);
	assert_true(history_slope(h, ID, at(29), 10, 10, &slope, &error));
	assert_true(fabs(slope) < 3 * error);
	assert_false(history_slope(h, ID, at(29), 2, 2, &slope, &error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(missing_is_a_gap, start, stop),
		cmocka_unit_test_setup_teardown(a_slow_interval_leaves_no_hole, start, stop),
		cmocka_unit_test_setup_teardown(an_outage_stays_a_gap, start, stop),
		cmocka_unit_test_setup_teardown(jitter_neither_skips_nor_repeats, start, stop),
		cmocka_unit_test_setup_teardown(the_same_frame_may_be_put_again, start, stop),
		cmocka_unit_test_setup_teardown(old_steps_make_room, start, stop),
		cmocka_unit_test_setup_teardown(a_long_jump_clears_all, start, stop),
		cmocka_unit_test_setup_teardown(windows_and_means_skip_gaps, start, stop),
		cmocka_unit_test_setup_teardown(slope_and_its_error, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
