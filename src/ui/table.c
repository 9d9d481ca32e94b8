/* Rows of a frame's table in columns of fixed width: what does not fit goes by rank, never by luck.
 */
#include <math.h>
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#define OLD_S 3.0 /* seconds from which the age of a table is said */

static int total_width(const struct column *cols, unsigned n, const struct table_fit *f)
{
	int sum = 0;

	(void)cols;
	for (unsigned i = 0; i < n; i++)
		if (f->w[i])
			sum += f->w[i] + f->gap;
	return sum - f->gap;
}

/* What is left over goes to the columns that grow, and at the end of the line to the last. */
static void spread(const struct column *cols, unsigned n, int spare, struct table_fit *f)
{
	for (unsigned i = 0; i < n && spare > 0; i++) {
		unsigned left = 0;

		for (unsigned k = i; k < n; k++)
			left += cols[k].grows && f->w[k];
		if (cols[i].grows && f->w[i] && left) {
			int more = spare / (int)left;

			more = more > cols[i].w && i + 1 < n ? cols[i].w : more;
			f->w[i] += more;
			spare -= more;
		}
	}
}

void table_fit(
	const struct column *cols, unsigned n, int w, bool dense, int sorted, struct table_fit *f)
{
	*f = (struct table_fit){.gap = 2};
	for (unsigned i = 0; i < n; i++) {
		int head = text_width(cols[i].head) + 2;

		f->w[i] = (int)i == sorted && head > cols[i].w ? head : cols[i].w;
	}
	if (dense && total_width(cols, n, f) > w)
		f->gap = 1;
	for (uint8_t rank = UINT8_MAX; rank > 0 && total_width(cols, n, f) > w; rank--)
		for (unsigned i = 0; i < n; i++)
			if (cols[i].drop == rank && (int)i != sorted)
				f->w[i] = 0;
	spread(cols, n, w - total_width(cols, n, f), f);
}

int table_first(int cursor, int n, int lines)
{
	if (lines <= 0 || n <= lines || cursor < lines)
		return 0;
	return cursor >= n ? n - lines : cursor - lines + 1;
}

void table_head(struct pane *p, const struct column *cols, unsigned n, const struct table_fit *f,
	int x, int sorted, bool falling)
{
	char head[32];

	for (unsigned i = 0; i < n; x += f->w[i] ? f->w[i] + f->gap : 0, i++) {
		bool here = (int)i == sorted;
		enum role role = here ? ROLE_KEY : ROLE_HEADER;

		if (!f->w[i])
			continue;
		(void)snprintf(head, sizeof(head), "%s%s", cols[i].head,
			!here     ? ""
			: falling ? " ▼"
				  : " ▲");
		if (cols[i].text)
			(void)canvas_text_fit(p->c, x, p->y, f->w[i], head, role, 0);
		else
			canvas_text_right(p->c, x + f->w[i], p->y, f->w[i], head, role, 0);
	}
	p->y++;
}

/* A figure without a unit that the head names already. A number that is a name stays whole. */
static const char *cell_text(
	char buf[VALUE_TEXT_MAX], const struct col_desc *d, struct value v, bool ascii)
{
	char num[NUM_MAX];

	if (!value_ok(v))
		(void)snprintf(buf, VALUE_TEXT_MAX, "–");
	else if (d->sem == COL_KEY)
		(void)snprintf(buf, VALUE_TEXT_MAX, "%.0f", v.v);
	else if (d->unit == UNIT_PER_SEC || d->unit == UNIT_COUNT || d->unit == UNIT_NONE)
		(void)snprintf(buf, VALUE_TEXT_MAX, "%s", num_short(num, v.v));
	else
		(void)snprintf(buf, VALUE_TEXT_MAX, "%s", num_format(num, d->unit, v.v, ascii));
	return buf;
}

static void draw_cell(struct pane *p, const struct column *col, const struct col_desc *d,
	const struct cell_value *v, int x, int w)
{
	char buf[VALUE_TEXT_MAX];
	const char *s = v->text ? v->text : cell_text(buf, d, v->num, p->c->ascii);
	bool missing = !v->text && !value_ok(v->num);
	enum role role = p->stale || missing ? ROLE_DIM : v->text ? ROLE_DEFAULT : ROLE_VALUE;

	if (col->text)
		(void)canvas_text_fit(p->c, x, p->y, w, s, role, 0);
	else
		canvas_text_right(p->c, x + w, p->y, w, s, role, 0);
}

static void draw_row(struct pane *p, const struct table_view *v, const struct table_fit *f,
	const struct cell_value *cells, int x)
{
	for (unsigned i = 0; i < v->n; i++) {
		unsigned col = v->cols[i].col;
		struct cell_value cell = cells[col];

		if (!f->w[i])
			continue;
		if (v->stand_in && !cell.text && !value_ok(cell.num))
			cell.text = v->stand_in(cells, col);
		draw_cell(p, &v->cols[i], &table_table[v->table].cols[col], &cell, x, f->w[i]);
		x += f->w[i] + f->gap;
	}
}

