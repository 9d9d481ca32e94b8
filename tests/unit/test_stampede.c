/*
 * Stampedes, on figures of a cache whose course is known: a hot key expires and R requests per
 * second miss it for D seconds. Found with the numbers that were put in, and not found in what
 * looks alike: a rate that rises, absent keys, deleted keys, keys that are read once, a cold start.
 */
#include "hotset/stampede.h"
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/model.h"

#define WALL INT64_C(1764536400000000000)
#define CODE "redis.stampede"

static struct model *m;
static int64_t now_s;
static bool has_latency; /* the database tells it */
static struct {
	uint64_t hits, misses, expired, evicted, keys, uptime, queries;
} at;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now_s = 1000;
	has_latency = false;
	memset(&at, 0, sizeof(at));
	at.keys = 1000;
	at.uptime = 5000;
	return m && model_add(m, KIND_REDIS, "redis@x", "x", "x", 600) &&
			       model_add(m, KIND_MONGO, "mongo@y", "orders-db", "y", 600)
		       ? 0
		       : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static struct sample *new_sample(uint16_t endpoint)
{
	struct sample *s = sample_create(endpoint);

	s->status = STATUS_OK;
	s->mono_ns = now_s * NS_PER_SEC;
	s->wall_ns = WALL + s->mono_ns;
	s->epoch = 7;
	return s;
}

/* A second passes with so much of each. */
static void pass(unsigned hits, unsigned misses, unsigned expired, unsigned queries)
{
	struct sample *s;

	now_s++;
	at.hits += hits, at.misses += misses, at.expired += expired, at.queries += queries;
	at.uptime++;
	s = new_sample(0);
	sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, at.hits);
	sample_set_u64(s, METRIC_REDIS_MISSES_TOTAL, at.misses);
	sample_set_u64(s, METRIC_REDIS_EXPIRED_TOTAL, at.expired);
	sample_set_u64(s, METRIC_REDIS_EVICTED_TOTAL, at.evicted);
	sample_set_u64(s, METRIC_REDIS_KEYS, at.keys);
	sample_set_u64(s, METRIC_REDIS_UPTIME, at.uptime);
	model_push(m, s);
	s = new_sample(1);
	sample_set_u64(s, METRIC_MONGO_OPS_QUERY_TOTAL, at.queries);
	if (has_latency) { /* all of its reads take 100 to 200 us */
		struct raw *row = sample_add_row(s, TABLE_MONGO_LATENCY);

		raw_set_u64(&row[COL_MONGO_LATENCY_MICROS], 100);
		raw_set_u64(&row[COL_MONGO_LATENCY_READS], at.queries);
	}
	model_push(m, s);
}

static void steady(unsigned seconds)
{
	while (seconds-- > 0)
		pass(199, 1, 0, 10);
}

static const struct verdict *verdict(void)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strncmp(m->verdicts[i].code, "redis.stampede", 14) == 0)
			return &m->verdicts[i];
	return NULL;
}

static double figure(enum metric_id id)
{
	struct value v = m->ep[0]->frame.v[id];

	return value_ok(v) ? v.v : (double)NAN;
}

static const struct event *event(enum event_state state)
{
	for (unsigned i = 0; model_event(m, i); i++)
		if (strcmp(model_event(m, i)->code, CODE) == 0 && model_event(m, i)->state == state)
			return model_event(m, i);
	return NULL;
}

static double datum(const struct event *e, const char *key)
{
	for (unsigned i = 0; i < e->data.n; i++)
		if (strcmp(e->data.d[i].key, key) == 0)
			return e->data.d[i].null ? (double)NAN : e->data.d[i].num;
	fail_msg("no %s", key);
	return 0;
}

static bool is_skipped(void)
{
	for (unsigned i = 0; i < m->nskipped; i++)
		if (strcmp(m->skipped[i].code, CODE) == 0) {
			assert_string_equal(m->skipped[i].reason, "needs a base line of 60 s");
			return true;
		}
	return false;
}

/* ---- found ---- */

/* 200 requests/s on one key, an origin of 200 ms: 40 miss, all within one poll. */
static void a_short_burst_is_found_with_its_figures(void **state)
{
	const struct event *begin, *end;

	(void)state;
	m->origin_us = 200000;
	steady(10);
	assert_true(is_skipped());
	steady(60);
	assert_false(is_skipped());
	assert_null(verdict());
	assert_true(isnan(figure(METRIC_REDIS_STAMPEDE_RATE)));
	pass(159, 41, 1, 50);
	assert_non_null(verdict()); /* at the first frame */
	assert_int_equal(verdict()->level, LEVEL_WARN);
	begin = event(EVENT_BEGIN);
	assert_non_null(begin);
	steady(4);
	end = event(EVENT_END);
	assert_non_null(end);
	assert_true(begin->id == end->id);
	test_near(datum(end, "missed"), 40, 0);
	test_near(datum(end, "keys"), 1, 0);
	test_near(datum(end, "rate"), 200, 0); /* of all requests: the most it can be */
	test_near(datum(end, "origin_us"), 200000, 0);
	test_near(datum(end, "predicted"), 40, 1e-9);
	test_near(datum(end, "observed"), 40, 0);
	assert_true(isnan(datum(end, "period_s")));
	assert_string_equal(end->text,
		"stampede: 40 requests missed and went to the origin when 1 key went; 1 would have "
		"been enough; R x D = at most 200/s x 200 ms = 40; orders-db got 40 queries more "
		"than usual");
	assert_string_equal(verdict()->text, end->text);
	test_near(figure(METRIC_REDIS_STAMPEDE_PREDICTED), 40, 1e-9);
	test_near(figure(METRIC_REDIS_STAMPEDE_OBSERVED), 40, 0);
	steady(70);
	assert_null(verdict());
}

