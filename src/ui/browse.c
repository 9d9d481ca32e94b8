/*
 * Walking through tables. The cursor belongs to a row and not to a line: browse_settle() finds the
 * row again before each frame, and only where it is gone the row on its line takes its place. Until
 * a key moved the cursor it stays on the first line, where the worst is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

static const struct endpoint *watched(const struct model *m, const struct view_state *s)
{
	enum kind k;

	return view_kind(s->view, &k) ? view_endpoint(m, s, k) : NULL;
}

static int find_row(const struct endpoint *ep, const struct table_view *v,
	const struct row_order *o, uint64_t key)
{
	for (unsigned i = 0; i < o->n; i++)
		if (row_key(v->table, kept_row(ep, v->table, o->row[i])) == key)
			return (int)i;
	return -1;
}

int browse_line(const struct endpoint *ep, const struct table_view *v, const struct browse *b,
	const struct row_order *o)
{
	int found = b->key ? find_row(ep, v, o, b->key) : 0;

	if (found < 0)
		found = b->line;
	return found < (int)o->n ? found : (int)o->n - 1;
}

/* ---- what the model has now ---- */

static void settle_table(const struct endpoint *ep, const struct table_view *v, struct browse *b)
{
	struct row_order o;
	int line;

	if (!b->key)
		return;
	rows_order(ep, v, b, &o);
	line = browse_line(ep, v, b, &o);
	if (line < 0)
		return; /* the next rows begin where it was */
	b->line = line;
	b->key = row_key(v->table, kept_row(ep, v->table, o.row[line]));
}

static void take_row(struct open_row *o, enum table_id t, const struct cell_value *cells)
{
	for (unsigned i = 0; i < table_table[t].ncols; i++) {
		o->num[i] = cells[i].num;
		(void)snprintf(
			o->text[i], sizeof(o->text[i]), "%s", cells[i].text ? cells[i].text : "");
	}
}

static void settle_open(const struct model *m, const struct view_state *s, struct open_row *o)
{
	const struct table_view *v = view_table(s, o->table);
	const struct endpoint *ep = watched(m, s);

	o->gone = true;
	for (unsigned i = 0; v && i < table_rows(ep, v->table); i++) {
		const struct cell_value *cells = kept_row(ep, v->table, i);

		if (row_key(v->table, cells) != o->key)
			continue;
		take_row(o, v->table, cells);
		o->seen_wall_ns = ep->seen_wall_ns;
		o->gone = false;
		return;
	}
}

void browse_settle(const struct model *m, struct view_state *s)
{
	const struct endpoint *ep = watched(m, s);

	for (unsigned i = 0; i < BROWSE_TABLES && view_table(s, i); i++)
		settle_table(ep, view_table(s, i), &s->browse[i]);
	if (s->open.open)
		settle_open(m, s, &s->open);
}

void browse_reset(struct view_state *s)
{
	for (unsigned i = 0; i < BROWSE_TABLES; i++) {
		s->browse[i].key = 0;
		s->browse[i].line = 0;
	}
	s->focus = 0;
	s->open.open = false;
	s->prompt = PROMPT_NONE;
}

/* ---- moving ---- */

static void select_line(const struct endpoint *ep, const struct table_view *v, struct browse *b,
	const struct row_order *o, int line)
{
	b->line = line;
	b->key = row_key(v->table, kept_row(ep, v->table, o->row[line]));
}

/* Into the next or the previous table, at its nearer end. */
static bool cross(const struct endpoint *ep, struct view_state *s, bool down)
{
	unsigned to = down ? s->focus + 1 : s->focus - 1;
	const struct table_view *v;
	struct row_order o;

	if ((!down && s->focus == 0) || to >= BROWSE_TABLES || !(v = view_table(s, to)))
		return false;
	rows_order(ep, v, &s->browse[to], &o);
	if (o.n == 0)
		return false;
	s->focus = to;
	select_line(ep, v, &s->browse[to], &o, down ? 0 : (int)o.n - 1);
	return true;
}

bool browse_move(const struct model *m, struct view_state *s, int by)
{
	const struct table_view *v = view_table(s, s->focus);
	const struct endpoint *ep = watched(m, s);
	struct browse *b = &s->browse[s->focus];
	struct row_order o;
	int from, to;

	if (!v)
		return false;
	rows_order(ep, v, b, &o);
	from = browse_line(ep, v, b, &o);
	to = from + by;
	to = to >= (int)o.n ? (int)o.n - 1 : to < 0 ? 0 : to;
	if (from >= 0 && to != from) {
		select_line(ep, v, b, &o, to);
	} else if (s->open.open || s->prompt != PROMPT_NONE || abs(by) != 1 ||
		   !cross(ep, s, by > 0)) {
		return false;
	}
	if (s->open.open)
		(void)browse_open(m, s);
	return true;
}

