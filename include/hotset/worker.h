/*
 * One thread per endpoint and one mailbox to the UI. The UI owns the clock: it posts a request
 * when an endpoint is due and idle; the worker polls its source and pushes the sample. At most one
 * request is outstanding per worker, so the mailbox never holds more samples than there are
 * endpoints. Workers block all signals and never touch stdout, stderr or the terminal.
 */
#ifndef HOTSET_WORKER_H
#define HOTSET_WORKER_H

#include "hotset/source.h"

/* ---- the mailbox: many producers, one consumer ---- */
struct mailbox;
struct mailbox *mailbox_create(struct err *err); /* NULL on failure */
void            mailbox_destroy(struct mailbox *b); /* destroys what is left in it */
int             mailbox_fd(const struct mailbox *b); /* eventfd, readable when a sample waits */
void            mailbox_give(struct mailbox *b, struct sample *s_give); /* any thread */
/* Takes the oldest sample or returns NULL; the caller owns it. Drains the eventfd. */
struct sample  *mailbox_take(struct mailbox *b);

/* ---- workers ---- */
struct worker;
struct worker *worker_start(uint16_t endpoint, const struct target *t,
	const struct source_options *o, struct mailbox *b, struct err *err); /* NULL on failure */
bool worker_is_busy(const struct worker *w);
/* Asks for one poll; false if one is outstanding. */
bool worker_request(struct worker *w, const struct poll_request *r);
/*
 * Stops workers: asks all, joins those that end within timeout_ms. Returns how many are still
 * inside a library call; those threads (and their memory) are left alone: end with _exit then.
 */
unsigned workers_stop(struct worker **w, unsigned n, int timeout_ms);

/* ---- when each endpoint is due (no clock of its own; the loop and the tests pass the time) -- */
struct schedule {
	int64_t  interval_ns;
	int64_t  due_ns;
	unsigned failures; /* in a row: interval x 2 each, up to 30 s */
};
void    schedule_init(struct schedule *s, int64_t interval_ns, int64_t now_ns);
/* Due times stay on the grid; a gap (suspend) is skipped, not caught up. */
void    schedule_sent(struct schedule *s, int64_t now_ns);
void    schedule_result(struct schedule *s, bool ok, int64_t now_ns);
void    schedule_now(struct schedule *s, int64_t now_ns); /* the refresh key ignores the back-off */
bool    schedule_is_due(const struct schedule *s, int64_t now_ns);

#endif
