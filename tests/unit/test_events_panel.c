/*
 * The view of events: every sentence is there in full however narrow the terminal, and the event
 * under the cursor is always among those that are shown.
 */
#include <stdio.h>

#include "hotset/panel.h"
#include "hotset/strbuf.h"
#include "support.h"

#define EVENTS 40u

static struct model *m;
static struct view_state view;
static struct canvas c;

static int start(void **state)
{
	(void)state;
	m = model_create();
	view_state_init(&view);
	view.view = VIEW_EVENTS;
	view.interval_s = 1;
	return m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", 60) && canvas_init(&c, 80, 24)
		       ? 0
		       : -1;
}

static int stop(void **state)
{
	(void)state;
	canvas_finish(&c);
	model_destroy(m);
	return 0;
}

/* Words that end in the number of the event: "... last-7". */
static void add_events(void)
{
	char text[256];

	for (unsigned i = 0; i < EVENTS; i++) {
		snprintf(text, sizeof(text),
			"the hot set is back 11 s after COLLSCAN on shop.orders: 27.0k pages in, "
			"26.7k clean pages out, 2.16k read again, reads 102 to 163 us last-%u",
			i);
		model_add_event(
			m, 0, 0, "mongo.scan.recovered", LEVEL_INFO, EVENT_POINT, text, NULL);
	}
}

/* Whether the screen has the word, which never spans two lines. */
static bool shows(const char *word)
{
	struct strbuf text;
	bool found;

	strbuf_init(&text, 1 << 16);
	canvas_to_text(&c, &text);
	found = strstr(text.data, word) != NULL;
	strbuf_finish(&text);
	return found;
}

static void sentences_are_whole_at_every_width(void **state)
{
	(void)state;
	add_events();
	for (int w = 40; w <= 200; w += 20) {
		assert_true(canvas_resize(&c, w, 24));
		screen_draw(m, &view, &c);
		assert_true(shows("last-39"));
	}
}

static void the_cursor_stays_in_sight(void **state)
{
	char word[32];

	(void)state;
	add_events();
	for (int w = 60; w <= 160; w += 50)
		for (unsigned i = 0; i < EVENTS; i++) {
			assert_true(canvas_resize(&c, w, 24));
			view.cursor = (int)i;
			screen_draw(m, &view, &c);
			snprintf(word, sizeof(word), "last-%u ", EVENTS - 1 - i);
			assert_true(shows(word));
		}
	view.cursor = 1000; /* past the end */
	screen_draw(m, &view, &c);
	assert_true(shows("last-0 "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sentences_are_whole_at_every_width, start, stop),
		cmocka_unit_test_setup_teardown(the_cursor_stays_in_sight, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
