/* memcached: young victims, classes that starve beside others with room, the flash cliff. */
#include "hotset/knee.h"
#include "rules_limit.h"

#include <math.h>

#define YOUNG_S      300.0 /* evicted this soon after the last access: the cache is small, */
#define VERY_YOUNG_S 60.0  /* and below this it hardly caches */
#define MEAN_S       10u
#define ROOM_SHARE   0.5 /* a class with at least this share of its memory unused has room, */
#define ROOM_PAGES   2.0 /* if it has this many pages */
#define PAGE_BYTES   1048576.0
#define BUSY_SHARE   50.0 /* percent of all evictions that one class must have */
#define QUEUE_S      5u   /* seconds in a row that the flash queue must not be empty */

static void eval_young(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value time = ep->frame.v[METRIC_MEMCACHED_EVICTED_TIME];
	struct value active = ep->frame.v[METRIC_MEMCACHED_EVICTED_ACTIVE_SHARE];
	char rate[NUM_MAX], age[NUM_MAX], share[64] = "";
	double evictions;

	(void)m;
	if (!value_ok(time) || time.v >= YOUNG_S ||
		!history_mean(ep->history, METRIC_MEMCACHED_EVICTIONS, ep->seen_mono_ns, MEAN_S, 1,
			&evictions) ||
		evictions <= 0)
		return;
	if (value_ok(active))
		snprintf(
			share, sizeof(share), "; %.0f %% of them had been used recently", active.v);
	finding_say(out, time.v < VERY_YOUNG_S ? LEVEL_WARN : LEVEL_INFO,
		"items are evicted %s after their last use, %s/s%s", num_duration(age, time.v),
		num_short(rate, evictions), share);
	finding_next(
		out, "Compare with the TTLs: items that should live longer need more memory (-m).");
	data_num(&out->data, "evicted_time_s", time.v);
	data_num(&out->data, "evictions_per_s", evictions);
}

/* A class without items is not listed among those that evict. */
static bool evicts_nothing(struct value evicted)
{
	return value_ok(evicted) ? evicted.v <= 0 : evicted.why == REASON_NOT_SENT;
}

static bool has_room(const struct cell_value *row)
{
	struct value pages = row[COL_MEMCACHED_SLAB_PAGES].num,
		     waste = row[COL_MEMCACHED_SLAB_WASTE].num;
	struct value evicted = row[COL_MEMCACHED_SLAB_EVICTED].num;

	return value_ok(pages) && value_ok(waste) && evicts_nothing(evicted) &&
	       pages.v >= ROOM_PAGES && waste.v >= ROOM_SHARE * pages.v * PAGE_BYTES;
}

static bool is_starving(const struct cell_value *row)
{
	struct value share = row[COL_MEMCACHED_SLAB_EVICTED_SHARE].num;

	return value_ok(share) && share.v >= BUSY_SHARE;
}

static void eval_imbalance(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct frame *f = &ep->frame;
	const struct cell_value *hungry = NULL, *roomy = NULL;
	char waste[NUM_MAX], rate[NUM_MAX];

	(void)m;
	for (unsigned i = 0; i < f->tables[TABLE_MEMCACHED_SLAB].n; i++) {
		const struct cell_value *row = frame_row(f, TABLE_MEMCACHED_SLAB, i);

		if (is_starving(row))
			hungry = row;
		if (has_room(row) && (!roomy || row[COL_MEMCACHED_SLAB_WASTE].num.v >
							roomy[COL_MEMCACHED_SLAB_WASTE].num.v))
			roomy = row;
	}
	if (!hungry || !roomy)
		return;
	finding_say(out, LEVEL_WARN, "slab class %.0f evicts %s/s while class %.0f has %s unused",
		hungry[COL_MEMCACHED_SLAB_CLASS].num.v,
		num_short(rate, hungry[COL_MEMCACHED_SLAB_EVICTED].num.v),
		roomy[COL_MEMCACHED_SLAB_CLASS].num.v,
		num_format(waste, UNIT_BYTES, roomy[COL_MEMCACHED_SLAB_WASTE].num.v, false));
	finding_next(out,
		"Let slab_automove move pages (stats settings: slab_reassign, slab_automove).");
	data_num(&out->data, "class", hungry[COL_MEMCACHED_SLAB_CLASS].num.v);
	data_num(&out->data, "class_with_room", roomy[COL_MEMCACHED_SLAB_CLASS].num.v);
	data_num(&out->data, "unused_bytes", roomy[COL_MEMCACHED_SLAB_WASTE].num.v);
}

