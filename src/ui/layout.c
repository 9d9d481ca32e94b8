/*
 * Rows of panels. Items are taken in order: one that fits beside the half item before it joins
 * that row, others open a row of their own. Rows are added while their smallest heights fit; what
 * is left over is dealt out line by line, first up to the heights that they want, then up to the
 * largest that they can use.
 */
#include "hotset/panel.h"

struct row {
	unsigned n; /* items that share it: one or two */
	int members[2];
	int min_h, want_h, max_h;
	int h;
};

#define ROWS_MAX LAYOUT_ITEMS_MAX

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static bool shows(const struct layout_item *it)
{
	return it->size.min_h > 0;
}

/* May b stand beside the only member of row? Both get half the width, the left one the odd cell. */
static bool joins(const struct layout_item *items, const struct row *row, unsigned b, int w)
{
	const struct layout_item *a = &items[row->members[0]];

	return row->n == 1 && w >= 2 && a->half && items[b].half && a->min_w <= w - w / 2 &&
	       items[b].min_w <= w / 2;
}

static void row_add(struct row *row, const struct layout_item *items, unsigned i)
{
	const struct extent *e = &items[i].size;

	row->members[row->n++] = (int)i;
	row->min_h = max_int(row->min_h, e->min_h);
	row->want_h = max_int(max_int(row->want_h, e->want_h), row->min_h);
	row->max_h = max_int(max_int(row->max_h, e->max_h), row->want_h);
}

/* Fills rows with what fits into r; the first item too high for it ends it: order is importance. */
static unsigned build_rows(
	const struct layout_item *items, unsigned n, struct rect r, struct row *rows)
{
	unsigned nrows = 0;
	int used = 0;

	for (unsigned i = 0; i < n; i++) {
		struct row *last = nrows ? &rows[nrows - 1] : NULL;
		int min_h = items[i].size.min_h;

		if (!shows(&items[i]) || items[i].min_w > r.w)
			continue;
		if (last && joins(items, last, i, r.w)) {
			if (used - last->min_h + max_int(last->min_h, min_h) > r.h)
				break;
			used += max_int(last->min_h, min_h) - last->min_h;
			row_add(last, items, i);
		} else {
			if (used + min_h > r.h || nrows == ROWS_MAX)
				break;
			rows[nrows] = (struct row){.n = 0};
			row_add(&rows[nrows++], items, i);
			used += min_h;
		}
	}
	return nrows;
}

/* One line each in turn, from the top, until nothing is left or all have reached their limit. */
static int grow(struct row *rows, unsigned n, int left, bool to_max)
{
	bool grown = true;

	while (left > 0 && grown) {
		grown = false;
		for (unsigned i = 0; i < n && left > 0; i++) {
			if (rows[i].h >= (to_max ? rows[i].max_h : rows[i].want_h))
				continue;
			rows[i].h++;
			left--;
			grown = true;
		}
	}
	return left;
}

static void share_height(struct row *rows, unsigned n, int left)
{
	for (unsigned i = 0; i < n; i++) {
		rows[i].h = rows[i].min_h;
		left -= rows[i].h;
	}
	left = grow(rows, n, left, false);
	(void)grow(rows, n, left, true);
}

unsigned layout_place(const struct layout_item *items, unsigned n, struct rect r, struct rect *out)
{
	struct row rows[ROWS_MAX];
	unsigned nrows, placed = 0;
	int y = r.y;

	for (unsigned i = 0; i < n; i++)
		out[i] = (struct rect){0, 0, 0, 0};
	if (r.w <= 0 || r.h <= 0)
		return 0;
	nrows = build_rows(items, n, r, rows);
	share_height(rows, nrows, r.h);
	for (unsigned k = 0; k < nrows; k++) {
		const struct row *row = &rows[k];
		int left_w = row->n == 2 ? r.w - r.w / 2 : r.w;

		out[row->members[0]] = (struct rect){r.x, y, left_w, row->h};
		if (row->n == 2)
			out[row->members[1]] = (struct rect){r.x + left_w, y, r.w - left_w, row->h};
		placed += row->n;
		y += row->h;
	}
	return placed;
}
