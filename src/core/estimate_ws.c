/*
 * The working set W, as a multiple of the cache, by one of two estimators over the last minute (or
 * what there is of it, from 10 s on):
 *   at most             nothing is evicted and nothing is read in: W <= fill.
 *   uniform-equivalent  eviction runs steadily: W = R / (1 - m), with R the mean fill and m the
 *                       pages read per operation: the size of a uniformly read set that would miss
 *                       this often. Skewed access makes it a lower bound of what is touched. Where
 *                       collections are sampled it is the sum of their own (estimate_coll.c).
 * Each has conditions under which it is meaningful; the first that fails is the reason for having
 * no estimate.
 */
#include "hotset/history.h"

#include <math.h>

#define WINDOW_S        60u
#define SCAN_S          75u /* no scan may have ended in these; its pages come in after its count */
#define WINDOW_MIN      10u /* present seconds that an estimate needs */
#define WARM_UP_S       10u /* after a start, when everything is read for the first time */
#define FEW_EVICTIONS   1.0 /* pages per second that count as "nothing is evicted" */
#define WARM_PER_OP     0.01  /* pages read per operation above which a cache still fills */
#define WARM_POINTS     1.0   /* points of fill gained from the first to the last third, likewise */
#define MIN_OPS_FIT     100.0 /* operations in the window, when nothing is evicted */
#define MIN_OPS_STEADY  1000.0
#define STEADY_POINTS   5.0 /* points of fill between the first and the last third */
#define STEADY_READS    0.5 /* of the mean rate of pages read, likewise */
#define MAX_PER_OP      0.95
#define MAX_WRITE_SHARE 0.5  /* of the operations; beyond it R is not the set that is read */
#define RANGE           0.15 /* by collection; windows were measured within -3 and +6 % */
/* Of the totals -7 to +17 %: an index that misses a little counts as more of the documents. */
#define RANGE_TOTALS    0.20

struct window {
	float fill[WINDOW_S], evicted_clean[WINDOW_S], evicted_dirty[WINDOW_S];
	float pages[WINDOW_S], ops[WINDOW_S], read_bytes[WINDOW_S], writes[3][WINDOW_S];
	float scans[SCAN_S];
	unsigned usable; /* newest seconds that are not of the server's start */
};

/* Sums over the seconds in which all that matters was measured. */
struct totals {
	unsigned n;
	double fill, evicted, pages, ops, scans, read_bytes, writes;
	double fill_drift, pages_drift; /* mean of the last third less mean of the first */
};

/* The first seconds of a server are its warm-up, and those before are of another run. */
static unsigned usable_seconds(const struct frame *f)
{
	struct value uptime = f->v[METRIC_MONGO_UPTIME];

	if (!value_ok(uptime) || uptime.v >= WINDOW_S + WARM_UP_S)
		return WINDOW_S;
	return uptime.v > WARM_UP_S ? (unsigned)(uptime.v - WARM_UP_S) : 0;
}

static void read_window(const struct history *h, const struct frame *f, struct window *w)
{
	static const enum metric_id writes[] = {
		METRIC_MONGO_OPS_INSERT, METRIC_MONGO_OPS_UPDATE, METRIC_MONGO_OPS_DELETE};
	int64_t now = f->sample->mono_ns;

	history_window(h, METRIC_MONGO_CACHE_FILL, now, WINDOW_S, w->fill);
	history_window(h, METRIC_MONGO_CACHE_EVICTED_CLEAN, now, WINDOW_S, w->evicted_clean);
	history_window(h, METRIC_MONGO_CACHE_EVICTED_DIRTY, now, WINDOW_S, w->evicted_dirty);
	history_window(h, METRIC_MONGO_CACHE_PAGES_READ, now, WINDOW_S, w->pages);
	history_window(h, METRIC_MONGO_READ_OPS, now, WINDOW_S, w->ops);
	history_window(h, METRIC_MONGO_SCAN_COLLSCANS, now, SCAN_S, w->scans);
	history_window(h, METRIC_MONGO_CACHE_BYTES_READ, now, WINDOW_S, w->read_bytes);
	for (unsigned i = 0; i < 3; i++)
		history_window(h, writes[i], now, WINDOW_S, w->writes[i]);
	w->usable = usable_seconds(f);
}

static double or_zero(float v)
{
	return isnan(v) ? 0 : (double)v;
}

static bool is_measured(const struct window *w, unsigned i)
{
	return WINDOW_S - i <= w->usable && !isnan(w->fill[i]) && !isnan(w->evicted_clean[i]) &&
	       !isnan(w->pages[i]) && !isnan(w->ops[i]);
}

static void sum_window(const struct window *w, struct totals *t)
{
	float fill[WINDOW_S], pages[WINDOW_S];

	*t = (struct totals){0};
	for (unsigned i = 0; i < SCAN_S; i++)
		t->scans += or_zero(w->scans[i]);
	for (unsigned i = 0; i < WINDOW_S; i++) {
		if (!is_measured(w, i))
			continue;
		pages[t->n] = w->pages[i];
		fill[t->n++] = w->fill[i];
		t->fill += (double)w->fill[i];
		t->evicted += (double)w->evicted_clean[i] + or_zero(w->evicted_dirty[i]);
		t->pages += (double)w->pages[i];
		t->ops += (double)w->ops[i];
		t->read_bytes += or_zero(w->read_bytes[i]);
		for (unsigned k = 0; k < 3; k++)
			t->writes += or_zero(w->writes[k][i]);
	}
	for (unsigned i = 0; i < t->n / 3; i++) {
		unsigned last = t->n - 1 - i;

		t->fill_drift += (double)(fill[last] - fill[i]) / (t->n / 3);
		t->pages_drift += (double)(pages[last] - pages[i]) / (t->n / 3);
	}
}

