/*
 * Where a scan stands in the graphs: begin and end at the seconds in which they were seen, at every
 * size, zoom and character set, and nothing where pages are read again.
 */
#include "capture.h"
#include "hotset/model.h"
#include "hotset/panel.h"
#include "support.h"

#define BASE_MONO INT64_C(500000000000)
#define BASE_WALL INT64_C(1764536400000000000)
#define BEGIN_S   13 /* of the capture */
#define END_S     16

static struct model *play_until(int last_s)
{
	struct model *m = model_create();
	struct capture *c = capture_open("tests/fixtures/captures/collscan-slow-cool.bson.gz");
	const bson_t *doc;

	assert_non_null(m);
	assert_non_null(model_add(m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
	assert_non_null(c);
	while ((doc = capture_next(c)) && capture_time(doc) < last_s + 0.5)
		model_push(m, capture_sample(doc, BASE_MONO, BASE_WALL));
	capture_close(c);
	return m;
}

static bool is_graph(char32_t ch)
{
	return (ch > 0x2800 && ch < 0x2900) || ch == U'_' || ch == U'.' || ch == U'#';
}

/* The frame of the panel with the pages: from its title to the right, and the rows below. */
struct spot {
	int left, right, top, bottom;
};

static struct spot find_panel(const struct canvas *c, const char *title)
{
	struct spot s = {0};

	for (s.top = 0; s.top < c->h; s.top++)
		for (s.left = 0; s.left < c->w; s.left++) {
			int n = 0;

			while (title[n] && s.left + n < c->w &&
				canvas_cell(c, s.left + n, s.top)->ch ==
					(char32_t)(unsigned char)title[n])
				n++;
			if (title[n])
				continue;
			for (s.right = s.left; s.right < c->w; s.right++) {
				char32_t below = canvas_cell(c, s.right, s.top + 1)->ch;

				if (below == U'│' || below == U'|')
					break;
			}
			for (s.bottom = s.top + 1; s.bottom < c->h; s.bottom++)
				if (canvas_cell(c, s.right, s.bottom)->ch !=
					canvas_cell(c, s.right, s.top + 1)->ch)
					break;
			return s;
		}
	fail_msg("no panel \"%s\"", title);
	return s;
}

/* The column of a head in the first row below the title; -1 if it is not there once. */
static int find_head(const struct canvas *c, const struct spot *s, char32_t head)
{
	int at = -1;

	for (int x = s->left; x < s->right; x++) {
		if (canvas_cell(c, x, s->top + 1)->ch != head)
			continue;
		if (at >= 0)
			return -1;
		at = x;
	}
	return at;
}

static int newest_column(const struct canvas *c, const struct spot *s)
{
	for (int x = s->right - 1; x > s->left; x--)
		if (is_graph(canvas_cell(c, x, s->bottom - 1)->ch))
			return x;
	fail_msg("an empty graph");
	return -1;
}

static void check(int now_s, int w, int h, bool ascii, int zoom)
{
	struct model *m = play_until(now_s);
	int per_cell = ascii ? 1 : 2, now = (500 + now_s) / zoom;
	struct view_state state;
	struct canvas c;
	struct spot s;

	view_state_init(&state);
	state.interval_s = 1;
	state.columns_s = zoom;
	assert_true(canvas_init(&c, w, h));
	c.ascii = ascii;
	screen_draw(m, &state, &c);
	s = find_panel(&c, "pages read into cache");

	int newest = newest_column(&c, &s);
	int begin = newest - (now - (500 + BEGIN_S) / zoom) / per_cell;
	int end = newest - (now - (500 + END_S) / zoom) / per_cell;

	assert_int_equal(find_head(&c, &s, ascii ? U'v' : U'▼'), begin);
	if (end != begin)
		assert_int_equal(find_head(&c, &s, ascii ? U'^' : U'▽'), end);
	canvas_finish(&c);
	model_destroy(m);
}

static void begin_and_end_stand_at_their_seconds(void **state)
{
	static const int sizes[][2] = {{80, 24}, {120, 36}, {200, 50}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int now_s = 30; now_s <= 40; now_s += 5) { /* both halves of a cell */
			check(now_s, sizes[i][0], sizes[i][1], false, 1);
			check(now_s, sizes[i][0], sizes[i][1], true, 1);
		}
}

static void they_do_so_at_any_zoom(void **state)
{
	(void)state;
	for (int zoom = 2; zoom <= 10; zoom += 4) {
		check(40, 120, 36, false, zoom);
		check(41, 120, 36, true, zoom);
	}
}

/* When the begin has left the graph, pages read again (t = 17) are no scan that begins. */
static void pages_read_again_are_no_beginning(void **state)
{
	struct model *m = play_until(84);
	struct view_state view;
	unsigned widths = 0;
	struct canvas c;

	(void)state;
	view_state_init(&view);
	view.interval_s = 1;
	assert_true(canvas_init(&c, 80, 24));
	for (int w = 80; w > 70; w--) {
		assert_true(canvas_resize(&c, w, 24));
		screen_draw(m, &view, &c);

		struct spot s = find_panel(&c, "pages read into cache");
		int newest = newest_column(&c, &s);

		if (newest - (84 - BEGIN_S) / 2 >= s.left || newest - (84 - END_S) / 2 < s.left)
			continue;
		assert_int_equal(find_head(&c, &s, U'▼'), -1);
		assert_int_not_equal(find_head(&c, &s, U'▽'), -1);
		widths++;
	}
	assert_true(widths > 0); /* some show the end and not the begin */
	canvas_finish(&c);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(begin_and_end_stand_at_their_seconds),
		cmocka_unit_test(they_do_so_at_any_zoom),
		cmocka_unit_test(pages_read_again_are_no_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
