/* A file that somebody sent, as samples: what `hotset inspect` looks at. */
#ifndef HOTSET_APP_DUMP_H
#define HOTSET_APP_DUMP_H

#include "hotset/sample.h"

#define DUMPS_MAX 64 /* an array of serverStatus replies may hold so many */

struct dump {
	struct sample *sample;
	double         time_s;   /* the server's own clock, seconds since the epoch; NaN: none */
	double         uptime_s; /* NaN: none */
};

struct dumps {
	enum kind   kind;
	const char *word; /* what it was taken for: "redis", "vmstat", ... */
	unsigned    n;
	struct dump d[DUMPS_MAX];
};

/*
 * Reads a file ("-": standard input) and appends its samples. kind NULL: guessed from the content,
 * or, for a second file, that of the first. A reply that is an error becomes a sample that says so.
 */
MUST_CHECK bool dumps_read(struct dumps *d, const char *path, const char *kind, struct err *err);
void dumps_finish(struct dumps *d);
/* Seconds from one dump to a later one of the same server; 0 when the dumps do not tell. */
double dump_seconds(const struct dump *before, const struct dump *later);

/* cgroup files as JSON ({"memory.max": "max\n", ...}) or as `grep . memory.*` prints them. */
MUST_CHECK bool dump_parse_cgroup(const char *buf, size_t len, struct sample *out, struct err *err);

#endif
