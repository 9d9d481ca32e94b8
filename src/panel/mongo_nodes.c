/* What a node says of others: the members of its set, or the shards behind a router. */
#include <string.h>

#include "hotset/widgets.h"

#include "panels.h"

static const struct column member_columns[] = {
	{"member", COL_MONGO_MEMBER_HOST, 24, true, 0, true},
	{"state", COL_MONGO_MEMBER_STATE, 10, true, 0, false},
	{"behind", COL_MONGO_MEMBER_LAG, 8, false, 0, false},
	{"ping", COL_MONGO_MEMBER_PING, 8, false, 2, false},
	{"syncs from", COL_MONGO_MEMBER_SYNC, 24, true, 1, true},
};

static const struct column shard_columns[] = {
	{"shard", COL_MONGO_SHARD_SHARD, 16, true, 0, false},
	{"to be watched", COL_MONGO_SHARD_URI, 40, true, 0, true},
};

/* A member that neither leads nor follows deserves a look. */
static enum level member_level(const struct endpoint *ep, const struct cell_value *cells)
{
	static const char *const well[] = {"PRIMARY", "SECONDARY", "ARBITER", NULL};
	const char *state = cells[COL_MONGO_MEMBER_STATE].text;

	(void)ep;
	for (const char *const *w = well; state && *w; w++)
		if (strcmp(state, *w) == 0)
			return LEVEL_OK;
	return state ? LEVEL_WARN : LEVEL_OK;
}

static const struct table_view members = {
	.table = TABLE_MONGO_MEMBER,
	.cols = member_columns,
	.n = sizeof(member_columns) / sizeof(member_columns[0]),
	.sort = -1,
	.cursor = -1,
	.level = member_level,
	.empty = "no members",
};

static const struct table_view shards = {
	.table = TABLE_MONGO_SHARD,
	.cols = shard_columns,
	.n = sizeof(shard_columns) / sizeof(shard_columns[0]),
	.sort = -1,
	.cursor = -1,
	.empty = "listShards names no shard, or the login may not ask",
};

static struct extent extent_of(const struct panel_ctx *x, enum table_id t, bool when_empty)
{
	int rows = (int)table_rows(x->ep, t);

	if (!rows && !when_empty)
		return (struct extent){0};
	rows = rows < 1 ? 1 : rows > 50 ? 50 : rows;
	return (struct extent){4, rows + 3, rows + 3};
}

static struct extent measure_members(const struct panel_ctx *x, int w)
{
	(void)w;
	return extent_of(x, TABLE_MONGO_MEMBER, false);
}

static struct extent measure_shards(const struct panel_ctx *x, int w)
{
	(void)w;
	return extent_of(x, TABLE_MONGO_SHARD, true);
}

static void draw_members(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	const char *set = frame_info(&x->ep->frame, METRIC_MONGO_REPL_SET);
	struct pane p;

	pane_open(&p, x, c, r, "members of the set", set);
	pane_table(&p, &members);
	pane_close(&p);
}

static void draw_shards(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "shards behind the router", "no cache here");
	pane_table(&p, &shards);
	pane_close(&p);
}

const struct panel_ops panel_mongo_members = {
	.name = "members",
	.measure = measure_members,
	.draw = draw_members,
};
const struct panel_ops panel_mongo_shards = {
	.name = "shards",
	.measure = measure_shards,
	.draw = draw_shards,
};
