/*
 * Stalls: time that application threads spend on the cache instead of their work, in threads and
 * against those at work, beside what users feel of it.
 */
#include "capture.h"
#include "hotset/model.h"
#include "support.h"

#include <math.h>

#define STALL "mongo.cache.app_stall"

static struct model *m;
static int64_t now_s;
static uint64_t waited, evicted;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now_s = 1000;
	waited = evicted = 0;
	return m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static const struct verdict *verdict(void)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, STALL) == 0)
			return &m->verdicts[i];
	return NULL;
}

static void assert_level(enum level level)
{
	assert_string_equal(level_word(verdict() ? verdict()->level : LEVEL_OK), level_word(level));
}

static void assert_says(const char *part)
{
	if (!verdict() || !strstr(verdict()->text, part))
		fail_msg("\"%s\" is not in \"%s\"", part,
			verdict() ? verdict()->text : "(no verdict)");
}

static double number(const char *key)
{
	for (unsigned i = 0; verdict() && i < verdict()->data.n; i++)
		if (strcmp(verdict()->data.d[i].key, key) == 0)
			return verdict()->data.d[i].num;
	fail_msg("no %s in the data", key);
	return 0;
}

/* A second in which threads waited and evicted for so many seconds; tickets < 0: not sent. */
static void push(double waited_s, double evicted_s, int read_tickets, int write_tickets)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	now_s++;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = now_s * 1000000000;
	s->epoch = 1;
	waited += (uint64_t)(waited_s * 1e6);
	evicted += (uint64_t)(evicted_s * 1e6);
	sample_set_u64(s, METRIC_MONGO_CACHE_APP_WAIT_TOTAL, waited);
	sample_set_u64(s, METRIC_MONGO_CACHE_APP_EVICT_TOTAL, evicted);
	if (read_tickets >= 0) {
		sample_set_u64(s, METRIC_MONGO_TICKETS_READ_OUT, (uint64_t)read_tickets);
		sample_set_u64(s, METRIC_MONGO_TICKETS_WRITE_OUT, (uint64_t)write_tickets);
	}
	model_push(m, s);
}

static void a_share_of_a_thread_is_a_stall(void **state)
{
	(void)state;
	push(0, 0, -1, 0);
	push(0.09, 0, -1, 0);
	assert_level(LEVEL_OK);
	push(0.27, 0.2025, -1, 0);
	assert_level(LEVEL_WARN);
	assert_says("27 % of one thread's time, 75 % of it evicting");
	test_near(number("wait_percent"), 27, 0.01);
	test_near(number("evict_percent"), 20.25, 0.01);
	push(2.4, 0, -1, 0);
	assert_level(LEVEL_CRIT);
	assert_says("the time of 2.4 threads");
}

/* Two threads of a hundred are a nuisance, two of three an outage. */
static void a_stall_is_critical_by_the_threads_at_work(void **state)
{
	(void)state;
	push(0, 0, 20, 80);
	push(2, 0, 20, 80);
	assert_level(LEVEL_WARN);
	test_near(number("of_busy_percent"), 2, 0.01);
	for (int i = 0; i < 12; i++)
		push(2, 0, 1, 2);
	assert_level(LEVEL_CRIT);
	test_near(number("of_busy_percent"), 200 / 3.0, 0.01);
	assert_says("tickets out: 1 read, 2 write");
}

/* Either counter may be missing: the other one counts, and nothing is said about its share. */
static void evicting_alone_is_known(void **state)
{
	struct sample *s;

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		s = sample_create(0);
		assert_non_null(s);
		s->status = STATUS_OK;
		s->mono_ns = s->wall_ns = (++now_s) * 1000000000;
		s->epoch = 1;
		sample_set_u64(s, METRIC_MONGO_CACHE_APP_EVICT_TOTAL, i * 400000);
		model_push(m, s);
	}
	assert_level(LEVEL_WARN);
	assert_says("40 % of one thread's time, 100 % of it evicting");
	assert_null(strstr(verdict()->text, "tickets"));
}

/* The capture's own counter, sample by sample: above a tenth of a thread it is said, and why. */
static void heavy_writes_stall_by_their_counter(void **state)
{
	struct capture *c = capture_open("tests/fixtures/captures/heavy-writes.bson.gz");
	const struct value *v = m->ep[0]->frame.v;
	unsigned stalls = 0;
	const bson_t *doc;

	(void)state;
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		struct value wait;

		model_push(m, capture_sample(doc, 0, 0));
		wait = v[METRIC_MONGO_CACHE_APP_WAIT];
		if (!value_ok(wait) || wait.v < 10)
			continue;
		stalls++;
		assert_non_null(verdict());
		test_near(number("wait_percent"), wait.v, 1e-9);
		assert_int_equal(verdict()->level, wait.v < 100 ? LEVEL_WARN : LEVEL_CRIT);
		assert_says("tickets out: ");
	}
	capture_close(c);
	assert_true(stalls >= 5);
	assert_null(verdict()); /* the writers stopped */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_share_of_a_thread_is_a_stall),
		TEST(a_stall_is_critical_by_the_threads_at_work),
		TEST(evicting_alone_is_known),
		TEST(heavy_writes_stall_by_their_counter),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
