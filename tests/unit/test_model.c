/*
 * The model's promises: a level rises at once and falls after its hold time, both ends of an event
 * share an id, worst verdicts come first, silence is noticed, a restart starts anew, and an event
 * list that is full forgets the oldest.
 */
#include "hotset/model.h"
#include "support.h"

#include <math.h>

static struct model *m;

static int start(void **state)
{
	(void)state;
	m = model_create();
	if (!m)
		return -1;
	assert_non_null(model_add(m, KIND_REDIS, "redis@a", "a", "a:6379", 60));
	assert_non_null(model_add(m, KIND_REDIS, "redis@b", "b", "b:6379", 60));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static int64_t ns(double s)
{
	return (int64_t)(s * 1e9);
}

static struct sample *redis_sample(uint16_t endpoint, double s, uint64_t epoch)
{
	struct sample *sample = sample_create(endpoint);

	assert_non_null(sample);
	sample->status = STATUS_OK;
	sample->mono_ns = ns(s);
	sample->wall_ns = ns(s) + 1000;
	sample->epoch = epoch;
	return sample;
}

static void push_full(uint16_t endpoint, double s, uint64_t percent)
{
	struct sample *sample = redis_sample(endpoint, s, 1);

	sample_set_u64(sample, METRIC_REDIS_MEM_USED, percent);
	sample_set_u64(sample, METRIC_REDIS_MEM_MAX, 100);
	sample_set_text(sample, METRIC_REDIS_MEM_POLICY, "noeviction", 10);
	model_push(m, sample);
}

static const struct verdict *find(const char *code)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, code) == 0)
			return &m->verdicts[i];
	return NULL;
}

static void levels_rise_at_once_and_fall_late(void **state)
{
	const struct verdict *v;
	const struct event *begin, *end;

	(void)state;
	push_full(0, 100, 50);
	assert_int_equal(m->nverdicts, 0);
	push_full(0, 101, 96);
	v = find("redis.noeviction_full");
	assert_non_null(v);
	assert_int_equal(v->level, LEVEL_WARN);
	assert_int_equal(v->since_wall_ns, ns(101) + 1000);
	push_full(0, 102, 100);
	assert_int_equal(find("redis.noeviction_full")->level, LEVEL_CRIT);
	assert_int_equal(find("redis.noeviction_full")->since_wall_ns, ns(101) + 1000);
	for (int i = 3; i < 12; i++) {
		push_full(0, 100 + i, 50);
		assert_non_null(find("redis.noeviction_full"));
	}
	push_full(0, 112, 50);
	assert_null(find("redis.noeviction_full"));

	end = model_event(m, 0);
	begin = model_event(m, 2);
	assert_int_equal(m->nevents, 3); /* warn, crit, end */
	assert_int_equal(end->state, EVENT_END);
	assert_int_equal(begin->state, EVENT_BEGIN);
	assert_int_equal(end->id, begin->id);
	assert_int_not_equal(begin->id, 0);
	assert_int_equal(begin->level, LEVEL_WARN);
	assert_int_equal(end->level, LEVEL_CRIT);
	assert_null(model_event(m, 3));
}

static void worst_comes_first_then_oldest(void **state)
{
	(void)state;
	push_full(0, 100, 96);
	push_full(1, 101, 100);
	assert_int_equal(m->nverdicts, 2);
	assert_int_equal(m->verdicts[0].endpoint, 1);
	assert_int_equal(m->verdicts[1].endpoint, 0);
	push_full(0, 102, 100);
	assert_int_equal(m->verdicts[0].endpoint, 0);
	assert_int_equal(model_level(m, -1), LEVEL_CRIT);
	assert_int_equal(model_level(m, 1), LEVEL_CRIT);
}

static void silence_is_noticed_by_the_clock_alone(void **state)
{
	struct sample *failed = redis_sample(0, 108, 0);
	struct err err;

	(void)state;
	push_full(0, 100, 10);
	assert_true(model_age_s(m, m->ep[1]) < 0);
	model_tick(m, ns(102.4), ns(102.4));
	assert_false(model_is_stale(m, m->ep[0]));
	assert_null(find("endpoint.stale"));
	model_tick(m, ns(102.6), ns(102.6));
	assert_true(model_is_stale(m, m->ep[0]));
	assert_non_null(find("endpoint.stale"));

	err_set(&err, ERR_REFUSED, "connection refused");
	sample_fail(failed, STATUS_REFUSED, &err);
	model_push(m, failed);
	assert_int_equal(m->ep[0]->status, STATUS_REFUSED);
	assert_non_null(strstr(find("endpoint.stale")->text, "connection refused"));
	assert_non_null(m->ep[0]->last); /* the old numbers stay */
	test_near(m->ep[0]->frame.v[METRIC_REDIS_MEM_FILL].v, 10, 1e-9);

	push_full(0, 109, 10);
	assert_null(find("endpoint.stale"));
	assert_int_equal(model_event(m, 0)->state, EVENT_END);
}

static void what_never_answered_says_why(void **state)
{
	struct sample *failed = redis_sample(1, 100, 0);
	struct err err;

	(void)state;
	err_set(&err, ERR_AUTH, "NOAUTH Authentication required");
	sample_fail(failed, STATUS_AUTH, &err);
	model_push(m, failed);
	assert_non_null(strstr(find("endpoint.stale")->text, "NOAUTH"));
	assert_int_equal(m->ep[1]->frame.v[METRIC_REDIS_MEM_USED].why, REASON_NO_ANSWER);
	assert_int_equal(m->ep[1]->samples, 0);
	assert_int_equal(m->ep[1]->polls, 1);
}

