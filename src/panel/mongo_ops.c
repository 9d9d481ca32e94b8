/*
 * Running operations. What floods a cache or pins its history is marked and stands first: a
 * collection scan, and a transaction that is open for long.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/widgets.h"

#include "panels.h"

/* MongoDB's own default of transactionLifetimeLimitSeconds; a lower limit of the server counts. */
#define LONG_TXN_S 60.0

static const struct column columns[] = {
	{"secs", COL_MONGO_OP_SECS, 7, false, 0, false},
	{"plan", COL_MONGO_OP_PLAN, 8, true, 1, true},
	{"namespace", COL_MONGO_OP_NS, 12, true, 0, true},
	{"docs", COL_MONGO_OP_DOCS, 5, false, 5, false},
	{"app", COL_MONGO_OP_APP, 10, true, 2, true},
	{"client", COL_MONGO_OP_CLIENT, 15, true, 4, true},
	{"txn open", COL_MONGO_OP_TXN_OPEN, 8, false, 3, false},
	{"txn", COL_MONGO_OP_TXN, 8, true, 8, false},
	{"op", COL_MONGO_OP_OP, 7, true, 7, false},
	{"opid", COL_MONGO_OP_OPID, 9, false, 9, false},
	{"command", COL_MONGO_OP_SHAPE, 36, true, 6, true},
};

static const struct detail details[] = {
	{"operation", COL_MONGO_OP_OPID},
	{"running for", COL_MONGO_OP_SECS},
	{"plan", COL_MONGO_OP_PLAN},
	{"namespace", COL_MONGO_OP_NS},
	{"kind", COL_MONGO_OP_OP},
	{"documents examined", COL_MONGO_OP_DOCS},
	{"application", COL_MONGO_OP_APP},
	{"client", COL_MONGO_OP_CLIENT},
	{"command, as a shape", COL_MONGO_OP_SHAPE},
};

static bool is_scan(const struct cell_value *cells)
{
	const char *plan = cells[COL_MONGO_OP_PLAN].text;

	return plan && strstr(plan, "COLLSCAN");
}

static bool has_transaction(const struct cell_value *cells)
{
	return cells[COL_MONGO_OP_TXN].text || value_ok(cells[COL_MONGO_OP_TXN_OPEN].num);
}

static bool is_long(const struct endpoint *ep, const struct cell_value *cells)
{
	struct value open = cells[COL_MONGO_OP_TXN_OPEN].num, limit;

	if (!value_ok(open))
		return false;
	if (open.v > LONG_TXN_S)
		return true;
	limit = endpoint_value(ep, METRIC_MONGO_PINNED_LIMIT);
	return value_ok(limit) && open.v > limit.v;
}

static enum level row_level(const struct endpoint *ep, const struct cell_value *cells)
{
	return is_scan(cells) || is_long(ep, cells) ? LEVEL_WARN : LEVEL_OK;
}

/* A session between two commands has no plan: what it does is to hold its transaction. */
static const char *stand_in(const struct cell_value *cells, unsigned col)
{
	const char *txn = cells[COL_MONGO_OP_TXN].text;

	if (col != COL_MONGO_OP_PLAN || !txn)
		return NULL;
	return strcmp(txn, "idle") == 0 ? "idle txn" : NULL;
}

/* ---- details ---- */

static void explain_state(struct pane *p, const struct cell_value *cells)
{
	const char *state = cells[COL_MONGO_OP_TXN].text;
	struct value open = cells[COL_MONGO_OP_TXN_OPEN].num;
	char text[128], age[NUM_MAX];
	const char *means = "";

	if (state && strcmp(state, "idle") == 0)
		means = ": it waits for its client, and what it reads stays in history";
	else if (state && strcmp(state, "prepared") == 0)
		means = ": only its coordinator can end it";
	(void)snprintf(text, sizeof(text), "open for %s, %s%s",
		value_ok(open) ? num_duration(age, open.v) : "n/a", state ? state : "state n/a",
		means);
	pane_labelled(p, "transaction", is_long(p->x->ep, cells) ? ROLE_WARN : ROLE_DEFAULT, text);
}

/* How long it may live yet, by the server's clock, and the limit that newer ones get. */
static void explain_limit(struct pane *p, const struct cell_value *cells)
{
	struct value left = cells[COL_MONGO_OP_TXN_LEFT].num;
	struct value limit = endpoint_value(p->x->ep, METRIC_MONGO_PINNED_LIMIT);
	bool over = value_ok(left) && left.v < 0;
	char text[160], time[NUM_MAX];
	size_t at = 0;

	if (value_ok(left))
		at = (size_t)snprintf(text, sizeof(text), "%s %s; ", over ? "over for" : "ends in",
			num_duration(time, over ? -left.v : left.v));
	if (value_ok(limit))
		(void)snprintf(text + at, sizeof(text) - at,
			"transactionLifetimeLimitSeconds is %s", num_duration(time, limit.v));
	else
		(void)snprintf(text + at, sizeof(text) - at, "the server's limit is n/a: %s",
			reason_text((enum reason)limit.why));
	pane_labelled(p, "its lifetime", over ? ROLE_WARN : ROLE_DEFAULT, text);
}

static void explain_reading(struct pane *p, const struct cell_value *cells)
{
	struct value ts = cells[COL_MONGO_OP_READ_TS].num;
	char text[96], utc[CLOCK_TEXT_MAX];

	if (value_ok(ts))
		(void)snprintf(text, sizeof(text), "%.19sZ by the server's clock",
			clock_format_utc(utc, (int64_t)ts.v * NS_PER_SEC));
	else
		(void)snprintf(text, sizeof(text), "n/a: %s", reason_text((enum reason)ts.why));
	pane_labelled(p, "reads as of", value_ok(ts) ? ROLE_DEFAULT : ROLE_DIM, text);
}

static void explain(struct pane *p, const struct cell_value *cells)
{
	if (has_transaction(cells)) {
		explain_state(p, cells);
		explain_limit(p, cells);
	} else {
		pane_labelled(p, "transaction", ROLE_DIM, "none");
	}
	if (has_transaction(cells) || value_ok(cells[COL_MONGO_OP_READ_TS].num))
		explain_reading(p, cells);
	if (is_scan(cells))
		pane_labelled(p, "⚠ collection scan", ROLE_WARN,
			"it brings the whole collection through the cache; an index on what it "
			"searches for would bring in what it needs");
}

const struct table_view mongo_ops_table = {
	.table = TABLE_MONGO_OP,
	.cols = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.sort = COL_MONGO_OP_SECS,
	.cursor = -1,
	.level = row_level,
	.empty = "no operation is running",
	.what = "operation",
	.gone = "it is not running any more",
	.stand_in = stand_in,
	.details = details,
	.ndetails = sizeof(details) / sizeof(details[0]),
	.explain = explain,
	.explain_lines = 7,
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_MONGO_OP);

	(void)w;
	if (x->s->view == VIEW_OPS) /* the same height however many there are: nothing jumps */
		return (struct extent){4, 6, EXTENT_ANY};
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){4, rows < 3 ? 3 + rows : 6, rows + 3};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	panel_browse(x, c, r, "running operations", &mongo_ops_table);
}

const struct panel_ops panel_mongo_ops = {.name = "operations", .measure = measure, .draw = draw};
