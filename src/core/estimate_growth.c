/*
 * How fast the history store's file grows. The size that comes with the cache's statistics is
 * renewed at checkpoints only and would show jumps and standstill; so growth is told where the
 * file's own statistics are sent, which include the part that can be used again.
 */
#include "hotset/history.h"

#include <math.h>

#define GROWTH_S     60u /* window */
#define GROWTH_MIN_S 10u

/* Seconds of this server run that the window may cover. */
static unsigned window_of(const struct frame *f)
{
	struct value uptime = f->v[METRIC_MONGO_UPTIME];

	return value_ok(uptime) && uptime.v < GROWTH_S ? (unsigned)fmax(uptime.v, 0) : GROWTH_S;
}

void estimate_growth(const struct history *h, struct frame *f)
{
	struct value size = f->v[METRIC_MONGO_HS_SIZE], *out = &f->v[METRIC_MONGO_HS_GROWTH];
	float steps[GROWTH_S + 1];
	unsigned n = window_of(f) + 1, first = 0;

	if (!value_ok(size) || !value_ok(f->v[METRIC_MONGO_HS_REUSABLE])) {
		*out = value_none(value_ok(size) ? REASON_AT_CHECKPOINTS : (enum reason)size.why);
		return;
	}
	(void)history_window(h, METRIC_MONGO_HS_SIZE, f->sample->mono_ns, n, steps);
	while (first < n && isnan(steps[first]))
		first++;
	if (first == n || n - 1 - first < GROWTH_MIN_S)
		*out = value_none(REASON_NEEDS_HISTORY);
	else
		*out = value_of(((double)steps[n - 1] - (double)steps[first]) / (n - 1 - first));
}
