/*
 * The operations view as a table to work with: the cursor keeps its row while the server lists
 * rows in another order, sorting is steady, a search hides what it must and takes every letter as a
 * letter, details follow their row and stay when it ends, and what is copied is one clean line.
 */
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "hotset/strbuf.h"
#include "hotset/text.h"
#include "hotset/widgets.h"
#include "support.h"

#define AT 5 /* seconds; an odd number of samples: the server's own order is not ours */

struct fixture {
	struct model *m;
	unsigned t; /* of the next sample */
	struct view_state s;
	char text[1 << 16]; /* of the last picture */
};

static struct fixture f;

static int set_up(void **state)
{
	(void)state;
	f = (struct fixture){.m = busy_model(AT), .t = AT};
	view_state_init(&f.s);
	f.s.view = VIEW_OPS;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	model_destroy(f.m);
	return 0;
}

static enum reaction press(enum key_code code, char32_t ch)
{
	struct key k = {code, ch};

	return screen_key(f.m, &f.s, &k);
}

static enum reaction type(char32_t ch)
{
	return press(KEYC_CHAR, ch);
}

static void type_text(const char *text)
{
	size_t len = strlen(text), n;
	char32_t ch;

	for (; len > 0; text += n, len -= n) {
		n = text_decode(text, len, &ch);
		assert_int_equal(type(ch), REACT_REDRAW);
	}
}

/* The next poll, seen by the screen as the loop shows it. */
static void poll_once(void)
{
	model_push(f.m, busy_sample(f.m->ep[0], f.t++));
	browse_settle(f.m, &f.s);
}

/* Draws the screen; what it says. */
static const char *picture(int w, int h)
{
	struct strbuf b;
	struct canvas c;

	assert_true(canvas_init(&c, w, h));
	screen_draw(f.m, &f.s, &c);
	strbuf_init(&b, sizeof(f.text) - 1);
	canvas_to_text(&c, &b);
	memcpy(f.text, b.data, b.len + 1);
	strbuf_finish(&b);
	canvas_finish(&c);
	return f.text;
}

static void assert_shows(const char *text)
{
	if (!strstr(picture(120, 36), text))
		fail_msg("'%s' is not on the screen:\n%s", text, f.text);
}

static void assert_shows_not(const char *text)
{
	if (strstr(picture(120, 36), text))
		fail_msg("'%s' is on the screen:\n%s", text, f.text);
}

static const struct row_order *order(unsigned table)
{
	static struct row_order o;

	rows_order(f.m->ep[0], view_table(&f.s, table), &f.s.browse[table], &o);
	return &o;
}

static const struct cell_value *row_at(unsigned table, unsigned line)
{
	const struct row_order *o = order(table);

	assert_true(line < o->n);
	return kept_row(f.m->ep[0], view_table(&f.s, table)->table, o->row[line]);
}

static unsigned cursor_line(void)
{
	const struct row_order *o = order(f.s.focus);

	return (unsigned)browse_line(
		f.m->ep[0], view_table(&f.s, f.s.focus), &f.s.browse[f.s.focus], o);
}

/* Of the selected operation; text ones are 0. */
static double opid(void)
{
	const struct cell_value *c = &row_at(0, cursor_line())[COL_MONGO_OP_OPID];

	assert_int_equal(f.s.focus, 0);
	return c->text ? 0 : c->num.v;
}

static void copied(char buf[ROW_LINE_MAX])
{
	assert_int_equal(type(U'y'), REACT_COPY);
	assert_true(browse_copy(f.m, &f.s, buf));
}

/* ---- order ---- */

static void what_harms_stands_first_then_what_is_old(void **state)
{
	double before = 1e9;

	(void)state;
	assert_int_equal(order(0)->n, BUSY_OPS(AT));
	test_near(row_at(0, 0)[COL_MONGO_OP_OPID].num.v, BUSY_SCAN, 0);
	assert_string_equal(row_at(0, 1)[COL_MONGO_OP_OPID].text, BUSY_IDLE);
	for (unsigned i = 2; i < BUSY_OPS(AT); i++) {
		double secs = row_at(0, i)[COL_MONGO_OP_SECS].num.v;

		assert_true(secs <= before);
		before = secs;
	}
}

