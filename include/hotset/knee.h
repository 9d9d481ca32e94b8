/*
 * The knee of latency over rate: up to it a request takes about what it takes alone, beyond it a
 * queue builds up and each takes a multiple. From points that were measured while the rate changed
 * by itself.
 */
#ifndef HOTSET_KNEE_H
#define HOTSET_KNEE_H

#include "hotset/history.h"

#define KNEE_POINTS_MAX 900u /* seconds that are looked back on */
#define KNEE_TIMES      2.5  /* latency beyond the knee, as a multiple of that below */

struct knee_point {
	float rate, latency; /* per second, any unit of time */
};

struct knee {
	enum reason why;  /* OK: the rest is meaningful */
	double low, high; /* the rate at the knee lies between: the last below, the first beyond */
	double base, top; /* latency below the knee, and at the highest rate */
	double highest;   /* rate that was seen; also without a knee */
};

/* Sorts the points. Says no more than the points do: see `why`. */
void knee_of(struct knee_point *p, unsigned n, struct knee *out);

/* One second of a memcached that is probed; NaN where a percentile was not timed. */
struct knee_second {
	float rate; /* gets per second of others */
	float p50, p95, p99;
};
/* The seconds up to now_ns that have a rate and times, oldest first; of the named key, if any. */
unsigned knee_seconds(
	const struct history *h, int64_t now_ns, struct knee_second out[KNEE_POINTS_MAX]);
/* The knee of p95 over these seconds. */
void knee_find(const struct history *h, int64_t now_ns, struct knee *out);

#endif
