#include "pty.h"

#include <dirent.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <hotset/clock.h>

#define COLS 120
#define ROWS 36

bool pty_start(struct pty *p, const char *const argv[])
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLS};

	*p = (struct pty){.started_ns = clock_mono_ns()};
	p->pid = forkpty(&p->fd, NULL, NULL, &size);
	if (p->pid == 0) {
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	return p->pid > 0;
}

void pty_end(struct pty *p)
{
	struct pty *one[] = {p};

	kill(p->pid, SIGTERM);
	for (int i = 0; i < 60 && waitpid(p->pid, NULL, WNOHANG) == 0; i++) {
		pty_drain(one, 1, 0.1);
	}
	kill(p->pid, SIGKILL);
	waitpid(p->pid, NULL, 0);
	close(p->fd);
}

static double since_s(int64_t ns)
{
	return (double)(clock_mono_ns() - ns) / (double)NS_PER_SEC;
}

/* Reads once from whichever has something; in buf and *len what it was. false at the deadline. */
static bool read_some(
	struct pty *const *p, int n, int64_t deadline, char *buf, size_t cap, size_t *len)
{
	struct pollfd fds[4];
	int64_t left = deadline - clock_mono_ns();

	*len = 0;
	for (int i = 0; i < n; i++) {
		fds[i] = (struct pollfd){.fd = p[i]->fd, .events = POLLIN};
	}
	if (left <= 0 || poll(fds, (nfds_t)n, (int)(left / NS_PER_MS) + 1) <= 0) {
		return clock_mono_ns() < deadline;
	}
	for (int i = 0; i < n; i++) {
		if (fds[i].revents & POLLIN) {
			ssize_t got = read(p[i]->fd, buf, cap);

			*len = got > 0 ? (size_t)got : 0;
			p[i]->bytes += *len;
			return true;
		}
	}
	return false; /* it hung up */
}

void pty_drain(struct pty *const *p, int n, double seconds)
{
	int64_t deadline = clock_mono_ns() + (int64_t)(seconds * (double)NS_PER_SEC);
	char buf[65536];
	size_t len;

	while (read_some(p, n, deadline, buf, sizeof(buf), &len)) {
	}
}

double pty_await(struct pty *p, const char *what, double limit_s)
{
	int64_t deadline = clock_mono_ns() + (int64_t)(limit_s * (double)NS_PER_SEC);
	char seen[131072];
	size_t used = 0, len;

	while (used + 65536 < sizeof(seen) &&
		read_some(&p, 1, deadline, seen + used, sizeof(seen) - used, &len)) {
		used += len;
		if (memmem(seen, used, what, strlen(what))) {
			return since_s(p->started_ns);
		}
	}
	return -1;
}

double pty_key(struct pty *p, char key, double limit_s)
{
	int64_t begin = clock_mono_ns();
	int64_t deadline = begin + (int64_t)(limit_s * (double)NS_PER_SEC);
	char buf[65536];
	size_t len;

	if (write(p->fd, &key, 1) != 1) {
		return -1;
	}
	while (read_some(&p, 1, deadline, buf, sizeof(buf), &len)) {
		if (len > 0) {
			return since_s(begin);
		}
	}
	return -1;
}

/* ---- processes ------------------------------------------------------------------------------- */

static size_t read_proc(pid_t pid, const char *file, char *buf, size_t cap)
{
	char path[64];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	f = fopen(path, "re");
	len = f ? fread(buf, 1, cap - 1, f) : 0;
	buf[len] = '\0';
	if (f) {
		fclose(f);
	}
	return len;
}

/* The n-th field of stat, counted from 3: what comes before may hold blanks. */
static double stat_field(pid_t pid, int n)
{
	char buf[1024], *at;

	read_proc(pid, "stat", buf, sizeof(buf));
	at = strrchr(buf, ')');
	for (int i = 2; at && i < n; i++) {
		at = strchr(at + 1, ' ');
	}
	return at ? strtod(at, NULL) : 0;
}

double process_cpu(pid_t pid)
{
	return (stat_field(pid, 14) + stat_field(pid, 15)) / (double)sysconf(_SC_CLK_TCK);
}

double process_resident(pid_t pid)
{
	return stat_field(pid, 24) * (double)sysconf(_SC_PAGESIZE);
}

static bool has_argument(pid_t pid, const char *argument)
{
	char buf[4096];
	size_t len = read_proc(pid, "cmdline", buf, sizeof(buf));

	for (size_t i = 0; i < len; i += strlen(buf + i) + 1) {
		if (strcmp(buf + i, argument) == 0) {
			return true;
		}
	}
	return false;
}

pid_t process_child_with(pid_t parent, const char *argument)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while (proc && !found && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && (pid_t)stat_field(pid, 4) == parent && has_argument(pid, argument)) {
			found = pid;
		}
	}
	if (proc) {
		closedir(proc);
	}
	return found;
}
