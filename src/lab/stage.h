/*
 * A stage: a private directory, and child processes that live no longer than the lab.
 *
 * The directory (mode 0700, "stage-XXXXXX") is made under the build directory when the program
 * runs from there, else under XDG_RUNTIME_DIR or TMPDIR; it is locked while its owner lives, and
 * stage_open() first removes those that nobody locks any more.
 *
 * Children die with the lab (PR_SET_PDEATHSIG), whatever ends it. One process and one thread owns
 * a stage and starts all children; it blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD meanwhile and
 * takes them in stage_wait().
 */
#ifndef HOTSET_LAB_STAGE_H
#define HOTSET_LAB_STAGE_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>
#include "hotset/err.h"

#define STAGE_PATH_MAX     512
#define STAGE_CHILDREN_MAX 16

struct stage_child {
	const char *name;
	pid_t       pid;    /* 0 once it has been reaped */
	int         status; /* of waitpid(), once reaped */
};

struct stage {
	char     dir[STAGE_PATH_MAX];
	int      dir_fd; /* holds the lock */
	sigset_t old_mask;
	struct stage_child child[STAGE_CHILDREN_MAX];
	unsigned nchild;
	bool     stopping; /* somebody asked the lab to end */
};

MUST_CHECK bool stage_open(struct stage *s, struct err *err);
/* Ends the children (SIGTERM, then SIGKILL after a moment), removes the directory. */
void stage_close(struct stage *s);

/* Where the running program is, without a trailing slash. */
MUST_CHECK bool stage_program_dir(char *out, size_t cap, struct err *err);

enum stage_role {
	STAGE_BACKGROUND, /* its own process group, no terminal, output to DIR/NAME.log */
	STAGE_FOREGROUND, /* has the terminal; asked to end, not killed, when the lab dies */
};

/*
 * Starts a child: a program, or a function whose result is the exit code. NULL on failure. The
 * pointer is valid until stage_close(); name and arg must be as well.
 */
struct stage_child *stage_exec(struct stage *s, enum stage_role role, const char *name,
	const char *path, char *const argv[], struct err *err);
struct stage_child *stage_fork(struct stage *s, enum stage_role role, const char *name,
	int (*run)(const void *arg), const void *arg, struct err *err);

/*
 * Waits up to timeout_ms (-1: no limit) for a signal: reaps children, hands a stop of the
 * foreground child on to the shell, and notes a wish to end in s->stopping. false: time is up.
 */
bool stage_wait(struct stage *s, int timeout_ms);

/* The last line of a child's log, "" if there is none. */
void stage_last_words(const struct stage *s, const char *name, char *out, size_t cap);

#endif
