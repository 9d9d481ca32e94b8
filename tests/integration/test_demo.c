/*
 * The demo must show its servers and leave nothing behind: no process and no directory, when the
 * screen ends, when it is interrupted, and, from the next run on, after it was killed.
 */
#include "support.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN_MS  60000 /* start of three servers, warming, two polls, on a loaded machine */
#define GONE_MS 10000

struct run {
	pid_t pid;
	int   status;
	char *dir;                   /* private to the run; its name in argv marks our processes */
	char  out[PATH_MAX], err[PATH_MAX], log[PATH_MAX], stage[PATH_MAX];
};

static void redirect(const char *path, int fd, int flags)
{
	int from = open(path, flags, 0600);

	if (from < 0 || dup2(from, fd) < 0) {
		_exit(126);
	}
	close(from);
}

/* hotset lab ARGS..., with its output in files */
static struct run start(const char *const *args)
{
	struct run r = {.dir = test_dir_create()};
	char program[PATH_MAX];
	const char *argv[12] = {"hotset", "lab"};
	int n = 2;

	snprintf(program, sizeof(program), "%s/hotset", test_build_dir());
	snprintf(r.out, sizeof(r.out), "%s/out", r.dir);
	snprintf(r.err, sizeof(r.err), "%s/err", r.dir);
	snprintf(r.log, sizeof(r.log), "%s/log", r.dir);
	while (*args) {
		argv[n++] = *args++;
	}
	argv[n++] = "--log";
	argv[n++] = r.log;
	argv[n] = NULL;
	r.pid = fork();
	assert_true(r.pid >= 0);
	if (r.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* a failed test leaves no demo behind */
		redirect("/dev/null", 0, O_RDONLY);
		redirect(r.out, 1, O_WRONLY | O_CREAT | O_TRUNC);
		redirect(r.err, 2, O_WRONLY | O_CREAT | O_TRUNC);
		execv(program, (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return r;
}

static bool has_ended(void *arg)
{
	struct run *r = arg;

	if (r->pid != 0 && waitpid(r->pid, &r->status, WNOHANG) == r->pid) {
		r->pid = 0;
	}
	return r->pid == 0;
}

/* "demo: private servers in DIR" */
static bool has_stage(void *arg)
{
	static const char head[] = "demo: private servers in ";
	struct run *r = arg;
	char *text = test_read_file(r->err, NULL);
	char *line = text ? strstr(text, head) : NULL, *end = line ? strchr(line, '\n') : NULL;

	if (end) {
		line += sizeof(head) - 1;
		snprintf(r->stage, sizeof(r->stage), "%.*s", (int)(end - line), line);
	}
	free(text);
	return end != NULL || has_ended(r);
}

static bool has_printed(void *arg)
{
	struct run *r = arg;
	struct stat st;

	return (stat(r->out, &st) == 0 && st.st_size > 0) || has_ended(r);
}

static bool cmdline_contains(const char *pid, const char *what)
{
	char path[300], line[4096];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
	f = fopen(path, "re");
	if (!f) {
		return false;
	}
	len = fread(line, 1, sizeof(line) - 1, f);
	fclose(f);
	for (size_t i = 0; i < len; i++) {
		if (line[i] == '\0') {
			line[i] = ' ';
		}
	}
	line[len] = '\0';
	return strstr(line, what) != NULL;
}

/* Processes of the run: the lab and its loads by the log's name, the servers by the stage's. */
static int count_processes(const struct run *r)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int n = 0;

	assert_non_null(proc);
	while ((entry = readdir(proc))) {
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			(cmdline_contains(entry->d_name, r->log) ||
				(r->stage[0] && cmdline_contains(entry->d_name, r->stage)))) {
			n++;
		}
	}
	closedir(proc);
	return n;
}

static bool is_alone(void *arg)
{
	return count_processes(arg) == 0;
}

static void finish(struct run *r)
{
	if (r->pid != 0) {
		kill(r->pid, SIGKILL);
		waitpid(r->pid, &r->status, 0);
	}
	test_dir_remove(r->dir);
}

static void print_trouble(const struct run *r)
{
	char *text = test_read_file(r->err, NULL);

	print_message("# %s\n", text ? text : "no output");
	free(text);
}

static void test_lists_labs(void **state)
{
	const char *const none[] = {NULL}, *const unknown[] = {"no-such-lab", NULL};
	struct run r = start(none);
	char *text;

	(void)state;
	assert_true(test_wait(has_ended, &r, RUN_MS));
	assert_int_equal(WEXITSTATUS(r.status), 0);
	text = test_read_file(r.out, NULL);
	assert_non_null(strstr(text, "demo"));
	free(text);
	finish(&r);

	r = start(unknown);
	assert_true(test_wait(has_ended, &r, RUN_MS));
	assert_int_equal(WEXITSTATUS(r.status), 2);
	text = test_read_file(r.err, NULL);
	assert_non_null(strstr(text, "no-such-lab"));
	assert_non_null(strstr(text, "hotset lab lists them"));
	free(text);
	finish(&r);
}

static void check_is_clean(struct run *r)
{
	assert_true(r->stage[0] != '\0');
	assert_true(test_wait(is_alone, r, GONE_MS));
	assert_int_equal(access(r->stage, F_OK), -1);
}

static void test_once_shows_all_and_leaves_nothing(void **state)
{
	const char *const args[] = {"demo", "--once", "--format", "json", NULL};
	struct run r = start(args);
	char *text;

	(void)state;
	assert_true(test_wait(has_ended, &r, RUN_MS));
	assert_true(has_stage(&r));
	if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) != 0) {
		print_trouble(&r);
	}
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 0);
	text = test_read_file(r.out, NULL);
	assert_non_null(strstr(text, "\"redis\""));
	assert_non_null(strstr(text, "\"memcached\""));
	assert_non_null(strstr(text, "\"status\":\"ok\""));
	assert_null(strstr(text, "\"status\":\"refused\""));
	free(text);
	check_is_clean(&r);
	finish(&r);
}

