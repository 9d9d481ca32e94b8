#include "hotset/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PRINTF_LIKE(4, 0)
static void fill(struct err *err, enum err_code code, int sys, const char *fmt, va_list ap)
{
	err->code = code;
	err->sys = sys;
	(void)vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	for (char *p = err->msg; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	if (!err)
		return false;
	va_list ap;
	va_start(ap, fmt);
	fill(err, code, 0, fmt, ap);
	va_end(ap);
	return false;
}

bool err_sys(struct err *err, const char *fmt, ...)
{
	int sys = errno;
	if (!err)
		return false;
	va_list ap;
	va_start(ap, fmt);
	fill(err, ERR_SYSTEM, sys, fmt, ap);
	va_end(ap);
	char text[96];
	size_t len = strlen(err->msg);
	/* the GNU variant: the text may lie elsewhere than in the buffer */
	(void)snprintf(err->msg + len, sizeof(err->msg) - len, ": %s",
		strerror_r(sys, text, sizeof(text)));
	return false;
}
