/* Tables of a Redis: commands, databases, the slow log, and the masters that a sentinel watches. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct column command_columns[] = {
	{"command", COL_REDIS_CMD_COMMAND, 14, true, 0, true},
	{"calls/s", COL_REDIS_CMD_CALLS, 8, false, 0, false},
	{"per call", COL_REDIS_CMD_USEC_PER_CALL, 8, false, 0, false},
	{"failed/s", COL_REDIS_CMD_FAILED, 8, false, 2, false},
	{"rejected/s", COL_REDIS_CMD_REJECTED, 10, false, 3, false},
	{"calls", COL_REDIS_CMD_CALLS_TOTAL, 7, false, 1, false},
};

static const struct column db_columns[] = {
	{"db", COL_REDIS_DB_DB, 8, true, 0, false},
	{"keys", COL_REDIS_DB_KEYS, 7, false, 0, false},
	{"with TTL", COL_REDIS_DB_EXPIRES, 8, false, 0, false},
	{"mean TTL", COL_REDIS_DB_AVG_TTL, 9, false, 1, false},
};

static const struct column slow_columns[] = {
	{"time", COL_REDIS_SLOW_USEC, 8, false, 0, false},
	{"command", COL_REDIS_SLOW_COMMAND, 24, true, 0, true},
	{"client", COL_REDIS_SLOW_CLIENT, 21, true, 1, false},
};

static const struct column master_columns[] = {
	{"master", COL_REDIS_MASTER_NAME, 16, true, 0, true},
	{"state", COL_REDIS_MASTER_STATE, 10, true, 0, false},
	{"address", COL_REDIS_MASTER_ADDRESS, 21, true, 0, false},
};

static const struct column hot_columns[] = {
	{"key", COL_REDIS_HOTKEY_KEY, 30, true, 0, true},
	{"LFU counter", COL_REDIS_HOTKEY_FREQ, 11, false, 0, false},
};

static const struct column replica_columns[] = {
	{"replica", COL_REDIS_REPLICA_ADDRESS, 21, true, 0, true},
	{"state", COL_REDIS_REPLICA_STATE, 10, true, 0, false},
	{"behind", COL_REDIS_REPLICA_BEHIND, 9, false, 0, false},
	{"last ack", COL_REDIS_REPLICA_LAG, 8, false, 1, false},
};

static const struct column node_columns[] = {
	{"node", COL_REDIS_NODE_ADDRESS, 21, true, 0, true},
	{"role", COL_REDIS_NODE_ROLE, 8, true, 0, false},
	{"state", COL_REDIS_NODE_STATE, 12, true, 0, false},
	{"slots", COL_REDIS_NODE_SLOTS, 6, false, 1, false},
};

#define VIEW(id, columns, by, when_empty)                                                          \
	{                                                                                          \
		.table = TABLE_##id, .cols = columns, .n = sizeof(columns) / sizeof((columns)[0]), \
		.sort = by, .cursor = -1, .empty = when_empty                                      \
	}

static const struct table_view commands =
	VIEW(REDIS_CMD, command_columns, COL_REDIS_CMD_CALLS, "no command was called");
static const struct table_view dbs = VIEW(REDIS_DB, db_columns, -1, "no keys");
static const struct table_view slow =
	VIEW(REDIS_SLOW, slow_columns, COL_REDIS_SLOW_USEC, "no slow command in this interval");
static const struct table_view hot_keys =
	VIEW(REDIS_HOTKEY, hot_columns, COL_REDIS_HOTKEY_FREQ, "none was looked at yet");
static const struct table_view replicas =
	VIEW(REDIS_REPLICA, replica_columns, COL_REDIS_REPLICA_BEHIND, "no replica");
static const struct table_view nodes = VIEW(REDIS_NODE, node_columns, -1, "no node was listed");
static const struct table_view masters = VIEW(REDIS_MASTER, master_columns, -1, "no master");

static struct extent rows_extent(const struct panel_ctx *x, enum table_id t, bool when_empty)
{
	int rows = (int)table_rows(x->ep, t);

	if (rows == 0 && !when_empty)
		return (struct extent){0};
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){4, rows < 6 ? 3 + rows : 9, rows + 3};
}

static void draw_table(const struct panel_ctx *x, struct canvas *c, struct rect r,
	const char *title, const struct table_view *v)
{
	struct pane p;

	pane_open(&p, x, c, r, title, NULL);
	pane_table(&p, v);
	pane_close(&p);
}

#define TABLE_PANEL(id, table, title, when_empty)                                                  \
	static struct extent measure_##id(const struct panel_ctx *x, int w)                        \
	{                                                                                          \
		(void)w;                                                                           \
		return rows_extent(x, (table), (when_empty));                                      \
	}                                                                                          \
	static void draw_##id(const struct panel_ctx *x, struct canvas *c, struct rect r)          \
	{                                                                                          \
		draw_table(x, c, r, (title), &(id));                                               \
	}

/* How long commands take as a whole, above which ones they are. */
static const struct field times[] = {
	{"p50", METRIC_REDIS_LAT_P50},
	{"p95", METRIC_REDIS_LAT_P95},
	{"p99", METRIC_REDIS_LAT_P99},
	{"errors", METRIC_REDIS_ERRORS},
};

