/*
 * MongoDB's diagnostic.data as a recording: a file of it, or the directory. What a server samples
 * of itself every second goes the way of every recording from there on.
 */
#ifndef HOTSET_APP_DIAGNOSTIC_H
#define HOTSET_APP_DIAGNOSTIC_H

#include "hotset/err.h"

/* By content: a directory with such a file, or a file that begins as one. */
bool diagnostic_is(const char *path);
/*
 * Writes a recording of it to `out`, which must not exist. *damaged counts chunks that were left
 * out. An error names what is wrong; then there may be a part of the file.
 */
MUST_CHECK bool diagnostic_convert(
	const char *path, const char *out, unsigned *damaged, struct err *err);

#endif
