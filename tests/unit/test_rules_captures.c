/*
 * Conclusions against the truth: what a real mongod did in each capture is known (see the README
 * beside them), and the rules must say that and nothing else.
 */
#include "capture.h"
#include "hotset/model.h"
#include "support.h"

#include <math.h>

#define BASE_MONO INT64_C(500000000000)
#define BASE_WALL INT64_C(1764536400000000000)
#define SEEN_MAX  200u

/* One verdict or event at one time of the capture. */
struct seen {
	double t;
	enum level level;
	char code[64];
	enum event_state state;
	uint64_t id;
	struct data data;
};

struct play {
	struct model *m;
	unsigned nevents, nverdicts;
	struct seen events[SEEN_MAX];
	struct seen verdicts[SEEN_MAX]; /* the first time of each code and level */
	double ratio_min, ratio_max;
	unsigned estimates;
	char kind[32];
};

static bool knows_verdict(const struct play *p, const struct verdict *v)
{
	for (unsigned i = 0; i < p->nverdicts; i++)
		if (p->verdicts[i].level == v->level && strcmp(p->verdicts[i].code, v->code) == 0)
			return true;
	return false;
}

static void note_verdicts(struct play *p, double t)
{
	for (unsigned i = 0; i < p->m->nverdicts; i++) {
		const struct verdict *v = &p->m->verdicts[i];

		assert_true(strlen(v->text) > 10);
		assert_true(strlen(v->next) > 10);
		if (knows_verdict(p, v) || p->nverdicts == SEEN_MAX)
			continue;

		struct seen *s = &p->verdicts[p->nverdicts++];

		*s = (struct seen){.t = t, .level = v->level, .data = v->data};
		snprintf(s->code, sizeof(s->code), "%s", v->code);
	}
}

static void note_events(struct play *p, double t)
{
	unsigned fresh = p->m->nevents - p->nevents;

	while (fresh-- > 0 && p->nevents < SEEN_MAX) {
		const struct event *e = model_event(p->m, fresh);
		struct seen *s = &p->events[p->nevents++];

		*s = (struct seen){
			.t = t, .level = e->level, .state = e->state, .id = e->id, .data = e->data};
		snprintf(s->code, sizeof(s->code), "%s", e->code);
	}
}

static void note_estimate(struct play *p)
{
	struct value ratio = p->m->ep[0]->frame.v[METRIC_MONGO_WS_RATIO];

	if (!value_ok(ratio))
		return;
	p->estimates++;
	p->ratio_min = fmin(p->ratio_min, ratio.v);
	p->ratio_max = fmax(p->ratio_max, ratio.v);
	snprintf(p->kind, sizeof(p->kind), "%s",
		frame_info(&p->m->ep[0]->frame, METRIC_MONGO_WS_KIND));
}

/*
 * How the source asks, unlike the captures, which have all in every second: $currentOp every other
 * second, in each of a storm, `metrics` every fifth and in the second after a storm began.
 */
struct thinning {
	bool on, storm, began;
	unsigned phase; /* 0 to 9 */
	double pages;
};

static void thin(struct thinning *th, struct sample *s, double t)
{
	static const enum metric_id counts[] = {METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL,
		METRIC_MONGO_SCAN_KEYS_EXAMINED_TOTAL, METRIC_MONGO_SCAN_COLLSCANS_TOTAL};
	double pages = sample_f64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL);
	unsigned second = (unsigned)(t + 0.5) + th->phase;
	bool storm = t > 0 && pages - th->pages > 200, metrics = th->began || second % 5 == 0;

	th->began = storm && !th->storm;
	th->storm = storm;
	th->pages = pages;
	for (size_t i = 0; !metrics && i < sizeof(counts) / sizeof(counts[0]); i++)
		sample_set_missing(s, counts[i], REASON_NOT_ASKED);
	if (!storm && (second + th->phase / 5) % 2 != 0)
		s->tables[TABLE_MONGO_OP] = (struct rows){0};
}

