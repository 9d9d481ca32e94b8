/*
 * Wall-clock time for replies; durations are measured with ops_now_ns.
 */
#ifndef WTNODE_CLOCKX_H
#define WTNODE_CLOCKX_H

#include <stdint.h>
#include <time.h>

/* Milliseconds since 1970. */
static inline int64_t clockx_wall_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

#endif
