/*
 * Our own timed gets of a memcached (--probe): of a key that is never there, and of one that the
 * user names. Both only read. They are counted, so that the server's hits and misses can be told
 * without them.
 */
#ifndef HOTSET_SOURCE_MEMCACHED_PROBE_H
#define HOTSET_SOURCE_MEMCACHED_PROBE_H

#include "hotset/source.h"
#include "hotset/transport.h"
#include "own_counter.h"

struct memcached_probe {
	char key[256];                   /* named by the user, "" none */
	struct own_counter hits, misses;
};

/* After `stats` were parsed: takes our own gets out of hits and misses. */
void memcached_probe_settle(struct memcached_probe *p, struct sample *out);
/*
 * Times some gets one after the other, for at most a fifth of a second, into memcached.probe.*.
 * A failure closes the connection; what was timed until then counts.
 */
void memcached_probe_run(
	struct memcached_probe *p, struct transport *conn, int64_t deadline_ns, struct sample *out);

#endif
