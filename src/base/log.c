#include "hotset/log.h"
#include "hotset/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int log_fd = -1;

bool log_open(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
	if (fd < 0)
		return err_sys(err, "cannot open the log %.120s", path);
	int old = atomic_exchange(&log_fd, fd);
	if (old >= 0)
		(void)close(old);
	return true;
}

void log_write(const char *fmt, ...)
{
	int fd = atomic_load(&log_fd);
	if (fd < 0)
		return;
	char line[1024];
	size_t n = strlen(clock_format_utc(line, clock_wall_ns()));
	line[n++] = ' ';
	va_list ap;
	va_start(ap, fmt);
	int m = vsnprintf(line + n, sizeof(line) - n - 1, fmt, ap);
	va_end(ap);
	if (m < 0)
		return;
	n += (size_t)m < sizeof(line) - n - 1 ? (size_t)m : sizeof(line) - n - 2;
	for (char *p = line; p < line + n; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
	line[n++] = '\n';
	/* a log that cannot be written must not stop the program that it describes */
	(void)!write(fd, line, n);
}

void log_close(void)
{
	int fd = atomic_exchange(&log_fd, -1);
	if (fd >= 0)
		(void)close(fd);
}
