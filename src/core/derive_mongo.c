/* What serverStatus does not give ready-made: shares of the cache, costs of reads, quantiles. */
#include "hotset/evidence.h"
#include "quantile.h"

static void derive_cache(const struct derive_ctx *c)
{
	const struct value *v = c->f->v;
	struct value max = v[METRIC_MONGO_CACHE_MAX];

	derive_ratio(c, METRIC_MONGO_CACHE_FILL, v[METRIC_MONGO_CACHE_USED], max, 100,
		REASON_IMPLAUSIBLE);
	derive_ratio(c, METRIC_MONGO_CACHE_DIRTY_FILL, v[METRIC_MONGO_CACHE_DIRTY], max, 100,
		REASON_IMPLAUSIBLE);
	derive_ratio(c, METRIC_MONGO_CACHE_UPDATES_FILL, v[METRIC_MONGO_CACHE_UPDATES], max, 100,
		REASON_IMPLAUSIBLE);
}

static void derive_state(const struct derive_ctx *c)
{
	const char *state = sample_text(c->s, METRIC_MONGO_CACHE_STATE);

	if (state)
		derive_put(c, METRIC_MONGO_CACHE_STATE_BITS, evidence_bits(state));
}

/* Operations of the users: what opLatencies counts as reads and writes, less our own. */
static struct value user_ops(const struct derive_ctx *c)
{
	struct value ops = value_add(derive_diff(c, METRIC_MONGO_LAT_READS_OPS),
		derive_diff(c, METRIC_MONGO_LAT_WRITES_OPS));
	struct value own = derive_diff(c, METRIC_MONGO_OWN_OPS);

	ops = value_sub(ops, value_or(own, 0));
	if (value_ok(ops) && ops.v < 0) /* our own last one was counted before this poll */
		ops.v = 0;
	return ops;
}

static void derive_reads(const struct derive_ctx *c)
{
	struct value time = derive_diff(c, METRIC_MONGO_READ_TIME);
	struct delta span = derive_delta(c, METRIC_MONGO_LAT_READS_OPS);
	struct value ops = user_ops(c);

	derive_ratio(c, METRIC_MONGO_READ_LATENCY, time, derive_diff(c, METRIC_MONGO_READ_COUNT), 1,
		REASON_NO_TRAFFIC);
	derive_ratio(c, METRIC_MONGO_READ_OPS, ops, value_of(span.why == REASON_OK ? span.dt : 0),
		1, REASON_FIRST);
	derive_ratio(c, METRIC_MONGO_READ_PER_OP,
		derive_diff(c, METRIC_MONGO_CACHE_PAGES_READ_TOTAL), ops, 1, REASON_NO_TRAFFIC);
	derive_ratio(c, METRIC_MONGO_READ_COST_PER_OP, time, ops, 1, REASON_NO_TRAFFIC);
	derive_ratio(c, METRIC_MONGO_READ_DEVICE_SHARE,
		derive_diff(c, METRIC_MONGO_READ_DEVICE_BYTES),
		derive_diff(c, METRIC_MONGO_BLOCK_BYTES_READ_TOTAL), 100, REASON_NO_TRAFFIC);
	derive_explain(c, METRIC_MONGO_READ_DEVICE_SHARE, REASON_NOT_SAME_HOST);
}

static void derive_mean_latency(
	const struct derive_ctx *c, enum metric_id id, enum metric_id time, enum metric_id ops)
{
	derive_ratio(c, id, derive_diff(c, time), derive_diff(c, ops), 1, REASON_NO_TRAFFIC);
}

/* ---- quantiles of the reads and writes of the interval ---- */

#define BUCKETS_MAX 128u

/*
 * A bucket ends where the next begins. The server leaves out empty buckets, so the next row may be
 * far away; no bucket of its scale is wider than its own lower bound (0 to 2 us being the first).
 */
static void end_buckets(struct bucket *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		b[i].to = b[i].from > 0 ? 2 * b[i].from : 2;
		if (i + 1 < n && b[i + 1].from < b[i].to)
			b[i].to = b[i + 1].from;
	}
}

static unsigned read_buckets(const struct derive_ctx *c, unsigned col, struct bucket *out,
	double *total, enum reason *why)
{
	const struct frame_rows *rows = &c->f->tables[TABLE_MONGO_LATENCY];
	unsigned n = 0;

	*total = 0;
	*why = rows->asked ? REASON_NO_TRAFFIC : REASON_NOT_ASKED;
	for (unsigned i = 0; i < rows->n && n < BUCKETS_MAX; i++) {
		const struct cell_value *row = rows->cells + (size_t)i * COL_MONGO_LATENCY_COUNT;
		struct value from = row[COL_MONGO_LATENCY_MICROS].num;
		struct value ops = row[col].num;

		if (!value_ok(from))
			continue;
		if (!value_ok(ops)) {
			if (ops.why != REASON_NOT_SENT) /* FIRST, RESET, ... */
				*why = (enum reason)ops.why;
			continue;
		}
		out[n++] = (struct bucket){.from = from.v, .count = ops.v};
		*total += ops.v;
	}
	quantile_sort(out, n);
	end_buckets(out, n);
	return n;
}

static void derive_quantiles(
	const struct derive_ctx *c, unsigned col, enum metric_id p50, enum metric_id p95)
{
	struct bucket b[BUCKETS_MAX];
	enum reason why;
	double total;
	unsigned n = read_buckets(c, col, b, &total, &why);

	if (total > 0) {
		derive_set(c, p50, quantile(b, n, total, 0.50));
		derive_set(c, p95, quantile(b, n, total, 0.95));
		return;
	}
	derive_explain(c, p50, why);
	derive_explain(c, p95, why);
}

