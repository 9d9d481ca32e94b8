/* Rules of Redis that fill a file of their own; rules_redis.c lists them. */
#ifndef HOTSET_RULES_REDIS_H
#define HOTSET_RULES_REDIS_H

#include "hotset/rules.h"

/* Stampedes: rules_stampede.c */
struct stampede_course {
	bool known;        /* the two numbers below are the endpoint's */
	uint64_t event_id; /* of the burst that it began, 0: none */
	unsigned done, broken;
};
void rules_stampede(struct model *m, const struct endpoint *ep, void *state, struct finding *out);
void rules_stampede_cut(struct model *m, const struct endpoint *ep, void *state);

#endif