/* The active one reaches 60 s at second 48 and the server's limit, when that is lower, before. */
static void a_transaction_is_marked_from_the_servers_limit_or_a_minute_on(void **state)
{
	struct sample *s;

	(void)state;
	f.t = 48; /* open for exactly 60 s: not yet */
	poll_once();
	test_near(row_at(0, 1)[COL_MONGO_OP_OPID].num.v, 129, 0);
	poll_once();
	test_near(row_at(0, 0)[COL_MONGO_OP_OPID].num.v, BUSY_ACTIVE, 0);
	s = busy_sample(f.m->ep[0], 20);
	s->mono_ns += INT64_C(100) * 1000000000;
	sample_set_f64(s, METRIC_MONGO_PINNED_LIMIT, 30);
	model_push(f.m, s); /* open for 32 s */
	test_near(row_at(0, 0)[COL_MONGO_OP_OPID].num.v, BUSY_ACTIVE, 0);
}

/* Among equals the place does not depend on the server's order, which turns each second. */
static void equal_rows_do_not_dance(void **state)
{
	char before[BUSY_OPS(0)][32];
	unsigned n;

	(void)state;
	while (view_table(&f.s, 0)->cols[f.s.browse[0].sort].col != COL_MONGO_OP_APP)
		assert_int_equal(type(U's'), REACT_REDRAW);
	n = order(0)->n;
	for (unsigned i = 0; i < n; i++)
		snprintf(before[i], sizeof(before[i]), "%s",
			row_at(0, i)[COL_MONGO_OP_CLIENT].text);
	poll_once();
	assert_int_equal(order(0)->n, n);
	for (unsigned i = 0; i < n; i++)
		assert_string_equal(row_at(0, i)[COL_MONGO_OP_CLIENT].text, before[i]);
}

static bool has(const struct cell_value *c)
{
	return c->text || value_ok(c->num);
}

/* Below zero: a stands before b in a rising order. */
static int compare(const struct cell_value *a, const struct cell_value *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	if (a->text || b->text)
		return a->text ? 1 : -1;
	return a->num.v < b->num.v ? -1 : a->num.v > b->num.v;
}

static void assert_sorted(unsigned table, unsigned col, bool falling)
{
	unsigned n = order(table)->n;

	for (unsigned i = 1; i < n; i++) {
		struct cell_value a = row_at(table, i - 1)[col], b = row_at(table, i)[col];

		assert_true(has(&a) || !has(&b)); /* what is missing comes last, either way */
		if (has(&a) && has(&b))
			assert_true(falling ? compare(&a, &b) >= 0 : compare(&a, &b) <= 0);
	}
}

static void s_goes_through_the_columns_and_S_turns_the_order(void **state)
{
	(void)state;
	for (unsigned table = 0; table < BROWSE_TABLES; table++) {
		const struct table_view *v = view_table(&f.s, table);
		bool falling;

		(void)type(table ? U'c' : U'o');
		for (unsigned i = 0; i < v->n; i++) {
			int at;

			assert_int_equal(type(U's'), REACT_REDRAW);
			at = browse_column(v, &f.s.browse[table], &falling);
			assert_true(falling != v->cols[at].text); /* the largest, or from A on */
			if (f.s.browse[table].sort > 0 || !v->level)
				assert_sorted(table, v->cols[at].col, falling);
			assert_int_equal(type(U'S'), REACT_REDRAW);
			if (f.s.browse[table].sort > 0 || !v->level)
				assert_sorted(table, v->cols[at].col, !falling);
			assert_int_equal(cursor_line(), 0);
		}
		assert_int_equal(f.s.browse[table].sort, 0); /* once around */
	}
}

static void the_sorted_column_is_marked_and_stays_on_narrow_screens(void **state)
{
	(void)state;
	assert_shows("secs ▼");
	assert_shows("in cache ▼");
	(void)type(U'S');
	assert_shows("secs ▲");
	(void)type(U'c');
	do
		(void)type(U's');
	while (!strstr(picture(200, 50), "size ▼"));
	assert_non_null(strstr(picture(80, 24), "size ▼"));
	assert_non_null(strstr(picture(60, 24), "size ▼"));
}

/* ---- the cursor ---- */

