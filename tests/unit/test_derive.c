/*
 * Derive never shows a wrong number: rates only from two present values of one server run that did
 * not fall, ratios only over traffic, and every missing value has its reason.
 */
#include "hotset/derive.h"
#include "hotset/clock.h"
#include "support.h"

#include <math.h>

struct run {
	struct derive *d;
	struct frame f;
	struct sample *s; /* the newest, which the frame points into */
};

static struct run start(enum kind kind)
{
	struct run r = {.d = derive_create(kind)};

	assert_non_null(r.d);
	frame_init(&r.f);
	return r;
}

static void finish(struct run *r)
{
	frame_finish(&r->f);
	sample_destroy(r->s);
	derive_destroy(r->d);
}

static struct sample *sample_at(double mono_s, uint64_t epoch)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	s->status = STATUS_OK;
	s->mono_ns = (int64_t)(mono_s * 1e9);
	s->epoch = epoch;
	return s;
}

static void step(struct run *r, struct sample *s_take)
{
	struct sample *before = r->s;

	derive_step(r->d, s_take, false, &r->f);
	r->s = s_take;
	sample_destroy(before);
}

static void assert_why(const struct frame *f, enum metric_id id, enum reason why)
{
	assert_string_equal(reason_name((enum reason)f->v[id].why), reason_name(why));
}

static void assert_value(const struct frame *f, enum metric_id id, double v)
{
	assert_why(f, id, REASON_OK);
	test_near(f->v[id].v, v, fabs(v) * 1e-9 + 1e-9);
}

/* F11: the second server's counter is higher; only its identity tells that it is another one. */
static void another_server_starts_anew(void **state)
{
	struct run r = start(KIND_REDIS);
	struct sample *s = sample_at(0, 0xaaaa);

	(void)state;
	sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, 9000000);
	step(&r, s);
	assert_why(&r.f, METRIC_REDIS_OPS, REASON_FIRST);
	assert_false(r.f.restarted);

	s = sample_at(10, 0xbbbb);
	sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, 9500000);
	step(&r, s);
	assert_why(&r.f, METRIC_REDIS_OPS, REASON_RESTARTED);
	assert_true(r.f.restarted);
	assert_false(r.f.reset);

	s = sample_at(11, 0xbbbb);
	sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, 9500070);
	step(&r, s);
	assert_value(&r.f, METRIC_REDIS_OPS, 70);
	assert_false(r.f.restarted);
	finish(&r);
}

/* F13: the wall clock steps back, then the machine sleeps for eight hours. */
static void only_the_boot_clock_counts(void **state)
{
	static const double boot[] = {5000, 5010, 33820},
			    wall[] = {1700000600, 1700000310, 1700029120};
	static const uint64_t ops[] = {1000, 1500, 2882500};
	static const double rate[] = {NAN, 50, 100};
	struct run r = start(KIND_REDIS);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct sample *s = sample_at(boot[i], 1);

		s->wall_ns = (int64_t)(wall[i] * 1e9);
		sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, ops[i]);
		step(&r, s);
		if (isnan(rate[i]))
			assert_why(&r.f, METRIC_REDIS_OPS, REASON_FIRST);
		else
			assert_value(&r.f, METRIC_REDIS_OPS, rate[i]);
	}
	finish(&r);
}

/* F15: CONFIG RESETSTAT within one run. */
static void a_fallen_counter_is_a_reset(void **state)
{
	static const uint64_t hits[] = {900000, 120}, misses[] = {100000, 30},
			      cmds[] = {7000000, 900};
	struct run r = start(KIND_REDIS);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(10.0 * i, 1);

		sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, hits[i]);
		sample_set_u64(s, METRIC_REDIS_MISSES_TOTAL, misses[i]);
		sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, cmds[i]);
		step(&r, s);
		assert_value(&r.f, METRIC_REDIS_HIT_RATIO_TOTAL, i ? 80 : 90);
		assert_why(&r.f, METRIC_REDIS_HIT_RATIO, i ? REASON_RESET : REASON_FIRST);
		assert_int_equal(r.f.reset, i);
	}
	assert_why(&r.f, METRIC_REDIS_OPS, REASON_RESET);
	assert_false(r.f.restarted);
	finish(&r);
}

