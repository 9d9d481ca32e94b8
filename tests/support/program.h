/* The program under test as users run it: arguments in, exit code and output back. */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include <stddef.h>

struct run {
	int   code;   /* exit code; 128 + signal */
	char *out, *err; /* NUL-terminated */
	size_t out_len;
};

/*
 * Runs $HOTSET_BUILD/hotset with the words of `line` (split at blanks; none may hold one), standard
 * input from `input` (NULL: empty), and fails the test if it takes longer than limit_ms.
 */
struct run program_run(const char *line, const char *input, int limit_ms);
void program_free(struct run *r);
/* "build/hotset" */
const char *program_path(void);

#endif
