#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hotset/clock.h"
#include "support.h"

#define WORDS_MAX 48

const char *program_path(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/hotset", test_build_dir());
	return path;
}

struct stream {
	int    fd;
	char  *data;
	size_t len;
};

static void exec_program(const char *line, int in, int out, int err)
{
	char *copy = strdup(line), *save = NULL, *argv[WORDS_MAX + 2];
	int argc = 0;

	argv[argc++] = strdup(program_path());
	for (char *w = strtok_r(copy, " ", &save); w && argc <= WORDS_MAX;
		w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	execv(argv[0], argv);
	_exit(127);
}

/* Reads what is there; closes at the end of the stream. */
static void drain(struct stream *s)
{
	char chunk[65536];
	ssize_t n = read(s->fd, chunk, sizeof(chunk));

	if (n <= 0) {
		close(s->fd);
		s->fd = -1;
		return;
	}
	s->data = realloc(s->data, s->len + (size_t)n + 1);
	assert_non_null(s->data);
	memcpy(s->data + s->len, chunk, (size_t)n);
	s->len += (size_t)n;
	s->data[s->len] = '\0';
}

static int input_file(const char *input)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	if (input)
		fputs(input, f);
	rewind(f);
	int fd = dup(fileno(f));
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

struct run program_run(const char *line, const char *input, int limit_ms)
{
	struct stream s[2] = {{-1, calloc(1, 1), 0}, {-1, calloc(1, 1), 0}};
	int out[2], err[2], status = 0, in = input_file(input);
	int64_t end = clock_mono_ns() + limit_ms * NS_PER_MS;
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		exec_program(line, in, out[1], err[1]);
	close(in);
	close(out[1]);
	close(err[1]);
	s[0].fd = out[0];
	s[1].fd = err[0];
	while (s[0].fd >= 0 || s[1].fd >= 0) {
		struct pollfd fds[] = {{s[0].fd, POLLIN, 0}, {s[1].fd, POLLIN, 0}};
		int64_t left = (end - clock_mono_ns()) / NS_PER_MS;

		if (left <= 0 || poll(fds, 2, (int)left) <= 0) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			fail_msg("'hotset %s' took longer than %d ms", line, limit_ms);
		}
		for (int i = 0; i < 2; i++)
			if (fds[i].revents)
				drain(&s[i]);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return (struct run){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
		s[0].data, s[1].data, s[0].len};
}

void program_free(struct run *r)
{
	free(r->out);
	free(r->err);
}