/* A counter that has passed its old value since the reset looks as if it had gone on. */
static void a_reset_of_all_spoils_each_rate_of_its_interval(void **state)
{
	static const struct {
		enum kind kind;
		enum metric_id fallen, hidden, rate;
		enum reason why;
	} cases[] = {
		{KIND_REDIS, METRIC_REDIS_OPS_TOTAL, METRIC_REDIS_HITS_TOTAL, METRIC_REDIS_HITS,
			REASON_RESET},
		{KIND_MEMCACHED, METRIC_MEMCACHED_SETS_TOTAL, METRIC_MEMCACHED_MISSES_TOTAL,
			METRIC_MEMCACHED_MISSES, REASON_RESET},
		/* made of several counters, so it may fall alone */
		{KIND_MEMCACHED, METRIC_MEMCACHED_HITS_TOTAL, METRIC_MEMCACHED_SETS_TOTAL,
			METRIC_MEMCACHED_SETS, REASON_OK},
		{KIND_MONGO, METRIC_MONGO_CACHE_PAGES_READ_TOTAL,
			METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, METRIC_MONGO_CACHE_EVICTED_CLEAN,
			REASON_OK},
	};

	(void)state;
	for (unsigned k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct run r = start(cases[k].kind);

		for (unsigned i = 0; i < 3; i++) {
			struct sample *s = sample_at(10.0 * i, 1);

			sample_set_u64(s, cases[k].fallen, i == 0 ? 500 : 20 * i);
			sample_set_u64(s, cases[k].hidden, 10 + 5 * i);
			step(&r, s);
			if (i == 1 && cases[k].why != REASON_OK)
				assert_why(&r.f, cases[k].rate, cases[k].why);
			else if (i > 0)
				assert_value(&r.f, cases[k].rate, 0.5);
		}
		finish(&r);
	}
}

static void one_dump_has_no_rates(void **state)
{
	struct run r = start(KIND_REDIS);

	(void)state;
	r.s = sample_at(0, 1);
	sample_set_u64(r.s, METRIC_REDIS_HITS_TOTAL, 1);
	sample_set_u64(r.s, METRIC_REDIS_MISSES_TOTAL, 1);
	derive_step(r.d, r.s, true, &r.f);
	assert_why(&r.f, METRIC_REDIS_HITS, REASON_ONE_DUMP);
	assert_why(&r.f, METRIC_REDIS_HIT_RATIO, REASON_ONE_DUMP);
	assert_value(&r.f, METRIC_REDIS_HIT_RATIO_TOTAL, 50);
	finish(&r);
}

/* Above 2^53 a double cannot tell neighbours apart. */
static void large_counters_lose_nothing(void **state)
{
	struct run r = start(KIND_REDIS);

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		struct sample *s = sample_at((double)i, 1);

		sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, (UINT64_C(1) << 60) + 3 * i);
		step(&r, s);
	}
	assert_value(&r.f, METRIC_REDIS_OPS, 3);
	finish(&r);
}

static void no_traffic_is_no_ratio(void **state)
{
	struct run r = start(KIND_MEMCACHED);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(i, 1);

		sample_set_u64(s, METRIC_MEMCACHED_HITS_TOTAL, 0);
		sample_set_u64(s, METRIC_MEMCACHED_MISSES_TOTAL, 0);
		step(&r, s);
		assert_why(&r.f, METRIC_MEMCACHED_HIT_RATIO_TOTAL, REASON_NO_TRAFFIC);
	}
	assert_why(&r.f, METRIC_MEMCACHED_HIT_RATIO, REASON_NO_TRAFFIC);
	assert_value(&r.f, METRIC_MEMCACHED_HITS, 0);
	finish(&r);
}

