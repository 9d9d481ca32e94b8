/*
 * Bars, ladders, graphs and the gauge show what they are given and nothing else: a gap is not a
 * zero, a threshold keeps its place, and nothing leaves its rectangle.
 */
#include "hotset/chart.h"

#include <math.h>
#include <string.h>

#include "hotset/strbuf.h"
#include "support.h"

static struct canvas make(int w, int h, bool ascii)
{
	struct canvas c;

	assert_true(canvas_init(&c, w, h));
	c.ascii = ascii;
	return c;
}

static void expect_text(struct canvas *c, const char *want)
{
	struct strbuf b;

	strbuf_init(&b, 1 << 16);
	canvas_to_text(c, &b);
	assert_string_equal(b.data, want);
	strbuf_finish(&b);
	canvas_finish(c);
}

static struct value known(double v)
{
	return (struct value){.v = v};
}

static void test_bar_counts_eighths(void **state)
{
	struct canvas c = make(8, 6, false);

	(void)state;
	chart_bar(&c, 0, 0, 8, 0, 8, ROLE_BAR);
	chart_bar(&c, 0, 1, 8, 3.5, 8, ROLE_BAR);
	chart_bar(&c, 0, 2, 8, 8, 8, ROLE_BAR);
	chart_bar(&c, 0, 3, 8, 1e300, 8, ROLE_BAR);
	chart_bar(&c, 0, 4, 8, 1e-9, 8, ROLE_BAR); /* little is not nothing */
	chart_bar(&c, 0, 5, 8, NAN, 8, ROLE_BAR);
	expect_text(&c, "░░░░░░░░\n███▌░░░░\n████████\n████████\n▏░░░░░░░\n░░░░░░░░\n");
	c = make(8, 2, true);
	chart_bar(&c, 0, 0, 8, 3.5, 8, ROLE_BAR);
	chart_bar(&c, 0, 1, 8, 3.2, 8, ROLE_BAR);
	expect_text(&c, "####....\n###:....\n");
}

static void test_ladder_changes_role_at_its_thresholds(void **state)
{
	struct canvas c = make(20, 1, false);

	(void)state;
	chart_ladder(&c, 0, 0, 20, known(100), 100, 50, 80);
	assert_int_equal(canvas_cell(&c, 9, 0)->role, ROLE_BAR);
	assert_int_equal(canvas_cell(&c, 10, 0)->role, ROLE_MARK_TARGET);
	assert_int_equal(canvas_cell(&c, 10, 0)->ch, U'▲');
	assert_int_equal(canvas_cell(&c, 11, 0)->role, ROLE_BAR_WARN);
	assert_int_equal(canvas_cell(&c, 16, 0)->role, ROLE_MARK_TRIGGER);
	assert_int_equal(canvas_cell(&c, 17, 0)->role, ROLE_BAR_CRIT);
	canvas_finish(&c);
}

static void test_ladder_without_thresholds_or_value(void **state)
{
	struct canvas c = make(10, 4, false);

	(void)state;
	chart_ladder(&c, 0, 0, 10, known(50), 100, NAN, NAN);
	chart_ladder(&c, 0, 1, 10, (struct value){.why = REASON_FIRST}, 100, 20, 90);
	chart_ladder(&c, 0, 2, 10, known(500), 100, 100,
		100); /* above the scale: full; marks coincide */
	chart_ladder(&c, 0, 3, 10, known(5), NAN, 5, 9);
	expect_text(&c, "█████░░░░░\n░░▲░░░░░░┃\n█████████┃\n░░░░░░░░░░\n");
}

static void test_graph_gaps_are_not_zeros(void **state)
{
	static const float v[] = {0, 0, NAN, NAN, 4, 4, 8, 8};
	struct canvas c = make(4, 2, false);

	(void)state;
	chart_graph(&c, (struct rect){0, 0, 4, 2}, v, 8, 8, ROLE_GRAPH, NULL, 0);
	expect_text(&c, "   ⣿\n⣀ ⣿⣿\n");
	c = make(8, 2, true);
	chart_graph(&c, (struct rect){0, 0, 8, 2}, v, 8, 8, ROLE_GRAPH, NULL, 0);
	expect_text(&c, "      ##\n__  ####\n");
}

