/* Every key does what the help says; a key without a meaning changes nothing. */
#include <string.h>

#include "hotset/panel.h"
#include "scene.h"
#include "support.h"

static struct model *demo;

static int set_up(void **state)
{
	(void)state;
	demo = scene_demo();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	model_destroy(demo);
	return 0;
}

static enum reaction press(struct view_state *s, enum key_code code, char32_t ch)
{
	struct key k = {code, ch};

	return screen_key(demo, s, &k);
}

static enum reaction type(struct view_state *s, char32_t ch)
{
	return press(s, KEYC_CHAR, ch);
}

static void test_unknown_keys_change_nothing(void **state)
{
	struct view_state s, before;

	(void)state;
	view_state_init(&s);
	before = s;
	for (char32_t ch = 0; ch < 0x500; ch++) {
		if (ch < 0x80 && strchr("qgGjkhlept?[]+-=<> 1234567xmr!", (int)ch))
			continue;
		assert_int_equal(type(&s, ch), REACT_NONE);
	}
	assert_int_equal(press(&s, KEYC_NONE, 0), REACT_NONE);
	assert_int_equal(press(&s, KEYC_ESC, 0), REACT_NONE);
	assert_memory_equal(&s, &before, sizeof(s));
}

/* Looking costs the server: only in the view that shows it, and never in a replay. */
static void test_hot_keys(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	assert_int_equal(type(&s, U'H'), REACT_NONE);
	assert_false(s.hot_keys);
	s.view = VIEW_REDIS;
	assert_int_equal(type(&s, U'H'), REACT_REDRAW);
	assert_true(s.hot_keys);
	assert_int_equal(type(&s, U'H'), REACT_REDRAW);
	assert_false(s.hot_keys);
	s.replay = true;
	assert_int_equal(type(&s, U'H'), REACT_NONE);
	assert_int_equal(type(&s, U'r'), REACT_NONE); /* nor is a replay recorded */
}

static void test_views(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	for (unsigned v = 0; v < VIEW_COUNT; v++) {
		enum view found;

		assert_int_equal(type(&s, U'1' + v), REACT_REDRAW);
		assert_int_equal(s.view, v);
		assert_true(view_find(view_name((enum view)v), &found));
		assert_int_equal(found, v);
	}
	assert_int_equal(press(&s, KEYC_TAB, 0), REACT_REDRAW);
	assert_int_equal(s.view, VIEW_OVERVIEW);
	assert_int_equal(press(&s, KEYC_BACKTAB, 0), REACT_REDRAW);
	assert_int_equal(s.view, VIEW_EVENTS);
}

static void test_the_app_is_told(void **state)
{
	static const struct {
		enum key_code code;
		char32_t ch;
		enum reaction want;
	} rows[] = {
		{KEYC_CHAR, U'q', REACT_QUIT},
		{KEYC_CTRL_C, 0, REACT_QUIT},
		{KEYC_EOF, 0, REACT_QUIT},
		{KEYC_CTRL_L, 0, REACT_REFRESH},
		{KEYC_CTRL_Z, 0, REACT_SUSPEND},
		{KEYC_RESIZE, 0, REACT_RESIZE},
		{KEYC_CHAR, U't', REACT_THEME},
	};
	struct view_state s;

	(void)state;
	view_state_init(&s);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(press(&s, rows[i].code, rows[i].ch), rows[i].want);
}

static void test_help_opens_and_closes(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	assert_int_equal(type(&s, U'?'), REACT_REDRAW);
	assert_true(s.help);
	assert_int_equal(press(&s, KEYC_ESC, 0), REACT_REDRAW);
	assert_false(s.help);
	assert_int_equal(press(&s, KEYC_F1, 0), REACT_REDRAW);
	assert_true(s.help);
	assert_int_equal(type(&s, U'3'), REACT_REDRAW); /* a view closes it, too */
	assert_false(s.help);
	assert_int_equal(s.view, VIEW_REDIS);
}

static void test_time_moves_only_when_paused(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	assert_int_equal(press(&s, KEYC_LEFT, 0), REACT_NONE);
	assert_int_equal(press(&s, KEYC_HOME, 0), REACT_NONE);
	assert_int_equal(type(&s, U' '), REACT_PAUSE);
	assert_true(s.paused);
	assert_int_equal(press(&s, KEYC_LEFT, 0), REACT_STEP_BACK);
	assert_int_equal(type(&s, U'['), REACT_STEP_BACK);
	assert_int_equal(type(&s, U']'), REACT_STEP_FORWARD);
	assert_int_equal(press(&s, KEYC_RIGHT, 0), REACT_STEP_FORWARD);
	assert_int_equal(press(&s, KEYC_HOME, 0), REACT_GO_FIRST);
	assert_int_equal(press(&s, KEYC_END, 0), REACT_GO_LAST);
	assert_int_equal(type(&s, U'p'), REACT_PAUSE);
	assert_false(s.paused);
	s.replay = true;
	assert_int_equal(press(&s, KEYC_LEFT, 0), REACT_STEP_BACK);
}