/* What is asked for every fifth poll gives a rate over five intervals, which says so. */
static void rare_counters_carry_their_age(void **state)
{
	struct run r = start(KIND_MONGO);

	(void)state;
	for (unsigned i = 0; i <= 10; i++) {
		struct sample *s = sample_at(100 + i, 7);

		sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, 10 * i);
		if (i % 5 == 0)
			sample_set_u64(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, 2 * i);
		else
			sample_set_missing(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, REASON_NOT_ASKED);
		step(&r, s);
		if (i > 0)
			assert_value(&r.f, METRIC_MONGO_CACHE_PAGES_READ, 10);
		if (i % 5 != 0)
			assert_why(&r.f, METRIC_MONGO_SCAN_COLLSCANS, REASON_NOT_ASKED);
	}
	assert_value(&r.f, METRIC_MONGO_SCAN_COLLSCANS, 2);
	test_near((double)r.f.v[METRIC_MONGO_SCAN_COLLSCANS].age_s, 5, 1e-6);
	test_near((double)r.f.v[METRIC_MONGO_CACHE_PAGES_READ].age_s, 0, 0);
	finish(&r);
}

static void a_counter_that_is_missing_once_spans_the_hole(void **state)
{
	struct run r = start(KIND_HOST);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct sample *s = sample_at(i, 0);

		if (i != 1)
			sample_set_u64(s, METRIC_HOST_VM_MAJFAULT_TOTAL, 30 * i);
		step(&r, s);
		if (i == 1)
			assert_why(&r.f, METRIC_HOST_VM_MAJFAULT, REASON_NOT_SENT);
	}
	assert_value(&r.f, METRIC_HOST_VM_MAJFAULT, 30);
	test_near((double)r.f.v[METRIC_HOST_VM_MAJFAULT].age_s, 2, 1e-6);
	finish(&r);
}

static void the_same_instant_gives_no_rate(void **state)
{
	struct run r = start(KIND_REDIS);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(4, 1);

		sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, 5 + i);
		step(&r, s);
	}
	assert_why(&r.f, METRIC_REDIS_OPS, REASON_FIRST);
	finish(&r);
}

/* D11 and D03. */
static void host_shares(void **state)
{
	struct run r = start(KIND_HOST);
	struct sample *s = sample_at(0, 0);

	(void)state;
	sample_set_u64(s, METRIC_HOST_MEM_TOTAL, UINT64_C(17179869184));
	sample_set_u64(s, METRIC_HOST_CGROUP_USED, UINT64_C(4194304000));
	sample_set_missing(s, METRIC_HOST_CGROUP_MAX, REASON_NO_LIMIT);
	step(&r, s);
	assert_why(&r.f, METRIC_HOST_CGROUP_MAX, REASON_NO_LIMIT);
	test_near(r.f.v[METRIC_HOST_CGROUP_FILL].v, 24.41, 0.01);
	assert_string_equal(frame_info(&r.f, METRIC_HOST_SCOPE), "host-wide");
	assert_why(&r.f, METRIC_HOST_MEM_USED, REASON_NOT_SENT);

	s = sample_at(1, 0);
	sample_set_u64(s, METRIC_HOST_MEM_TOTAL, UINT64_C(1000000) * 1024);
	sample_set_u64(s, METRIC_HOST_MEM_AVAILABLE, UINT64_C(990000) * 1024);
	sample_set_u64(s, METRIC_HOST_MEM_CACHED, UINT64_C(8000) * 1024);
	sample_set_u64(s, METRIC_HOST_MEM_SHMEM, UINT64_C(20000) * 1024);
	sample_set_u64(s, METRIC_HOST_MEM_BUFFERS, 0);
	sample_set_u64(s, METRIC_HOST_CGROUP_USED, 512);
	sample_set_u64(s, METRIC_HOST_CGROUP_MAX, 1024);
	step(&r, s);
	assert_value(&r.f, METRIC_HOST_MEM_USED, 10000.0 * 1024);
	assert_value(&r.f, METRIC_HOST_MEM_USED_SHARE, 1);
	assert_why(&r.f, METRIC_HOST_MEM_FILE_CACHE, REASON_IMPLAUSIBLE);
	assert_value(&r.f, METRIC_HOST_CGROUP_FILL, 50);
	finish(&r);
}