static struct play *play_thinned(const char *name, struct thinning th)
{
	struct play *p = calloc(1, sizeof(*p));
	char path[128];
	struct capture *c;
	const bson_t *doc;

	assert_non_null(p);
	snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", name);
	p->ratio_min = INFINITY;
	p->ratio_max = -INFINITY;
	p->m = model_create();
	assert_non_null(p->m);
	assert_non_null(model_add(p->m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
	c = capture_open(path);
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		double t = capture_time(doc);

		struct sample *s = capture_sample(doc, BASE_MONO, BASE_WALL);

		if (th.on)
			thin(&th, s, t);
		model_push(p->m, s);
		note_verdicts(p, t);
		note_events(p, t);
		note_estimate(p);
	}
	capture_close(c);
	return p;
}

static struct play *play(const char *name)
{
	return play_thinned(name, (struct thinning){.on = false});
}

static void finish(struct play *p)
{
	model_destroy(p->m);
	free(p);
}

static const struct seen *first_verdict(const struct play *p, const char *code)
{
	for (unsigned i = 0; i < p->nverdicts; i++)
		if (strcmp(p->verdicts[i].code, code) == 0)
			return &p->verdicts[i];
	return NULL;
}

static const struct seen *nth_event(const struct play *p, const char *code, unsigned n)
{
	for (unsigned i = 0; i < p->nevents; i++)
		if (strcmp(p->events[i].code, code) == 0 && n-- == 0)
			return &p->events[i];
	return NULL;
}

static const struct datum *datum(const struct seen *s, const char *key)
{
	for (unsigned i = 0; i < s->data.n; i++)
		if (strcmp(s->data.d[i].key, key) == 0)
			return &s->data.d[i];
	fail_msg("no %s in the data of %s", key, s->code);
	return NULL;
}

/* Of a verdict that holds at the end. */
static const struct datum *verdict_datum(const struct play *p, const char *code, const char *key)
{
	for (unsigned i = 0; i < p->m->nverdicts; i++)
		for (unsigned k = 0; k < p->m->verdicts[i].data.n; k++)
			if (strcmp(p->m->verdicts[i].code, code) == 0 &&
				strcmp(p->m->verdicts[i].data.d[k].key, key) == 0)
				return &p->m->verdicts[i].data.d[k];
	fail_msg("no %s in the verdict %s", key, code);
	return NULL;
}

/* Pages read a second, over the seconds that end at t of the capture. */
static double mean_read_rate(const struct play *p, double t, unsigned seconds)
{
	double mean;

	assert_true(history_mean(p->m->ep[0]->history, METRIC_MONGO_CACHE_PAGES_READ,
		BASE_MONO + (int64_t)(t * 1e9), seconds, seconds, &mean));
	return mean;
}

static void assert_no_scan(const struct play *p)
{
	for (unsigned i = 0; i < p->nverdicts; i++)
		assert_null(strstr(p->verdicts[i].code, "mongo.scan."));
	for (unsigned i = 0; i < p->nevents; i++)
		assert_null(strstr(p->events[i].code, "mongo.scan."));
}

/* Sweeps, a skew, writers, a held snapshot: pages come and go there, and nobody scans. */
static void nothing_else_is_a_storm(void **state)
{
	static const char *const names[] = {"idle", "sweep-0.25", "sweep-0.5", "sweep-1", "sweep-2",
		"sweep-all", "skew-90-10", "heavy-writes", "held-snapshot"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct play *p = play(names[i]);

		assert_no_scan(p);
		finish(p);
	}
}

static void idle_says_nothing(void **state)
{
	struct play *p = play("idle");

	(void)state;
	for (unsigned i = 0; i < p->nverdicts; i++)
		assert_true(p->verdicts[i].level <= LEVEL_INFO);
	assert_int_equal(p->nevents, 0);
	assert_int_equal(p->estimates, 0);
	finish(p);
}

static void half_a_cache_fits(void **state)
{
	struct play *p = play("sweep-0.5");

	(void)state;
	assert_int_equal(p->nverdicts, 0);
	assert_int_equal(p->nevents, 0);
	assert_true(p->estimates >= 10);
	assert_string_equal(p->kind, "at most");
	test_near(p->ratio_min, 0.509, 0.002);
	test_near(p->ratio_max, 0.509, 0.002);
	finish(p);
}

static void twice_the_cache_exceeds_it(void **state)
{
	struct play *p = play("sweep-2");

	(void)state;
	assert_no_scan(p);
	assert_true(p->estimates >= 10);
	assert_string_equal(p->kind, "uniform-equivalent");
	assert_true(p->ratio_min > 1.86 && p->ratio_max < 2.3);
	assert_int_equal(first_verdict(p, "mongo.ws.exceeds_cache")->level, LEVEL_WARN);
	/* full, and evicting in the background, is the normal state */
	assert_int_equal(first_verdict(p, "mongo.cache.above_target")->level, LEVEL_INFO);
	assert_null(first_verdict(p, "mongo.cache.above_trigger"));
	assert_null(first_verdict(p, "mongo.cache.app_stall"));
	finish(p);
}

/* Over between two polls, and seen just before by $currentOp: one point, no promotion. */
static void a_busy_small_set_survives_a_scan(void **state)
{
	struct play *p = play("collscan-hot");
	const struct seen *e = nth_event(p, "mongo.scan.storm", 0);

	(void)state;
	assert_int_equal(p->nevents, 1);
	assert_non_null(e);
	test_near(e->t, 13, 0.1);
	assert_int_equal(e->state, EVENT_POINT);
	assert_int_equal(e->level, LEVEL_WARN);
	assert_string_equal(datum(e, "ns")->text, "l21a.items");
	assert_true(datum(e, "app")->null); /* it had none */
	assert_non_null(strstr(datum(e, "command")->text, "{aggregate: ?, pipeline: [{$match: "));
	test_near(datum(e, "scans")->num, 1, 1e-6);
	test_near(datum(e, "pages_in")->num, 7600, 10);
	test_near(datum(e, "clean_out")->num, 6566, 10);
	assert_null(first_verdict(p, "mongo.scan.evicting_hot_set"));
	assert_int_equal(p->m->nverdicts, 0); /* at the end all is well */
	finish(p);
}

/* The same scan beside a hot set that is read slowly: pages of it are read again. */
static void a_cool_small_set_is_read_again(void **state)
{
	struct play *p = play("collscan-cool");
	const struct seen *hot = nth_event(p, "mongo.scan.evicting_hot_set", 0);
	const struct seen *back = nth_event(p, "mongo.scan.recovered", 0);

	(void)state;
	assert_int_equal(p->nevents, 2);
	test_near(hot->t, 11, 0.1);
	assert_int_equal(hot->state, EVENT_POINT);
	assert_true(datum(hot, "app")->null);
	test_near(datum(hot, "pages_in")->num, 6548, 10);
	test_near(datum(hot, "clean_out")->num, 5540, 10);
	test_near(datum(hot, "scans")->num, 1, 1e-6);
	/* 334 pages over about 20 s, the last of them within the noise */
	test_near(datum(back, "reread_pages")->num, 334, 10);
	assert_true(datum(back, "recovery_s")->num >= 8 && datum(back, "recovery_s")->num <= 20);
	assert_int_equal(p->m->nverdicts, 0);
	finish(p);
}

static void check_slow_scan(const struct play *p)
{
	const struct seen *begin = nth_event(p, "mongo.scan.storm", 0);
	const struct seen *hot = first_verdict(p, "mongo.scan.evicting_hot_set");

	assert_non_null(begin);
	test_near(begin->t, 13, 0.1); /* the poll that saw it first */
	assert_int_equal(begin->state, EVENT_BEGIN);
	assert_string_equal(datum(begin, "ns")->text, "l21a.items");
	assert_string_equal(datum(begin, "app")->text, "report-job");
	assert_non_null(strstr(datum(begin, "command")->text, "{aggregate: ?, pipeline: "));
	assert_non_null(hot);
	assert_int_equal(hot->level, LEVEL_CRIT);
	for (unsigned i = 0; i < p->nevents; i++)
		assert_int_equal(p->events[i].id, begin->id); /* one thing, one id */
}

static unsigned count_states(const struct play *p, enum event_state state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->nevents; i++)
		n += p->events[i].state == state ? 1 : 0;
	return n;
}

