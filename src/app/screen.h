/* What the live screen and the replay screen share: the terminal, the clock, a script, the loop. */
#ifndef HOTSET_APP_SCREEN_H
#define HOTSET_APP_SCREEN_H

#include "hotset/options.h"
#include "loop.h"

/* Waiting, time and signals of the real world. signal_fd: of signals_open(). */
struct loop_clock clock_real(int *signal_fd);
/*
 * Runs the loop on the terminal (or, with a script and no terminal, on a canvas alone) until it
 * ends; the terminal is as it was before when this returns. false: it could not start, or the
 * script failed.
 */
MUST_CHECK bool screen_run(const struct options *o, const struct feed *f, int *signal_fd,
	struct view_state *view, struct err *err);
/* Neither printed output was asked for, nor is there no terminal (a script needs none). */
bool screen_is_wanted(const struct options *o);

#endif
