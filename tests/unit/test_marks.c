/*
 * Marks of the user: set at the moment of the key and not of its note, on every graph and among the
 * events, in order also when a replay is set back, bounded, and not shown before their time.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/strbuf.h"
#include "hotset/widgets.h"
#include "scene.h"
#include "support.h"

static struct model *node;
static struct view_state s;
static char text[1 << 16]; /* of the last picture */

static int set_up(void **state)
{
	(void)state;
	node = scene_node();
	node->nevents = node->event_head = 0; /* none in the way */
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

static void type(const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(press(KEYC_CHAR, (char32_t)*keys), REACT_REDRAW);
}

static const char *picture(void)
{
	struct strbuf b;
	struct canvas c;

	assert_true(canvas_init(&c, 120, 36));
	screen_draw(node, &s, &c);
	strbuf_init(&b, sizeof(text) - 1);
	canvas_to_text(&c, &b);
	memcpy(text, b.data, b.len + 1);
	strbuf_finish(&b);
	canvas_finish(&c);
	return text;
}

static unsigned count_in(const char *hay, const char *what)
{
	unsigned n = 0;

	for (const char *p = hay; (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void a_mark_is_on_graphs_and_among_the_events(void **state)
{
	int64_t at = node->mono_ns, wall = node->wall_ns;

	(void)state;
	type("m");
	assert_non_null(strstr(picture(), "mark at 14:03:22"));
	type("q1?");
	assert_int_equal(s.view, VIEW_MONGO); /* letters are letters */
	scene_wait(node, 2);                  /* typing takes a while */
	assert_int_equal(press(KEYC_ENTER, 0), REACT_REDRAW);
	assert_int_equal(s.prompt, PROMPT_NONE);
	assert_int_equal(marks_count(&s.marks, node->mono_ns), 1);
	assert_true(s.marks.mark[0].mono_ns == at && s.marks.mark[0].wall_ns == wall);
	assert_true(count_in(picture(), "q1?▼") >= 1);
	type("7");
	assert_int_equal(view_rows(node, &s), 1 + (int)node->nevents);
	assert_non_null(strstr(picture(), "14:03:22 ● mark"));
	assert_non_null(strstr(text, "q1?"));
}

static void escape_sets_none_and_no_note_is_a_mark_still(void **state)
{
	(void)state;
	type("mabc");
	assert_int_equal(press(KEYC_ESC, 0), REACT_REDRAW);
	assert_int_equal(s.marks.n, 0);
	type("m");
	assert_int_equal(press(KEYC_ENTER, 0), REACT_REDRAW);
	assert_string_equal(s.marks.mark[0].text, "mark");
}

/* Events at 31, 44, 100 s and later; a mark between stands between. */
static void marks_and_events_are_in_the_order_of_time(void **state)
{
	const char *before, *mark, *after;

	(void)state;
	scene_conclude(node);
	marks_add(&s.marks, node->mono_ns - INT64_C(40) * 1000000000,
		node->wall_ns - INT64_C(40) * 1000000000, "in between"); /* at 79 s */
	type("7");
	(void)picture();
	after = strstr(strstr(text, "events, newest"), "floods the cache");
	mark = strstr(text, "in between");
	before = strstr(text, "end ");
	assert_true(after && mark && before && after < mark && mark < before);
}

static void a_replay_set_back_hides_what_is_to_come(void **state)
{
	struct marks m = {0};

	(void)state;
	marks_add(&m, 50, 50, "b");
	marks_add(&m, 90, 90, "c");
	marks_add(&m, 10, 10, "a"); /* set later, of an earlier time */
	assert_int_equal(marks_count(&m, 100), 3);
	assert_string_equal(marks_get(&m, 0, 100)->text, "c");
	assert_string_equal(marks_get(&m, 2, 100)->text, "a");
	assert_int_equal(marks_count(&m, 60), 2);
	assert_string_equal(marks_get(&m, 0, 60)->text, "b");
	assert_null(marks_get(&m, 2, 60));
	assert_int_equal(marks_count(&m, 5), 0);
	assert_null(marks_get(&m, 0, 5));
}

static void the_oldest_mark_is_forgotten(void **state)
{
	struct marks m = {0};
	char name[16];

	(void)state;
	for (int i = 0; i < MARKS_MAX + 5; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		marks_add(&m, i, i, name);
	}
	assert_int_equal(m.n, MARKS_MAX);
	assert_string_equal(marks_get(&m, 0, 1000)->text, "m36");
	assert_string_equal(marks_get(&m, MARKS_MAX - 1, 1000)->text, "m5");
	marks_add(&m, -1, -1, "too old");
	assert_string_equal(marks_get(&m, MARKS_MAX - 1, 1000)->text, "m5");
}

static void a_long_note_is_cut_on_graphs_alone(void **state)
{
	static const char note[] = "rolling restart of all the 海図 members of the set";
	struct marks m = {0};

	(void)state;
	marks_add(&m, 1, 1, note);
	assert_string_equal(m.mark[0].text, note);
	assert_string_equal(m.mark[0].label, "rolling restart…");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_mark_is_on_graphs_and_among_the_events),
		TEST(escape_sets_none_and_no_note_is_a_mark_still),
		TEST(marks_and_events_are_in_the_order_of_time),
		TEST(a_replay_set_back_hides_what_is_to_come),
		TEST(the_oldest_mark_is_forgotten),
		TEST(a_long_note_is_cut_on_graphs_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