static bool mostly_writes(const struct totals *t)
{
	return t->writes > MAX_WRITE_SHARE * t->ops;
}

static enum reason check_common(
	const struct frame *f, const struct window *w, const struct totals *t)
{
	if (w->usable < WINDOW_MIN)
		return REASON_WARMING_UP;
	if (t->n < WINDOW_MIN)
		return REASON_NEEDS_HISTORY;
	if (t->scans > 0 || derive_mongo_scan(f))
		return REASON_SCAN_IN_WINDOW;
	return REASON_OK;
}

static enum reason check_fit(const struct frame *f, const struct totals *t)
{
	struct value target = f->v[METRIC_MONGO_CACHE_TARGET];

	if (t->ops < MIN_OPS_FIT)
		return REASON_FEW_OPS;
	if (t->pages > WARM_PER_OP * t->ops || t->fill_drift > WARM_POINTS)
		return mostly_writes(t) ? REASON_WRITES : REASON_WARMING_UP;
	if (value_ok(target) && t->fill / t->n >= target.v)
		return REASON_NOT_STEADY;
	return REASON_OK;
}

static enum reason check_steady(const struct frame *f, const struct totals *t)
{
	double bytes_held = t->fill / t->n / 100 * f->v[METRIC_MONGO_CACHE_MAX].v;

	if (t->ops < MIN_OPS_STEADY)
		return REASON_FEW_OPS;
	if (mostly_writes(t))
		return REASON_WRITES;
	if (t->pages >= MAX_PER_OP * t->ops)
		return REASON_MISS_TOO_HIGH;
	if (fabs(t->fill_drift) >= STEADY_POINTS ||
		fabs(t->pages_drift) > STEADY_READS * t->pages / t->n)
		return REASON_NOT_STEADY;
	if (t->read_bytes < bytes_held) /* less than one turnover of the cache */
		return REASON_NEEDS_HISTORY;
	return REASON_OK;
}

static void set_working_set(
	struct frame *f, double low, double ratio, double high, const char *kind)
{
	f->v[METRIC_MONGO_WS_LOW] = value_of(low);
	f->v[METRIC_MONGO_WS_RATIO] = value_of(ratio);
	f->v[METRIC_MONGO_WS_HIGH] = value_of(high);
	f->v[METRIC_MONGO_WS_KIND] = value_none(REASON_TEXT);
	f->info[METRIC_MONGO_WS_KIND] = kind;
}

static void refuse_working_set(struct frame *f, enum reason why)
{
	static const enum metric_id ids[] = {METRIC_MONGO_WS_LOW, METRIC_MONGO_WS_RATIO,
		METRIC_MONGO_WS_HIGH, METRIC_MONGO_WS_KIND, METRIC_MONGO_WS_BASIS};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		f->v[ids[i]] = value_none(why);
}

static void set_basis(struct frame *f, const char *basis)
{
	f->v[METRIC_MONGO_WS_BASIS] = value_none(REASON_TEXT);
	f->info[METRIC_MONGO_WS_BASIS] = basis;
}

/* The sum over tables where they are sampled; it leaves out what is cached and not read. */
static void estimate_steady(const struct history *h, struct frame *f, const struct totals *t)
{
	double miss = t->pages / t->ops, ratio = t->fill / t->n / 100 / (1 - miss);
	double sampling = 2 * sqrt(miss / (t->ops * (1 - miss))); /* two standard errors */
	bool by_table = history_mean(h, METRIC_MONGO_WS_BY_COLLECTION, f->sample->mono_ns, WINDOW_S,
		1, &ratio);
	double range = hypot(by_table ? RANGE : RANGE_TOTALS, sampling);

	set_working_set(f, ratio * (1 - range), ratio, ratio * (1 + range), "uniform-equivalent");
	set_basis(f, by_table ? "by collection" : "totals");
}

static enum reason estimate(
	const struct history *h, struct frame *f, const struct window *w, const struct totals *t)
{
	enum reason why = check_common(f, w, t);
	double fill = f->v[METRIC_MONGO_CACHE_FILL].v / 100;

	if (why != REASON_OK)
		return why;
	if (t->evicted / t->n < FEW_EVICTIONS) {
		why = check_fit(f, t);
		if (why == REASON_OK) {
			set_working_set(f, 0, fill, fill, "at most");
			set_basis(f, "totals");
		}
		return why;
	}
	why = check_steady(f, t);
	if (why == REASON_OK)
		estimate_steady(h, f, t);
	return why;
}

void estimate_working_set(const struct history *h, struct frame *f)
{
	struct window w;
	struct totals t;
	enum reason why = (enum reason)f->v[METRIC_MONGO_CACHE_FILL].why;

	if (why == REASON_OK) {
		read_window(h, f, &w);
		sum_window(&w, &t);
		why = estimate(h, f, &w, &t);
	}
	if (why != REASON_OK)
		refuse_working_set(f, why);
}
