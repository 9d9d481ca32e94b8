/*
 * What the panels of the cache and of the working set say in words: where thresholds come from and
 * what speaks against them, and what kind of number the estimate is. At the narrow width too.
 */
#include "capture.h"
#include "support.h"

#include "hotset/panel.h"
#include "hotset/strbuf.h"


static void assume_all(struct sample *s, const char *why)
{
	static const enum metric_id sources[] = {METRIC_MONGO_CACHE_TARGET_SOURCE,
		METRIC_MONGO_CACHE_TRIGGER_SOURCE, METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE, METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		sample_set_text(s, sources[i], "assumed", 7);
	sample_set_text(s, METRIC_MONGO_CACHE_ASSUMED, why, strlen(why));
}

/* Plays a capture. target_source and assumed: NULL as it is. */
static struct model *play(const char *name, const char *target_source, const char *assumed)
{
	struct model *m = model_create();
	struct capture *c;
	const bson_t *doc;
	char path[128];

	assert_non_null(m);
	assert_non_null(model_add(m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
	snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", name);
	c = capture_open(path);
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		struct sample *s = capture_sample(doc, 1000000000, 1000000000);

		if (assumed)
			assume_all(s, assumed);
		if (target_source)
			sample_set_text(s, METRIC_MONGO_CACHE_TARGET_SOURCE, target_source,
				strlen(target_source));
		model_push(m, s);
	}
	capture_close(c);
	return m;
}

static void assert_screen(struct model *m, int w, int h, bool says, const char *part)
{
	struct view_state s;
	struct strbuf text;
	struct canvas c;

	assert_true(canvas_init(&c, w, h));
	view_state_init(&s);
	s.view = VIEW_MONGO;
	strbuf_init(&text, 1 << 20);
	screen_draw(m, &s, &c);
	canvas_to_text(&c, &text);
	if ((strstr(text.data, part) != NULL) != says)
		fail_msg("\"%s\" is%s on the screen:\n%s", part, says ? " not" : "", text.data);
	strbuf_finish(&text);
	canvas_finish(&c);
}

static void assumed_thresholds_say_why_at_any_width(void **state)
{
	struct model *m = play("sweep-1", NULL, "no privilege");

	(void)state;
	assert_screen(m, 80, 24, true, "assumed: no privilege");
	assert_screen(m, 120, 36, true, "assumed: no privilege · confirmed: CLEAN, NOKEEP");
	model_destroy(m);
}

static void known_thresholds_are_confirmed_where_there_is_room(void **state)
{
	struct model *m = play("sweep-1", NULL, NULL);

	(void)state;
	assert_screen(m, 80, 24, false, "assumed");
	assert_screen(m, 80, 24, false, "confirmed");
	assert_screen(m, 80, 24, true, "10 s mean");
	assert_screen(m, 120, 36, true, "confirmed by eviction state: CLEAN, NOKEEP");
	model_destroy(m);
}

/* Two lines, where one would be cut. */
static void every_source_is_said(void **state)
{
	struct model *m = play("sweep-1", "runtime", NULL);

	(void)state;
	assert_screen(m, 80, 24, true, "80 runtime/5/2.5 default");
	assert_screen(m, 80, 24, true, "95/20/10 default");
	assert_screen(m, 120, 36, true, "80 runtime/5/2.5 default");
	model_destroy(m);
}

static void a_contradiction_is_said_at_any_width(void **state)
{
	struct model *m = play("sweep-1", NULL, NULL);
	struct frame *f = &m->ep[0]->frame;

	(void)state;
	f->info[METRIC_MONGO_CACHE_THRESHOLDS] = "contradicted: NOKEEP at 78 %";
	assert_screen(m, 80, 24, true, "contradicted: NOKEEP at 78 %");
	assert_screen(m, 200, 50, true, "contradicted: NOKEEP at 78 %");
	model_destroy(m);
	m = play("sweep-1", NULL, "no privilege"); /* the worse first */
	f = &m->ep[0]->frame;
	f->info[METRIC_MONGO_CACHE_THRESHOLDS] = "contradicted: NOKEEP at 78 %";
	assert_screen(m, 80, 24, true, "contradicted: NOKEEP at 78 %");
	model_destroy(m);
}

static void estimates_say_what_they_are(void **state)
{
	struct model *m = play("sweep-0.5", NULL, NULL);

	(void)state;
	assert_screen(m, 80, 24, true, "at most 0.51× the cache");
	assert_screen(m, 80, 24, true, "totals");
	model_destroy(m);
	m = play("skew-90-10", NULL, NULL);
	assert_screen(m, 80, 24, true, "≈ 0.89× the cache (0.7");
	assert_screen(m, 80, 24, true, "uniform-equivalent, more if skewed");
	assert_screen(m, 120, 36, true, "≈ 0.89× (0.7");
	assert_screen(m, 120, 36, true, "more if skewed");
	assert_screen(m, 120, 36, true, "by collection");
	model_destroy(m);
	m = play("heavy-writes", NULL, NULL);
	assert_screen(m, 80, 24, true, "no estimate: most operations write");
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(assumed_thresholds_say_why_at_any_width),
		cmocka_unit_test(known_thresholds_are_confirmed_where_there_is_room),
		cmocka_unit_test(every_source_is_said),
		cmocka_unit_test(a_contradiction_is_said_at_any_width),
		cmocka_unit_test(estimates_say_what_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
