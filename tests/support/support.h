/* What tests share: fixtures, private directories, waiting for a condition, comparing numbers. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* $HOTSET_BUILD, "build" by default. */
const char *test_build_dir(void);
/* Reads tests/fixtures/NAME whole, NUL-terminated; fails the test if it cannot. Caller frees. */
char *test_fixture(const char *name, size_t *len);
/* Reads any file the same way; NULL if it does not exist. */
char *test_read_file(const char *path, size_t *len);
/* Makes a directory of mode 0700 under the build directory; test_dir_remove() removes it whole. */
char *test_dir_create(void); /* caller frees the name */
void  test_dir_remove(char *dir_take);
/* Calls cond(arg) until it is true or limit_ms have passed; returns the last result. */
bool test_wait(bool (*cond)(void *arg), void *arg, int limit_ms);
/* Fails the test unless a is within tolerance of b. */
void test_near(double a, double b, double tolerance);
/* A small deterministic generator for property tests (xorshift64*). */
uint64_t test_random(uint64_t *state);

#endif
