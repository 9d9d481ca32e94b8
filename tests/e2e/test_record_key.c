/*
 * r on a terminal: records from here on into a new file of the working directory, says where, and
 * ends with a second r; what it wrote can be replayed.
 */
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench/pty.h"
#include "hotset/clock.h"
#include "program.h"
#include "support.h"

#define LIMIT_NS (10 * NS_PER_SEC)
#define OUT_MAX  (1u << 20)

#define SAMPLE_MIN 1000u /* bytes of a recording with a sample in it, packed; without 200 */

static struct pty pty;
static char *out; /* all that it wrote */
static size_t len;

static void read_some(void)
{
	struct pollfd p = {.fd = pty.fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, 50) <= 0)
		return;
	n = read(pty.fd, out + len, OUT_MAX - len - 1);
	len += n > 0 ? (size_t)n : 0;
	out[len] = '\0';
}

/* Waits for the text in what is written from here on. */
static void expect(const char *text)
{
	int64_t end = clock_mono_ns() + LIMIT_NS;
	size_t from = len;

	while (!strstr(out + from, text)) {
		if (clock_mono_ns() > end)
			fail_msg("no '%s'", text);
		read_some();
	}
}

static void press(const char *keys)
{
	assert_int_equal(write(pty.fd, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static void quit(void)
{
	int64_t end = clock_mono_ns() + LIMIT_NS;
	int status;

	press("q");
	while (waitpid(pty.pid, &status, WNOHANG) == 0) {
		assert_true(clock_mono_ns() < end);
		read_some();
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(pty.fd);
}

/* The one file there; its size, 0 without one. */
static size_t find(const char *dir, char path[512])
{
	DIR *d = opendir(dir);
	struct stat st = {.st_size = 0};
	struct dirent *e;
	unsigned n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		if (strncmp(e->d_name, "hotset-", 7) == 0 && strstr(e->d_name, ".rec.gz")) {
			snprintf(path, 512, "%s/%.200s", dir, e->d_name);
			n++;
		}
	closedir(d);
	assert_true(n <= 1);
	return n == 1 && stat(path, &st) == 0 ? (size_t)st.st_size : 0;
}

static void a_recording_begins_and_ends_with_a_key(void **state)
{
	char *dir = test_dir_create(), *program = realpath(program_path(), NULL);
	char *home = getcwd(NULL, 0), path[512], line[640];
	const char *argv[] = {program, "proc:", "0.1", NULL};
	struct run r;

	(void)state;
	out = calloc(1, OUT_MAX);
	assert_true(out && program && home);
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	assert_int_equal(chdir(dir), 0);
	assert_true(pty_start(&pty, argv));
	assert_int_equal(chdir(home), 0);
	expect("live");
	press("r");
	expect("recording to hotset-");
	int64_t end = clock_mono_ns() + LIMIT_NS;
	while (find(dir, path) < SAMPLE_MIN) {
		assert_true(clock_mono_ns() < end);
		read_some();
	}
	press("r");
	expect("replay hotset-"); /* the cells that both messages share are not written again */
	quit();

	snprintf(line, sizeof(line), "replay %s --once --format json", path);
	r = program_run(line, NULL, 20000);
	assert_int_equal(r.code, 0);
	assert_non_null(strstr(r.out, "\"id\":\"proc:\""));
	program_free(&r);
	free(out);
	free(program);
	free(home);
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_begins_and_ends_with_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
