/*
 * The canvas keeps the grid whole: every write is clipped, wide characters are never shown by
 * half, control characters never reach a terminal, and ASCII mode emits nothing but ASCII.
 */
#include "hotset/canvas.h"

#include <string.h>

#include "hotset/strbuf.h"
#include "hotset/text.h"
#include "support.h"

static void expect_text(const struct canvas *c, const char *want)
{
	struct strbuf b;

	strbuf_init(&b, 1 << 20);
	canvas_to_text(c, &b);
	assert_string_equal(b.data, want);
	strbuf_finish(&b);
}

static struct canvas make(int w, int h)
{
	struct canvas c;

	assert_true(canvas_init(&c, w, h));
	return c;
}

/* E03: cells, not bytes nor code points; the next column starts at the same cell. */
static void test_widths(void **state)
{
	static const struct {
		const char *s;
		int cells;
	} rows[] = {{"海図", 4}, {"ø🙂木", 5}, {"naïve", 5}, {"nai\u0308ve", 5}, {"plain", 5}};
	struct canvas c = make(10, 5);

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(canvas_text(&c, 0, i, rows[i].s, ROLE_DEFAULT, 0), rows[i].cells);
		canvas_put(&c, 6, i, U'|', ROLE_BORDER, 0);
	}
	expect_text(&c, "海図  |\nø🙂木 |\nnaïve |\nnai\u0308ve |\nplain |\n");
	assert_int_equal(canvas_cell(&c, 0, 0)->width, 2);
	assert_int_equal(canvas_cell(&c, 1, 0)->width, 0);
	assert_int_equal(canvas_cell(&c, 2, 3)->combining, 0x308);
	canvas_finish(&c);
}

static void test_wide_at_the_edges(void **state)
{
	struct canvas c = make(6, 1);
	struct rect old;

	(void)state;
	canvas_text(&c, 0, 0, "abcdef", ROLE_DEFAULT, 0);
	old = canvas_clip(&c, (struct rect){1, 0, 4, 1});
	canvas_text(
		&c, 0, 0, "海図木", ROLE_DEFAULT, 0); /* at 0, 2, 4: the outer two lose a half */
	canvas_unclip(&c, old);
	expect_text(&c, "a 図 f\n");
	canvas_finish(&c);
}

static void test_overwritten_halves(void **state)
{
	struct canvas c = make(6, 1);

	(void)state;
	canvas_text(&c, 0, 0, "海図", ROLE_DEFAULT, 0);
	canvas_put(&c, 1, 0, U'x', ROLE_DEFAULT, 0);
	expect_text(&c, " x図\n");
	canvas_put(&c, 2, 0, U'y', ROLE_DEFAULT, 0);
	expect_text(&c, " xy\n");
	canvas_text(&c, 0, 0, "海", ROLE_DEFAULT, 0);
	canvas_text(&c, 1, 0, "図", ROLE_DEFAULT, 0); /* a wide one over a right half */
	expect_text(&c, " 図\n");
	for (int x = 0; x < 6; x++)
		assert_true(
			canvas_cell(&c, x, 0)->width != 2 || canvas_cell(&c, x + 1, 0)->width == 0);
	canvas_finish(&c);
}

/* E01: what is not sanitised already must not pass here either. */
static void test_control_characters_are_refused(void **state)
{
	struct canvas c = make(16, 1);

	(void)state;
	canvas_text(&c, 0, 0,
		"a\033[2J\a\b\t\177b\xc2\x9b\u202e"
		"c",
		ROLE_DEFAULT, 0);
	for (int x = 0; x < 16; x++)
		assert_true(canvas_cell(&c, x, 0)->ch >= 0x20 && canvas_cell(&c, x, 0)->ch != 0x7f);
	expect_text(&c, "a\uFFFD[2J\uFFFD\uFFFD\uFFFD\uFFFDb\uFFFD\uFFFDc\n");
	canvas_put(&c, 0, 0, 0x1b, ROLE_DEFAULT, 0);
	assert_int_equal(canvas_cell(&c, 0, 0)->ch, 0xfffd);
	canvas_text(&c, 0, 0, "one\ntwo", ROLE_DEFAULT, 0);
	assert_int_equal(canvas_cell(&c, 2, 0)->ch, U'e');
	assert_int_equal(canvas_cell(&c, 3, 0)->ch, U'2'); /* a newline ended the text */
	canvas_finish(&c);
}

