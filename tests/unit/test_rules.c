/*
 * The level rules: each says what it should on the numbers that call for it, with those numbers in
 * its sentence and data, and stays silent beside its edge and when an input is missing.
 */
#include "hotset/model.h"
#include "support.h"

#include <math.h>

static struct model *m;
static int64_t now_s;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now_s = 1000;
	if (!m)
		return -1;
	for (unsigned k = 0; k < KIND_COUNT; k++)
		assert_non_null(model_add(m, (enum kind)k, kind_name((enum kind)k), "x", "x", 600));
	return 0;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static struct sample *next(enum kind kind)
{
	struct sample *s = sample_create((uint16_t)kind);

	assert_non_null(s);
	now_s++;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = now_s * 1000000000;
	s->epoch = 1;
	return s;
}

static const struct verdict *verdict(const char *code)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, code) == 0)
			return &m->verdicts[i];
	return NULL;
}

static double number(const struct verdict *v, const char *key)
{
	for (unsigned i = 0; i < v->data.n; i++)
		if (strcmp(v->data.d[i].key, key) == 0)
			return v->data.d[i].null ? (double)NAN : v->data.d[i].num;
	fail_msg("no %s in %s", key, v->code);
	return 0;
}

static void assert_level(const char *code, enum level level)
{
	const struct verdict *v = verdict(code);

	assert_string_equal(level_word(v ? v->level : LEVEL_OK), level_word(level));
}

/* ---- mongo ---- */

static struct sample *mongo_cache(double fill, double dirty, double updates)
{
	struct sample *s = next(KIND_MONGO);

	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, 1000);
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, fill * 10);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY, dirty * 10);
	sample_set_f64(s, METRIC_MONGO_CACHE_UPDATES, updates * 10);
	sample_set_f64(s, METRIC_MONGO_CACHE_TARGET, 80);
	sample_set_f64(s, METRIC_MONGO_CACHE_TRIGGER, 95);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TARGET, 5);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TRIGGER, 20);
	sample_set_f64(s, METRIC_MONGO_CACHE_UPDATES_TARGET, 2.5);
	sample_set_f64(s, METRIC_MONGO_CACHE_UPDATES_TRIGGER, 10);
	sample_set_text(s, METRIC_MONGO_CACHE_TRIGGER_SOURCE, "runtime", 7);
	return s;
}

static void shares_against_their_thresholds(void **state)
{
	(void)state;
	model_push(m, mongo_cache(80, 5, 2.5)); /* on the edge is not above it */
	assert_int_equal(m->nverdicts, 0);
	model_push(m, mongo_cache(96.1, 21, 10.5));
	assert_level("mongo.cache.above_trigger", LEVEL_CRIT);
	assert_level("mongo.cache.dirty_above_trigger", LEVEL_CRIT);
	assert_level("mongo.cache.updates_above_trigger", LEVEL_CRIT);
	assert_level("mongo.cache.above_target", LEVEL_INFO);
	assert_string_equal(verdict("mongo.cache.above_trigger")->text,
		"the cache is 96.1 % full, 1.1 points above the trigger of 95 % (runtime): "
		"application "
		"threads must evict");
	test_near(number(verdict("mongo.cache.above_trigger"), "percent"), 96.1, 1e-9);
}

static void an_unknown_threshold_judges_nothing(void **state)
{
	struct sample *s = next(KIND_MONGO);

	(void)state;
	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, 1000);
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, 999);
	model_push(m, s);
	assert_int_equal(m->nverdicts, 0);
}

static void a_near_trigger_is_a_warning(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		model_push(m, mongo_cache(50, 6 + 0.1 * i, 0)); /* two minutes away */
	assert_level("mongo.cache.dirty_above_target", LEVEL_INFO);
	for (int i = 0; i < 20; i++)
		model_push(m, mongo_cache(50, 8 + 0.5 * i, 0));
	assert_level("mongo.cache.dirty_above_target", LEVEL_WARN);
	assert_true(number(verdict("mongo.cache.dirty_above_target"), "time_to_trigger_s") < 60);
}

/* ---- redis ---- */