static void test_zoom_and_interval_have_ends(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	assert_int_equal(type(&s, U'+'), REACT_NONE);
	for (int i = 0; i < 20; i++)
		(void)type(&s, U'-');
	assert_int_equal(s.columns_s, 60);
	assert_int_equal(type(&s, U'-'), REACT_NONE);
	assert_int_equal(type(&s, U'+'), REACT_REDRAW);
	assert_int_equal(s.columns_s, 30);
	assert_int_equal(type(&s, U'>'), REACT_INTERVAL);
	test_near(s.interval_s, 2, 1e-9);
	for (int i = 0; i < 20; i++)
		(void)type(&s, U'<');
	test_near(s.interval_s, 0.1, 1e-9);
	assert_int_equal(type(&s, U'<'), REACT_NONE);
	s.interval_s = 3; /* not one of the list: the next one in each direction */
	(void)type(&s, U'>');
	test_near(s.interval_s, 5, 1e-9);
	s.replay = true;
	assert_int_equal(type(&s, U'>'), REACT_NONE);
}

static void test_cursor_stays_on_the_list(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	assert_int_equal(type(&s, U'j'), REACT_NONE); /* the overview has no table here */
	(void)type(&s, U'7');
	assert_int_equal(view_rows(demo, &s), (int)demo->nevents);
	assert_true(demo->nevents > 2);
	assert_int_equal(press(&s, KEYC_UP, 0), REACT_NONE);
	assert_int_equal(press(&s, KEYC_DOWN, 0), REACT_REDRAW);
	assert_int_equal(s.cursor, 1);
	assert_int_equal(type(&s, U'G'), REACT_REDRAW);
	assert_int_equal(s.cursor, (int)demo->nevents - 1);
	assert_int_equal(press(&s, KEYC_PGDN, 0), REACT_NONE);
	assert_int_equal(press(&s, KEYC_PGUP, 0), REACT_REDRAW);
	assert_int_equal(s.cursor, 0);
	(void)type(&s, U'j');
	(void)type(&s, U'g');
	assert_int_equal(s.cursor, 0);
	(void)type(&s, U'j');
	(void)type(&s, U'5');
	assert_int_equal(s.cursor, 0); /* another view starts at its top */
}

static void test_the_help_scrolls_where_it_is_longer_than_the_screen(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	s.lines = 200;
	(void)type(&s, U'?');
	assert_int_equal(type(&s, U'j'), REACT_NONE);
	s.lines = 20;
	assert_int_equal(type(&s, U'G'), REACT_REDRAW);
	assert_int_equal(s.scroll, help_hidden(20));
	assert_int_equal(type(&s, U'j'), REACT_NONE);
	assert_int_equal(type(&s, U'k'), REACT_REDRAW); /* at once, none was counted beyond the end */
	assert_int_equal(s.scroll, help_hidden(20) - 1);
	(void)press(&s, KEYC_ESC, 0);
	(void)type(&s, U'?');
	assert_int_equal(s.scroll, 0);
}

static void test_a_key_takes_the_message_away(void **state)
{
	struct view_state s;

	(void)state;
	view_state_init(&s);
	memcpy(s.message, "recording", sizeof("recording"));
	assert_int_equal(type(&s, U'@'), REACT_REDRAW);
	assert_string_equal(s.message, "");
}

static void test_enter_opens_the_worst_of_many(void **state)
{
	struct model *m = model_create();
	struct view_state s;
	struct key enter = {KEYC_ENTER, 0}, digit = {KEYC_CHAR, U'3'};

	(void)state;
	assert_non_null(m);
	for (int i = 0; i < 8; i++)
		(void)scene_add(m, KIND_REDIS);
	scene_run(m, 3);
	scene_fail(m, m->ep[5], 0.1, STATUS_REFUSED, "connection refused");
	view_state_init(&s);
	assert_int_equal(view_rows(m, &s), 8);
	assert_int_equal(screen_key(m, &s, &enter), REACT_REDRAW);
	assert_int_equal(s.view, VIEW_REDIS);
	assert_ptr_equal(view_endpoint(m, &s, KIND_REDIS), m->ep[5]);
	(void)screen_key(m, &s, &digit); /* the view's own digit: the next one, round and round */
	assert_ptr_equal(view_endpoint(m, &s, KIND_REDIS), m->ep[6]);
	(void)screen_key(m, &s, &digit);
	(void)screen_key(m, &s, &digit);
	assert_ptr_equal(view_endpoint(m, &s, KIND_REDIS), m->ep[0]);
	model_destroy(m);
}

static void test_an_empty_model_takes_every_key(void **state)
{
	struct model *m = model_create();
	struct view_state s;

	(void)state;
	assert_non_null(m);
	view_state_init(&s);
	for (unsigned v = 0; v < VIEW_COUNT; v++)
		for (int code = KEYC_NONE; code <= KEYC_EOF; code++)
			for (char32_t ch = 0x20; ch < (code == KEYC_CHAR ? 0x7fu : 0x21u); ch++) {
				struct key k = {(enum key_code)code, ch};

				s.view = (enum view)v;
				(void)screen_key(m, &s, &k);
				assert_true(s.cursor == 0 && s.columns_s >= 1 && s.interval_s > 0);
			}
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_keys_change_nothing),
		cmocka_unit_test(test_hot_keys),
		cmocka_unit_test(test_views),
		cmocka_unit_test(test_the_app_is_told),
		cmocka_unit_test(test_help_opens_and_closes),
		cmocka_unit_test(test_time_moves_only_when_paused),
		cmocka_unit_test(test_zoom_and_interval_have_ends),
		cmocka_unit_test(test_cursor_stays_on_the_list),
		cmocka_unit_test(test_the_help_scrolls_where_it_is_longer_than_the_screen),
		cmocka_unit_test(test_a_key_takes_the_message_away),
		cmocka_unit_test(test_enter_opens_the_worst_of_many),
		cmocka_unit_test(test_an_empty_model_takes_every_key),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
