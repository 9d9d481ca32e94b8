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

#define CLOCKX_TEXT 48 /* bytes */

/* "2026-11-30T21:12:49.923+00:00" of milliseconds since 1970. */
void clockx_text(int64_t ms, char text[static CLOCKX_TEXT]);

#endif
