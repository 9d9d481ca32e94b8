/* What Redis and its relatives do not send ready-made. */
#include "hotset/derive.h"
#include "quantile.h"

#define BUCKETS_MAX 64u

static void derive_memory(const struct derive_ctx *c)
{
	const struct value *v = c->f->v;
	/* servers before 5.0 do not send it; then the evictor counts everything */
	struct value counted =
		value_sub(v[METRIC_REDIS_MEM_USED], value_or(v[METRIC_REDIS_MEM_NOT_COUNTED], 0));

	derive_ratio(
		c, METRIC_REDIS_MEM_FILL, counted, v[METRIC_REDIS_MEM_MAX], 100, REASON_NO_LIMIT);
	derive_ratio(c, METRIC_REDIS_MEM_OF_RAM, v[METRIC_REDIS_MEM_USED],
		v[METRIC_REDIS_MEM_SYSTEM], 100, REASON_IMPLAUSIBLE);
}

static void derive_hit_ratios(const struct derive_ctx *c)
{
	struct value hits = derive_diff(c, METRIC_REDIS_HITS_TOTAL);
	struct value misses = derive_diff(c, METRIC_REDIS_MISSES_TOTAL);
	struct value all_hits = c->f->v[METRIC_REDIS_HITS_TOTAL];
	struct value all_misses = c->f->v[METRIC_REDIS_MISSES_TOTAL];

	derive_ratio(
		c, METRIC_REDIS_HIT_RATIO, hits, value_add(hits, misses), 100, REASON_NO_TRAFFIC);
	derive_ratio(c, METRIC_REDIS_HIT_RATIO_TOTAL, all_hits, value_add(all_hits, all_misses),
		100, REASON_NO_TRAFFIC);
}

static void derive_commands(const struct derive_ctx *c)
{
	const struct frame_rows *rows = &c->f->tables[TABLE_REDIS_CMD];

	for (unsigned i = 0; i < rows->n; i++) {
		struct cell_value *row = rows->cells + (size_t)i * COL_REDIS_CMD_COUNT;

		row[COL_REDIS_CMD_USEC_PER_CALL].num = value_ratio(row[COL_REDIS_CMD_USEC].num,
			row[COL_REDIS_CMD_CALLS].num, 1, REASON_NO_TRAFFIC);
	}
}

/* The bounds double from bucket to bucket, and empty buckets are not sent. */
static unsigned read_buckets(const struct frame_rows *rows, struct bucket out[BUCKETS_MAX],
	double *total, enum reason *why)
{
	unsigned n = 0;

	*total = 0;
	*why = REASON_NO_TRAFFIC;
	for (unsigned i = 0; i < rows->n && n < BUCKETS_MAX; i++) {
		const struct cell_value *row = rows->cells + (size_t)i * COL_REDIS_LATENCY_COUNT;
		struct value to = row[COL_REDIS_LATENCY_MICROS].num;
		struct value calls = row[COL_REDIS_LATENCY_CALLS].num;

		if (!value_ok(calls))
			*why = (enum reason)calls.why;
		if (!value_ok(to) || !value_ok(calls))
			continue;
		out[n++] = (struct bucket){to.v > 1 ? to.v / 2 : 0, to.v, calls.v};
		*total += calls.v;
	}
	quantile_sort(out, n);
	return n;
}

static void derive_latency(const struct derive_ctx *c)
{
	static const struct {
		enum metric_id id;
		double q;
	} wanted[] = {{METRIC_REDIS_LAT_P50, 0.50}, {METRIC_REDIS_LAT_P95, 0.95},
		{METRIC_REDIS_LAT_P99, 0.99}};
	const struct frame_rows *rows = &c->f->tables[TABLE_REDIS_LATENCY];
	struct bucket b[BUCKETS_MAX];
	enum reason why;
	double total;

	if (!rows->asked) {
		for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
			if (c->s->raw[wanted[i].id].why == REASON_OK)
				derive_explain(c, wanted[i].id, REASON_NOT_ASKED);
		return;
	}
	unsigned n = read_buckets(rows, b, &total, &why);
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (total > 0)
			derive_set(c, wanted[i].id, quantile(b, n, total, wanted[i].q));
		else
			derive_explain(c, wanted[i].id, why);
	}
}

void derive_redis(const struct derive_ctx *c)
{
	derive_memory(c);
	derive_hit_ratios(c);
	derive_ratio(c, METRIC_REDIS_RESIDENCE, c->f->v[METRIC_REDIS_KEYS],
		c->f->v[METRIC_REDIS_EVICTED], 1, REASON_NO_EVICTIONS);
	derive_commands(c);
	derive_latency(c);
}
