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

static const double defaults[6] = {80, 95, 5, 20, 2.5, 10};

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

/* Nothing else was ever set at run time. */
static const struct mongo_log nothing_before = {.whole = true};

static void assert_strings(
	const char *startup, const char *runtime, const double want[6], const char *from)
{
	assert_composed((struct mongo_thresholds_in){.startup_config = startup,
				.runtime_config = runtime,
				.readable = true,
				.log = &nothing_before},
		want, from);
}

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
	/* 0 puts the updates back to half of the dirty ones */
	assert_strings("eviction_updates_target=3", "eviction_updates_target=0", defaults, "dddddd");
	assert_strings("eviction_updates_target=3",
		"eviction_updates_target=0,eviction_dirty_target=6",
		(double[]){80, 95, 6, 20, 3, 10}, "ddrdrd");
}

/* What stands inside other settings is no setting of ours. */
static void nested_text_is_not_read(void **state)
{
	(void)state;
	assert_strings("log=(enabled,path=\"a)b,eviction_target=60\",x=[eviction_trigger=61])", "",
		defaults, "dddddd");
	assert_strings("a=\"x\\\",eviction_target=60\",eviction_target=70", "",
		(double[]){70, 95, 5, 20, 2.5, 10}, "sddddd");
	assert_strings("\"eviction_target\"=70,my_eviction_trigger=81,eviction_triggers=82", "",
		(double[]){70, 95, 5, 20, 2.5, 10}, "sddddd");
	assert_strings("{eviction_target=60},(eviction_trigger=61),\teviction_target = 70 ,,", "",
		(double[]){70, 95, 5, 20, 2.5, 10}, "sddddd");
}

static void assert_assumed(struct mongo_thresholds_in in, const char *why)
{
	struct sample *s = sample_of_cache(1024 * MIB);
	const char *text;

	parse_mongo_thresholds(&in, s);
	text = sample_text(s, METRIC_MONGO_CACHE_ASSUMED);
	if (why)
		assert_string_equal(text, why);
	else
		assert_null(text);
	sample_destroy(s);
}

static void what_is_assumed_says_why(void **state)
{
	(void)state;
	assert_assumed((struct mongo_thresholds_in){.why_unreadable = "no privilege"},
		"no privilege");
	assert_assumed((struct mongo_thresholds_in){.readable = true,
			       .runtime_config = "",
			       .why_unreadable = "no privilege"},
		"no privilege");
	assert_assumed((struct mongo_thresholds_in){.readable = true,
			       .startup_config = "",
			       .why_unreadable = "no answer"},
		"no answer");
	assert_assumed((struct mongo_thresholds_in){.readable = true,
			       .startup_config = "",
			       .runtime_config = "",
			       .why_unreadable = "no answer"},
		NULL);
	assert_assumed((struct mongo_thresholds_in){.readable = true,
			       .startup_config = "",
			       .runtime_config = "cache_size=1G"},
		"earlier run-time settings unknown");
}

/* Each string set at run time stays in force for what it names, though only the last is told. */
static void earlier_runtime_strings_stay_in_force(void **state)
{
	char first[] = "eviction_target=60,eviction_dirty_target=4", bad[] = "eviction_target=99";
	char last[] = "eviction_dirty_target=3";
	struct mongo_log log = {.n = 3, .runtime = {first, bad, last}, .whole = true};
	struct mongo_thresholds_in in = {.startup_config = "eviction_trigger=90",
		.runtime_config = last,
		.readable = true,
		.log = &log};

	(void)state;
	assert_composed(in, (double[]){60, 90, 3, 20, 1.5, 10}, "rsrdrd");
	in.runtime_config = "eviction_target=65"; /* newer than the log */
	assert_composed(in, (double[]){65, 90, 3, 20, 1.5, 10}, "rsrdrd");
	log.whole = false; /* then a default may have been changed */
	assert_composed(in, (double[]){65, 90, 3, 20, 1.5, 10}, "rsrara");
}

/* The string that the engine was opened with contains parameters and configString. */
static void the_opening_string_stands_for_the_command_line(void **state)
{
	char opened[] = "create,cache_size=256M,session_max=33000,eviction=(threads_min=4,"
			"threads_max=4),config_base=false,statistics=(fast),log=(enabled=true,"
			"remove=true,path=journal,compressor=snappy),eviction_dirty_target=64MB,"
			"eviction_dirty_trigger=128MB,verbose=[],eviction_trigger=92";
	char set[] = "eviction_target=70";
	struct mongo_log log = {.opened = opened, .n = 1, .runtime = {set}, .whole = true};

	(void)state;
	assert_composed(
		(struct mongo_thresholds_in){.runtime_config = set, .readable = true, .log = &log},
		(double[]){70, 92, 6.25, 12.5, 3.125, 6.25}, "rsssss");
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
		"eviction_target=70.5",
		"eviction_updates_target=12",
		"eviction_updates_trigger=2",
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
		cmocka_unit_test(nested_text_is_not_read),
		cmocka_unit_test(what_is_assumed_says_why),
		cmocka_unit_test(earlier_runtime_strings_stay_in_force),
		cmocka_unit_test(the_opening_string_stands_for_the_command_line),
		cmocka_unit_test(bytes_become_shares_of_the_cache),
		cmocka_unit_test(clamps),
		cmocka_unit_test(refused_strings_change_nothing),
		cmocka_unit_test(before_4_4_there_are_no_updates_thresholds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
