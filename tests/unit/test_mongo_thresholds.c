/*
 * The thresholds shown are those in force: later configuration wins, the clamps and halves of
 * WiredTiger apply, and each threshold says where it comes from. What WiredTiger would refuse
 * changes nothing.
 */
#include "../support/support.h"

#include <string.h>

#include "hotset/parse.h"

#define MIB (UINT64_C(1) << 20)

static const enum metric_id ids[] = {METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TRIGGER,
	METRIC_MONGO_CACHE_DIRTY_TARGET, METRIC_MONGO_CACHE_DIRTY_TRIGGER,
	METRIC_MONGO_CACHE_UPDATES_TARGET, METRIC_MONGO_CACHE_UPDATES_TRIGGER};
static const enum metric_id sources[] = {METRIC_MONGO_CACHE_TARGET_SOURCE,
	METRIC_MONGO_CACHE_TRIGGER_SOURCE, METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE,
	METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE, METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE,
	METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE};

static struct sample *sample_of_cache(uint64_t max)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	sample_set_u64(s, METRIC_MONGO_CACHE_MAX, max);
	sample_set_u64(s, METRIC_MONGO_CACHE_UPDATES, 0);
	return s;
}

/* want: the six values; from: a letter per source, d(efault) s(tartup) r(untime) a(ssumed). */
static void assert_composed(struct mongo_thresholds_in in, const double want[6], const char *from)
{
	struct sample *s = sample_of_cache(1024 * MIB);

	parse_mongo_thresholds(&in, s);
	for (size_t i = 0; i < 6; i++) {
		test_near(sample_f64(s, ids[i]), want[i], 1e-12);
		assert_int_equal(sample_text(s, sources[i])[0], from[i]);
	}
	sample_destroy(s);
}

static void assert_strings(
	const char *startup, const char *runtime, const double want[6], const char *from)
{
	assert_composed(
		(struct mongo_thresholds_in){
			.startup_config = startup, .runtime_config = runtime, .readable = true},
		want, from);
}

static const double defaults[6] = {80, 95, 5, 20, 2.5, 10};

static void defaults_are_known_or_assumed(void **state)
{
	(void)state;
	assert_strings("", "", defaults, "dddddd");
	assert_composed((struct mongo_thresholds_in){.readable = false}, defaults, "aaaaaa");
	/* what may have changed them is hidden */
	assert_strings("", NULL, defaults, "aaaaaa");
	assert_strings(NULL, "", defaults, "aaaaaa");
}

static void later_configuration_wins(void **state)
{
	(void)state;
	assert_strings("eviction_target=70,eviction_dirty_target=4", "eviction_target=60",
		(double[]){60, 95, 4, 20, 2, 10}, "rdsdsd");
	assert_strings("eviction=(threads_min=4,eviction_target=1),eviction_target=70", "",
		(double[]){70, 95, 5, 20, 2.5, 10}, "sddddd");
	assert_strings(
		" \"eviction_trigger\" : 90 , cache_size=2G, statistics=[all], verbose=\"a,b\",",
		"", (double[]){80, 90, 5, 20, 2.5, 10}, "dsdddd");
	assert_strings("eviction_updates_target=3,eviction_updates_trigger=6", "",
		(double[]){80, 95, 5, 20, 3, 6}, "ddddss");
	assert_strings("eviction_target=60,eviction_target=75", "",
		(double[]){75, 95, 5, 20, 2.5, 10}, "sddddd");
}

static void bytes_become_shares_of_the_cache(void **state)
{
	(void)state;
	assert_strings("eviction_dirty_trigger=128MB,eviction_dirty_target=67108864", "",
		(double[]){80, 95, 6.25, 12.5, 3.125, 6.25}, "ddssss");
	assert_strings("eviction_dirty_target=101", "", /* not 101 % */
		(double[]){80, 95, 10100.0 / (1024 * MIB), 20, 5050.0 / (1024 * MIB), 10},
		"ddsdsd");
	assert_composed((struct mongo_thresholds_in){.startup_config = "",
				.runtime_config = "",
				.dirty_target_gb = 0.03125,
				.dirty_max_gb = 0.125,
				.readable = true},
		(double[]){80, 95, 3.125, 12.5, 1.5625, 6.25}, "ddssss");
	/* the string stands after the parameters */
	assert_composed((struct mongo_thresholds_in){.startup_config = "eviction_dirty_target=2",
				.runtime_config = "",
				.dirty_target_gb = 0.03125,
				.readable = true},
		(double[]){80, 95, 2, 20, 1, 10}, "ddsdsd");
}

static void clamps(void **state)
{
	(void)state;
	assert_strings("eviction_target=15,eviction_trigger=18,eviction_dirty_target=17", "",
		(double[]){15, 18, 15, 18, 7.5, 9}, "ssssss");
	assert_strings("eviction_updates_target=85,eviction_updates_trigger=99", "",
		(double[]){80, 95, 5, 20, 80, 95}, "dddddd");
}

static void refused_strings_change_nothing(void **state)
{
	static const char *const bad[] = {
		"eviction_target=(70",
		"eviction_target=\"70",
		"eviction_target=high",
		"eviction_target=70,eviction_trigger=",
		"eviction_target=97",
		"eviction_target=9",
		"eviction_target=2GB",
		"eviction_target=70,=",
		"eviction_target=70)",
		"eviction_dirty_target=30",
		"eviction_target=-5",
		"eviction_target=70;",
		"(",
		"\"",
		"eviction_target",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_strings(bad[i], "", defaults, "dddddd");
		assert_strings(
			"eviction_target=75", bad[i], (double[]){75, 95, 5, 20, 2.5, 10}, "sddddd");
	}
}

static void before_4_4_there_are_no_updates_thresholds(void **state)
{
	struct mongo_thresholds_in in = {
		.startup_config = "", .runtime_config = "", .readable = true};
	struct sample *s = sample_create(0);

	(void)state;
	parse_mongo_thresholds(&in, s); /* a router: no cache, no thresholds */
	assert_false(sample_has(s, METRIC_MONGO_CACHE_TARGET));
	sample_set_u64(s, METRIC_MONGO_CACHE_MAX, MIB);
	parse_mongo_thresholds(&in, s);
	assert_true(sample_has(s, METRIC_MONGO_CACHE_DIRTY_TRIGGER));
	assert_false(sample_has(s, METRIC_MONGO_CACHE_UPDATES_TARGET));
	assert_null(sample_text(s, METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE));
	sample_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_known_or_assumed),
		cmocka_unit_test(later_configuration_wins),
		cmocka_unit_test(bytes_become_shares_of_the_cache),
		cmocka_unit_test(clamps),
		cmocka_unit_test(refused_strings_change_nothing),
		cmocka_unit_test(before_4_4_there_are_no_updates_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
