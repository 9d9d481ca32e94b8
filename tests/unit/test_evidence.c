/*
 * The eviction state confirms the thresholds or contradicts them, and never says so wrongly: not
 * for a moment's excursion, not while a new configuration is unread, not by a flag that is missing,
 * and on no capture of a real server, whose thresholds are the defaults.
 */
#include "capture.h"
#include "hotset/evidence.h"
#include "hotset/model.h"
#include "support.h"

#define MAX 100000000.0 /* bytes of the cache */

static struct model *m;
static double now;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now = 1000;
	return m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

struct moment {
	double fill, dirty; /* percent */
	const char *state;
	double target;  /* 0: 80 */
	double seconds; /* since the one before, 0: 1 */
	bool checkpoint;
};

static void pass(struct moment at)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	now += at.seconds > 0 ? at.seconds : 1;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = (int64_t)(now * 1e9);
	s->epoch = 1;
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, at.fill / 100 * MAX);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY, at.dirty / 100 * MAX);
	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, MAX);
	sample_set_f64(s, METRIC_MONGO_CACHE_TARGET, at.target > 0 ? at.target : 80);
	sample_set_text(s, METRIC_MONGO_CACHE_TARGET_SOURCE, "assumed", 7);
	sample_set_f64(s, METRIC_MONGO_CACHE_TRIGGER, 95);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TARGET, 5);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TRIGGER, 20);
	sample_set_f64(s, METRIC_MONGO_CKPT_RUNNING, at.checkpoint ? 1 : 0);
	if (at.state)
		sample_set_text(s, METRIC_MONGO_CACHE_STATE, at.state, strlen(at.state));
	model_push(m, s);
}

static const struct frame *frame(void)
{
	return &m->ep[0]->frame;
}

static const char *said(void)
{
	return frame_info(frame(), METRIC_MONGO_CACHE_THRESHOLDS);
}

static void assert_silent(enum reason why)
{
	assert_null(said());
	assert_string_equal(
		reason_name((enum reason)frame()->v[METRIC_MONGO_CACHE_THRESHOLDS].why),
		reason_name(why));
}

/* What a target of 60 looks like: fill between 58 and 64, CLEAN where it is above. */
static void pass_at_60(unsigned n, double believed)
{
	for (unsigned i = 0; i < n; i++) {
		double fill = 58 + 2.0 * (i % 4);

		pass((struct moment){.fill = fill,
			.state = fill > 60 ? "CLEAN SCRUB" : "SCRUB",
			.target = believed});
	}
}

static const struct verdict *verdict(void)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, "mongo.cache.thresholds") == 0)
			return &m->verdicts[i];
	return NULL;
}

static void words_become_bits(void **state)
{
	(void)state;
	test_near(evidence_bits("idle").v, 0, 0);
	test_near(evidence_bits("SCRUB").v, 0, 0);
	test_near(evidence_bits("CLEAN CLEAN_HARD NOKEEP").v, 67, 0);
	test_near(evidence_bits("DIRTY DIRTY_HARD UPDATES UPDATES_HARD URGENT").v, 60, 0);
	assert_int_equal(evidence_bits("CLEAN 0x400").why, REASON_UNKNOWN_LAYOUT);
	assert_int_equal(evidence_bits("0x1").why, REASON_UNKNOWN_LAYOUT);
}

static void without_a_state_there_is_no_evidence(void **state)
{
	(void)state;
	pass((struct moment){.fill = 90});
	assert_silent(REASON_NOT_SENT);
	pass((struct moment){.fill = 90, .state = "0x5"});
	assert_silent(REASON_UNKNOWN_LAYOUT);
	pass((struct moment){.fill = 90, .state = "SCRUB"});
	assert_silent(REASON_NOT_SEEN);
}

static void a_lower_target_contradicts(void **state)
{
	(void)state;
	pass_at_60(40, 80);
	assert_silent(REASON_NOT_SEEN); /* 30 s may pass until a new setting is read */
	assert_null(verdict());
	pass_at_60(20, 80);
	assert_string_equal(said(), "contradicted: CLEAN at 62 %");
	assert_non_null(verdict());
	assert_int_equal(verdict()->level, LEVEL_INFO);
	assert_non_null(strstr(verdict()->text,
		"CLEAN at 62 %, far below the target of 80 % (assumed)"));
	assert_non_null(strstr(verdict()->next, "getLog"));
	assert_int_equal(m->nevents, 0);
}

static void the_right_target_is_confirmed(void **state)
{
	(void)state;
	pass_at_60(3, 60);
	assert_silent(REASON_NOT_SEEN); /* seen once */
	pass_at_60(60, 60);
	assert_string_equal(said(), "confirmed by eviction state: CLEAN");
	assert_null(verdict());
}

/* The setting changes at once, the threshold when it is read. */
static void a_new_setting_is_read_in_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 120; i++)
		pass((struct moment){
			.fill = 79 + 2.0 * (i % 3), .state = i % 3 ? "CLEAN SCRUB" : "SCRUB"});
	assert_string_equal(said(), "confirmed by eviction state: CLEAN");
	for (unsigned i = 0; i < 31; i++) {
		pass_at_60(1, 80);
		assert_true(!said() || !strstr(said(), "contradicted"));
	}
	for (unsigned i = 0; i < 120; i++) {
		pass_at_60(4, 60);
		assert_true(!said() || !strstr(said(), "contradicted"));
	}
	assert_string_equal(said(), "confirmed by eviction state: CLEAN");
}