static void the_cursor_stays_on_its_row(void **state)
{
	(void)state;
	for (int i = 0; i < 7; i++)
		assert_int_equal(press(KEYC_DOWN, 0), REACT_REDRAW);
	double chosen = opid();

	(void)type(U'S');
	(void)type(U'S'); /* at its top again, since an order was asked for */
	for (int i = 0; i < 7; i++)
		(void)press(KEYC_DOWN, 0);
	test_near(opid(), chosen, 0);
	while (f.t < BUSY_SCAN_ENDS) {
		poll_once();
		test_near(opid(), chosen, 0);
	}
	unsigned line = cursor_line();

	poll_once(); /* the scan above it is over: the row moves up, and the cursor with it */
	test_near(opid(), chosen, 0);
	assert_int_equal(cursor_line(), line - 1);
}

static void where_the_row_has_ended_the_next_one_takes_its_line(void **state)
{
	(void)state;
	(void)type(U'j');
	(void)type(U'k');
	test_near(opid(), BUSY_SCAN, 0);
	while (f.t <= BUSY_SCAN_ENDS)
		poll_once();
	assert_int_equal(cursor_line(), 0);
	test_near(opid(), 0, 0); /* the idle transaction, which was second */
}

static void before_it_is_moved_the_cursor_is_on_the_worst(void **state)
{
	(void)state;
	test_near(opid(), BUSY_SCAN, 0);
	while (f.t <= BUSY_SCAN_ENDS)
		poll_once();
	assert_int_equal(cursor_line(), 0);
	assert_int_equal(f.s.browse[0].key, 0);
}

static void the_cursor_reaches_both_tables(void **state)
{
	unsigned last = BUSY_OPS(AT) - 1;

	(void)state;
	assert_shows("▶ running operations");
	assert_int_equal(press(KEYC_UP, 0), REACT_NONE);
	assert_int_equal(type(U'G'), REACT_REDRAW);
	assert_int_equal(cursor_line(), last);
	assert_int_equal(type(U'G'), REACT_NONE);
	assert_int_equal(press(KEYC_PGDN, 0), REACT_NONE); /* only a step goes on */
	assert_int_equal(type(U'j'), REACT_REDRAW);
	assert_int_equal(f.s.focus, 1);
	assert_int_equal(cursor_line(), 0);
	assert_shows("▶ collections");
	assert_shows_not("▶ running");
	assert_int_equal(press(KEYC_PGDN, 0), REACT_REDRAW);
	assert_int_equal(cursor_line(), 10);
	assert_int_equal(type(U'G'), REACT_REDRAW);
	assert_int_equal(cursor_line(), 2 * BUSY_COLLS - 1);
	assert_int_equal(type(U'j'), REACT_NONE);
	assert_int_equal(type(U'g'), REACT_REDRAW);
	assert_int_equal(type(U'k'), REACT_REDRAW);
	assert_int_equal(f.s.focus, 0);
	assert_int_equal(cursor_line(), last);
	assert_int_equal(type(U'c'), REACT_REDRAW);
	assert_int_equal(type(U'c'), REACT_NONE);
	assert_int_equal(type(U'o'), REACT_REDRAW);
	assert_int_equal(cursor_line(), last); /* each table keeps its own */
}

static void the_selected_row_is_on_the_screen(void **state)
{
	struct canvas c;

	(void)state;
	assert_true(canvas_init(&c, 80, 24));
	for (unsigned i = 0; i < BUSY_OPS(AT) + 2 * BUSY_COLLS; i++) {
		unsigned selected = 0;

		screen_draw(f.m, &f.s, &c);
		for (int y = 3; y < 23; y++)
			selected += canvas_cell(&c, 10, y)->role == ROLE_SELECTED;
		assert_int_equal(selected, 1);
		(void)press(KEYC_DOWN, 0);
	}
	canvas_finish(&c);
}

/* ---- search ---- */

