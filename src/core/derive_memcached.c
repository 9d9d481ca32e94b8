/* What memcached does not send ready-made. */
#include "hotset/derive.h"

static void derive_hit_ratios(const struct derive_ctx *c)
{
	struct value hits = derive_diff(c, METRIC_MEMCACHED_HITS_TOTAL);
	struct value misses = derive_diff(c, METRIC_MEMCACHED_MISSES_TOTAL);
	struct value all_hits = c->f->v[METRIC_MEMCACHED_HITS_TOTAL];
	struct value all_misses = c->f->v[METRIC_MEMCACHED_MISSES_TOTAL];

	derive_ratio(c, METRIC_MEMCACHED_HIT_RATIO, hits, value_add(hits, misses), 100,
		REASON_NO_TRAFFIC);
	derive_ratio(c, METRIC_MEMCACHED_HIT_RATIO_TOTAL, all_hits, value_add(all_hits, all_misses),
		100, REASON_NO_TRAFFIC);
}

static void derive_evictions(const struct derive_ctx *c)
{
	struct value evictions = derive_diff(c, METRIC_MEMCACHED_EVICTIONS_TOTAL);

	derive_ratio(c, METRIC_MEMCACHED_EVICTED_UNFETCHED_SHARE,
		derive_diff(c, METRIC_MEMCACHED_EVICTED_UNFETCHED), evictions, 100,
		REASON_NO_EVICTIONS);
	derive_ratio(c, METRIC_MEMCACHED_EVICTED_ACTIVE_SHARE,
		derive_diff(c, METRIC_MEMCACHED_EVICTED_ACTIVE), evictions, 100,
		REASON_NO_EVICTIONS);
}

static struct cell_value *slab_row(const struct derive_ctx *c, unsigned i)
{
	return c->f->tables[TABLE_MEMCACHED_SLAB].cells + (size_t)i * COL_MEMCACHED_SLAB_COUNT;
}

static struct value slab_sum(const struct derive_ctx *c, unsigned col)
{
	struct value sum = value_of(0);

	for (unsigned i = 0; i < c->f->tables[TABLE_MEMCACHED_SLAB].n; i++) {
		struct value v = slab_row(c, i)[col].num;

		if (value_ok(v))
			sum = value_add(sum, v);
	}
	return sum;
}

static void derive_slab_shares(const struct derive_ctx *c)
{
	struct value pages = slab_sum(c, COL_MEMCACHED_SLAB_PAGES);
	struct value evicted = slab_sum(c, COL_MEMCACHED_SLAB_EVICTED);

	for (unsigned i = 0; i < c->f->tables[TABLE_MEMCACHED_SLAB].n; i++) {
		struct cell_value *row = slab_row(c, i);

		row[COL_MEMCACHED_SLAB_PAGE_SHARE].num = value_ratio(
			row[COL_MEMCACHED_SLAB_PAGES].num, pages, 100, REASON_NO_TRAFFIC);
		row[COL_MEMCACHED_SLAB_EVICTED_SHARE].num = value_ratio(
			row[COL_MEMCACHED_SLAB_EVICTED].num, evicted, 100, REASON_NO_EVICTIONS);
	}
}

/*
 * The smallest evicted_time of a class that evicts now; an old one says nothing about now. Classes
 * come and go with their items, so one that has no rate yet does not hide what the others say.
 */
static void derive_evicted_time(const struct derive_ctx *c)
{
	const struct frame_rows *rows = &c->f->tables[TABLE_MEMCACHED_SLAB];
	struct value min = value_none(rows->asked ? REASON_NO_EVICTIONS : REASON_NOT_ASKED);
	bool any_rate = false;

	for (unsigned i = 0; i < rows->n; i++) {
		struct value rate = slab_row(c, i)[COL_MEMCACHED_SLAB_EVICTED].num;
		struct value time = slab_row(c, i)[COL_MEMCACHED_SLAB_EVICTED_TIME].num;

		any_rate |= value_ok(rate);
		if (!value_ok(rate) && !any_rate && rate.why != REASON_NOT_SENT)
			min = value_none((enum reason)rate.why);
		if (value_ok(rate) && !value_ok(min))
			min = value_none(REASON_NO_EVICTIONS);
		if (!value_ok(rate) || rate.v <= 0 || !value_ok(time))
			continue;
		if (!value_ok(min) || time.v < min.v)
			min = time;
	}
	derive_put(c, METRIC_MEMCACHED_EVICTED_TIME, min);
}

static void derive_extstore(const struct derive_ctx *c)
{
	struct delta written = derive_delta(c, METRIC_MEMCACHED_EXT_WRITTEN);
	struct value rate = written.why == REASON_OK ? value_of(written.d / written.dt)
						     : value_none(written.why);

	derive_ratio(c, METRIC_MEMCACHED_EXT_FRAG, c->f->v[METRIC_MEMCACHED_EXT_FRAGMENTED],
		c->f->v[METRIC_MEMCACHED_EXT_MAX], 100, REASON_NO_EXTSTORE);
	derive_ratio(c, METRIC_MEMCACHED_EXT_LIFETIME, c->f->v[METRIC_MEMCACHED_EXT_USED], rate, 1,
		REASON_NO_TRAFFIC);
}

void derive_memcached(const struct derive_ctx *c)
{
	derive_hit_ratios(c);
	derive_ratio(c, METRIC_MEMCACHED_MEM_FILL, c->f->v[METRIC_MEMCACHED_MEM_USED],
		c->f->v[METRIC_MEMCACHED_MEM_MAX], 100, REASON_NO_LIMIT);
	derive_evictions(c);
	derive_slab_shares(c);
	derive_evicted_time(c);
	derive_extstore(c);
	for (enum metric_id id = METRIC_MEMCACHED_PROBE_P50; id <= METRIC_MEMCACHED_PROBE_P99; id++)
		derive_explain(c, id, REASON_OFF);
	for (enum metric_id id = METRIC_MEMCACHED_PROBE_KEY_P50;
		id <= METRIC_MEMCACHED_PROBE_KNEE_HIGH; id++)
		derive_explain(c, id, REASON_OFF);
}