static void test_ascii(void **state)
{
	struct canvas c = make(12, 4);

	(void)state;
	c.ascii = true;
	canvas_box(&c, (struct rect){0, 0, 12, 3}, "a", NULL, ROLE_BORDER);
	canvas_text(&c, 1, 1, "海nai\u0308ve█░…", ROLE_DEFAULT, 0);
	canvas_text(&c, 0, 3, "⚠ ✖ ▲ ┃ µ×", ROLE_DEFAULT, 0);
	expect_text(&c, "+ a -------+\n|"
			"??naive#.~|\n+----------+\n! X ^ | ux\n");
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 12; x++)
			assert_true(canvas_cell(&c, x, y)->ch < 0x7f &&
				    !canvas_cell(&c, x, y)->combining);
	canvas_finish(&c);
}

static void test_fit(void **state)
{
	struct canvas c = make(8, 5);

	(void)state;
	assert_int_equal(canvas_text_fit(&c, 0, 0, 5, "abcdefgh", ROLE_DEFAULT, 0), 5);
	assert_int_equal(canvas_text_fit(&c, 0, 1, 8, "abcdefgh", ROLE_DEFAULT, 0), 8);
	assert_int_equal(canvas_text_fit(&c, 0, 2, 4, "海図木", ROLE_DEFAULT, 0),
		3); /* no half for the ellipsis */
	assert_int_equal(canvas_text_fit(&c, 0, 3, 0, "abc", ROLE_DEFAULT, 0), 0);
	canvas_text_right(&c, 8, 4, 6, "12", ROLE_DEFAULT, 0);
	expect_text(&c, "abcd…\nabcdefgh\n海…\n\n      12\n");
	canvas_text_right(&c, 8, 4, 4, "123456", ROLE_DEFAULT, 0);
	assert_int_equal(canvas_cell(&c, 7, 4)->ch, U'…');
	canvas_finish(&c);
}

static void test_box_texts_stay_inside(void **state)
{
	struct canvas c = make(24, 6);

	(void)state;
	canvas_box(&c, (struct rect){0, 0, 20, 2}, "title", "12 of 15", ROLE_BORDER);
	canvas_box(&c, (struct rect){0, 2, 12, 2}, "title", "12 of 15", ROLE_BORDER);
	canvas_box(&c, (struct rect){0, 4, 8, 2}, "a long title", NULL, ROLE_BORDER);
	expect_text(&c, "╭ title ─ 12 of 15 ╮\n╰──────────────────╯\n"
			"╭ title ───╮\n╰──────────╯\n╭ a l… ╮\n╰──────╯\n");
	for (int w = 0; w < 5; w++)
		for (int h = 0; h < 3; h++)
			canvas_box(&c, (struct rect){20, 0, w, h}, "t", "n", ROLE_BORDER);
	canvas_finish(&c);
}