/* The first event of either code. */
static const struct seen *first_event_of(const struct play *p, const char *a, const char *b)
{
	for (unsigned i = 0; i < p->nevents; i++)
		if (strcmp(p->events[i].code, a) == 0 || strcmp(p->events[i].code, b) == 0)
			return &p->events[i];
	fail_msg("neither %s nor %s", a, b);
	return NULL;
}

static const struct seen *end_of_scan(const struct play *p)
{
	for (unsigned i = 0; i < p->nevents; i++)
		if (p->events[i].state == EVENT_END && strstr(p->events[i].code, ".scan."))
			return &p->events[i];
	fail_msg("the scan has no end");
	return NULL;
}

static void a_cool_set_is_evicted_and_comes_back_slowly(void **state)
{
	struct play *p = play("collscan-slow-cool");
	const struct seen *end = nth_event(p, "mongo.scan.storm", 1);
	const struct seen *hot = nth_event(p, "mongo.scan.evicting_hot_set", 0);

	(void)state;
	check_slow_scan(p);
	assert_int_equal(count_states(p, EVENT_BEGIN), 1);
	assert_int_equal(end->state, EVENT_END);
	test_near(end->t, 16, 0.1);
	test_near(datum(end, "pages_in")->num, 26956, 5);
	test_near(datum(end, "clean_out")->num, 26698, 5);
	test_near(datum(end, "scans")->num, 4, 1e-6);
	assert_true(hot->t > end->t && hot->t < end->t + 2); /* pages are read again */
	/* over half a minute and more: 146 a second at first, about 12 at the end */
	test_near(verdict_datum(p, "mongo.scan.evicting_hot_set", "reread_pages")->num, 2155, 20);
	test_near(mean_read_rate(p, 17.1, 1), 146, 1);
	assert_true(mean_read_rate(p, 36, 10) < 50 && mean_read_rate(p, 36, 10) > 12);
	test_near(mean_read_rate(p, 85, 10), 12, 4);
	assert_null(nth_event(p, "mongo.scan.recovered", 0)); /* not yet when the capture ends */
	finish(p);
}

