/*
 * Which rows of a table are shown and in which order. The order is total: rows that are equal in
 * the sort column stand by their keys, so that what a server lists in another order each time does
 * not dance on the screen. A figure that is missing comes last in both directions.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/text.h"
#include "hotset/widgets.h"

struct entry {
	uint16_t row;
	uint8_t rank; /* marked rows first, where that is the order */
};

struct sorter {
	const struct endpoint *ep;
	const struct table_view *v;
	int col; /* of the table's description, -1 none */
	bool falling;
};

/* ---- keys ---- */

static bool has_value(const struct cell_value *c)
{
	return c->text || value_ok(c->num);
}

uint64_t row_key(enum table_id t, const struct cell_value *cells)
{
	const struct table_desc *d = &table_table[t];
	uint64_t h = TEXT_HASH_INIT;

	for (unsigned i = 0; i < d->ncols; i++) {
		if (d->cols[i].sem != COL_KEY)
			continue;
		if (cells[i].text)
			h = text_hash(h, cells[i].text, strlen(cells[i].text) + 1);
		else if (value_ok(cells[i].num))
			h = text_hash(h, &cells[i].num.v, sizeof(cells[i].num.v));
		else
			h = text_hash(h, "", 1);
	}
	return h ? h : 1;
}

/* ---- order ---- */

/* Numbers before texts; below zero when a comes first in a rising order. */
static int compare_cells(const struct cell_value *a, const struct cell_value *b)
{
	if (a->text && b->text)
		return strcmp(a->text, b->text);
	if (a->text || b->text)
		return a->text ? 1 : -1;
	return a->num.v < b->num.v ? -1 : a->num.v > b->num.v;
}

static int compare_missing(const struct cell_value *a, const struct cell_value *b)
{
	return (int)has_value(b) - (int)has_value(a);
}

static int compare_keys(enum table_id t, const struct cell_value *a, const struct cell_value *b)
{
	const struct table_desc *d = &table_table[t];

	for (unsigned i = 0; i < d->ncols; i++) {
		int order = 0;

		if (d->cols[i].sem != COL_KEY)
			continue;
		if (has_value(&a[i]) && has_value(&b[i]))
			order = compare_cells(&a[i], &b[i]);
		else
			order = compare_missing(&b[i], &a[i]); /* a collection before its indexes */
		if (order)
			return order;
	}
	return 0;
}

static bool before(const struct sorter *s, const struct entry *x, const struct entry *y)
{
	const struct cell_value *a = kept_row(s->ep, s->v->table, x->row);
	const struct cell_value *b = kept_row(s->ep, s->v->table, y->row);
	int order = (int)y->rank - (int)x->rank;

	if (!order && s->col >= 0) {
		const struct cell_value *p = &a[s->col], *q = &b[s->col];

		if (has_value(p) && has_value(q))
			order = s->falling ? compare_cells(q, p) : compare_cells(p, q);
		else
			order = compare_missing(p, q);
	}
	if (!order && s->col >= 0)
		order = compare_keys(s->v->table, a, b);
	return order ? order < 0 : x->row < y->row;
}

/* Shell's sort: in place, where qsort() would allocate. */
static void sort_entries(const struct sorter *s, struct entry *e, unsigned n)
{
	for (unsigned gap = n / 2; gap > 0; gap /= 2) {
		for (unsigned i = gap; i < n; i++) {
			struct entry one = e[i];
			unsigned k = i;

			for (; k >= gap && before(s, &one, &e[k - gap]); k -= gap)
				e[k] = e[k - gap];
			e[k] = one;
		}
	}
}

/* ---- choice ---- */

static bool matches(enum table_id t, const struct cell_value *cells, const char *search)
{
	const struct table_desc *d = &table_table[t];
	char number[32];

	for (unsigned i = 0; i < d->ncols; i++) {
		const char *text = cells[i].text;

		if (!text && d->cols[i].sem == COL_KEY && value_ok(cells[i].num)) {
			(void)snprintf(number, sizeof(number), "%.0f", cells[i].num.v);
			text = number;
		}
		if (text && text_contains(text, search))
			return true;
	}
	return false;
}

int browse_column(const struct table_view *v, const struct browse *b, bool *falling)
{
	unsigned own = 0, col;

	*falling = true;
	if (v->sort < 0)
		return -1;
	while (own + 1 < v->n && (int)v->cols[own].col != v->sort)
		own++;
	col = b ? (own + b->sort) % v->n : own;
	*falling = !v->cols[col].text != (b && b->reverse);
	return (int)col;
}

void rows_order(const struct endpoint *ep, const struct table_view *v, const struct browse *b,
	struct row_order *out)
{
	struct entry e[TABLE_ROWS_MAX] = {{0}};
	struct sorter s = {ep, v, -1, true};
	int col = browse_column(v, b, &s.falling);
	bool marked_first = v->level && v->sort >= 0 && (!b || b->sort == 0);

	*out = (struct row_order){.all = table_rows(ep, v->table)};
	if (out->all > TABLE_ROWS_MAX)
		out->all = TABLE_ROWS_MAX;
	s.col = col >= 0 ? (int)v->cols[col].col : -1;
	for (unsigned i = 0; i < out->all; i++) {
		const struct cell_value *cells = kept_row(ep, v->table, i);

		if (b && b->search[0] && !matches(v->table, cells, b->search))
			continue;
		e[out->n++] = (struct entry){
			(uint16_t)i, marked_first ? (uint8_t)v->level(ep, cells) : 0};
	}
	sort_entries(&s, e, out->n);
	for (unsigned i = 0; i < out->n; i++)
		out->row[i] = e[i].row;
}
