/*
 * Which collections are asked for their statistics, and what it may cost. Budget: once in 10 s, one
 * call after the other, the 12 busiest namespaces (by `top`) and 2 of the others in turn, no call
 * after 100 ms have been spent; nothing while no view shows them. Where there are too many, or
 * `top` fails, 10 minutes pass before it is asked again: its reply grows with the namespaces.
 */
#ifndef HOTSET_SOURCE_MONGO_COLL_H
#define HOTSET_SOURCE_MONGO_COLL_H

#include <bson/bson.h>
#include <stdbool.h>
#include <stdint.h>

#define COLLECTIONS_EVERY_S  10
#define COLLECTIONS_ACTIVE   12
#define COLLECTIONS_IN_TURN  2
#define COLLECTIONS_MAX_MS   100  /* spent in a round, from when on no further call begins */
#define COLLECTIONS_KEPT     40   /* replies kept of namespaces that are not active */
#define COLLECTIONS_MANY     1000 /* namespaces from which on they are off unless asked for */
#define COLLECTIONS_LIST_MAX 8192 /* namespaces that are told apart, the first ones of `top` */
#define COLLECTIONS_OFF_S    600  /* until `top` is asked again after it told to leave them alone */
#define COLLECTIONS_REST     30   /* rounds without one whose statistics were not to be had */

struct mongo_ns {
	char *name;       /* owned */
	uint64_t time_us; /* spent in it, as `top` last said */
	uint64_t calls;   /* to it, likewise */
	uint64_t busy_us; /* of the time since the look before; 0 if nobody but us called */
	unsigned round;   /* in which `top` last named it */
	bool active;      /* asked for in the round before */
	bool useless;     /* a view, or not ours to see */
	unsigned rests;   /* not asked before this round, after a call that failed */
	bson_t *stats;    /* the last reply, or NULL */
	unsigned asked;   /* the round of that reply */
};

/* The namespaces of one node, sorted by name. */
struct mongo_nss {
	struct mongo_ns *ns;
	unsigned n, cap, round;
	unsigned named; /* by the last `top`: n, or more than are told apart */
	unsigned turn; /* of those that are not active: who is next */
};

/* Takes the reply to `top`; false without memory. Databases of the server are left out. */
bool mongo_nss_update(struct mongo_nss *l, const bson_t *top);
/*
 * Whom to ask in this round, the busiest first, then those whose turn it is; pointers into the
 * list, valid until the next update. Returns how many.
 */
unsigned mongo_nss_choose(
	struct mongo_nss *l, struct mongo_ns *out[COLLECTIONS_ACTIVE + COLLECTIONS_IN_TURN]);
/* Keeps the reply of this round; past COLLECTIONS_KEPT the oldest ones go. */
void mongo_nss_keep(struct mongo_nss *l, struct mongo_ns *ns, bson_t *stats_take);
/* Lets go of the reply of one whose call failed: it would be shown for as long as that lasts. */
void mongo_nss_lose(struct mongo_ns *ns);
void mongo_nss_finish(struct mongo_nss *l);

#endif
