/* Which collections and indexes the cache holds, and which of them are being read in. */
#include <stdio.h>

#include "hotset/derive.h"
#include "hotset/num.h"
#include "hotset/widgets.h"

#include "panels.h"

static const struct column columns[] = {
	{"namespace", COL_MONGO_COLL_NS, 12, true, 0, true},
	{"index", COL_MONGO_COLL_INDEX, 11, true, 2, true},
	{"in cache", COL_MONGO_COLL_BYTES_IN_CACHE, 8, false, 0, false},
	{"share", COL_MONGO_COLL_SHARE, 6, false, 1, false},
	{"read/s", COL_MONGO_COLL_PAGES_READ, 6, false, 0, false},
	{"evict/s", COL_MONGO_COLL_EVICTED, 7, false, 3, false},
	{"scan/s", COL_MONGO_COLL_NEXT, 6, false, 4, false},
	{"search/s", COL_MONGO_COLL_SEARCH, 8, false, 5, false},
	{"request/s", COL_MONGO_COLL_REQUESTED, 9, false, 6, false},
	{"size", COL_MONGO_COLL_SIZE, 8, false, 7, false},
};

static const struct detail details[] = {
	{"namespace", COL_MONGO_COLL_NS},
	{"index", COL_MONGO_COLL_INDEX},
	{"bytes in the cache", COL_MONGO_COLL_BYTES_IN_CACHE},
	{"share of the cache", COL_MONGO_COLL_SHARE},
	{"size (data, or index file)", COL_MONGO_COLL_SIZE},
	{"pages read in", COL_MONGO_COLL_PAGES_READ},
	{"pages requested", COL_MONGO_COLL_REQUESTED},
	{"pages evicted", COL_MONGO_COLL_EVICTED},
	{"records scanned", COL_MONGO_COLL_NEXT},
	{"searches", COL_MONGO_COLL_SEARCH},
};

/* A collection's own documents have no index; its indexes follow with theirs. */
static const char *stand_in(const struct cell_value *cells, unsigned col)
{
	return col == COL_MONGO_COLL_INDEX && cells[COL_MONGO_COLL_NS].text ? "(documents)" : NULL;
}

static void explain_ratio(
	struct pane *p, const char *label, struct value v, enum metric_unit unit, const char *means)
{
	char text[96], num[NUM_MAX];

	if (value_ok(v))
		(void)snprintf(text, sizeof(text), "%s %s", num_format(num, unit, v.v, p->c->ascii),
			means);
	else
		(void)snprintf(text, sizeof(text), "n/a: %s", reason_text((enum reason)v.why));
	pane_labelled(p, label, value_ok(v) ? ROLE_VALUE : ROLE_DIM, text);
}

static void explain(struct pane *p, const struct cell_value *cells)
{
	struct value read = cells[COL_MONGO_COLL_PAGES_READ].num;
	struct value requested = cells[COL_MONGO_COLL_REQUESTED].num;
	struct value next = cells[COL_MONGO_COLL_NEXT].num;
	struct value search = cells[COL_MONGO_COLL_SEARCH].num;

	explain_ratio(p, "misses", value_ratio(read, requested, 100, REASON_NO_TRAFFIC),
		UNIT_PERCENT, "of the pages requested had to be read");
	explain_ratio(p, "scanned to searched", value_ratio(next, search, 1, REASON_NO_TRAFFIC),
		UNIT_COUNT, "records passed over for each search by key");
}

const struct table_view mongo_coll_table = {
	.table = TABLE_MONGO_COLL,
	.cols = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.sort = COL_MONGO_COLL_BYTES_IN_CACHE,
	.cursor = -1,
	.empty = "no collection has pages in the cache",
	.about = METRIC_MONGO_COLL_SAMPLED,
	.what = "collection or index",
	.gone = "it is not listed any more",
	.stand_in = stand_in,
	.details = details,
	.ndetails = sizeof(details) / sizeof(details[0]),
	.explain = explain,
	.explain_lines = 2,
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_MONGO_COLL);

	(void)w;
	if (x->s->view == VIEW_OPS) /* as the operations above it */
		return (struct extent){4, 6, EXTENT_ANY};
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){4, rows < 6 ? 3 + rows : 9, EXTENT_ANY};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	panel_browse(x, c, r, "collections in the cache", &mongo_coll_table);
}

const struct panel_ops panel_mongo_coll = {
	.name = "collections",
	.wants = WANT_COLLECTIONS,
	.measure = measure,
	.draw = draw,
};