/* ---- the rest ---- */

/*
 * Without a readable majority lag it counts as zero: on a standalone or a healthy set it is, and
 * elsewhere the excess then errs towards showing too much.
 */
static void derive_pinned(const struct derive_ctx *c)
{
	const struct value *v = c->f->v;

	derive_put(c, METRIC_MONGO_PINNED_EXCESS,
		value_sub(value_sub(v[METRIC_MONGO_PINNED_LAG], v[METRIC_MONGO_PINNED_WINDOW]),
			value_or(v[METRIC_MONGO_REPL_MAJORITY_LAG], 0)));
}

static void derive_collections(const struct derive_ctx *c)
{
	const struct frame_rows *rows = &c->f->tables[TABLE_MONGO_COLL];

	for (unsigned i = 0; i < rows->n; i++) {
		struct cell_value *row = rows->cells + (size_t)i * COL_MONGO_COLL_COUNT;

		row[COL_MONGO_COLL_SHARE].num = value_ratio(row[COL_MONGO_COLL_BYTES_IN_CACHE].num,
			c->f->v[METRIC_MONGO_CACHE_MAX], 100, REASON_IMPLAUSIBLE);
	}
}

/* A field of the command itself, in its shape: "{find: ?, filter: {a: ?}, tailable: ?}". */
static bool shape_has_field(const char *shape, const char *field)
{
	size_t len = strlen(field);
	int depth = 0;

	for (const char *p = shape; *p; p++) {
		if (*p == '{' || *p == '[')
			depth++;
		else if (*p == '}' || *p == ']')
			depth--;
		else if (*p == ' ' && depth == 1 && strncmp(p + 1, field, len) == 0 &&
			 p[1 + len] == ':')
			return true;
	}
	return false;
}

bool derive_mongo_is_scan(const struct cell_value *row)
{
	const char *plan = row[COL_MONGO_OP_PLAN].text, *ns = row[COL_MONGO_OP_NS].text;
	const char *shape = row[COL_MONGO_OP_SHAPE].text;

	if (!plan || strncmp(plan, "COLLSCAN", 8) != 0 || (ns && strncmp(ns, "local.", 6) == 0))
		return false;
	return !shape || (!shape_has_field(shape, "tailable") &&
				 !strstr(shape, "pipeline: [{$changeStream:"));
}

const struct cell_value *derive_mongo_scan(const struct frame *f)
{
	const struct cell_value *longest = NULL;

	for (unsigned i = 0; i < f->tables[TABLE_MONGO_OP].n; i++) {
		const struct cell_value *row = frame_row(f, TABLE_MONGO_OP, i);

		if (!derive_mongo_is_scan(row))
			continue;
		if (!longest || row[COL_MONGO_OP_SECS].num.v > longest[COL_MONGO_OP_SECS].num.v)
			longest = row;
	}
	return longest;
}

void derive_mongo(const struct derive_ctx *c)
{
	static const enum metric_id from_history[] = {
		METRIC_MONGO_CACHE_TIME_TO_TRIGGER,
		METRIC_MONGO_CACHE_DIRTY_TIME_TO_TRIGGER,
		METRIC_MONGO_CACHE_UPDATES_TIME_TO_TRIGGER,
		METRIC_MONGO_CACHE_FILL_MEAN,
		METRIC_MONGO_CACHE_DIRTY_FILL_MEAN,
		METRIC_MONGO_CACHE_UPDATES_FILL_MEAN,
		METRIC_MONGO_WS_RATIO,
		METRIC_MONGO_WS_LOW,
		METRIC_MONGO_WS_HIGH,
		METRIC_MONGO_WS_KIND,
		METRIC_MONGO_WS_BASIS,
	};
	const struct value *v = c->f->v;

	derive_cache(c);
	derive_state(c);
	derive_reads(c);
	derive_mean_latency(
		c, METRIC_MONGO_LAT_READS, METRIC_MONGO_LAT_READS_TIME, METRIC_MONGO_LAT_READS_OPS);
	derive_mean_latency(c, METRIC_MONGO_LAT_WRITES, METRIC_MONGO_LAT_WRITES_TIME,
		METRIC_MONGO_LAT_WRITES_OPS);
	derive_mean_latency(c, METRIC_MONGO_LAT_COMMANDS, METRIC_MONGO_LAT_COMMANDS_TIME,
		METRIC_MONGO_LAT_COMMANDS_OPS);
	derive_quantiles(
		c, COL_MONGO_LATENCY_READS, METRIC_MONGO_LAT_READS_P50, METRIC_MONGO_LAT_READS_P95);
	derive_quantiles(c, COL_MONGO_LATENCY_WRITES, METRIC_MONGO_LAT_WRITES_P50,
		METRIC_MONGO_LAT_WRITES_P95);
	derive_pinned(c);
	derive_ratio(c, METRIC_MONGO_CONN_FILL, v[METRIC_MONGO_CONN_CURRENT],
		value_add(v[METRIC_MONGO_CONN_CURRENT], v[METRIC_MONGO_CONN_AVAILABLE]), 100,
		REASON_IMPLAUSIBLE);
	derive_collections(c);
	for (size_t i = 0; i < sizeof(from_history) / sizeof(*from_history); i++)
		derive_explain(c, from_history[i], REASON_NEEDS_HISTORY);
}
