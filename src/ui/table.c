/* Rows of a frame's table in columns of fixed width: what does not fit goes by rank, never by luck.
 */
#include <math.h>
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#define OLD_S 3.0 /* seconds from which the age of a table is said */

static int total_width(const struct column *cols, unsigned n, const int *w)
{
	int sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (w[i])
			sum += cols[i].w + 2;
	return sum - 2;
}

void table_widths(const struct column *cols, unsigned n, int w, int out[TABLE_COLUMNS_MAX])
{
	int spare;

	for (unsigned i = 0; i < n; i++)
		out[i] = cols[i].w;
	for (uint8_t rank = UINT8_MAX; rank > 0 && total_width(cols, n, out) > w; rank--)
		for (unsigned i = 0; i < n; i++)
			if (cols[i].drop == rank)
				out[i] = 0;
	spare = w - total_width(cols, n, out);
	for (unsigned i = 0; i < n && spare > 0; i++) {
		unsigned left = 0;

		for (unsigned k = i; k < n; k++)
			left += cols[k].grows && out[k];
		if (cols[i].grows && out[i] && left) {
			int more = spare / (int)left;

			more = more > cols[i].w ? cols[i].w : more;
			out[i] += more;
			spare -= more;
		}
	}
}

int table_first(int cursor, int n, int lines)
{
	if (lines <= 0 || n <= lines || cursor < lines)
		return 0;
	return cursor >= n ? n - lines : cursor - lines + 1;
}

void table_head(struct pane *p, const struct column *cols, unsigned n, const int *w, int x)
{
	for (unsigned i = 0; i < n; i++) {
		if (!w[i])
			continue;
		if (cols[i].text)
			(void)canvas_text_fit(p->c, x, p->y, w[i], cols[i].head, ROLE_HEADER, 0);
		else
			canvas_text_right(p->c, x + w[i], p->y, w[i], cols[i].head, ROLE_HEADER, 0);
		x += w[i] + 2;
	}
	p->y++;
}

/* A figure without a unit that the head names already. */
static const char *cell_text(
	char buf[VALUE_TEXT_MAX], const struct col_desc *d, struct value v, bool ascii)
{
	char num[NUM_MAX];

	if (!value_ok(v))
		(void)snprintf(buf, VALUE_TEXT_MAX, "–");
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

static void draw_row(struct pane *p, const struct table_view *v, const int *w, unsigned row, int x)
{
	const struct cell_value *cells = kept_row(p->x->ep, v->table, row);

	for (unsigned i = 0; cells && i < v->n; i++) {
		unsigned col = v->cols[i].col;

		if (!w[i])
			continue;
		draw_cell(p, &v->cols[i], &table_table[v->table].cols[col], &cells[col], x, w[i]);
		x += w[i] + 2;
	}
}

/* The line's symbol and colour, if the table marks lines, and the cursor. */
static void mark_row(struct pane *p, const struct table_view *v, unsigned row, bool selected)
{
	struct rect line = {p->in.x, p->y, p->in.w, 1};
	enum level level = v->level ? v->level(p->x->ep, row) : LEVEL_OK;

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

struct sort_key {
	double v;
	uint16_t row;
};

static bool before(const struct sort_key *a, const struct sort_key *b)
{
	return a->v != b->v ? a->v > b->v : a->row < b->row;
}

/* Shell's sort: in place, where qsort() would allocate. */
static void sort_keys(struct sort_key *keys, unsigned n)
{
	for (unsigned gap = n / 2; gap > 0; gap /= 2) {
		for (unsigned i = gap; i < n; i++) {
			struct sort_key key = keys[i];
			unsigned k = i;

			for (; k >= gap && before(&key, &keys[k - gap]); k -= gap)
				keys[k] = keys[k - gap];
			keys[k] = key;
		}
	}
}

/* Rows in the order of the sort column; what has no value there goes last. */
static unsigned sort_rows(
	const struct endpoint *ep, const struct table_view *v, struct sort_key *keys)
{
	unsigned n = table_rows(ep, v->table);

	n = n > TABLE_ROWS_MAX ? TABLE_ROWS_MAX : n;
	for (unsigned i = 0; i < n; i++) {
		const struct cell_value *cells = kept_row(ep, v->table, i);

		keys[i] = (struct sort_key){0, (uint16_t)i};
		if (v->sort >= 0)
			keys[i].v = value_ok(cells[v->sort].num) ? cells[v->sort].num.v : -INFINITY;
	}
	sort_keys(keys, n);
	return n;
}

/* An empty table says why it is: a server without the privilege is partial, and says so. */
static const char *empty_text(const struct endpoint *ep, const struct table_view *v)
{
	if (ep && ep->kept[v->table].asked)
		return v->empty;
	return ep && ep->status == STATUS_PARTIAL && ep->err.msg[0] ? ep->err.msg
								    : "not asked for yet";
}

void pane_table(struct pane *p, const struct table_view *v)
{
	struct sort_key keys[TABLE_ROWS_MAX];
	int w[TABLE_COLUMNS_MAX], indent = v->level ? 2 : 0, lines = pane_left(p) - 1, first;
	unsigned n = p->x->ep ? sort_rows(p->x->ep, v, keys) : 0;

	if (lines < 0)
		return;
	table_widths(v->cols, v->n, p->in.w - indent, w);
	table_head(p, v->cols, v->n, w, p->in.x + indent);
	first = table_first(v->cursor, (int)n, lines);
	for (int i = first; i < (int)n && i - first < lines; i++) {
		draw_row(p, v, w, keys[i].row, p->in.x + indent);
		mark_row(p, v, keys[i].row, i == v->cursor);
		p->y++;
	}
	if (n == 0)
		pane_text(p, ROLE_DIM, empty_text(p->x->ep, v));
}