static void a_hot_set_that_suffers_is_seen_while_the_scan_runs(void **state)
{
	struct play *p = play("collscan-slow-hot");
	const struct seen *hot = first_verdict(p, "mongo.scan.evicting_hot_set");
	const struct seen *end = nth_event(p, "mongo.scan.evicting_hot_set", 1);

	(void)state;
	check_slow_scan(p);
	assert_true(hot->t < 16); /* by the median latency */
	assert_true(datum(hot, "p50_us")->num >= 1.5 * datum(hot, "p50_before_us")->num);
	assert_int_equal(end->state, EVENT_END);
	/* it still reads hundreds of pages a second when the capture ends */
	assert_null(nth_event(p, "mongo.scan.recovered", 0));
	assert_int_equal(p->m->verdicts[0].level, LEVEL_CRIT);
	finish(p);
}

/* The same scans in another run, of a server that sent no histograms: over within two seconds. */
static void a_hot_set_may_be_back_at_once(void **state)
{
	struct play *p = play("collscan-slow-hot-2");
	const struct seen *end = nth_event(p, "mongo.scan.storm", 1);
	const struct seen *back = nth_event(p, "mongo.scan.recovered", 0);

	(void)state;
	check_slow_scan(p);
	assert_int_equal(end->state, EVENT_END);
	assert_non_null(back);
	assert_true(datum(back, "recovery_s")->num <= 2);
	test_near(datum(back, "reread_pages")->num, 224, 1);
	assert_true(datum(back, "p50_before_us")->null);
	assert_true(datum(back, "p50_during_us")->null);
	assert_true(datum(back, "p50_after_us")->null);
	assert_int_equal(p->m->nverdicts, 0);
	finish(p);
}

