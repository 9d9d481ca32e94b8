/*
 * For every size and many sets of panels: places lie inside, do not overlap, are not empty, drop
 * the later panels first, and no more of them than needed. And the whole screen draws at every
 * size, in every view, without leaving its cells.
 */
#include "hotset/panel.h"

#include <string.h>

#include "scene.h"
#include "support.h"

static bool overlap(struct rect a, struct rect b)
{
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

static void random_items(uint64_t *seed, struct layout_item *items, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		int min_h = (int)(test_random(seed) % 9),
		    want_h = min_h + (int)(test_random(seed) % 8);

		items[i].size =
			(struct extent){min_h, want_h, want_h + (int)(test_random(seed) % 20)};
		items[i].min_w = (int)(test_random(seed) % 60);
		items[i].half = test_random(seed) % 2;
	}
}

static void check_places(const struct layout_item *items, unsigned n, struct rect r)
{
	struct rect out[LAYOUT_ITEMS_MAX];
	unsigned placed = layout_place(items, n, r, out), seen = 0;
	bool dropped_for_height = false;

	for (unsigned i = 0; i < n; i++) {
		if (out[i].w == 0) {
			assert_int_equal(out[i].h, 0);
			if (items[i].size.min_h > 0 && items[i].min_w <= r.w)
				dropped_for_height = true;
			continue;
		}
		seen++;
		assert_false(dropped_for_height); /* later ones are dropped first */
		assert_true(items[i].size.min_h > 0);
		assert_true(out[i].w >= items[i].min_w && out[i].h >= items[i].size.min_h);
		assert_true(out[i].x >= r.x && out[i].x + out[i].w <= r.x + r.w);
		assert_true(out[i].y >= r.y && out[i].y + out[i].h <= r.y + r.h);
		for (unsigned k = 0; k < i; k++)
			assert_false(out[k].w > 0 && overlap(out[i], out[k]));
	}
	assert_int_equal(seen, placed);
}

static void test_places(void **state)
{
	uint64_t seed = 99;

	(void)state;
	for (int w = 1; w <= 300; w += w < 40 ? 1 : 7)
		for (int h = 1; h <= 100; h += h < 30 ? 1 : 9)
			for (int round = 0; round < 20; round++) {
				struct layout_item items[LAYOUT_ITEMS_MAX];
				unsigned n =
					(unsigned)(test_random(&seed) % (LAYOUT_ITEMS_MAX + 1));

				random_items(&seed, items, n);
				check_places(items, n,
					(struct rect){(int)(test_random(&seed) % 5),
						(int)(test_random(&seed) % 5), w, h});
			}
}

static void test_heights_are_shared(void **state)
{
	static const struct layout_item items[] = {
		{{4, 6, 20}, 30, true},
		{{5, 5, 5}, 30, true},
		{{3, 8, EXTENT_ANY}, 1, false},
	};
	struct rect out[3];

	(void)state;
	assert_int_equal(layout_place(items, 3, (struct rect){0, 0, 80, 8}, out), 3);
	assert_int_equal(out[0].h, 5); /* a row is as high as its highest member */
	assert_int_equal(out[1].x, 40);
	assert_int_equal(out[2].y, 5);
	assert_int_equal(layout_place(items, 3, (struct rect){0, 0, 80, 40}, out), 3);
	assert_int_equal(out[0].h + out[2].h, 40); /* nothing is wasted while somebody can use it */
	assert_int_equal(
		layout_place(items, 3, (struct rect){0, 0, 50, 8}, out), 1); /* no pair fits */
	assert_int_equal(out[0].w, 50);
	assert_int_equal(layout_place(items, 3, (struct rect){0, 0, 0, 8}, out), 0);
}

static bool cell_is_sound(const struct canvas *c, int x, int y)
{
	const struct cell *p = canvas_cell(c, x, y);

	if (p->width == 2)
		return x + 1 < c->w && canvas_cell(c, x + 1, y)->width == 0;
	if (p->width == 0)
		return x > 0 && canvas_cell(c, x - 1, y)->width == 2;
	return p->ch >= 0x20 && p->role < ROLE_COUNT && (!c->ascii || p->ch < 0x7f);
}

static void draw_everywhere(const struct model *m, bool ascii)
{
	static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 200}, {3, 3}, {9, 4}, {20, 5}, {38, 10},
		{40, 12}, {55, 17}, {72, 20}, {80, 1}, {80, 24}, {120, 36}, {200, 50}, {300, 100},
		{500, 300}};
	struct view_state s;

	view_state_init(&s);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct canvas c;

		assert_true(canvas_init(&c, sizes[i][0], sizes[i][1]));
		c.ascii = ascii;
		for (unsigned v = 0; v < VIEW_COUNT; v++) {
			s.view = (enum view)v;
			s.help = i % 2;
			s.paused = i % 3 == 0;
			s.columns_s = i % 4 == 0 ? 30 : 1;
			s.cursor = (int)i;
			screen_draw(m, &s, &c);
			for (int y = 0; y < c.h; y++)
				for (int x = 0; x < c.w; x++)
					assert_true(cell_is_sound(&c, x, y));
		}
		canvas_finish(&c);
	}
}

static void test_screen_at_every_size(void **state)
{
	struct model *demo = scene_demo(), *node = scene_node(), *empty = model_create(),
		     *many = model_create();

	(void)state;
	assert_true(empty && many);
	for (int i = 0; i < 20; i++)
		(void)scene_add(many, (enum kind)(i % KIND_COUNT));
	scene_run(many, 2);
	draw_everywhere(demo, false);
	draw_everywhere(node, true);
	draw_everywhere(empty, false);
	draw_everywhere(many, false);
	scene_wait(node, 60);
	draw_everywhere(node, false);
	model_destroy(demo);
	model_destroy(node);
	model_destroy(empty);
	model_destroy(many);
}

/* Every size of small terminals, where the arithmetic is at its edges. */
static void test_small_screens(void **state)
{
	struct model *m = scene_demo();
	struct view_state s;

	(void)state;
	view_state_init(&s);
	for (int w = 1; w <= 60; w++)
		for (int h = 1; h <= 16; h++) {
			struct canvas c;

			s.view = (enum view)((w + h) % VIEW_COUNT);
			assert_true(canvas_init(&c, w, h));
			screen_draw(m, &s, &c);
			canvas_finish(&c);
		}
	model_destroy(m);
}

/* Drawing the same twice gives the same cells: nothing depends on what was on the canvas before. */
static void test_drawing_is_pure(void **state)
{
	struct model *m = scene_demo();
	struct view_state s;
	struct canvas a, b;

	(void)state;
	view_state_init(&s);
	assert_true(canvas_init(&a, 120, 36) && canvas_init(&b, 120, 36));
	for (unsigned v = 0; v < VIEW_COUNT; v++) {
		s.view = (enum view)v;
		screen_draw(m, &s, &a);
		canvas_fill(&b, (struct rect){0, 0, 120, 36}, U'海', ROLE_CRIT);
		screen_draw(m, &s, &b);
		assert_true(canvas_equal(&a, &b));
	}
	canvas_finish(&a);
	canvas_finish(&b);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_heights_are_shared),
		cmocka_unit_test(test_screen_at_every_size),
		cmocka_unit_test(test_small_screens),
		cmocka_unit_test(test_drawing_is_pure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