static void a_search_takes_every_letter(void **state)
{
	(void)state;
	assert_int_equal(type(U'/'), REACT_REDRAW);
	for (const char *keys = "q?gGjkhlsSoyept[]+-=<> 1234567/xm"; *keys; keys++) {
		struct view_state before = f.s;

		assert_int_equal(type((char32_t)*keys), REACT_REDRAW);
		assert_int_equal(f.s.view, VIEW_OPS);
		memcpy(f.s.browse[0].search, before.browse[0].search, SEARCH_MAX);
		before.browse[0].key = f.s.browse[0].key;
		before.browse[0].line = f.s.browse[0].line;
		assert_memory_equal(&f.s, &before, sizeof(before)); /* nothing but the text */
	}
	assert_int_equal(press(KEYC_TAB, 0), REACT_NONE);
	assert_int_equal(press(KEYC_F1, 0), REACT_NONE);
	assert_int_equal(press(KEYC_LEFT, 0), REACT_NONE);
	assert_int_equal(press(KEYC_CTRL_L, 0), REACT_REFRESH);
	assert_int_equal(press(KEYC_CTRL_Z, 0), REACT_SUSPEND);
	assert_int_equal(press(KEYC_CTRL_C, 0), REACT_QUIT);
}

static void a_search_hides_what_has_no_such_text(void **state)
{
	(void)state;
	(void)type(U'/');
	type_text("größe-z"); /* written "Größe-Zähler" */
	assert_int_equal(order(0)->n, BUSY_POINTS / 3);
	assert_int_equal(order(1)->n, 2 * BUSY_COLLS); /* the other table's own */
	assert_shows("/größe-z");
	assert_shows("10 of 33");
	assert_shows_not("report-job");
	assert_int_equal(press(KEYC_ENTER, 0), REACT_REDRAW);
	assert_int_equal(f.s.prompt, PROMPT_NONE);
	assert_shows("/größe-z: 10 of 33"); /* kept, and said */
	poll_once();
	assert_int_equal(order(0)->n, BUSY_POINTS / 3);
	assert_int_equal(press(KEYC_ESC, 0), REACT_REDRAW);
	assert_int_equal(order(0)->n, BUSY_OPS(AT));
	assert_int_equal(press(KEYC_ESC, 0), REACT_NONE);
}

/* The cursor moves among what is found, and what is typed next still goes to the same search. */
static void a_search_keeps_to_its_table(void **state)
{
	(void)state;
	(void)type(U'/');
	type_text("report");
	assert_int_equal(press(KEYC_DOWN, 0), REACT_NONE);
	assert_int_equal(press(KEYC_BACKSPACE, 0), REACT_REDRAW);
	assert_string_equal(f.s.browse[0].search, "repor");
	assert_string_equal(f.s.browse[1].search, "");
}

static void every_text_of_a_row_is_searched(void **state)
{
	static const struct {
		const char *text;
		unsigned rows;
	} cases[] = {
		{"REPORT", 1}, {"collscan", 1}, {"shop.海", 8}, {"51022", 1}, {"allowdisk", 1},
		{"IDLE", 1}, {"8200", 1}, {"lsid:", 1}, {"nothing like it", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)type(U'/');
		type_text(cases[i].text);
		if (order(0)->n != cases[i].rows)
			fail_msg("'%s': %u rows", cases[i].text, order(0)->n);
		if (cases[i].rows == 0)
			assert_shows("no row has the text");
		(void)press(KEYC_ESC, 0);
		assert_int_equal(f.s.prompt, PROMPT_NONE);
		assert_int_equal(order(0)->n, BUSY_OPS(AT));
	}
}

static void a_search_is_edited_and_bounded(void **state)
{
	(void)state;
	(void)type(U'/');
	type_text("a海図");
	assert_int_equal(press(KEYC_BACKSPACE, 0), REACT_REDRAW);
	assert_string_equal(f.s.browse[0].search, "a海");
	assert_int_equal(type(0x15), REACT_REDRAW); /* Ctrl-U */
	assert_string_equal(f.s.browse[0].search, "");
	assert_int_equal(type(0x07), REACT_NONE);
	assert_int_equal(type(0x202e), REACT_NONE); /* turns the writing round */
	assert_int_equal(type(0xd800), REACT_NONE);
	assert_int_equal(type(0x110000), REACT_NONE);
	assert_string_equal(f.s.browse[0].search, "");
	for (int i = 0; i < 100; i++) {
		(void)type(U'海');
		(void)picture(20, 5);
	}
	assert_int_equal(strlen(f.s.browse[0].search), (SEARCH_MAX - 1) / 3 * 3);
	for (size_t left = (SEARCH_MAX - 1) / 3; left > 0; left--)
		assert_int_equal(press(KEYC_BACKSPACE, 0), REACT_REDRAW);
	assert_int_equal(f.s.prompt, PROMPT_SEARCH);
	assert_int_equal(press(KEYC_BACKSPACE, 0), REACT_REDRAW); /* nothing left: away with it */
	assert_int_equal(f.s.prompt, PROMPT_NONE);
}