static void verdicts_of_old_data_are_dropped(void **state)
{
	(void)state;
	push_full(0, 100, 100);
	model_tick(m, ns(150), ns(150));
	assert_non_null(find("redis.noeviction_full"));
	model_tick(m, ns(161), ns(161));
	assert_null(find("redis.noeviction_full"));
	assert_non_null(find("endpoint.stale"));
}

static void a_restart_is_an_event_and_a_new_start(void **state)
{
	struct sample *s = redis_sample(0, 101, 2);

	(void)state;
	push_full(0, 100, 100);
	assert_non_null(find("redis.noeviction_full"));
	model_push(m, s);
	assert_null(find("redis.noeviction_full"));
	assert_int_equal(find("endpoint.restarted")->level, LEVEL_INFO);
	assert_string_equal(model_event(m, 0)->code, "endpoint.restarted");
	assert_int_equal(model_event(m, 0)->state, EVENT_POINT);
	for (int i = 2; i < 40; i++)
		model_push(m, redis_sample(0, 100 + i, 2));
	assert_null(find("endpoint.restarted"));
}

static void a_loading_server_is_shown_but_not_judged(void **state)
{
	struct sample *s = redis_sample(0, 100, 1);

	(void)state;
	s->status = STATUS_LOADING;
	sample_set_u64(s, METRIC_REDIS_MEM_USED, 100);
	sample_set_u64(s, METRIC_REDIS_MEM_MAX, 100);
	sample_set_text(s, METRIC_REDIS_MEM_POLICY, "noeviction", 10);
	model_push(m, s);
	test_near(m->ep[0]->frame.v[METRIC_REDIS_MEM_FILL].v, 100, 1e-9);
	assert_int_equal(m->ep[0]->status, STATUS_LOADING);
	assert_int_equal(m->nverdicts, 0);
}

static void rules_that_cannot_judge_say_so(void **state)
{
	(void)state;
	for (int i = 0; i < 40; i++) {
		struct sample *s = redis_sample(0, 100 + i, 1);

		sample_set_u64(s, METRIC_REDIS_MISSES_TOTAL, 5);
		model_push(m, s);
		assert_int_equal(m->nskipped, i < 25 ? 2 : 1);
		if (i < 25)
			assert_string_equal(m->skipped[0].code, "redis.evicting_hot");
		assert_string_equal(m->skipped[m->nskipped - 1].code, "redis.stampede");
	}
}

static void a_full_list_forgets_the_oldest_event(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EVENTS_MAX + 10; i++)
		assert_int_equal(
			model_add_event(m, 0, 0, "mark", LEVEL_INFO, EVENT_POINT, "x", NULL),
			i + 1);
	assert_int_equal(m->nevents, EVENTS_MAX);
	assert_int_equal(model_event(m, 0)->id, EVENTS_MAX + 10);
	assert_int_equal(model_event(m, EVENTS_MAX - 1)->id, 11);
	assert_null(model_event(m, EVENTS_MAX));
}

static void data_keeps_missing_apart_from_zero(void **state)
{
	struct data d = {0};

	(void)state;
	data_num(&d, "a", NAN);
	data_num(&d, "b", 0);
	data_text(&d, "c", NULL);
	data_text(&d, "d", "\x1b[2J");
	assert_true(d.d[0].null);
	assert_false(d.d[1].null);
	assert_true(d.d[2].null);
	assert_null(strchr(d.d[3].text, '\x1b'));
	for (int i = 0; i < 20; i++)
		data_num(&d, "more", i);
	assert_int_equal(d.n, DATA_MAX);
}

static void strangers_are_refused(void **state)
{
	(void)state;
	model_push(m, redis_sample(7, 1, 1)); /* no such endpoint: destroyed, nothing happens */
	assert_int_equal(m->mono_ns, 0);
	for (unsigned i = 2; i < ENDPOINTS_MAX; i++)
		assert_non_null(model_add(m, KIND_HOST, "h", "h", "h", 2));
	assert_null(model_add(m, KIND_HOST, "h", "h", "h", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(levels_rise_at_once_and_fall_late, start, stop),
		cmocka_unit_test_setup_teardown(worst_comes_first_then_oldest, start, stop),
		cmocka_unit_test_setup_teardown(silence_is_noticed_by_the_clock_alone, start, stop),
		cmocka_unit_test_setup_teardown(what_never_answered_says_why, start, stop),
		cmocka_unit_test_setup_teardown(verdicts_of_old_data_are_dropped, start, stop),
		cmocka_unit_test_setup_teardown(a_restart_is_an_event_and_a_new_start, start, stop),
		cmocka_unit_test_setup_teardown(
			a_loading_server_is_shown_but_not_judged, start, stop),
		cmocka_unit_test_setup_teardown(rules_that_cannot_judge_say_so, start, stop),
		cmocka_unit_test_setup_teardown(a_full_list_forgets_the_oldest_event, start, stop),
		cmocka_unit_test_setup_teardown(data_keeps_missing_apart_from_zero, start, stop),
		cmocka_unit_test_setup_teardown(strangers_are_refused, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
