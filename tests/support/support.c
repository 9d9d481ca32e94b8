#include "support.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hotset/clock.h"

const char *test_build_dir(void)
{
	const char *b = getenv("HOTSET_BUILD");
	return b && *b ? b : "build";
}

char *test_read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rbe");
	if (!f)
		return NULL;
	size_t cap = 1 << 16, n = 0;
	char *data = malloc(cap);
	for (size_t got; data && (got = fread(data + n, 1, cap - n - 1, f)) > 0;) {
		n += got;
		if (cap - n < 2)
			data = realloc(data, cap *= 2);
	}
	assert_non_null(data);
	assert_int_equal(ferror(f), 0);
	(void)fclose(f);
	data[n] = '\0';
	if (len)
		*len = n;
	return data;
}

char *test_fixture(const char *name, size_t *len)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "tests/fixtures/%s", name);
	char *data = test_read_file(path, len);
	if (!data)
		fail_msg("no fixture %s: %s", path, strerror(errno));
	return data;
}

char *test_dir_create(void)
{
	char *dir = NULL;
	if (asprintf(&dir, "%s/test-XXXXXX", test_build_dir()) < 0)
		dir = NULL;
	assert_non_null(dir);
	assert_non_null(mkdtemp(dir));
	return dir;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

void test_dir_remove(char *dir)
{
	if (dir)
		(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(dir);
}

bool test_wait(bool (*cond)(void *arg), void *arg, int limit_ms)
{
	int64_t end = clock_mono_ns() + limit_ms * NS_PER_MS;
	while (!cond(arg)) {
		if (clock_mono_ns() > end)
			return cond(arg);
		(void)poll(NULL, 0, 5);
	}
	return true;
}

void test_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.9g is not within %.3g of %.9g", a, tolerance, b);
}

uint64_t test_random(uint64_t *state)
{
	uint64_t x = *state ? *state : UINT64_C(0x9E3779B97F4A7C15);
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return x * UINT64_C(0x2545F4914F6CDD1D);
}
