/*
 * MongoDB's diagnostic.data as a recording: a file of it, or the directory. What a server samples
 * of itself every second goes the way of every recording from there on.
 */
#ifndef HOTSET_APP_DIAGNOSTIC_H
#define HOTSET_APP_DIAGNOSTIC_H

#include "hotset/err.h"

/* By content: a directory with such a file, or a file that begins as one. */
bool diagnostic_is(const char *path);
/* What was left out. */
struct diagnostic_lost {
	unsigned damaged; /* chunks and other parts of files that do not make sense */
	unsigned earlier; /* samples no later than the one before: the clock was set back */
};

/*
 * Writes a recording of it to `out`, which must not exist. An error names what is wrong, also that
 * a signal asked for the end (signals.h); then there may be a part of the file. Fills *lost in any
 * case.
 */
MUST_CHECK bool diagnostic_convert(const char *path, const char *out, int signal_fd,
	struct diagnostic_lost *lost, struct err *err);

#endif
