/*
 * Loads: what drives the servers of a stage. A load is a process of its own that runs until it is
 * ended, uses public clients only, and goes on after an error (a server that restarts is a scene,
 * not an end). It tells how it fares in memory that it shares with the lab.
 */
#ifndef HOTSET_LAB_LOAD_H
#define HOTSET_LAB_LOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Written by one load each, read by the lab. */
struct load_progress {
	_Atomic bool     warm; /* what it prepares is in place: its steady state begins */
	_Atomic uint64_t ops, misses, errors;
};

struct load_env {
	const char *mongodb, *redis, *memcached; /* URIs; "" where the stage has no such server */
	struct load_progress *progress;
	const struct load_progress *after; /* NULL, or the load whose preparation it waits for */
};

struct load {
	const char *name; /* log file, and appName where the server knows one */
	bool (*wanted)(const struct load_env *env); /* the stage has the servers that it needs */
	int (*run)(const struct load_env *env);
};

extern const struct load load_shop;     /* documents, a steady hot set, a few updates */
extern const struct load load_report;   /* now and then a full scan larger than the cache */
extern const struct load load_pages;    /* a cache-aside traffic: Redis in front of the database */
extern const struct load load_sessions; /* memcached with more than its memory holds */

/* ---- pace ------------------------------------------------------------------------------------ */

/*
 * Spreads operations evenly over time, in ticks: fewer wake-ups than one per operation. A load
 * that falls behind (the server is slow) forgets the backlog, so it never storms afterwards.
 */
struct pace {
	double  per_sec;
	int64_t last_ns;
	double  due;
};

void pace_init(struct pace *p, double per_sec);
unsigned pace_wait(struct pace *p); /* sleeps to the next tick; how many operations are due */
void load_sleep_ms(int ms);
/* Waits until env->after is warm. */
void load_await(const struct load_env *env);

/* A small generator (SplitMix64): loads are the same in each run. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n); /* uniform over 0 … n-1 */
/* Skewed over 0 … n-1: half of the draws fall on the first eighth. */
uint32_t rng_skewed(struct rng *r, uint32_t n);

#endif