/* Whatever is drawn, cells outside of the clip stay as they were. */
static void test_nothing_leaves_the_clip(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct canvas c = make(20, 8), before = make(20, 8);
		struct rect r = {(int)(test_random(&seed) % 24) - 2,
			(int)(test_random(&seed) % 12) - 2, (int)(test_random(&seed) % 12),
			(int)(test_random(&seed) % 6)};
		int x = (int)(test_random(&seed) % 30) - 5, y = (int)(test_random(&seed) % 14) - 3;

		canvas_fill(&c, (struct rect){0, 0, 20, 8}, U'#', ROLE_BAR);
		canvas_fill(&before, (struct rect){0, 0, 20, 8}, U'#', ROLE_BAR);
		(void)canvas_clip(&c, r);
		canvas_text(&c, x, y, "ab海図e\u0301🙂 long text", ROLE_WARN, 0);
		canvas_text_right(&c, x, y + 1, 9, "right 海", ROLE_WARN, 0);
		canvas_box(&c, (struct rect){x, y, 9, 4}, "title", "note", ROLE_CRIT);
		canvas_fill(&c, (struct rect){x + 2, y + 2, 40, 2}, U'木', ROLE_OK);
		canvas_recolor(&c, (struct rect){x, y, 6, 6}, ROLE_OK, ATTR_BOLD);
		for (int cy = 0; cy < 8; cy++)
			for (int cx = 0; cx < 20; cx++)
				if (cx < r.x || cx >= r.x + r.w || cy < r.y || cy >= r.y + r.h)
					assert_memory_equal(canvas_cell(&c, cx, cy),
						canvas_cell(&before, cx, cy), sizeof(struct cell));
		canvas_finish(&c);
		canvas_finish(&before);
	}
}

static void test_sizes(void **state)
{
	struct canvas c = make(0, -3);
	const struct cell *cells;

	(void)state;
	assert_int_equal(c.w, 1);
	assert_int_equal(c.h, 1);
	assert_true(canvas_resize(&c, 5000, 5000));
	assert_int_equal(c.w, CANVAS_W_MAX);
	assert_int_equal(c.h, CANVAS_H_MAX);
	assert_true(canvas_resize(&c, 80, 24));
	cells = c.cells;
	canvas_text(&c, 0, 0, "old", ROLE_DEFAULT, 0);
	assert_true(canvas_resize(&c, 80, 24)); /* the same size: no allocation, but empty */
	assert_ptr_equal(c.cells, cells);
	assert_int_equal(canvas_cell(&c, 0, 0)->ch, U' ');
	canvas_finish(&c);
}

static void test_equal(void **state)
{
	struct canvas a = make(4, 2), b = make(4, 2), other = make(4, 3);

	(void)state;
	assert_true(canvas_equal(&a, &b));
	assert_false(canvas_equal(&a, &other));
	canvas_put(&a, 1, 1, U'x', ROLE_WARN, 0);
	assert_false(canvas_equal(&a, &b));
	canvas_put(&b, 1, 1, U'x', ROLE_CRIT, 0);
	assert_false(canvas_equal(&a, &b));
	canvas_finish(&a);
	canvas_finish(&b);
	canvas_finish(&other);
}

static void test_snapshot_format(void **state)
{
	struct canvas c = make(12, 2);
	struct strbuf b;

	(void)state;
	canvas_text(&c, 0, 0, "fill", ROLE_LABEL, 0);
	canvas_text(&c, 5, 0, "82 %", ROLE_VALUE, ATTR_BOLD);
	strbuf_init(&b, 4096);
	canvas_to_snapshot(&c, &b);
	assert_string_equal(b.data, "12x2\nfill 82 %\n\n....:....1..\nllll vvvv\n\n....:....1..\n"
				    "1:6-9 bold\n. default\nl label\nv value\n");
	strbuf_finish(&b);
	canvas_finish(&c);
}

static void test_role_letters_differ(void **state)
{
	bool seen[128] = {false};

	(void)state;
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		int letter = role_letter((enum role)r);

		assert_true(letter > 0x20 && letter < 0x7f);
		assert_false(seen[letter]);
		seen[letter] = true;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_wide_at_the_edges),
		cmocka_unit_test(test_overwritten_halves),
		cmocka_unit_test(test_control_characters_are_refused),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_box_texts_stay_inside),
		cmocka_unit_test(test_nothing_leaves_the_clip),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_snapshot_format),
		cmocka_unit_test(test_role_letters_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
