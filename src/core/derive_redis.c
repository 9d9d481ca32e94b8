/* What Redis and its relatives do not send ready-made. */
#include "hotset/derive.h"

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

void derive_redis(const struct derive_ctx *c)
{
	derive_memory(c);
	derive_hit_ratios(c);
	derive_ratio(c, METRIC_REDIS_RESIDENCE, c->f->v[METRIC_REDIS_KEYS],
		c->f->v[METRIC_REDIS_EVICTED], 1, REASON_NO_EVICTIONS);
	derive_commands(c);
}
