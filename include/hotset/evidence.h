/*
 * Whether the eviction state that a MongoDB shows fits the thresholds that were composed for it.
 * See core/evidence.c for what counts as evidence. Pure, like estimate_step().
 */
#ifndef HOTSET_EVIDENCE_H
#define HOTSET_EVIDENCE_H

#include "hotset/history.h"

/* CLEAN, CLEAN_HARD, DIRTY, DIRTY_HARD, UPDATES, UPDATES_HARD, NOKEEP */
#define EVIDENCE_FLAGS 7u

struct evidence {
	unsigned       confirmed;    /* bit i: flag i was seen where its threshold says */
	const char    *contradicted; /* the flag whose threshold cannot be right; NULL none */
	double         level;        /* percent: the lowest at which that flag was seen */
	double         threshold;    /* percent: where it should be seen */
	const char    *of;           /* what that is: "the target" */
	enum metric_id source;       /* of it */
};

/* The words of mongo.cache.state as bits, flag i as 1 << i; UNKNOWN_LAYOUT if one has no name. */
struct value evidence_bits(const char *state);
/* OK if there is something of either kind; NOT_SEEN, or why the state says nothing. */
enum reason evidence_of(const struct history *h, const struct frame *f, struct evidence *out);
/* Sets mongo.cache.thresholds; after history_put() of the same frame. */
void evidence_step(const struct history *h, struct frame *f);

#endif