/* A queue that never empties: reads come faster than the flash serves them. */
static void eval_cliff(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value reads = ep->frame.v[METRIC_MEMCACHED_EXT_READS];
	float queue[QUEUE_S];
	unsigned n = history_window(
		ep->history, METRIC_MEMCACHED_EXT_IO_QUEUE, ep->seen_mono_ns, QUEUE_S, queue);
	float least = n == QUEUE_S ? queue[0] : 0;
	char rate[NUM_MAX] = "n/a";

	(void)m;
	for (unsigned i = 1; i < n && n == QUEUE_S; i++)
		least = fminf(least, queue[i]);
	if (!(least > 0))
		return;
	if (value_ok(reads))
		num_short(rate, reads.v);
	finding_say(out, LEVEL_WARN,
		"reads queue up before the flash: %.0f waiting, never below %.0f for %u s, at %s "
		"reads/s",
		(double)queue[QUEUE_S - 1], (double)least, QUEUE_S, rate);
	finding_next(out,
		"Keep hot items in memory: more RAM, ext_recache_rate, or a larger ext_item_age.");
	data_num(&out->data, "io_queue", (double)queue[QUEUE_S - 1]);
	data_num(&out->data, "reads_per_s", value_ok(reads) ? reads.v : (double)NAN);
}

/* Our own gets wait in the queue that others make: the rate is past the knee. */
static void eval_knee(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct value *v = ep->frame.v;
	struct value p95 = value_ok(v[METRIC_MEMCACHED_PROBE_KEY_P95])
				   ? v[METRIC_MEMCACHED_PROBE_KEY_P95]
				   : v[METRIC_MEMCACHED_PROBE_P95];
	struct value rate = value_add(v[METRIC_MEMCACHED_HITS], v[METRIC_MEMCACHED_MISSES]);
	char now[NUM_MAX], below[NUM_MAX], at[NUM_MAX], low[NUM_MAX], high[NUM_MAX];
	struct knee k;

	(void)m;
	if (!value_ok(v[METRIC_MEMCACHED_PROBE_KNEE_LOW]) || !value_ok(p95) || !value_ok(rate))
		return;
	knee_find(ep->history, ep->seen_mono_ns, &k);
	if (k.why != REASON_OK || rate.v < k.low || p95.v < KNEE_TIMES * k.base)
		return;
	finding_say(out, LEVEL_WARN,
		"gets take %s (p95) at %s/s, and %s below %s to %s gets/s: past the knee, a queue "
		"builds up",
		num_format(now, UNIT_USEC, p95.v, false), num_short(at, rate.v),
		num_format(below, UNIT_USEC, k.base, false), num_short(low, k.low),
		num_short(high, k.high));
	finding_next(out, "Spread the load over more servers or threads (-t); with extstore, keep "
			  "hot items in memory.");
	data_num(&out->data, "p95_us", p95.v);
	data_num(&out->data, "base_us", k.base);
	data_num(&out->data, "rate", rate.v);
	data_num(&out->data, "knee_low", k.low);
	data_num(&out->data, "knee_high", k.high);
}

/* `stats reset`: within the same run, counters began anew. An event, and nothing that holds. */
static void note_reset(struct model *m, const struct endpoint *ep, void *state, struct finding *out)
{
	char text[160];

	(void)state;
	(void)out;
	if (ep->frame.v[METRIC_MEMCACHED_SETS].why != REASON_RESET &&
		ep->frame.v[METRIC_MEMCACHED_MISSES].why != REASON_RESET)
		return;
	snprintf(text, sizeof(text), "%s: counters began anew within the same run (stats reset)",
		ep->name);
	model_add_event(
		m, 0, ep->index, "memcached.stats_reset", LEVEL_INFO, EVENT_POINT, text, NULL);
}

const struct rule rules_memcached[] = {
	{.code = "memcached.evicting_young",
		.kind = KIND_MEMCACHED,
		.hold_s = 10,
		.eval = eval_young},
	{.code = "memcached.slab_imbalance",
		.kind = KIND_MEMCACHED,
		.hold_s = 30,
		.eval = eval_imbalance},
	{.code = "memcached.stats_reset",
		.kind = KIND_MEMCACHED,
		.state_size = 1,
		.course = note_reset},
	{.code = LIMIT_CODE, .kind = KIND_MEMCACHED, .hold_s = 10, .eval = rules_limit},
	{.code = "memcached.past_knee", .kind = KIND_MEMCACHED, .hold_s = 10, .eval = eval_knee},
	{.code = "memcached.ext_cliff", .kind = KIND_MEMCACHED, .hold_s = 10, .eval = eval_cliff},
	{0},
};
