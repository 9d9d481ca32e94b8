/* Slab classes: one can starve and evict its young items while another has memory to spare. */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

static const struct column columns[] = {
	{"class", COL_MEMCACHED_SLAB_CLASS, 5, false, 0, false},
	{"chunk", COL_MEMCACHED_SLAB_CHUNK, 8, false, 0, false},
	{"pages", COL_MEMCACHED_SLAB_PAGES, 6, false, 1, false},
	{"of pages", COL_MEMCACHED_SLAB_PAGE_SHARE, 8, false, 0, false},
	{"items", COL_MEMCACHED_SLAB_ITEMS, 6, false, 2, false},
	{"evicted/s", COL_MEMCACHED_SLAB_EVICTED, 9, false, 0, false},
	{"of evictions", COL_MEMCACHED_SLAB_EVICTED_SHARE, 12, false, 3, false},
	{"after", COL_MEMCACHED_SLAB_EVICTED_TIME, 8, false, 0, false},
	{"tail age", COL_MEMCACHED_SLAB_AGE, 9, false, 4, false},
	{"oom/s", COL_MEMCACHED_SLAB_OOM, 6, false, 6, false},
	{"waste", COL_MEMCACHED_SLAB_WASTE, 8, false, 5, false},
};

/* A class with a larger share of the evictions than twice its share of the memory. */
static enum level row_level(const struct endpoint *ep, const struct cell_value *cells)
{
	struct value pages = cells[COL_MEMCACHED_SLAB_PAGE_SHARE].num;
	struct value evictions = cells[COL_MEMCACHED_SLAB_EVICTED_SHARE].num;

	(void)ep;
	return value_ok(pages) && value_ok(evictions) && evictions.v > 2 * pages.v ? LEVEL_WARN
										   : LEVEL_OK;
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_MEMCACHED_SLAB);

	(void)w;
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){4, rows < 8 ? 3 + rows : 11, rows + 3};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct table_view v = {.table = TABLE_MEMCACHED_SLAB,
		.cols = columns,
		.n = sizeof(columns) / sizeof(columns[0]),
		.sort = -1,
		.cursor = x->s->cursor > 0 ? x->s->cursor : -1,
		.level = row_level,
		.empty = "no slab class is in use"};
	struct pane p;

	pane_open(&p, x, c, r, "slab classes", NULL);
	pane_table(&p, &v);
	pane_close(&p);
}

const struct panel_ops panel_memcached_slabs = {.name = "slabs", .measure = measure, .draw = draw};
