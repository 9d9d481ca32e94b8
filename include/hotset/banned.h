/*
 * Functions that cannot be used safely: each use is a compile error. The compiler includes this
 * file before every source file (see HOTSET_CPPFLAGS in the Makefile); the system headers below
 * come first so that their own declarations are not hit.
 */
#ifndef HOTSET_BANNED_H
#define HOTSET_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * Instead: strbuf_*, snprintf, num_parse_*, gmtime_r, localtime_r. gcc alone keeps the ban: under
 * clang some of these are macros of the hardened system headers, which cannot be poisoned.
 */
#if !defined(__clang__)
#pragma GCC poison strcpy strcat sprintf vsprintf strtok atoi atol atoll gmtime localtime
#endif

#endif