static void push_redis(const char *policy, double used, double max, double expires)
{
	struct sample *s = next(KIND_REDIS);

	sample_set_f64(s, METRIC_REDIS_MEM_USED, used);
	sample_set_f64(s, METRIC_REDIS_MEM_MAX, max);
	sample_set_f64(s, METRIC_REDIS_EXPIRES, expires);
	sample_set_text(s, METRIC_REDIS_MEM_POLICY, policy, strlen(policy));
	model_push(m, s);
}

static void a_full_cache_is_normal_unless_nothing_can_go(void **state)
{
	(void)state;
	push_redis("allkeys-lru", 100, 100, 0);
	push_redis("volatile-lru", 100, 100, 12);
	push_redis("noeviction", 94, 100, 0);
	assert_level("redis.noeviction_full", LEVEL_OK);
	push_redis("volatile-ttl", 96, 100, 0);
	assert_level("redis.noeviction_full", LEVEL_WARN);
	assert_non_null(strstr(verdict("redis.noeviction_full")->text, "no key has a TTL"));
	push_redis("noeviction", 99.9, 100, 0);
	assert_level("redis.noeviction_full", LEVEL_CRIT);
}

static void push_misses(double *sums, double misses, double evicted, double exceeded)
{
	struct sample *s = next(KIND_REDIS);

	sums[0] += misses;
	sums[1] += evicted;
	sums[2] += exceeded;
	sample_set_f64(s, METRIC_REDIS_MISSES_TOTAL, sums[0]);
	sample_set_f64(s, METRIC_REDIS_HITS_TOTAL, 1000 * (double)now_s);
	sample_set_f64(s, METRIC_REDIS_EVICTED_TOTAL, sums[1]);
	sample_set_f64(s, METRIC_REDIS_EVICT_EXCEEDED_TOTAL, sums[2]);
	model_push(m, s);
}

static void evictions_with_rising_misses_hit_what_is_hot(void **state)
{
	double sums[3] = {0};

	(void)state;
	for (int i = 0; i < 40; i++)
		push_misses(sums, 50, 100, 0); /* steady: the normal life of a cache */
	assert_level("redis.evicting_hot", LEVEL_OK);
	for (int i = 0; i < 6; i++)
		push_misses(sums, 200, 100, 0);
	assert_level("redis.evicting_hot", LEVEL_WARN);
	for (int i = 0; i < 100; i++)
		push_misses(sums, 50, 0, 0);
	for (int i = 0; i < 6; i++)
		push_misses(sums, 200, 0, 0); /* a new load, but nothing is evicted */
	assert_level("redis.evicting_hot", LEVEL_OK);
}

static void any_time_over_the_limit_is_critical(void **state)
{
	double sums[3] = {0};

	(void)state;
	push_misses(sums, 0, 100, 0);
	push_misses(sums, 0, 100, 0);
	assert_level("redis.evict_falling_behind", LEVEL_OK);
	push_misses(sums, 0, 100, 3);
	assert_level("redis.evict_falling_behind", LEVEL_CRIT);
}

static void a_limit_beyond_the_machine(void **state)
{
	struct sample *s = next(KIND_REDIS);

	(void)state;
	sample_set_u64(s, METRIC_REDIS_MEM_MAX, UINT64_C(64) << 30);
	sample_set_u64(s, METRIC_REDIS_MEM_SYSTEM, UINT64_C(32) << 30);
	model_push(m, s);
	assert_level("host.cache_exceeds_limit", LEVEL_WARN);
}

/* ---- memcached ---- */

static void push_slabs(double evicted, double evicted_time, double waste)
{
	static double total;
	struct sample *s = next(KIND_MEMCACHED);
	struct raw *row;

	total += evicted;
	sample_set_f64(s, METRIC_MEMCACHED_EVICTIONS_TOTAL, total);
	s->tables[TABLE_MEMCACHED_SLAB].asked = true;
	row = sample_add_row(s, TABLE_MEMCACHED_SLAB);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_CLASS], 5);
	raw_set_f64(&row[COL_MEMCACHED_SLAB_EVICTED], total);
	raw_set_f64(&row[COL_MEMCACHED_SLAB_EVICTED_TIME], evicted_time);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_PAGES], 2);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_WASTE], 0);
	row = sample_add_row(s, TABLE_MEMCACHED_SLAB);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_CLASS], 20);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_EVICTED], 0);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_PAGES], 30);
	raw_set_f64(&row[COL_MEMCACHED_SLAB_WASTE], waste);
	model_push(m, s);
}

