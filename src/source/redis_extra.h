/*
 * What is asked of a Redis beside INFO. Each part is given up for the connection's life where the
 * server does not know it or this user may not use it, and what is not allowed is said once.
 */
#ifndef HOTSET_SOURCE_REDIS_EXTRA_H
#define HOTSET_SOURCE_REDIS_EXTRA_H

#include "hotset/source.h"
#include "resp.h"

enum redis_part { PART_SLOW_LOG, PART_LATENCY, PART_NODES, PART_COUNT };

struct redis_extra {
	unsigned gone;   /* 1 << part: not to be asked for again */
	unsigned denied; /* 1 << part: for want of a right */
	int64_t nodes_ns;
};

/* On a new connection: the user, or the server, may be another one. */
void redis_extra_reset(struct redis_extra *x);
/* An error reply to that part, or NULL for none: remembers what it means. False: give up. */
bool redis_extra_note(struct redis_extra *x, enum redis_part part, const redisReply *reply);
/* LATENCY HISTOGRAM into redis.latency. */
void redis_take_latency(
	struct redis_extra *x, struct transport *conn, int64_t deadline_ns, struct sample *out);
/* CLUSTER NODES into redis.node, at most every 10 s unless `always`. */
void redis_take_nodes(struct redis_extra *x, struct transport *conn, bool always,
	int64_t deadline_ns, struct sample *out);
/* At the end of a poll: PARTIAL with what the user lacks. */
void redis_say_denied(const struct redis_extra *x, struct sample *out);

#endif
