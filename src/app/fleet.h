/*
 * What is watched: the model, a worker per endpoint, and when each is due. Has no clock of its own.
 * Live screen, batch, record and check all poll through it.
 */
#ifndef HOTSET_APP_FLEET_H
#define HOTSET_APP_FLEET_H

#include "hotset/model.h"
#include "hotset/options.h"
#include "hotset/record.h"
#include "hotset/worker.h"

#define FLEET_HELD_MAX 1024 /* samples kept while the screen is paused; the oldest go first */

struct fleet {
	struct model    *model;
	struct mailbox  *mail;
	struct worker  **workers;   /* NULL: none was started (tests fill the mailbox themselves) */
	struct schedule *schedules;
	const struct target **targets; /* of each endpoint; the user's or one of `own` */
	unsigned         nown;
	struct target  **own;       /* hosts of one URI, and members that were learned */
	struct source_options source_options;
	unsigned         ntargets;  /* that the user named */
	struct recorder *recorder;  /* NULL: nothing is recorded */
	int64_t          timeout_ns;
	unsigned         wants;     /* enum want: what the next requests ask for; at first all */
	int              hot_keys;  /* the endpoint of which hot keys are wanted, -1 none */
	bool             paused;    /* samples are held back and given to the model later */
	unsigned         nheld;
	struct sample  **held;
};

/*
 * Makes the model and starts a worker per target, and per host of a URI that names several; polls
 * come when fleet_ask() is called.
 */
MUST_CHECK bool fleet_open(struct fleet *f, const struct options *o, bool all_parts, int64_t now_ns,
	struct err *err);
/* Records from here on, and says in the file what the endpoints are. */
MUST_CHECK bool fleet_record(struct fleet *f, const char *path, struct err *err);
/* Ends the recording, if there is one. */
MUST_CHECK bool fleet_end_record(struct fleet *f, struct err *err);
/*
 * Adds an endpoint and starts its worker. The fleet takes the target over, also when it fails; one
 * that is watched already is dropped, and that is no failure.
 */
MUST_CHECK bool fleet_add(
	struct fleet *f, struct target *take, int64_t now_ns, struct err *err);
/* Sends a request to each endpoint that is due and idle. Returns how many. */
unsigned fleet_ask(struct fleet *f, int64_t now_ns);
/*
 * Takes the answers that came: recorder, schedule, model. Members of a set that they name for the
 * first time become further endpoints. Returns how many; err is set when the recorder failed (once;
 * it stops then).
 */
unsigned fleet_take(struct fleet *f, int64_t now_ns, struct err *err);
/* When the next idle endpoint is due; INT64_MAX when all are busy. */
int64_t  fleet_next_due(const struct fleet *f);
unsigned fleet_pending(const struct fleet *f); /* requests without an answer yet */
void     fleet_poll_now(struct fleet *f, int64_t now_ns); /* the refresh key ignores the back-off */
void     fleet_set_interval(struct fleet *f, double interval_s, int64_t now_ns);
void     fleet_set_paused(struct fleet *f, bool paused);
/* Some endpoint gave data. */
bool     fleet_has_data(const struct fleet *f);
/*
 * Ends the workers (0.5 s at most), closes the recording, frees. Returns false, with everything
 * that a thread may still use left alone, when a thread is stuck in a library: end with _exit().
 */
bool     fleet_close(struct fleet *f, struct err *err);

#endif
