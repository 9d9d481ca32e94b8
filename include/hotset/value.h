/* A derived number, or the reason why there is none. Never a bare zero for "unknown". */
#ifndef HOTSET_VALUE_H
#define HOTSET_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* X(enum name, text for people and in JSON's "why"). Append only: recordings hold the names. */
#define REASON_LIST(X)                                                                             \
	X(OK, "")                                                                                  \
	X(NOT_SENT, "not in this server's reply")                                                  \
	X(NOT_ASKED, "not asked for in this poll")                                                 \
	X(FIRST, "needs a second sample")                                                          \
	X(ONE_DUMP, "one dump")                                                                    \
	X(RESET, "counter was reset")                                                              \
	X(RESTARTED, "server run changed")                                                         \
	X(NO_TRAFFIC, "no traffic")                                                                \
	X(NO_LIMIT, "no limit")                                                                    \
	X(IMPLAUSIBLE, "implausible value from the server")                                        \
	X(NOT_SET, "not set")                                                                      \
	X(NO_ANSWER, "no answer")                                                                  \
	X(NO_PRIVILEGE, "privilege missing")                                                       \
	X(ROUTER, "a router has no cache")                                                         \
	X(PROXY, "a proxy has no cache")                                                           \
	X(SENTINEL, "a sentinel holds no data")                                                    \
	X(NOT_EXPORTED, "not exported")                                                            \
	X(PSI_OFF, "PSI off (the kernel needs psi=1)")                                             \
	X(NO_PSI, "this kernel has no PSI")                                                        \
	X(NO_KERNEL, "not in this kernel")                                                         \
	X(NO_CGROUP, "no cgroup memory controller here")                                           \
	X(NOT_SAME_HOST, "not provably this host")                                                 \
	X(TEXT, "not a number")                                                                    \
	X(NEEDS_HISTORY, "needs more history")                                                     \
	X(NOT_STEADY, "not steady yet")                                                            \
	X(SCAN_IN_WINDOW, "a collection scan is in the window")                                    \
	X(FEW_OPS, "too few operations")                                                           \
	X(WARMING_UP, "cache is warming up")                                                       \
	X(MISS_TOO_HIGH, "almost every operation misses")                                          \
	X(FLAT, "no clear slope")                                                                  \
	X(OFF, "off")                                                                              \
	X(NO_EVICTIONS, "nothing is evicted")                                                      \
	X(NO_EXTSTORE, "no extstore")                                                              \
	X(ARBITER, "an arbiter holds no data")                                                     \
	X(WRITES, "most operations write")                                                         \
	X(TOO_MANY, "too many to count")                                                         \
	X(AT_CHECKPOINTS, "its size is told at checkpoints only")                                  \
	X(UNKNOWN_LAYOUT, "unknown layout of the eviction state")                                  \
	X(NOT_SEEN, "the eviction state has not shown it yet")                                     \
	X(IN_MEMORY, "the in-memory engine has none")                                              \
	X(NOT_COVERED, "tables that are read were not sampled")                                    \
	X(NO_PERMISSION, "no permission to look at its process")                                   \
	X(NO_STAMPEDE, "none seen yet")                                                            \
	X(NO_ORIGIN, "watch its database, or give --origin-ms")                                    \
	X(NO_DATABASE, "its database is not watched")                                              \
	X(SAME_RATE, "the rate hardly changed")                                                    \
	X(NO_KNEE, "latency stays flat up to the highest rate")

enum reason {
#define X(name, text) REASON_##name,
	REASON_LIST(X)
#undef X
	REASON_COUNT
};

struct value {
	double  v;     /* meaningful only if why is REASON_OK; never NaN or infinite then */
	float   age_s; /* 0, or the span in seconds when the value covers more than one interval */
	uint8_t why;   /* enum reason */
};

static inline bool value_ok(struct value v)
{
	return v.why == REASON_OK;
}
const char *reason_text(enum reason r); /* never NULL */
const char *reason_name(enum reason r); /* "NO_TRAFFIC", as recordings write it */
bool        reason_find(const char *name, enum reason *out);

#endif
