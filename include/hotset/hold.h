/*
 * Who keeps a MongoDB node's history from moving on. The range of pinned timestamps says how much
 * history is kept, its parts (reader, checkpoint, oldest) say what keeps it, and $currentOp names
 * the operation. Pure; a row belongs to the endpoint and is valid until its next sample.
 */
#ifndef HOTSET_HOLD_H
#define HOTSET_HOLD_H

#include "hotset/model.h"

enum hold_cause {
	HOLD_UNKNOWN,  /* nothing that is visible here */
	HOLD_WINDOW,   /* no hold: the history that the server keeps anyway */
	HOLD_IDLE,     /* a transaction whose client does nothing */
	HOLD_ACTIVE,   /* a transaction with an operation at work */
	HOLD_PREPARED, /* a prepared one: the server never ends it by itself */
	HOLD_READ,     /* a read at a timestamp, outside of a transaction */
	HOLD_UNSEEN,   /* a reader that is not among the operations that we were shown */
	HOLD_CHECKPOINT,
	HOLD_BACKUP,   /* a backup cursor */
	HOLD_INTERNAL, /* a pin of the server's own: a backup, resharding, ... */
	HOLD_MAJORITY, /* the majority commit point stands still */
};
const char *hold_cause_name(enum hold_cause c); /* "idle transaction", as in JSON */

/* An operation that holds a transaction or a timestamp. All NAN where it is not known. */
struct holder {
	const struct cell_value *row; /* of mongo.op; NULL: there is none */
	enum hold_cause          kind; /* HOLD_IDLE, _ACTIVE, _PREPARED or _READ */
	double open_s;  /* as of the newest sample */
	double left_s;  /* until its limit; below 0: past it */
	double limit_s; /* the limit itself */
};

struct hold {
	enum hold_cause cause;  /* of the range that is pinned */
	bool            ops;    /* the operations are known, of late */
	bool            proven; /* the holder's timestamp is that of the oldest reader */
	/* the oldest reader; without its timestamp, the transaction that is open longest */
	struct holder   holder;
	/* the transaction that is open longest, whether it pins timestamps or not */
	struct holder   longest;
	double          majority_lag_s; /* newest write to majority commit point; NAN: unknown */
};
void hold_find(const struct endpoint *ep, struct hold *out);

/* The excess above which a hold is worth a warning, for a window in seconds. */
double hold_bar_s(double window_s);
/* How long after its limit a transaction may live until the server's reaper comes by. */
double hold_reaper_s(double limit_s);

/* History store inserts per second: their mean over 30 s, since they come in bursts. */
bool hold_inserts(const struct endpoint *ep, double *out);

/*
 * "report-job from 127.0.0.1:60546", of which a part may be missing; "" when both are. Returns buf.
 */
#define HOLD_WHO_MAX 112
const char *hold_who(char buf[HOLD_WHO_MAX], const struct holder *h);
/* "its limit ends it in 525 s", "12 s past its limit"; "" without a limit. Returns buf. */
#define HOLD_LEFT_MAX 64
const char *hold_left(char buf[HOLD_LEFT_MAX], const struct holder *h);

#endif