/* The line's symbol and colour, if the table marks lines, and the cursor. */
static void mark_row(
	struct pane *p, const struct table_view *v, const struct cell_value *cells, bool selected)
{
	struct rect line = {p->in.x, p->y, p->in.w, 1};
	enum level level = v->level ? v->level(p->x->ep, cells) : LEVEL_OK;

	if (level >= LEVEL_WARN) {
		canvas_recolor(p->c, line, p->stale ? ROLE_DIM : level_role(level), 0);
		(void)canvas_text(p->c, p->in.x, p->y, level_symbol(level), level_role(level), 0);
	}
	if (selected)
		canvas_recolor(p->c, line, ROLE_SELECTED, 0);
}

unsigned table_rows(const struct endpoint *ep, enum table_id t)
{
	return ep ? ep->kept[t].n : 0;
}

const char *table_note(char buf[NOTE_MAX], const struct endpoint *ep, enum table_id t)
{
	double age = ep ? (double)(ep->seen_mono_ns - ep->kept[t].mono_ns) / 1e9 : 0;
	char ago[NUM_MAX];

	buf[0] = '\0';
	if (table_rows(ep, t) > 0 && age >= OLD_S)
		(void)snprintf(
			buf, NOTE_MAX, "%u, %s ago", table_rows(ep, t), num_duration(ago, age));
	else if (table_rows(ep, t) > 0)
		(void)snprintf(buf, NOTE_MAX, "%u", table_rows(ep, t));
	return buf;
}

/* An empty table says why it is: a server without the privilege is partial, and says so. */
static const char *empty_text(const struct endpoint *ep, const struct table_view *v)
{
	const char *about = ep && v->about ? frame_info(&ep->frame, v->about) : NULL;

	if (ep && ep->kept[v->table].asked)
		return v->empty;
	if (about)
		return about;
	return ep && ep->status == STATUS_PARTIAL && ep->err.msg[0] ? ep->err.msg
								    : "not asked for yet";
}

/* b NULL: not browsed. cursor: a line, -1 none. */
static void draw_table(struct pane *p, const struct table_view *v, const struct browse *b,
	const struct row_order *o, int cursor)
{
	int indent = v->level ? 2 : 0, lines = pane_left(p) - 1, first, sorted;
	struct table_fit fit;
	bool falling;

	if (lines < 0)
		return;
	sorted = b ? browse_column(v, b, &falling) : -1;
	table_fit(v->cols, v->n, p->in.w - indent, v->what != NULL, sorted, &fit);
	table_head(p, v->cols, v->n, &fit, p->in.x + indent, sorted, b && falling);
	first = table_first(cursor, (int)o->n, lines);
	for (int i = first; i < (int)o->n && i - first < lines; i++) {
		const struct cell_value *cells = kept_row(p->x->ep, v->table, o->row[i]);

		draw_row(p, v, &fit, cells, p->in.x + indent);
		mark_row(p, v, cells, i == cursor);
		p->y++;
	}
	if (o->all == 0)
		pane_text(p, ROLE_DIM, empty_text(p->x->ep, v));
	else if (o->n == 0)
		pane_text(p, ROLE_DIM, "no row has the text searched for; Esc shows all");
}

void pane_table(struct pane *p, const struct table_view *v)
{
	struct row_order o;

	rows_order(p->x->ep, v, NULL, &o);
	draw_table(p, v, NULL, &o, v->cursor);
}

/* "3 of 120 with web, 5 s ago": how many rows there are, which of them are shown, how old. */
#define BROWSE_NOTE_MAX (SEARCH_MAX + 2 * NOTE_MAX)
static const char *browse_note(char buf[BROWSE_NOTE_MAX], const struct endpoint *ep,
	const struct table_view *v, const struct browse *b, const struct row_order *o)
{
	char note[NOTE_MAX];
	const char *about = ep && v->about ? frame_info(&ep->frame, v->about) : NULL;

	(void)table_note(note, ep, v->table);
	if (about && note[0]) {
		size_t at = strlen(note);

		(void)snprintf(note + at, sizeof(note) - at, ", %s", about);
	}
	if (b && b->search[0])
		(void)snprintf(buf, BROWSE_NOTE_MAX, "/%s: %u of %s", b->search, o->n, note);
	else
		(void)snprintf(buf, BROWSE_NOTE_MAX, "%s", note);
	return buf;
}

void panel_browse(const struct panel_ctx *x, struct canvas *c, struct rect r, const char *title,
	const struct table_view *v)
{
	const struct browse *b = NULL;
	char note[BROWSE_NOTE_MAX], name[48];
	bool focused = false;
	struct row_order o;
	struct pane p;

	for (unsigned i = 0; i < BROWSE_TABLES; i++) {
		if (view_table(x->s, i) == v) {
			b = &x->s->browse[i];
			focused = x->s->focus == i;
		}
	}
	rows_order(x->ep, v, b, &o);
	(void)snprintf(name, sizeof(name), "%s%s", focused ? "▶ " : "", title);
	pane_open(&p, x, c, r, name, browse_note(note, x->ep, v, b, &o));
	draw_table(&p, v, b, &o, focused ? browse_line(x->ep, v, b, &o) : -1);
	pane_close(&p);
}
