/* Which collections and indexes the cache holds, and which of them are being read in. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct column columns[] = {
	{"namespace", COL_MONGO_COLL_NS, 20, true, 0, true},
	{"index", COL_MONGO_COLL_INDEX, 12, true, 2, true},
	{"in cache", COL_MONGO_COLL_BYTES_IN_CACHE, 8, false, 0, false},
	{"share", COL_MONGO_COLL_SHARE, 7, false, 1, false},
	{"pages in/s", COL_MONGO_COLL_PAGES_READ, 10, false, 0, false},
	{"evicted/s", COL_MONGO_COLL_EVICTED, 9, false, 3, false},
	{"scanned/s", COL_MONGO_COLL_NEXT, 9, false, 4, false},
	{"searched/s", COL_MONGO_COLL_SEARCH, 10, false, 6, false},
	{"requested/s", COL_MONGO_COLL_REQUESTED, 11, false, 7, false},
	{"size", COL_MONGO_COLL_SIZE, 8, false, 5, false},
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_MONGO_COLL);

	(void)w;
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){4, rows < 6 ? 3 + rows : 9, EXTENT_ANY};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct table_view v = {TABLE_MONGO_COLL, columns, sizeof(columns) / sizeof(columns[0]),
		COL_MONGO_COLL_BYTES_IN_CACHE, -1, NULL, "no collection has pages in the cache"};
	char note[NOTE_MAX];
	struct pane p;

	pane_open(
		&p, x, c, r, "collections in the cache", table_note(note, x->ep, TABLE_MONGO_COLL));
	pane_table(&p, &v);
	pane_close(&p);
}

const struct panel_ops panel_mongo_coll = {.name = "collections", .measure = measure, .draw = draw};