/* Between samples fill rises higher than in them; a flag that is at times near is explained. */
static void excursions_explain_the_flag(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		pass((struct moment){.fill = i % 5 ? 70 : 78, .state = "CLEAN SCRUB"});
	assert_silent(REASON_NOT_SEEN);
}

/* A level that has just fallen from above has left the flag behind. */
static void a_fall_leaves_the_flag_behind(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		pass((struct moment){
			.fill = i % 2 ? 85 : 70, .state = i % 2 ? "SCRUB" : "CLEAN SCRUB"});
	assert_silent(REASON_NOT_SEEN);
}

/* With a target of 60 a busy cache stays at 77.5 %, where pages begin to be evicted at once. */
static void the_middle_gives_a_lower_target_away(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 60; i++)
		pass((struct moment){.fill = i % 20 ? 78 : 92, .state = "CLEAN NOKEEP"});
	assert_string_equal(said(), "contradicted: NOKEEP at 78 %");
	assert_non_null(strstr(verdict()->text,
		"NOKEEP at 78 %, far below half way from target to trigger of 87.5 % (assumed)"));
}

static void a_flag_that_is_missing_proves_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		pass((struct moment){.fill = 88, .state = "SCRUB"});
	assert_silent(REASON_NOT_SEEN);
}

/* A threshold of 89 would show the same. */
static void far_above_confirms_nothing(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		pass((struct moment){.fill = 90, .state = "CLEAN"});
	assert_silent(REASON_NOT_SEEN);
}

static void checkpoints_lower_the_dirty_target(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		pass((struct moment){
			.fill = 50, .dirty = 2, .state = "DIRTY SCRUB", .checkpoint = true});
	assert_silent(REASON_NOT_SEEN);
	for (unsigned i = 0; i < 60; i++)
		pass((struct moment){.fill = 50, .dirty = 2, .state = "DIRTY SCRUB"});
	assert_string_equal(said(), "contradicted: DIRTY at 2 %");
}

/* It writes instead of evicting clean pages, at whatever share of dirty ones. */
static void an_engine_in_memory_is_not_contradicted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		pass((struct moment){.fill = 85, .dirty = 1, .state = "DIRTY SCRUB"});
	assert_silent(REASON_NOT_SEEN);
}

/* Four samples of half a minute are not a hundred. */
static void slow_polls_count_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4; i++)
		pass((struct moment){.fill = 62, .state = "CLEAN", .seconds = 30});
	assert_silent(REASON_NOT_SEEN);
	for (unsigned i = 0; i < 3; i++)
		pass((struct moment){.fill = 62, .state = "CLEAN", .seconds = 30});
	assert_string_equal(said(), "contradicted: CLEAN at 62 %");
}

/* ---- captures: what each of them crosses ---- */

static void play(const char *name, const char *last)
{
	char path[128];
	struct capture *c;
	const bson_t *doc;
	void *unused = NULL;

	assert_int_equal(start(&unused), 0);
	snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", name);
	c = capture_open(path);
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		model_push(m, capture_sample(doc, 1000000000, 1000000000));
		assert_true(!said() || !strstr(said(), "contradicted"));
		assert_null(verdict());
	}
	if (!last)
		assert_silent(REASON_NOT_SEEN);
	else
		assert_string_equal(said() ? said() : "", last);
	capture_close(c);
	stop(&unused);
}

static void no_capture_is_contradicted(void **state)
{
	(void)state;
	play("idle", NULL);
	play("sweep-0.25", NULL);
	play("sweep-0.5", NULL);
	play("sweep-1", "confirmed by eviction state: CLEAN, NOKEEP");
	play("sweep-2", "confirmed by eviction state: NOKEEP"); /* CLEAN only from 87.5 % on */
	play("sweep-all", "confirmed by eviction state: CLEAN, NOKEEP");
	play("skew-90-10", "confirmed by eviction state: CLEAN");
	play("collscan-hot", NULL);
	play("collscan-cool", NULL);
	play("collscan-slow-hot", "confirmed by eviction state: CLEAN, NOKEEP");
	play("collscan-slow-hot-2", NULL);
	play("collscan-slow-cool", "confirmed by eviction state: CLEAN, NOKEEP");
	play("held-snapshot", "confirmed by eviction state: UPDATES");
	play("heavy-writes", "confirmed by eviction state: CLEAN, DIRTY, UPDATES, UPDATES_HARD");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_become_bits),
		cmocka_unit_test_setup_teardown(without_a_state_there_is_no_evidence, start, stop),
		cmocka_unit_test_setup_teardown(a_lower_target_contradicts, start, stop),
		cmocka_unit_test_setup_teardown(the_right_target_is_confirmed, start, stop),
		cmocka_unit_test_setup_teardown(a_new_setting_is_read_in_time, start, stop),
		cmocka_unit_test_setup_teardown(
			the_middle_gives_a_lower_target_away, start, stop),
		cmocka_unit_test_setup_teardown(excursions_explain_the_flag, start, stop),
		cmocka_unit_test_setup_teardown(a_fall_leaves_the_flag_behind, start, stop),
		cmocka_unit_test_setup_teardown(a_flag_that_is_missing_proves_nothing, start, stop),
		cmocka_unit_test_setup_teardown(far_above_confirms_nothing, start, stop),
		cmocka_unit_test_setup_teardown(checkpoints_lower_the_dirty_target, start, stop),
		cmocka_unit_test_setup_teardown(
			an_engine_in_memory_is_not_contradicted, start, stop),
		cmocka_unit_test_setup_teardown(slow_polls_count_once, start, stop),
		cmocka_unit_test(no_capture_is_contradicted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
