/* Files of /proc and /sys below a prefix, read whole into a buffer of the caller's. */
#ifndef HOTSET_SOURCE_PROCFILE_H
#define HOTSET_SOURCE_PROCFILE_H

#include <stddef.h>

#include "hotset/err.h"

#define PROCFILE_PATH_MAX 1024

/*
 * Reads PREFIX + path, at most cap - 1 bytes, and ends it with NUL; false with err->sys. What does
 * not fit is an error, not a cut: a cut number would be a wrong one.
 */
MUST_CHECK bool procfile_read(
	const char *prefix, const char *path, char *buf, size_t cap, size_t *len, struct err *err);
/* The same for a file of one line that may be missing: the line without its newline, or "". */
const char *procfile_line(const char *prefix, const char *path, char *buf, size_t cap);
bool procfile_exists(const char *prefix, const char *path);

#endif