/* An origin of 3 s: whole intervals of nothing but misses tell R itself. */
static void a_long_burst_tells_its_rate(void **state)
{
	const struct event *end;

	(void)state;
	m->origin_us = 3000000;
	steady(70);
	pass(120, 80, 1, 0); /* 0.5 s of it: 160/s of the 200/s are for this key */
	pass(40, 160, 0, 0);
	pass(40, 160, 0, 0);
	pass(120, 80, 0, 0);
	steady(4);
	end = event(EVENT_END);
	assert_non_null(end);
	test_near(datum(end, "rate"), 159, 1);
	test_near(datum(end, "missed"), 480, 5);
	test_near(datum(end, "predicted"), 480, 5);
	assert_null(strstr(end->text, "at most"));
}

/* D is the database's own median before the burst, where nothing else is said. */
static void the_database_tells_the_time_of_a_refill(void **state)
{
	(void)state;
	has_latency = true;
	steady(70);
	pass(159, 41, 1, 50);
	steady(4);
	test_near(datum(event(EVENT_END), "origin_us"), 150, 1e-6);
	test_near(datum(event(EVENT_END), "predicted"), 200 * 150e-6, 1e-9);
	test_near(datum(event(EVENT_END), "lasted_s"), 2, 0);
}

/* Evicted keys count as well. */
static void without_an_origin_it_says_no_more_than_it_knows(void **state)
{
	(void)state;
	steady(70);
	at.evicted += 1;
	pass(159, 41, 0, 50);
	steady(4);
	assert_non_null(event(EVENT_END));
	assert_true(isnan(datum(event(EVENT_END), "origin_us")));
	assert_true(isnan(datum(event(EVENT_END), "predicted")));
	assert_null(strstr(event(EVENT_END)->text, "R x D"));
	assert_int_equal(m->ep[0]->frame.v[METRIC_REDIS_STAMPEDE_ORIGIN].why, REASON_NO_ORIGIN);
}

static void a_regular_one_is_named_so(void **state)
{
	(void)state;
	steady(70);
	for (unsigned i = 0; i < 3; i++) {
		pass(159, 41, 1, 50);
		steady(29);
	}
	test_near(datum(event(EVENT_END), "period_s"), 30, 1);
	assert_non_null(strstr(event(EVENT_END)->text, "a TTL that expires in step"));
}

static void keys_that_expire_together_are_named_so(void **state)
{
	(void)state;
	steady(70);
	pass(40, 160, 20, 150);
	steady(4);
	assert_non_null(strstr(event(EVENT_END)->text, "20 keys went, together"));
	test_near(datum(event(EVENT_END), "keys"), 20, 0);
}

/* ---- not found ---- */

static void finds_nothing(void)
{
	steady(4);
	assert_null(event(EVENT_BEGIN));
	assert_null(verdict());
}

static void more_load_is_none(void **state)
{
	(void)state;
	steady(70);
	for (unsigned i = 0; i < 5; i++)
		pass(1990, 60, 1, 60);
	finds_nothing();
}

static void absent_keys_are_none(void **state)
{
	(void)state;
	steady(70);
	for (unsigned i = 0; i < 5; i++)
		pass(199, 300, 1, 300);
	finds_nothing();
}

/* Nothing was expired or evicted. */
static void deleted_keys_are_none(void **state)
{
	(void)state;
	steady(70);
	at.keys = 999;
	pass(159, 41, 0, 50);
	finds_nothing();
	steady(70);
	at.keys = 10; /* FLUSHALL, and one key expired meanwhile */
	pass(20, 180, 1, 180);
	finds_nothing();
}

/* Each of 100 keys is read once after it expired: as many requests as there must be. */
static void keys_that_are_read_once_are_none(void **state)
{
	(void)state;
	steady(70);
	pass(100, 100, 100, 100);
	finds_nothing();
}

static void a_cold_start_is_none(void **state)
{
	(void)state;
	steady(70);
	at.uptime = 0;
	pass(20, 180, 1, 180);
	finds_nothing();
}

/* A cache that misses for good is another matter; its begin was seen, no figures are invented. */
static void a_level_that_stays_gets_no_figures(void **state)
{
	(void)state;
	steady(70);
	for (unsigned i = 0; i < 40; i++)
		pass(20, 180, 1, 180);
	assert_non_null(event(EVENT_END));
	assert_non_null(strstr(event(EVENT_END)->text, "no figures"));
	assert_true(isnan(figure(METRIC_REDIS_STAMPEDE_RATE)));
}

static void a_reset_of_the_counters_ends_it_without_figures(void **state)
{
	(void)state;
	steady(70);
	pass(159, 41, 1, 50);
	at.hits = at.misses = at.expired = 0;
	pass(1, 1, 0, 10);
	assert_non_null(strstr(event(EVENT_END)->text, "no figures"));
	steady(10);
	assert_true(isnan(figure(METRIC_REDIS_STAMPEDE_RATE)));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_short_burst_is_found_with_its_figures),
		TEST(a_long_burst_tells_its_rate),
		TEST(the_database_tells_the_time_of_a_refill),
		TEST(without_an_origin_it_says_no_more_than_it_knows),
		TEST(a_regular_one_is_named_so),
		TEST(keys_that_expire_together_are_named_so),
		TEST(more_load_is_none),
		TEST(absent_keys_are_none),
		TEST(deleted_keys_are_none),
		TEST(keys_that_are_read_once_are_none),
		TEST(a_cold_start_is_none),
		TEST(a_level_that_stays_gets_no_figures),
		TEST(a_reset_of_the_counters_ends_it_without_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
