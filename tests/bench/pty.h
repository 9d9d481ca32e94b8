/* A program on a terminal of 120x36 of its own, and what it costs. */
#ifndef TESTS_BENCH_PTY_H
#define TESTS_BENCH_PTY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct pty {
	pid_t    pid;
	int      fd;
	int64_t  started_ns;
	uint64_t bytes; /* read from it so far */
};

bool pty_start(struct pty *p, const char *const argv[]);
void pty_end(struct pty *p); /* SIGTERM, and waits */
/* Reads what n programs write, for so long. */
void pty_drain(struct pty *const *p, int n, double seconds);
/* Waits for output that contains what; the seconds it took, negative when it did not come. */
double pty_await(struct pty *p, const char *what, double limit_s);
/* Types a key; seconds until any output came, negative when none did. */
double pty_key(struct pty *p, char key, double limit_s);

/* CPU seconds of a process without its children, its resident bytes, its first child with such an
 * argument (0: none). */
double process_cpu(pid_t pid);
double process_resident(pid_t pid);
pid_t process_child_with(pid_t parent, const char *argument);

#endif