static struct run start_endless(void)
{
	const char *const args[] = {"demo", "--batch", "--format", "json", NULL};
	struct run r = start(args);
	struct stat st;

	assert_true(test_wait(has_stage, &r, RUN_MS));
	assert_true(test_wait(has_printed, &r, RUN_MS));
	if (r.pid == 0) {
		print_trouble(&r);
	}
	assert_true(r.pid != 0);
	assert_int_equal(stat(r.stage, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	return r;
}

static void test_interrupt_leaves_nothing(void **state)
{
	struct run r = start_endless();

	(void)state;
	kill(r.pid, SIGINT);
	assert_true(test_wait(has_ended, &r, GONE_MS));
	assert_true(WIFEXITED(r.status));
	assert_int_equal(WEXITSTATUS(r.status), 0);
	check_is_clean(&r);
	finish(&r);
}

static void test_kill_takes_all_with_it(void **state)
{
	struct run killed = start_endless(), next;

	(void)state;
	kill(killed.pid, SIGKILL);
	assert_true(test_wait(has_ended, &killed, GONE_MS));
	assert_true(test_wait(is_alone, &killed, GONE_MS));
	assert_int_equal(access(killed.stage, F_OK), 0);

	next = start_endless();
	assert_int_equal(access(killed.stage, F_OK), -1);
	kill(next.pid, SIGTERM);
	assert_true(test_wait(has_ended, &next, GONE_MS));
	check_is_clean(&next);
	finish(&next);
	finish(&killed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_labs),
		cmocka_unit_test(test_once_shows_all_and_leaves_nothing),
		cmocka_unit_test(test_interrupt_leaves_nothing),
		cmocka_unit_test(test_kill_takes_all_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