static void check_fast_scan(const char *name, unsigned phase, double seen_t, bool evicted)
{
	struct play *p = play_thinned(name, (struct thinning){.on = true, .phase = phase});
	const struct seen *scan =
		first_event_of(p, "mongo.scan.storm", "mongo.scan.evicting_hot_set");

	assert_true(scan->t >= seen_t && scan->t < seen_t + 1.1); /* two samples */
	/* what $currentOp showed by chance a second before may be named, and nothing else */
	if (!datum(scan, "ns")->null)
		assert_string_equal(datum(scan, "ns")->text, "l21a.items");
	assert_true(datum(scan, "app")->null);
	assert_int_equal(nth_event(p, "mongo.scan.evicting_hot_set", 0) != NULL, evicted);
	if (evicted) {
		const struct seen *back = nth_event(p, "mongo.scan.recovered", 0);

		test_near(datum(back, "reread_pages")->num, 334, 10);
		test_near(datum(back, "recovery_s")->num, 11, 1.1);
	}
	assert_int_equal(p->m->nverdicts, 0);
	finish(p);
}

/* Whenever the expensive parts are asked for, the conclusions are the same. */
static void polls_without_all_parts_say_the_same(void **state)
{
	static const char *const slow[] = {
		"collscan-slow-hot", "collscan-slow-hot-2", "collscan-slow-cool"};

	(void)state;
	for (unsigned phase = 0; phase < 10; phase++) {
		for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
			struct play *p = play_thinned(
				slow[i], (struct thinning){.on = true, .phase = phase});

			check_slow_scan(p);
			test_near(end_of_scan(p)->t, 16, 0.1);
			finish(p);
		}
		check_fast_scan("collscan-hot", phase, 13, false);
		check_fast_scan("collscan-cool", phase, 11, true);
	}
}

static void heavy_writes_cross_what_they_cross(void **state)
{
	struct play *p = play("heavy-writes");
	const struct seen *target = first_verdict(p, "mongo.cache.updates_above_target");
	const struct seen *dirty = first_verdict(p, "mongo.cache.dirty_above_target");
	const struct seen *trigger = first_verdict(p, "mongo.cache.updates_above_trigger");

	(void)state;
	assert_no_scan(p);
	assert_non_null(dirty);
	assert_true(target->t < dirty->t && dirty->t < trigger->t);
	test_near(trigger->t, 29, 0.1);
	test_near(nth_event(p, "mongo.cache.updates_above_trigger", 2)->t, 44, 0.1);
	assert_null(first_verdict(p, "mongo.cache.dirty_above_trigger"));
	assert_null(first_verdict(p, "mongo.cache.above_trigger"));
	assert_non_null(first_verdict(p, "mongo.cache.app_stall"));
	assert_int_equal(p->estimates, 0); /* writes make it meaningless */
	finish(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_else_is_a_storm),
		cmocka_unit_test(idle_says_nothing),
		cmocka_unit_test(half_a_cache_fits),
		cmocka_unit_test(twice_the_cache_exceeds_it),
		cmocka_unit_test(a_busy_small_set_survives_a_scan),
		cmocka_unit_test(a_cool_small_set_is_read_again),
		cmocka_unit_test(a_hot_set_may_be_back_at_once),
		cmocka_unit_test(a_cool_set_is_evicted_and_comes_back_slowly),
		cmocka_unit_test(a_hot_set_that_suffers_is_seen_while_the_scan_runs),
		cmocka_unit_test(polls_without_all_parts_say_the_same),
		cmocka_unit_test(heavy_writes_cross_what_they_cross),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
