/*
 * x explains what the view shows: every figure of its panels is listed, first and with its meaning,
 * its thresholds and where they come from, what the rules say about it and what to do next; a
 * missing one has its reason. It is a list to move and to search in, and closes again.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/strbuf.h"
#include "hotset/widgets.h"
#include "scene.h"
#include "support.h"

static struct model *node;
static struct view_state s;
static char text[1 << 18]; /* of the last picture */

static int set_up(void **state)
{
	(void)state;
	node = scene_node();
	view_state_init(&s);
	s.view = VIEW_MONGO;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	model_destroy(node);
	return 0;
}

static enum reaction press(enum key_code code, char32_t ch)
{
	struct key k = {code, ch};

	return screen_key(node, &s, &k);
}

static enum reaction type(char32_t ch)
{
	return press(KEYC_CHAR, ch);
}

static void search(const char *what)
{
	(void)type(U'/');
	assert_int_equal(s.prompt, PROMPT_SEARCH);
	for (; *what; what++)
		assert_int_equal(type((char32_t)*what), REACT_REDRAW);
	(void)press(KEYC_ENTER, 0);
}

static const char *picture(int w, int h)
{
	struct strbuf b;
	struct canvas c;

	assert_true(canvas_init(&c, w, h));
	screen_draw(node, &s, &c);
	strbuf_init(&b, sizeof(text) - 1);
	canvas_to_text(&c, &b);
	memcpy(text, b.data, b.len + 1);
	strbuf_finish(&b);
	canvas_finish(&c);
	return text;
}

static void assert_shows(const char *what)
{
	if (!strstr(picture(120, 36), what))
		fail_msg("'%s' is not on the screen:\n%s", what, text);
}

static void a_level_has_its_thresholds_and_their_sources(void **state)
{
	(void)state;
	assert_int_equal(type(U'x'), REACT_REDRAW);
	search("cache.fill");
	assert_shows(metric_desc(METRIC_MONGO_CACHE_FILL)->name);
	assert_shows("used / max");
	assert_shows("80.0 %, from: default (mongo.cache.target)");
	assert_shows("95.0 %, from: default (mongo.cache.trigger)");
	assert_shows("last minute");
	assert_int_equal(type(U'x'), REACT_REDRAW);
	assert_null(strstr(picture(120, 36), "what the figures mean"));
}

static void also_where_the_view_has_no_bar_of_it(void **state)
{
	(void)state;
	s.view = VIEW_OPS;
	(void)type(U'x');
	search("cache.dirty_fill");
	assert_shows("5.0 %, from: default (mongo.cache.dirty_target)");
}

static void the_rules_words_and_the_next_step_are_there(void **state)
{
	(void)state;
	(void)type(U'x');
	search("docs_examined");
	assert_shows("is evicting the hot set");
	assert_shows("add an index for {price: ?}");
	(void)press(KEYC_ESC, 0);
	(void)type(U'x');
	search("cache.fill"); /* another group: not its verdict */
	(void)picture(120, 36);
	assert_null(strstr(strstr(text, "used / max"), "evicting the hot set"));
}

static void a_missing_figure_has_its_reason(void **state)
{
	(void)state;
	(void)type(U'x');
	search("pinned.reader");
	assert_shows("n/a: not set");
}

static void note(bool seen[METRIC_COUNT + 1], unsigned *n, enum metric_id id)
{
	if (id < METRIC_COUNT && !seen[id] && metric_desc(id)->sem != SEM_COUNTER)
		(*n)++;
	seen[id] = true;
}

/* On which line of the picture the list has the metric, from 1. */
static unsigned line_of(const char *name)
{
	char cell[96];
	const char *at;
	unsigned line = 0;

	snprintf(cell, sizeof(cell), "│ %s ", name);
	at = strstr(text, cell);
	if (!at)
		fail_msg("%s is not listed", name);
	for (const char *p = text; p < at; p++)
		line += *p == '\n';
	return line;
}

static void every_figure_of_the_panels_is_listed_first(void **state)
{
	static bool seen[METRIC_COUNT + 1];
	struct view_item items[VIEW_ITEMS_MAX];
	unsigned n, figures = 0;

	(void)state;
	(void)type(U'x');
	n = view_build(node, &s, items);
	for (unsigned i = 0; i < n; i++) {
		const struct sheet *sh = items[i].ops->sheet;

		for (unsigned k = 0; sh && k < sh->nbars; k++) {
			note(seen, &figures, sh->bars[k].id);
			note(seen, &figures, sh->bars[k].target);
			note(seen, &figures, sh->bars[k].trigger);
		}
		for (unsigned k = 0; sh && k < sh->nfields; k++)
			note(seen, &figures, sh->fields[k].id);
		if (sh)
			note(seen, &figures, sh->graph);
	}
	assert_true(figures > 10);
	(void)picture(120, 400);
	for (unsigned id = 0; id < METRIC_COUNT; id++)
		if (seen[id] && metric_desc((enum metric_id)id)->sem != SEM_COUNTER)
			assert_true(line_of(metric_desc((enum metric_id)id)->name) <= figures);
}

static void every_metric_can_be_reached_at_every_size(void **state)
{
	unsigned all, n;

	(void)state;
	(void)type(U'x');
	n = explain_count(node, &s, &all);
	assert_int_equal(n, all);
	assert_true(n > 80);
	for (unsigned i = 0; i + 1 < n; i++) {
		assert_int_equal(press(KEYC_DOWN, 0), REACT_REDRAW);
		(void)picture(i % 3 ? 80 : 40, i % 3 == 1 ? 24 : 9);
	}
	assert_int_equal(press(KEYC_DOWN, 0), REACT_NONE);
	assert_int_equal(type(U'g'), REACT_REDRAW);
	assert_int_equal(s.explain.line, 0);
	assert_int_equal(press(KEYC_PGDN, 0), REACT_REDRAW);
	assert_int_equal(s.explain.line, 10);
	search("no such thing");
	assert_shows("no metric has the text");
	assert_int_equal(press(KEYC_DOWN, 0), REACT_NONE);
}

static void it_opens_in_every_view_and_without_a_server(void **state)
{
	struct model *kept = node;

	(void)state;
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned v = 0; v < VIEW_COUNT; v++) {
			s.view = (enum view)v;
			assert_int_equal(type(U'x'), REACT_REDRAW);
			assert_shows("what the figures mean");
			assert_int_equal(type(U'j'), pass || v == VIEW_REDIS || v == VIEW_MEMCACHED
							     ? REACT_NONE
							     : REACT_REDRAW);
			assert_int_equal(press(KEYC_ESC, 0), REACT_REDRAW);
			assert_false(s.explain.open);
		}
		node = pass ? node : model_create();
	}
	model_destroy(node);
	node = kept;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_level_has_its_thresholds_and_their_sources),
		TEST(also_where_the_view_has_no_bar_of_it),
		TEST(the_rules_words_and_the_next_step_are_there),
		TEST(a_missing_figure_has_its_reason),
		TEST(every_figure_of_the_panels_is_listed_first),
		TEST(every_metric_can_be_reached_at_every_size),
		TEST(it_opens_in_every_view_and_without_a_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