/* ---- details ---- */

static void details_say_what_is_known_and_why_the_rest_is_not(void **state)
{
	(void)state;
	assert_int_equal(press(KEYC_ENTER, 0), REACT_REDRAW);
	assert_shows("8100");
	assert_shows("allowDiskUse: ?}"); /* the end of the command, on another line */
	assert_shows("n/a: not in this server's reply");
	assert_shows("collection scan");
	assert_int_equal(press(KEYC_ESC, 0), REACT_REDRAW);
	assert_shows_not("allowDiskUse");
	(void)type(U'j');
	assert_int_equal(type(U'e'), REACT_REDRAW);
	/* 70 s before the first sample, of 60; read 2026-11-30T14:01:23Z less 70 s */
	assert_shows("open for 74 s, idle: it waits for its client");
	assert_shows("over for 14 s; transactionLifetimeLimitSeconds is 60 s");
	assert_shows("2026-11-30T14:00:13Z");
	assert_int_equal(press(KEYC_ENTER, 0), REACT_REDRAW);
	assert_false(f.s.open.open);
}

/* coll02: 4000 pages/s of 160,000 requested, 12,000 passed over in 4000 searches. */
static void details_of_a_collection_give_its_misses(void **state)
{
	(void)state;
	(void)type(U'c');
	(void)type(U'/');
	type_text("coll02");
	(void)press(KEYC_ENTER, 0);
	(void)press(KEYC_ENTER, 0);
	assert_shows("(documents)");
	assert_shows("33.3 MiB");
	assert_shows("4.00k/s");
	assert_shows("160k/s");
	assert_shows("2.5 % of the pages requested had to be read");
	assert_shows("3 records passed over for each search by key");
}

static void details_follow_their_row_and_stay_when_it_ends(void **state)
{
	(void)state;
	(void)press(KEYC_ENTER, 0);
	while (f.t < BUSY_SCAN_ENDS)
		poll_once();
	assert_shows("running for            14 s");
	assert_shows_not("not running any more");
	poll_once();
	assert_shows("it is not running any more; as it was at 14:01:34");
	assert_shows("running for            14 s"); /* its last figures */
	assert_true(f.s.open.gone);
	(void)press(KEYC_ESC, 0);
	assert_shows_not("not running any more");
}

static void in_details_the_arrows_go_to_the_next_row(void **state)
{
	(void)state;
	(void)press(KEYC_ENTER, 0);
	assert_int_equal(press(KEYC_DOWN, 0), REACT_REDRAW);
	assert_shows(BUSY_IDLE);
	assert_int_equal(type(U'/'), REACT_NONE);
	assert_int_equal(type(U's'), REACT_NONE);
	assert_int_equal(type(U'6'), REACT_REDRAW);
	assert_false(f.s.open.open);
}

/* ---- copying ---- */

static void a_row_is_copied_as_one_clean_line(void **state)
{
	char line[ROW_LINE_MAX];

	(void)state;
	copied(line);
	assert_non_null(strstr(line, "time=2026-11-30T14:01:27.000Z\t"));
	assert_non_null(strstr(line, "\tendpoint=mongo@127.0.0.1:27017\t"));
	assert_non_null(strstr(line, "\topid=8100\t"));
	assert_non_null(strstr(line, "\tsecs=7\t"));
	assert_non_null(strstr(line, "\tdocs=n/a\t"));
	assert_non_null(strstr(line, "allowDiskUse: ?}"));
	for (const char *p = line; *p; p++)
		assert_true((unsigned char)*p >= 0x20 || *p == '\t');
	(void)press(KEYC_ENTER, 0); /* of an opened row its last figures, also after its end */
	while (f.t <= BUSY_SCAN_ENDS)
		poll_once();
	copied(line);
	assert_non_null(strstr(line, "time=2026-11-30T14:01:34.000Z\t"));
	assert_non_null(strstr(line, "\topid=8100\tsecs=14\t"));
	(void)press(KEYC_ESC, 0);
	copied(line);
	assert_non_null(strstr(line, "\topid=" BUSY_IDLE "\t"));
}