bool browse_focus(struct view_state *s, unsigned table)
{
	if (!view_table(s, table) || s->focus == table)
		return false;
	s->focus = table;
	return true;
}

/* ---- sort, search, open ---- */

/* A new order is looked at from its top. */
static void to_top(struct browse *b)
{
	b->key = 0;
	b->line = 0;
}

bool browse_sort(struct view_state *s)
{
	const struct table_view *v = view_table(s, s->focus);
	struct browse *b = &s->browse[s->focus];

	if (!v)
		return false;
	b->sort = (b->sort + 1) % v->n;
	b->reverse = false;
	to_top(b);
	return true;
}

bool browse_reverse(struct view_state *s)
{
	struct browse *b = &s->browse[s->focus];

	if (!view_table(s, s->focus))
		return false;
	b->reverse = !b->reverse;
	to_top(b);
	return true;
}

bool browse_clear(struct view_state *s)
{
	struct browse *b = &s->browse[s->focus];

	if (!view_table(s, s->focus) || !b->search[0])
		return false;
	b->search[0] = '\0';
	return true;
}

bool browse_open(const struct model *m, struct view_state *s)
{
	const struct table_view *v = view_table(s, s->focus);
	const struct endpoint *ep = watched(m, s);
	struct browse *b = &s->browse[s->focus];
	struct row_order o;
	int line;

	if (!v)
		return false;
	rows_order(ep, v, b, &o);
	line = browse_line(ep, v, b, &o);
	if (line < 0)
		return false;
	select_line(ep, v, b, &o, line);
	s->open.open = true;
	s->open.key = b->key;
	s->open.table = s->focus;
	settle_open(m, s, &s->open);
	return true;
}

bool browse_close(struct view_state *s)
{
	bool was = s->open.open;

	s->open.open = false;
	return was;
}

void open_row_cells(
	const struct open_row *o, enum table_id t, struct cell_value out[TABLE_COLS_MAX])
{
	for (unsigned i = 0; i < table_table[t].ncols; i++)
		out[i] = (struct cell_value){o->num[i], o->text[i][0] ? o->text[i] : NULL};
}

/* ---- copying ---- */

static bool add_pair(char *buf, size_t *at, const char *name, const char *value)
{
	int n = snprintf(buf + *at, ROW_LINE_MAX - *at, "%s%s=%s", *at ? "\t" : "", name, value);

	if (n < 0 || (size_t)n >= ROW_LINE_MAX - *at) {
		buf[*at] = '\0';
		return false;
	}
	*at += (size_t)n;
	return true;
}

/* What a row is worth without: when, and of which server. */
static void copy_cells(const struct endpoint *ep, int64_t wall_ns, enum table_id t,
	const struct cell_value *cells, char buf[ROW_LINE_MAX])
{
	const struct table_desc *d = &table_table[t];
	char text[CLOCK_TEXT_MAX];
	size_t at = 0;

	if (!add_pair(buf, &at, "time", clock_format_utc(text, wall_ns)) ||
		!add_pair(buf, &at, "endpoint", ep->id))
		return;
	for (unsigned i = 0; i < d->ncols; i++) {
		const char *value = cells[i].text;

		if (!value)
			value = value_ok(cells[i].num) ? num_json(text, cells[i].num.v) : "n/a";
		if (!add_pair(buf, &at, d->cols[i].name, value))
			return;
	}
}

bool browse_copy(const struct model *m, const struct view_state *s, char buf[ROW_LINE_MAX])
{
	const struct table_view *v = view_table(s, s->focus);
	const struct endpoint *ep = watched(m, s);
	struct cell_value cells[TABLE_COLS_MAX] = {0};
	struct row_order o;
	int line;

	buf[0] = '\0';
	if (!v || !ep)
		return false;
	if (s->open.open) {
		open_row_cells(&s->open, v->table, cells);
		copy_cells(ep, s->open.seen_wall_ns, v->table, cells, buf);
		return true;
	}
	rows_order(ep, v, &s->browse[s->focus], &o);
	line = browse_line(ep, v, &s->browse[s->focus], &o);
	if (line < 0)
		return false;
	copy_cells(ep, ep->seen_wall_ns, v->table, kept_row(ep, v->table, o.row[line]), buf);
	return true;
}
