/*
 * The points are put into bins of equal number by their rate; a bin's latency is its median, so
 * that single slow requests do not make a knee. The knee lies before the first bin from which on
 * all bins are far above the level of the slowest third of rates.
 */
#include "hotset/knee.h"

#include <math.h>
#include <stdlib.h>

#define POINTS_MIN  40u
#define BINS_MAX    12u
#define PER_BIN_MIN 8u
#define SPREAD_MIN  1.5 /* the highest bin's rate over the lowest one's */

struct bin {
	double rate, latency;
};

static int by_rate(const void *pa, const void *pb)
{
	const struct knee_point *a = pa, *b = pb;

	return (a->rate > b->rate) - (a->rate < b->rate);
}

static int by_latency(const void *pa, const void *pb)
{
	const struct knee_point *a = pa, *b = pb;

	return (a->latency > b->latency) - (a->latency < b->latency);
}

static unsigned make_bins(struct knee_point *p, unsigned n, struct bin bins[BINS_MAX])
{
	unsigned count = n / PER_BIN_MIN < BINS_MAX ? n / PER_BIN_MIN : BINS_MAX;

	qsort(p, n, sizeof(*p), by_rate);
	for (unsigned i = 0; i < count; i++) {
		unsigned from = i * n / count, to = (i + 1) * n / count, middle = (from + to) / 2;

		bins[i].rate = (double)p[middle].rate;
		qsort(p + from, to - from, sizeof(*p), by_latency);
		bins[i].latency = (double)p[middle].latency;
	}
	return count;
}

static double level_of(const struct bin *bins, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += bins[i].latency;
	return sum / n;
}

void knee_of(struct knee_point *p, unsigned n, struct knee *out)
{
	struct bin bins[BINS_MAX];

	*out = (struct knee){.why = REASON_NEEDS_HISTORY};
	if (n < POINTS_MIN)
		return;
	unsigned count = make_bins(p, n, bins), low = (count + 2) / 3, first = count;
	out->highest = bins[count - 1].rate;
	out->base = level_of(bins, low);
	out->top = bins[count - 1].latency;
	out->why = REASON_SAME_RATE;
	if (bins[count - 1].rate < SPREAD_MIN * bins[0].rate)
		return;
	while (first > 0 && bins[first - 1].latency >= KNEE_TIMES * out->base)
		first--;
	out->why = first < count ? REASON_OK : REASON_NO_KNEE;
	if (first == count)
		return;
	out->low = first > 0 ? bins[first - 1].rate : 0;
	out->high = bins[first].rate;
}

/* ---- of a memcached ---- */

unsigned knee_seconds(
	const struct history *h, int64_t now_ns, struct knee_second out[KNEE_POINTS_MAX])
{
	enum { HITS, MISSES, P50, P95, P99, KEY50, KEY95, KEY99, COLUMNS };
	static const enum metric_id ids[COLUMNS] = {METRIC_MEMCACHED_HITS, METRIC_MEMCACHED_MISSES,
		METRIC_MEMCACHED_PROBE_P50, METRIC_MEMCACHED_PROBE_P95, METRIC_MEMCACHED_PROBE_P99,
		METRIC_MEMCACHED_PROBE_KEY_P50, METRIC_MEMCACHED_PROBE_KEY_P95,
		METRIC_MEMCACHED_PROBE_KEY_P99};
	float v[COLUMNS][KNEE_POINTS_MAX];
	unsigned n = 0;

	for (unsigned c = 0; c < COLUMNS; c++)
		history_window(h, ids[c], now_ns, KNEE_POINTS_MAX, v[c]);
	for (unsigned i = 0; i < KNEE_POINTS_MAX; i++) {
		unsigned from = isnan(v[KEY95][i]) ? P50 : KEY50;

		if (isnan(v[HITS][i]) || isnan(v[MISSES][i]) || isnan(v[from + 1][i]))
			continue;
		out[n++] = (struct knee_second){
			v[HITS][i] + v[MISSES][i], v[from][i], v[from + 1][i], v[from + 2][i]};
	}
	return n;
}

void knee_find(const struct history *h, int64_t now_ns, struct knee *out)
{
	struct knee_second seconds[KNEE_POINTS_MAX];
	struct knee_point points[KNEE_POINTS_MAX];
	unsigned n = knee_seconds(h, now_ns, seconds);

	for (unsigned i = 0; i < n; i++)
		points[i] = (struct knee_point){seconds[i].rate, seconds[i].p95};
	knee_of(points, n, out);
}
