#include "procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static bool join(const char *prefix, const char *path, char *out, struct err *err)
{
	int n = snprintf(out, PROCFILE_PATH_MAX, "%s%s", prefix, path);

	if (n > 0 && n < PROCFILE_PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return err_sys(err, "%s", path);
}

bool procfile_read(
	const char *prefix, const char *path, char *buf, size_t cap, size_t *len, struct err *err)
{
	char full[PROCFILE_PATH_MAX];
	size_t n = 0;
	ssize_t got;
	int fd, sys;

	if (!join(prefix, path, full, err))
		return false;
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return err_sys(err, "%s", full);
	do {
		got = read(fd, buf + n, cap - n);
		if (got > 0)
			n += (size_t)got;
	} while ((got > 0 && n < cap) || (got < 0 && errno == EINTR));
	sys = got < 0 ? errno : n == cap ? EFBIG : 0;
	close(fd);
	if (sys) {
		errno = sys;
		return err_sys(err, "%s", full);
	}
	buf[n] = '\0';
	*len = n;
	return true;
}

const char *procfile_line(const char *prefix, const char *path, char *buf, size_t cap)
{
	struct err err;
	size_t len;

	if (!procfile_read(prefix, path, buf, cap, &len, &err))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

bool procfile_exists(const char *prefix, const char *path)
{
	char full[PROCFILE_PATH_MAX];
	struct err err;

	return join(prefix, path, full, &err) && access(full, F_OK) == 0;
}
