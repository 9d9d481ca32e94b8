/* How far back history is pinned, who holds it, and what it costs in the history store. */
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"lag", METRIC_MONGO_PINNED_LAG, METRIC_MONGO_PINNED_WINDOW, METRIC_COUNT, 0,
		METRIC_MONGO_PINNED_WINDOW},
};

static const struct field fields[] = {
	{"history", METRIC_MONGO_HS_SIZE},
	{"inserts", METRIC_MONGO_HS_INSERTS},
	{"reusable", METRIC_MONGO_HS_REUSABLE},
	{"majority", METRIC_MONGO_REPL_MAJORITY_LAG},
	{"reader", METRIC_MONGO_PINNED_READER},
	{"excess", METRIC_MONGO_PINNED_EXCESS},
};

/* The operation whose transaction is open longest, NULL if none is known. */
static const struct cell_value *holder(const struct endpoint *ep)
{
	const struct cell_value *found = NULL;

	for (unsigned i = 0; i < table_rows(ep, TABLE_MONGO_OP); i++) {
		const struct cell_value *row = kept_row(ep, TABLE_MONGO_OP, i);

		if (!value_ok(row[COL_MONGO_OP_TXN_OPEN].num))
			continue;
		if (!found || row[COL_MONGO_OP_TXN_OPEN].num.v > found[COL_MONGO_OP_TXN_OPEN].num.v)
			found = row;
	}
	return found;
}

static const char *text_of(const struct cell_value *v)
{
	return v->text ? v->text : "–";
}

static void draw_holder(struct pane *p)
{
	struct value window = pane_value(p, METRIC_MONGO_PINNED_WINDOW);
	struct value limit = pane_value(p, METRIC_MONGO_PINNED_LIMIT);
	const struct cell_value *row = holder(p->x->ep);
	char a[NUM_MAX], b[NUM_MAX];

	pane_printf(p, ROLE_DIM, "▲ window %s   transaction limit %s",
		value_ok(window) ? num_duration(a, window.v) : "n/a",
		value_ok(limit) ? num_duration(b, limit.v) : "n/a");
	if (row)
		pane_printf(p, p->stale ? ROLE_DIM : ROLE_DEFAULT, "held by %s %s, open %s",
			text_of(&row[COL_MONGO_OP_APP]), text_of(&row[COL_MONGO_OP_CLIENT]),
			num_duration(a, row[COL_MONGO_OP_TXN_OPEN].num.v));
	else
		pane_text(p, ROLE_DIM,
			p->x->ep->kept[TABLE_MONGO_OP].asked
				? "held by no transaction"
				: "holder n/a: operations were not asked for yet");
}

static const struct sheet sheet = {
	.title = "pinned timestamp",
	.bars = bars,
	.nbars = 1,
	.text = draw_holder,
	.text_lines = 2,
	.fields = fields,
	.nfields = 6,
	.graph = METRIC_MONGO_PINNED_LAG,
	.role = ROLE_GRAPH_2,
};

const struct panel_ops panel_mongo_pinned = {.name = "pinned", .sheet = &sheet};
