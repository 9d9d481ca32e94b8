/*
 * A look for hot keys, on demand: OBJECT FREQ of the keys that SCAN gives, some at each poll, until
 * all were seen or nobody looks any more. It needs an LFU policy, whose counters it does not
 * change, and never uses MONITOR. What it adds to the server's hits is taken out of them.
 */
#ifndef HOTSET_SOURCE_REDIS_HOTKEYS_H
#define HOTSET_SOURCE_REDIS_HOTKEYS_H

#include "hotset/source.h"
#include "own_counter.h"
#include "resp.h"

#define HOT_KEYS_MAX 20u  /* rows */
#define HOT_KEY_LEN  120u /* bytes of a key that are kept */

struct hot_key {
	char key[HOT_KEY_LEN];
	size_t len;
	uint64_t freq;
};

struct redis_hotkeys {
	bool looking, done;
	char cursor[24];
	char why[96]; /* why it ended without all keys, "" */
	uint64_t looked;
	unsigned n;
	struct hot_key top[HOT_KEYS_MAX]; /* the most used first */
	struct own_counter hits;
};

/* After INFO: takes our own look-ups out of the hits. */
void redis_hotkeys_settle(struct redis_hotkeys *h, struct sample *out);
/* Looks on for a few milliseconds, and writes what is known so far. */
void redis_take_hotkeys(
	struct redis_hotkeys *h, struct transport *conn, int64_t deadline_ns, struct sample *out);
/* Nobody looks: the next look begins anew. */
void redis_hotkeys_end(struct redis_hotkeys *h);

#endif