static void redis_fill_and_residence(void **state)
{
	struct run r = start(KIND_REDIS);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(i, 1);

		sample_set_u64(s, METRIC_REDIS_MEM_USED, 1100);
		sample_set_u64(s, METRIC_REDIS_MEM_NOT_COUNTED, 100);
		sample_set_u64(s, METRIC_REDIS_MEM_MAX, 1000);
		sample_set_u64(s, METRIC_REDIS_KEYS, 5000);
		sample_set_u64(s, METRIC_REDIS_EVICTED_TOTAL, 50 * i);
		step(&r, s);
	}
	assert_value(&r.f, METRIC_REDIS_MEM_FILL, 100);
	assert_value(&r.f, METRIC_REDIS_RESIDENCE, 100);

	struct sample *s = sample_at(2, 1);

	sample_set_u64(s, METRIC_REDIS_MEM_USED, 24696061952);
	sample_set_u64(s, METRIC_REDIS_MEM_SYSTEM, 68719476736);
	sample_set_missing(s, METRIC_REDIS_MEM_MAX, REASON_NO_LIMIT);
	sample_set_u64(s, METRIC_REDIS_KEYS, 5000);
	sample_set_u64(s, METRIC_REDIS_EVICTED_TOTAL, 50);
	step(&r, s);
	assert_why(&r.f, METRIC_REDIS_MEM_FILL, REASON_NO_LIMIT);
	test_near(r.f.v[METRIC_REDIS_MEM_OF_RAM].v, 35.9, 0.05);
	assert_why(&r.f, METRIC_REDIS_RESIDENCE, REASON_NO_EVICTIONS);
	finish(&r);
}

/* A router's reason stands for the calcs, too. */
static void an_explained_absence_keeps_its_reason(void **state)
{
	struct run r = start(KIND_MONGO);
	struct sample *s = sample_at(0, 1);

	(void)state;
	sample_set_u64(s, METRIC_MONGO_CONN_CURRENT, 42);
	sample_set_u64(s, METRIC_MONGO_CONN_AVAILABLE, 51158);
	sample_explain_missing(s, KIND_MONGO, REASON_ROUTER);
	step(&r, s);
	test_near(r.f.v[METRIC_MONGO_CONN_FILL].v, 0.08, 0.005);
	assert_why(&r.f, METRIC_MONGO_CACHE_FILL, REASON_ROUTER);
	assert_why(&r.f, METRIC_MONGO_WS_RATIO, REASON_ROUTER);
	assert_why(&r.f, METRIC_MONGO_CACHE_PAGES_READ, REASON_ROUTER);
	finish(&r);
}

static void mongo_reads_per_operation(void **state)
{
	struct run r = start(KIND_MONGO);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(2.0 * i, 1);

		sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, 300 * i);
		sample_set_u64(s, METRIC_MONGO_READ_TIME, 2400 * i);
		sample_set_u64(s, METRIC_MONGO_READ_COUNT, 240 * i);
		sample_set_u64(s, METRIC_MONGO_LAT_READS_OPS, 502 * i);
		sample_set_u64(s, METRIC_MONGO_LAT_READS_TIME, 10040 * i);
		sample_set_u64(s, METRIC_MONGO_LAT_WRITES_OPS, 100 * i);
		sample_set_u64(s, METRIC_MONGO_OWN_OPS, 2 * i);
		step(&r, s);
	}
	assert_value(&r.f, METRIC_MONGO_READ_LATENCY, 10);
	assert_value(&r.f, METRIC_MONGO_READ_PER_OP, 0.5);
	assert_value(&r.f, METRIC_MONGO_READ_OPS, 300);
	assert_value(&r.f, METRIC_MONGO_READ_COST_PER_OP, 4);
	assert_value(&r.f, METRIC_MONGO_LAT_READS, 20);
	assert_why(&r.f, METRIC_MONGO_LAT_WRITES, REASON_NOT_SENT);
	assert_why(&r.f, METRIC_MONGO_READ_DEVICE_SHARE, REASON_NOT_SAME_HOST);
	finish(&r);
}