static void test_graph_is_right_aligned_and_clamped(void **state)
{
	static const float v[] = {1, 100};
	struct canvas c = make(4, 1, false);

	(void)state;
	chart_graph(&c, (struct rect){0, 0, 4, 1}, v, 2, 4, ROLE_GRAPH, NULL, 0);
	expect_text(&c, "   ⣸\n");
	c = make(4, 1, false);
	chart_graph(&c, (struct rect){2, 0, 4, 1}, v, 2, 4, ROLE_GRAPH, NULL, 0); /* not inside */
	chart_graph(&c, (struct rect){0, 0, 4, 1}, NULL, 0, 4, ROLE_GRAPH, NULL, 0);
	expect_text(&c, "\n");
	c = make(4, 1, false);
	assert_int_equal(chart_graph_values(&c, 30), 60);
	c.ascii = true;
	assert_int_equal(chart_graph_values(&c, 30), 30);
	assert_int_equal(chart_graph_values(&c, -1), 0);
	canvas_finish(&c);
}

static void test_marks(void **state)
{
	static const float v[] = {1, 1, 1, 1};
	static const struct chart_mark marks[] = {
		{3, "scan", false}, {9, NULL, true}, {14, "no room", false}, {0, NULL, false},
		{99, "gone", false}};
	static const struct chart_mark both[] = {{2, "scan", false}, {2, NULL, true}};
	struct canvas c = make(16, 3, false);

	(void)state;
	chart_graph(&c, (struct rect){0, 0, 16, 3}, v, 4, 1, ROLE_GRAPH, marks, 5);
	expect_text(&c, " ▼    ▽ scan▼ ⣿▼\n ┊    ┊     ┊ ⣿⣿\n ┊    ┊     ┊ ⣿⣿\n");
	c = make(8, 3, false); /* both in one column */
	chart_graph(&c, (struct rect){0, 0, 8, 3}, v, 4, 1, ROLE_GRAPH, both, 2);
	expect_text(&c, " scan▼⣿⣿\n     ┊⣿⣿\n     ┊⣿⣿\n");
}

static void test_nice_top_is_steady(void **state)
{
	static const struct {
		float v;
		double top;
	} rows[] = {{0, 10}, {9.9F, 10}, {10, 10}, {10.1F, 15}, {21800, 30000}, {30000, 30000},
		{48000, 50000}, {99000, 100000}};
	float gaps[] = {NAN, INFINITY, -5};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		test_near(chart_nice_top(&rows[i].v, 1, 10), rows[i].top, rows[i].top * 1e-9);
	test_near(chart_nice_top(gaps, 3, 1), 1, 1e-9);
	test_near(chart_nice_top(NULL, 0, 0), 1, 1e-9);
	for (double v = 1e-3; v < 1e15; v *= 1.07) {
		float f = (float)v;
		double top = chart_nice_top(&f, 1, 1e-4);

		assert_true(top >= (double)f * 0.999999 && top <= (double)f * 1.7);
	}
}

static void test_gauge(void **state)
{
	struct canvas c = make(17, 3, false);

	(void)state;
	chart_gauge(&c, 0, 0, 17, 2, 1.5, 3, 4);
	assert_int_equal(canvas_cell(&c, 8, 0)->ch, U'▼');
	assert_int_equal(canvas_cell(&c, 8, 0)->role, ROLE_WARN);
	expect_text(&c, "        ▼\n├───┼─━━┼━━━┼───┤\n0   1   2   3   4\n");
	c = make(17, 3, false);
	chart_gauge(&c, 0, 0, 17, NAN, NAN, NAN, 4); /* the scale stays when there is no estimate */
	expect_text(&c, "\n├───┼───┼───┼───┤\n0   1   2   3   4\n");
	c = make(3, 3, false);
	chart_gauge(&c, 0, 0, 3, 1, 1, 1, 4);
	chart_gauge(&c, 0, 0, 17, 99, 1, 200, 64);
	canvas_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bar_counts_eighths),
		cmocka_unit_test(test_ladder_changes_role_at_its_thresholds),
		cmocka_unit_test(test_ladder_without_thresholds_or_value),
		cmocka_unit_test(test_graph_gaps_are_not_zeros),
		cmocka_unit_test(test_graph_is_right_aligned_and_clamped),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_nice_top_is_steady),
		cmocka_unit_test(test_gauge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
