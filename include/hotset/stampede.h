/*
 * A cache stampede at a Redis endpoint, from its counters alone: keys expire or are evicted while
 * requests come at a steady rate, and until the first of them has refilled a key all of its
 * requests miss and go to the origin. R requests per second and an origin of D seconds make about
 * R x D of them, where one per key would have been enough.
 */
#ifndef HOTSET_STAMPEDE_H
#define HOTSET_STAMPEDE_H

#include <stdbool.h>
#include <stdint.h>

struct model;
struct endpoint;

enum stampede_phase {
	STAMPEDE_NO_BASE,  /* not yet 60 s of requests to compare with */
	STAMPEDE_CALM,
	STAMPEDE_BURST,    /* misses are far above their base line */
	STAMPEDE_SETTLING, /* over; the polls of the origin that belong to it are yet to come */
};

/* What a burst came to. NaN: not known. */
struct stampede_result {
	double missed;      /* requests above the base line of misses */
	double keys;        /* expired or evicted above their base line, at least 1 */
	double rate;        /* R: requests per second for these keys */
	bool   rate_is_max; /* R is that of all requests: no interval was covered whole */
	double origin_us;   /* D */
	double predicted;   /* R x D */
	double observed;    /* queries that the origin got above its base line */
	int    origin;      /* endpoint of the origin, -1 none */
	double period_s;    /* the last bursts came this far apart, 0: not regularly */
	int64_t begin_ns, end_ns;
};

#define STAMPEDE_BURSTS 6 /* whose begins are remembered, for the period */

struct stampede {
	enum stampede_phase phase;
	double base_misses, base_hits, base_removed; /* per second, medians of a minute */
	double missed, removed;                      /* so far */
	double plateau; /* of the intervals that the burst covered whole */
	double last_rate;
	double removed_before, missed_before, keys_before; /* of the interval before */
	unsigned intervals;
	int64_t begin_ns, end_ns;
	unsigned done, broken;  /* bursts that came to a result, and that came to none */
	struct stampede_result result; /* of the last one, where `done` */
	unsigned nbegins;
	int64_t begins[STAMPEDE_BURSTS]; /* newest first */
};

/*
 * After a Redis endpoint's frame was made and stored: follows a burst, and sets redis.stampede.* of
 * the frame to those of the last one. UI thread.
 */
void stampede_step(struct model *m, struct endpoint *ep);

#endif
