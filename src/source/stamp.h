/* When a poll was: the middle between request and reply, and the time between them. */
#ifndef HOTSET_SOURCE_STAMP_H
#define HOTSET_SOURCE_STAMP_H

#include "hotset/clock.h"
#include "hotset/sample.h"

struct stamp {
	int64_t mono_ns, wall_ns;
};

static inline struct stamp stamp_begin(void)
{
	return (struct stamp){clock_mono_ns(), clock_wall_ns()};
}

static inline void stamp_end(struct stamp begin, struct sample *out)
{
	int64_t rtt = clock_mono_ns() - begin.mono_ns;

	out->rtt_ns = rtt;
	out->mono_ns = begin.mono_ns + rtt / 2;
	out->wall_ns = begin.wall_ns + rtt / 2;
}

/* A poll that failed has a time, too, but no round trip. */
static inline void stamp_failed(struct stamp begin, struct sample *out)
{
	stamp_end(begin, out);
	out->rtt_ns = -1;
}

#endif