static void young_victims_and_starving_classes(void **state)
{
	(void)state;
	push_slabs(0, 5, 28e6);
	push_slabs(0, 5, 28e6); /* nothing is evicted now */
	assert_int_equal(m->nverdicts, 0);
	push_slabs(40, 5000, 1e6);
	assert_int_equal(m->nverdicts, 0);
	push_slabs(40, 200, 1e6);
	assert_level("memcached.evicting_young", LEVEL_INFO);
	assert_level("memcached.slab_imbalance", LEVEL_OK);
	push_slabs(40, 20, 28e6);
	assert_level("memcached.evicting_young", LEVEL_WARN);
	assert_level("memcached.slab_imbalance", LEVEL_WARN);
	test_near(number(verdict("memcached.slab_imbalance"), "class"), 5, 0);
	test_near(number(verdict("memcached.slab_imbalance"), "class_with_room"), 20, 0);
}

static void a_queue_that_never_empties_is_the_cliff(void **state)
{
	static const uint64_t queue[] = {3, 4, 0, 9, 2, 7, 8, 5};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct sample *s = next(KIND_MEMCACHED);

		sample_set_u64(s, METRIC_MEMCACHED_EXT_IO_QUEUE, queue[i]);
		model_push(m, s);
		assert_level("memcached.ext_cliff", i == 7 ? LEVEL_WARN : LEVEL_OK);
	}
}

/* ---- host ---- */

static void push_host(double some_share, uint64_t refaults)
{
	static double stalled;
	static uint64_t total;
	struct sample *s = next(KIND_HOST);

	stalled += some_share * 1e6;
	total += refaults;
	sample_set_f64(s, METRIC_HOST_PSI_MEM_SOME_TOTAL, stalled);
	sample_set_u64(s, METRIC_HOST_VM_REFAULT_TOTAL, total);
	sample_set_text(s, METRIC_HOST_VIRT, "kvm", 3);
	sample_set_text(s, METRIC_HOST_STORAGE, "overlay", 7);
	model_push(m, s);
}

static void pressure_refaults_and_virtual_storage(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++)
		push_host(0.02, 10);
	assert_level("host.psi_memory", LEVEL_OK);
	assert_level("host.refaulting", LEVEL_OK);
	assert_level("host.virtual_storage", LEVEL_INFO);
	assert_int_equal(m->nevents, 0);
	for (int i = 0; i < 12; i++)
		push_host(0.30, 4000);
	assert_level("host.psi_memory", LEVEL_WARN);
	assert_level("host.refaulting", LEVEL_WARN);
	assert_non_null(strstr(verdict("host.psi_memory")->text, "30 %"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shares_against_their_thresholds, start, stop),
		cmocka_unit_test_setup_teardown(an_unknown_threshold_judges_nothing, start, stop),
		cmocka_unit_test_setup_teardown(a_near_trigger_is_a_warning, start, stop),
		cmocka_unit_test_setup_teardown(
			a_full_cache_is_normal_unless_nothing_can_go, start, stop),
		cmocka_unit_test_setup_teardown(
			evictions_with_rising_misses_hit_what_is_hot, start, stop),
		cmocka_unit_test_setup_teardown(any_time_over_the_limit_is_critical, start, stop),
		cmocka_unit_test_setup_teardown(a_limit_beyond_the_machine, start, stop),
		cmocka_unit_test_setup_teardown(young_victims_and_starving_classes, start, stop),
		cmocka_unit_test_setup_teardown(
			a_queue_that_never_empties_is_the_cliff, start, stop),
		cmocka_unit_test_setup_teardown(pressure_refaults_and_virtual_storage, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
