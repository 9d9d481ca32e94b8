/*
 * Scenes for the screen: a MongoDB node with a collection scan, a Redis that evicts, a memcached
 * with a starving slab class and their host, two minutes of it, at fixed times. The figures go the
 * way of every sample (derive, history); what the rules would say is written by hand, so that the
 * pictures do not depend on their wording.
 */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include "hotset/model.h"

#define SCENE_SECONDS 120
#define SCENE_SCAN_AT 100 /* the second in which the scan begins */

/* An endpoint of the kind with its name, address and nothing else. */
struct endpoint *scene_add(struct model *m, enum kind kind);
/* Pushes the samples of seconds [0, seconds) of every endpoint. */
void scene_run(struct model *m, unsigned seconds);
/* What holds and what happened at the end of the scene. */
void scene_conclude(struct model *m);
/* The endpoint's next poll, `after_s` later, fails. */
void scene_fail(struct model *m, struct endpoint *ep, double after_s, enum status status,
	const char *msg);
/* Time passes without an answer. */
void scene_wait(struct model *m, double seconds);
/* mongo, redis, memcached and host, run and concluded. */
struct model *scene_demo(void);
/* mongo and host. */
struct model *scene_node(void);

#endif