static void add_bucket(struct sample *s, double micros, uint64_t reads, uint64_t writes)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_LATENCY);

	assert_non_null(row);
	raw_set_u64(&row[COL_MONGO_LATENCY_MICROS], (uint64_t)micros);
	raw_set_u64(&row[COL_MONGO_LATENCY_READS], reads);
	raw_set_u64(&row[COL_MONGO_LATENCY_WRITES], writes);
}

/*
 * 100 reads of 16 to 32 us, and a bucket that was empty before: 100 of 1024 to 2048 us. The writes
 * have their own: 50 of 8 to 16 us.
 */
static void quantiles_come_from_bucket_differences(void **state)
{
	struct run r = start(KIND_MONGO);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(i, 1);

		s->tables[TABLE_MONGO_LATENCY].asked = true;
		add_bucket(s, 8, 1000000, 300 + 50 * i);
		add_bucket(s, 16, 500 + 100 * i, 7);
		if (i)
			add_bucket(s, 1024, 100, 0);
		step(&r, s);
		if (!i)
			assert_why(&r.f, METRIC_MONGO_LAT_READS_P50, REASON_FIRST);
	}
	assert_value(&r.f, METRIC_MONGO_LAT_READS_P50, 32);
	assert_value(&r.f, METRIC_MONGO_LAT_READS_P95, 1024 + 0.9 * 1024);
	assert_value(&r.f, METRIC_MONGO_LAT_WRITES_P50, 12);
	assert_value(&r.f, METRIC_MONGO_LAT_WRITES_P95, 15.6);
	finish(&r);
}

static void add_class(
	struct sample *s, uint64_t class, uint64_t pages, uint64_t evicted, uint64_t time)
{
	struct raw *row = sample_add_row(s, TABLE_MEMCACHED_SLAB);

	assert_non_null(row);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_CLASS], class);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_PAGES], pages);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_EVICTED], evicted);
	raw_set_u64(&row[COL_MEMCACHED_SLAB_EVICTED_TIME], time);
}

static double cell(const struct run *r, enum table_id t, unsigned row, unsigned col)
{
	struct value v = frame_row(&r->f, t, row)[col].num;

	return value_ok(v) ? v.v : NAN;
}

