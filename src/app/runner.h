/* Polls without a screen: what batch, check and record share. */
#ifndef HOTSET_APP_RUNNER_H
#define HOTSET_APP_RUNNER_H

#include "fleet.h"

struct runner {
	struct fleet fleet;
	int          signal_fd;
	bool         interrupted; /* by a signal that asks to end */
};

MUST_CHECK bool runner_open(struct runner *r, const struct options *o, bool all_parts,
	struct err *err);
/*
 * Takes answers until the time is over, a signal interrupts, or no more than `enough` requests are
 * pending (RUNNER_WHOLE_TIME: waits on). err is set when recording failed.
 */
#define RUNNER_WHOLE_TIME (-1)
MUST_CHECK bool runner_wait(struct runner *r, int64_t until_ns, int enough, struct err *err);
/* Two polls of each endpoint one delay apart, or one where the first gave nothing. */
MUST_CHECK bool runner_once(struct runner *r, const struct options *o, struct err *err);
/* Prints the error, if any, ends the workers, and returns the exit code (or leaves by _exit). */
int runner_close(struct runner *r, int code, const struct err *err);

/* "hotset: ..." on standard error. */
void complain(const struct err *err);

#endif