static void a_long_row_is_cut_between_its_columns(void **state)
{
	static char text[600];
	struct sample *s = busy_sample(f.m->ep[0], AT);
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);
	char line[ROW_LINE_MAX];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	for (unsigned i = 0; i < COL_MONGO_OP_COUNT; i++)
		raw_set_text(s, &row[i], text, sizeof(text) - 1);
	raw_set_text(s, &row[COL_MONGO_OP_PLAN], "COLLSCAN", 8);
	model_push(f.m, s);
	(void)type(U'/');
	type_text("xxx");
	(void)press(KEYC_ENTER, 0);
	(void)press(KEYC_ENTER, 0);
	(void)picture(80, 24);
	copied(line);
	assert_true(strlen(line) < ROW_LINE_MAX);
	assert_true(strlen(line) > 2000);
	assert_string_equal(line + strlen(line) - 3, "xxx");
}

/* ---- elsewhere ---- */

static void other_views_know_none_of_these_keys(void **state)
{
	static const char keys[] = "/sSyoc";

	(void)state;
	for (unsigned v = 0; v < VIEW_COUNT; v++) {
		f.s.view = (enum view)v;
		for (const char *k = keys; *k && v != VIEW_OPS; k++)
			assert_int_equal(type((char32_t)*k), REACT_NONE);
	}
	f.s.view = VIEW_OPS;
	(void)type(U'?');
	for (const char *k = keys; *k; k++)
		assert_int_equal(type((char32_t)*k), REACT_NONE); /* the help is in front */
	assert_int_equal(press(KEYC_ENTER, 0), REACT_NONE);
}

static void sort_and_search_outlive_a_look_elsewhere(void **state)
{
	(void)state;
	(void)type(U's');
	(void)type(U'/');
	type_text("web");
	(void)press(KEYC_ENTER, 0);
	(void)type(U'j');
	(void)type(U'2');
	(void)type(U'6');
	assert_int_equal(f.s.browse[0].sort, 1);
	assert_string_equal(f.s.browse[0].search, "web");
	assert_int_equal(cursor_line(), 0);
	(void)type(U'2');
	assert_shows("report-job"); /* the mongo view has all rows in their own order */
}

static void a_node_that_answers_nothing_takes_every_key(void **state)
{
	(void)state;
	model_destroy(f.m);
	f.m = model_create();
	assert_non_null(f.m);
	for (int k = 0; k < 2; k++) {
		for (const char *keys = "jkgGescSoy/"; *keys; keys++)
			(void)type((char32_t)*keys);
		(void)picture(80, 24);
		(void)press(KEYC_ESC, 0);
		if (k == 0)
			(void)model_add(f.m, KIND_MONGO, "mongo@x", "x", "x", 10);
	}
	assert_false(f.s.open.open);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_harms_stands_first_then_what_is_old),
		TEST(a_transaction_is_marked_from_the_servers_limit_or_a_minute_on),
		TEST(equal_rows_do_not_dance),
		TEST(s_goes_through_the_columns_and_S_turns_the_order),
		TEST(the_sorted_column_is_marked_and_stays_on_narrow_screens),
		TEST(the_cursor_stays_on_its_row),
		TEST(where_the_row_has_ended_the_next_one_takes_its_line),
		TEST(before_it_is_moved_the_cursor_is_on_the_worst),
		TEST(the_cursor_reaches_both_tables),
		TEST(the_selected_row_is_on_the_screen),
		TEST(a_search_takes_every_letter),
		TEST(a_search_hides_what_has_no_such_text),
		TEST(a_search_keeps_to_its_table),
		TEST(every_text_of_a_row_is_searched),
		TEST(a_search_is_edited_and_bounded),
		TEST(details_say_what_is_known_and_why_the_rest_is_not),
		TEST(details_of_a_collection_give_its_misses),
		TEST(details_follow_their_row_and_stay_when_it_ends),
		TEST(in_details_the_arrows_go_to_the_next_row),
		TEST(a_row_is_copied_as_one_clean_line),
		TEST(a_long_row_is_cut_between_its_columns),
		TEST(other_views_know_none_of_these_keys),
		TEST(sort_and_search_outlive_a_look_elsewhere),
		TEST(a_node_that_answers_nothing_takes_every_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