static struct extent measure_commands(const struct panel_ctx *x, int w)
{
	struct extent e = rows_extent(x, TABLE_REDIS_CMD, true);
	int lines = fields_lines(times, 4, w);

	return (struct extent){e.min_h + lines, e.want_h + lines, e.max_h + lines};
}

static void draw_commands(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "commands", NULL);
	pane_fields(&p, times, 4, pane_left(&p) - 2);
	pane_table(&p, &commands);
	pane_close(&p);
}

TABLE_PANEL(dbs, TABLE_REDIS_DB, "databases", false)
TABLE_PANEL(slow, TABLE_REDIS_SLOW, "slow commands", false)
TABLE_PANEL(replicas, TABLE_REDIS_REPLICA, "replicas", false)
TABLE_PANEL(masters, TABLE_REDIS_MASTER, "masters", false)

/* Shown while somebody looks: its state first, then the keys. */
static struct extent measure_hot_keys(const struct panel_ctx *x, int w)
{
	struct extent e = rows_extent(x, TABLE_REDIS_HOTKEY, true);

	(void)w;
	if (!x->ep || !x->s->hot_keys)
		return (struct extent){0};
	return (struct extent){e.want_h + 1, e.want_h + 1, e.max_h + 1};
}

static void draw_hot_keys(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	const char *state = frame_info(&x->ep->frame, METRIC_REDIS_HOTKEYS);
	struct pane p;

	pane_open(&p, x, c, r, "hot keys (H ends)", NULL);
	pane_text(&p, ROLE_DEFAULT, state ? state : "the next poll looks");
	if (table_rows(x->ep, TABLE_REDIS_HOTKEY) > 0)
		pane_table(&p, &hot_keys);
	pane_close(&p);
}

const struct panel_ops panel_redis_hot_keys = {
	.name = "hot keys",
	.measure = measure_hot_keys,
	.draw = draw_hot_keys,
};

/* The nodes are asked for while there is room for them, so the room comes first. */
static struct extent measure_nodes(const struct panel_ctx *x, int w)
{
	const char *mode = x->ep ? frame_info(&x->ep->frame, METRIC_REDIS_MODE) : NULL;

	(void)w;
	if (!mode || strcmp(mode, "cluster") != 0)
		return (struct extent){0};
	return rows_extent(x, TABLE_REDIS_NODE, true);
}

static void draw_nodes(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	draw_table(x, c, r, "nodes of the cluster: each a target of its own", &nodes);
}

const struct panel_ops panel_redis_nodes = {
	.name = "nodes",
	.wants = WANT_REDIS_NODES,
	.measure = measure_nodes,
	.draw = draw_nodes,
};
const struct panel_ops panel_redis_replicas = {
	.name = "replicas",
	.measure = measure_replicas,
	.draw = draw_replicas,
};
const struct panel_ops panel_redis_commands = {
	.name = "commands",
	.wants = WANT_REDIS_LATENCY,
	.measure = measure_commands,
	.draw = draw_commands,
};
const struct panel_ops panel_redis_dbs = {
	.name = "databases",
	.measure = measure_dbs,
	.draw = draw_dbs,
};
const struct panel_ops panel_redis_slow = {
	.name = "slow",
	.measure = measure_slow,
	.draw = draw_slow,
};
const struct panel_ops panel_redis_masters = {
	.name = "masters",
	.measure = measure_masters,
	.draw = draw_masters,
};
