/*
 * The knee of latency over rate: on curves whose knee is known, with noise, and not where there is
 * none to be seen.
 */
#include "hotset/knee.h"
#include "support.h"

#include <math.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/model.h"

static uint64_t seed = 42;

static float noise(double share)
{
	return (float)(1 + share * ((double)(test_random(&seed) % 2001) / 1000 - 1));
}

#define POINTS 300u
static struct knee_point points[POINTS];

/* One server without a queue to speak of below its capacity: S / (1 - rate / capacity). */
static double queueing(double rate)
{
	return 100 / (1 - rate / 10000);
}

static void one_queue_has_its_knee_where_theory_says(void **state)
{
	struct knee k;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++) {
		double rate = 9500.0 * (i + 1) / POINTS;

		points[i] = (struct knee_point){(float)rate, (float)queueing(rate) * noise(0.2)};
	}
	knee_of(points, POINTS, &k);
	assert_int_equal(k.why, REASON_OK);
	/* the mean of the lowest third is 119 us; 2.5 times that is reached at 6640 */
	assert_true(k.low < 6640 && 6640 < k.high);
	assert_true(k.high - k.low < 1000);
	test_near(k.base, 119, 6);
	assert_true(k.top > 800);
}

/* Flash that serves 2000/s: flat below, milliseconds above; single slow gets everywhere. */
static void a_step_is_found_through_outliers(void **state)
{
	struct knee k;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++) {
		double rate = (double)(test_random(&seed) % 3000);
		double us = rate < 2000 ? 150 : 5000;

		if (i % 10 == 0)
			us *= 30;
		points[i] = (struct knee_point){(float)rate, (float)us * noise(0.3)};
	}
	knee_of(points, POINTS, &k);
	assert_int_equal(k.why, REASON_OK);
	assert_true(k.low < 2000 && 2000 < k.high);
	assert_true(k.high - k.low < 700);
}

static void flat_is_no_knee(void **state)
{
	struct knee k;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++)
		points[i] =
			(struct knee_point){(float)(test_random(&seed) % 50000), 80 * noise(0.5)};
	knee_of(points, POINTS, &k);
	assert_int_equal(k.why, REASON_NO_KNEE);
	assert_true(k.highest > 45000);
}

/* Latency that wanders at one rate says nothing of the rate. */
static void one_rate_tells_nothing(void **state)
{
	struct knee k;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++)
		points[i] = (struct knee_point){
			(float)(1000 + test_random(&seed) % 300), i < 200 ? 80 : 2000};
	knee_of(points, POINTS, &k);
	assert_int_equal(k.why, REASON_SAME_RATE);
}

/* Slow at low rates and quick at high ones (a busy neighbour that left): no knee. */
static void a_level_that_falls_is_no_knee(void **state)
{
	struct knee k;

	(void)state;
	for (unsigned i = 0; i < POINTS; i++)
		points[i] = (struct knee_point){(float)(i + 1) * 100, i < 150 ? 900 : 100};
	knee_of(points, POINTS, &k);
	assert_int_equal(k.why, REASON_NO_KNEE);
}

static void few_points_need_more(void **state)
{
	struct knee k;

	(void)state;
	for (unsigned i = 0; i < 39; i++)
		points[i] = (struct knee_point){(float)i * 100, i < 20 ? 80 : 2000};
	knee_of(points, 39, &k);
	assert_int_equal(k.why, REASON_NEEDS_HISTORY);
	knee_of(points, 0, &k);
	assert_int_equal(k.why, REASON_NEEDS_HISTORY);
}

/* ---- from samples to the verdict ---- */

static const struct verdict *verdict(const struct model *m)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, "memcached.past_knee") == 0)
			return &m->verdicts[i];
	return NULL;
}

static void push(struct model *m, int64_t t, uint64_t hits, double us)
{
	struct sample *s = sample_create(0);

	s->status = STATUS_OK;
	s->mono_ns = t * NS_PER_SEC;
	s->wall_ns = INT64_C(1764536400000000000) + s->mono_ns;
	s->epoch = 7;
	sample_set_u64(s, METRIC_MEMCACHED_HITS_TOTAL, hits);
	sample_set_u64(s, METRIC_MEMCACHED_MISSES_TOTAL, 0);
	for (unsigned i = 0; i < 3; i++)
		sample_set_f64(s, METRIC_MEMCACHED_PROBE_P50 + i, us * (i + 1));
	model_push(m, s);
}

/* The rate rises by 100 a second; from 8,000/s on a get takes ten times as long. */
static void past_the_knee_is_a_verdict(void **state)
{
	struct model *m = model_create();
	uint64_t hits = 0;
	struct value low, high;

	(void)state;
	assert_non_null(model_add(m, KIND_MEMCACHED, "memcached@x", "x", "x", 3600));
	for (unsigned t = 1; t <= 100; t++) {
		hits += 100ull * t;
		push(m, 1000 + t, hits, t < 80 ? 50 : 500);
		if (t < 80)
			assert_null(verdict(m));
	}
	low = m->ep[0]->frame.v[METRIC_MEMCACHED_PROBE_KNEE_LOW];
	high = m->ep[0]->frame.v[METRIC_MEMCACHED_PROBE_KNEE_HIGH];
	assert_true(value_ok(low) && value_ok(high));
	assert_true(low.v < 8000 && 8000 <= high.v && high.v - low.v < 1500);
	assert_non_null(verdict(m));
	assert_non_null(strstr(verdict(m)->text, "gets take 1.00 ms (p95) at 10.0k/s, and 100 µs "
						 "below 7.20k to 8.00k gets/s"));
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_queue_has_its_knee_where_theory_says),
		cmocka_unit_test(a_step_is_found_through_outliers),
		cmocka_unit_test(flat_is_no_knee),
		cmocka_unit_test(one_rate_tells_nothing),
		cmocka_unit_test(a_level_that_falls_is_no_knee),
		cmocka_unit_test(few_points_need_more),
		cmocka_unit_test(past_the_knee_is_a_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
