/* A target that a test polls by hand, without a worker: what came of it, and how long it took. */
#ifndef HOTSET_TEST_WATCHED_H
#define HOTSET_TEST_WATCHED_H

#include "hotset/source.h"

struct watched {
	struct target target;
	struct source *source;
	double timeout_s;
	double took_s;       /* by the last poll */
	struct sample *last; /* of the last poll; owned */
};

void watch_begin(struct watched *w, const char *uri, double timeout_s);
/* Polls once; fails the test if it took more than the time and a fifth. */
const struct sample *watch_poll(struct watched *w);
/* The same without the assertion. */
const struct sample *watch_poll_slow(struct watched *w);
void watch_end(struct watched *w);

/* Fails the test, with the sample's message, unless the status is this one. */
void assert_status(const struct sample *s, enum status want);
void assert_says(const struct sample *s, const char *part);

#endif