/* Rows are found by their keys, in whatever order and company they come. */
static void rows_are_matched_by_key(void **state)
{
	struct run r = start(KIND_MEMCACHED);
	struct sample *s = sample_at(0, 1);

	(void)state;
	s->tables[TABLE_MEMCACHED_SLAB].asked = true;
	add_class(s, 1, 10, 100, 3);
	add_class(s, 2, 30, 5000, 9000);
	step(&r, s);
	assert_why(&r.f, METRIC_MEMCACHED_EVICTED_TIME, REASON_FIRST);

	s = sample_at(2, 1); /* not asked for: nothing is known, and nothing forgotten */
	step(&r, s);
	assert_why(&r.f, METRIC_MEMCACHED_EVICTED_TIME, REASON_NOT_ASKED);

	s = sample_at(4, 1);
	s->tables[TABLE_MEMCACHED_SLAB].asked = true;
	add_class(s, 3, 10, 8, 77);
	add_class(s, 2, 30, 5032, 9000);
	add_class(s, 1, 10, 100, 3);
	step(&r, s);
	test_near(cell(&r, TABLE_MEMCACHED_SLAB, 0, COL_MEMCACHED_SLAB_EVICTED), 2, 1e-9);
	test_near(cell(&r, TABLE_MEMCACHED_SLAB, 1, COL_MEMCACHED_SLAB_EVICTED), 8, 1e-9);
	test_near(cell(&r, TABLE_MEMCACHED_SLAB, 2, COL_MEMCACHED_SLAB_EVICTED), 0, 1e-9);
	test_near(cell(&r, TABLE_MEMCACHED_SLAB, 1, COL_MEMCACHED_SLAB_PAGE_SHARE), 60, 1e-9);
	test_near(cell(&r, TABLE_MEMCACHED_SLAB, 1, COL_MEMCACHED_SLAB_EVICTED_SHARE), 80, 1e-9);
	/* class 1 has the smallest time, but evicts nothing now */
	assert_value(&r.f, METRIC_MEMCACHED_EVICTED_TIME, 77);
	finish(&r);
}

static void rows_with_the_same_key_have_no_rate(void **state)
{
	struct run r = start(KIND_MEMCACHED);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct sample *s = sample_at(i, 1);

		s->tables[TABLE_MEMCACHED_SLAB].asked = true;
		add_class(s, 5, 1, 100 * i, 1);
		add_class(s, 5, 1, 900 * i, 1);
		add_class(s, 6, 1, 7 * i, 1);
		step(&r, s);
	}
	assert_true(isnan(cell(&r, TABLE_MEMCACHED_SLAB, 0, COL_MEMCACHED_SLAB_EVICTED)));
	assert_true(isnan(cell(&r, TABLE_MEMCACHED_SLAB, 1, COL_MEMCACHED_SLAB_EVICTED)));
	test_near(cell(&r, TABLE_MEMCACHED_SLAB, 2, COL_MEMCACHED_SLAB_EVICTED), 7, 1e-9);
	finish(&r);
}

static void texts_stay_texts(void **state)
{
	struct run r = start(KIND_REDIS);
	struct sample *s = sample_at(0, 1);

	(void)state;
	sample_set_text(s, METRIC_REDIS_MEM_POLICY, "allkeys-lru", 11);
	sample_set_text(s, METRIC_REDIS_OPS_TOTAL, "many", 4);
	step(&r, s);
	assert_why(&r.f, METRIC_REDIS_MEM_POLICY, REASON_TEXT);
	assert_string_equal(frame_info(&r.f, METRIC_REDIS_MEM_POLICY), "allkeys-lru");
	assert_why(&r.f, METRIC_REDIS_OPS, REASON_TEXT);
	finish(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_server_starts_anew),
		cmocka_unit_test(only_the_boot_clock_counts),
		cmocka_unit_test(a_fallen_counter_is_a_reset),
		cmocka_unit_test(a_reset_of_all_spoils_each_rate_of_its_interval),
		cmocka_unit_test(one_dump_has_no_rates),
		cmocka_unit_test(large_counters_lose_nothing),
		cmocka_unit_test(no_traffic_is_no_ratio),
		cmocka_unit_test(rare_counters_carry_their_age),
		cmocka_unit_test(a_counter_that_is_missing_once_spans_the_hole),
		cmocka_unit_test(the_same_instant_gives_no_rate),
		cmocka_unit_test(host_shares),
		cmocka_unit_test(redis_fill_and_residence),
		cmocka_unit_test(an_explained_absence_keeps_its_reason),
		cmocka_unit_test(mongo_reads_per_operation),
		cmocka_unit_test(quantiles_come_from_bucket_differences),
		cmocka_unit_test(rows_are_matched_by_key),
		cmocka_unit_test(rows_with_the_same_key_have_no_rate),
		cmocka_unit_test(texts_stay_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
