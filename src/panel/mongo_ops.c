/* Running operations, the longest first; a collection scan is marked, since it is what floods a
 * cache. */
#include <string.h>

#include "hotset/widgets.h"

#include "panels.h"

static const struct column columns[] = {
	{"secs", COL_MONGO_OP_SECS, 7, false, 0, false},
	{"plan", COL_MONGO_OP_PLAN, 8, true, 1, true},
	{"namespace", COL_MONGO_OP_NS, 18, true, 0, true},
	{"docs", COL_MONGO_OP_DOCS, 6, false, 5, false},
	{"app", COL_MONGO_OP_APP, 12, true, 2, true},
	{"client", COL_MONGO_OP_CLIENT, 21, true, 3, false},
	{"txn open", COL_MONGO_OP_TXN_OPEN, 8, false, 6, false},
	{"op", COL_MONGO_OP_OP, 8, true, 7, false},
	{"command", COL_MONGO_OP_SHAPE, 24, true, 8, true},
};

static enum level row_level(const struct endpoint *ep, unsigned row)
{
	const char *plan = kept_row(ep, TABLE_MONGO_OP, row)[COL_MONGO_OP_PLAN].text;

	return plan && strstr(plan, "COLLSCAN") ? LEVEL_WARN : LEVEL_OK;
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_MONGO_OP);

	(void)w;
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){
		4, rows < 3 ? 3 + rows : 6, x->s->view == VIEW_OPS ? EXTENT_ANY : rows + 3};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	int cursor = x->s->view == VIEW_OPS && x->s->cursor > 0 ? x->s->cursor : -1;
	struct table_view v = {TABLE_MONGO_OP, columns, sizeof(columns) / sizeof(columns[0]),
		COL_MONGO_OP_SECS, cursor, row_level, "no operation is running"};
	char note[NOTE_MAX];
	struct pane p;

	pane_open(&p, x, c, r, "running operations", table_note(note, x->ep, TABLE_MONGO_OP));
	pane_table(&p, &v);
	pane_close(&p);
}

const struct panel_ops panel_mongo_ops = {.name = "operations", .measure = measure, .draw = draw};
