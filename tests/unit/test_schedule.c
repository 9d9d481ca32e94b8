/*
 * Due times on a fake clock: on a grid, never in a burst after a gap, further apart after failures
 * and back at once after a success; one dead endpoint does not move the others.
 */
#include "support.h"

#include "hotset/clock.h"
#include "hotset/worker.h"

#define S NS_PER_SEC

static void due_times_stay_on_the_grid(void **state)
{
	struct schedule s;
	int64_t t = 1000 * S;

	(void)state;
	schedule_init(&s, S, t);
	assert_true(schedule_is_due(&s, t));
	for (unsigned i = 0; i < 10; i++) {
		int64_t late =
			t + (i * 37 % 100) * NS_PER_MS; /* the loop is a little late each time */

		assert_true(schedule_is_due(&s, late));
		schedule_sent(&s, late);
		assert_false(schedule_is_due(&s, late));
		schedule_result(&s, true, late + NS_PER_MS);
		t += S;
		assert_true(s.due_ns == t);
	}
}

static void a_gap_is_skipped(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, S, 0);
	schedule_sent(&s, 0);
	schedule_sent(&s, 8 * 3600 * S + S / 2); /* suspended for eight hours */
	assert_true(s.due_ns == 8 * 3600 * S + S);
}

static void failures_back_off(void **state)
{
	static const int64_t waits[] = {2, 4, 8, 16, 30, 30, 30};
	struct schedule s;
	int64_t t = 0;

	(void)state;
	schedule_init(&s, S, t);
	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		schedule_sent(&s, t);
		schedule_result(&s, false, t + NS_PER_MS);
		assert_true(s.due_ns == t + waits[i] * S);
		t = s.due_ns;
	}
	schedule_sent(&s, t);
	schedule_result(&s, true, t + NS_PER_MS);
	assert_true(s.due_ns == t + S);
	schedule_sent(&s, t + S);
	schedule_result(&s, false, t + S);
	assert_true(s.due_ns == t + 3 * S);
}

static void a_long_interval_is_no_back_off(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, 60 * S, 0);
	schedule_sent(&s, 0);
	schedule_result(&s, false, S);
	assert_true(s.due_ns == 60 * S);
}

static void the_refresh_key_ignores_the_back_off(void **state)
{
	struct schedule s;

	(void)state;
	schedule_init(&s, S, 0);
	for (unsigned i = 0; i < 9; i++)
		schedule_result(&s, false, 0);
	schedule_now(&s, 5 * S);
	assert_true(schedule_is_due(&s, 5 * S));
}

/* Five endpoints on one fake clock, one of which takes 5 s to fail: the others poll each second. */
static void one_dead_endpoint_does_not_slow_the_others(void **state)
{
	struct schedule s[5];
	unsigned polls[5] = {0};
	int64_t busy_until[5] = {0};

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		schedule_init(&s[i], S, 0);
	for (int64_t t = 0; t < 60 * S; t += 50 * NS_PER_MS) {
		for (unsigned i = 0; i < 5; i++) {
			if (busy_until[i] && t >= busy_until[i]) {
				schedule_result(&s[i], i != 0, t);
				busy_until[i] = 0;
			}
			if (busy_until[i] || !schedule_is_due(&s[i], t))
				continue;
			schedule_sent(&s[i], t);
			polls[i]++;
			busy_until[i] = t + (i == 0 ? 5 * S : 50 * NS_PER_MS);
		}
	}
	assert_in_range(polls[0], 3, 6);
	for (unsigned i = 1; i < 5; i++)
		assert_int_equal(polls[i], 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(due_times_stay_on_the_grid),
		cmocka_unit_test(a_gap_is_skipped),
		cmocka_unit_test(failures_back_off),
		cmocka_unit_test(a_long_interval_is_no_back_off),
		cmocka_unit_test(the_refresh_key_ignores_the_back_off),
		cmocka_unit_test(one_dead_endpoint_does_not_slow_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
