/*
 * The log of --log FILE, and nowhere when there is none. The only writer of library chatter.
 * Any thread may call log_write; each line is one write(2). Control characters are replaced.
 */
#ifndef HOTSET_LOG_H
#define HOTSET_LOG_H

#include "hotset/err.h"

MUST_CHECK bool log_open(const char *path, struct err *err); /* created with mode 0600, appended */
void log_write(const char *fmt, ...) PRINTF_LIKE(1, 2);
void log_close(void);

#endif
