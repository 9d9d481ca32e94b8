/*
 * What the files of this rule share: the state of a scan's course, and what one frame says.
 *
 *   rules_scan.c        the course: begin, proof, promotion, end, recovery
 *   rules_scan_look.c   what a frame and the history before it say
 *   rules_scan_judge.c  is it a storm, is it proven, does the hot set suffer, is it over
 *   rules_scan_tell.c   sentences, figures and events
 */
#ifndef HOTSET_RULES_SCAN_H
#define HOTSET_RULES_SCAN_H

#include "hotset/rules.h"

enum scan_phase { SCAN_QUIET, SCAN_FILLING, SCAN_STORM, SCAN_RECOVERY };

#define SCAN_TEXT_MAX 80
#define SCAN_OPID_MAX 24
#define SCAN_BASE_S   60u /* window of the base lines */
#define SCAN_BASE_MIN 8u  /* seconds of it that must be known */

/* A collection scan as $currentOp showed it; texts are "" if not sent. */
struct culprit {
	bool known;
	int64_t seen_mono_ns;
	double secs; /* running for, as the server says; 0 if it does not */
	/* A cursor is read in batches, each an operation of its own and seldom in sight. */
	bool batches;
	int64_t first_mono_ns; /* of a cursor: since when it has been seen */
	char opid[SCAN_OPID_MAX];
	char ns[SCAN_TEXT_MAX], app[SCAN_TEXT_MAX], client[SCAN_TEXT_MAX];
	char command[SCAN_TEXT_MAX]; /* its shape, cut to fit */
};

/* Medians per second, NAN if the server does not send it. */
struct base {
	double read, clean, dirty;
	double unindexed; /* documents examined beyond the keys */
	double scans;
	double p50; /* us */
};

/* What one frame says. Numbers that it does not tell are NAN. */
struct look {
	double span_s;             /* of the rates of pages */
	double read, clean, dirty; /* pages per second */
	double unindexed, scans;   /* per second */
	double counts_span_s;      /* seconds that these two cover */
	bool scans_sent;           /* whether this server counts collection scans at all */
	double p50;                /* us */
	double reads;              /* in the interval, as far as known */
	double fill, target;       /* percent of the cache */
	const char *other_work;    /* what else reads like a scan at present; NULL: nothing known */
	bool ops_told;             /* $currentOp was asked and showed everybody's operations */
	/* in $currentOp: scans that may be the cause, and the longest of them */
	unsigned suspects;
	const struct cell_value *suspect;
	/* one that cannot be, having run long before; NULL if there is none */
	const struct cell_value *bystander;
};

/* Sums of one storm. */
struct tally {
	double pages_in, clean_out;
	double reread;           /* pages after the end, above the base line */
	double unindexed;        /* documents beyond the base line */
	double scans;            /* collection scans beyond the base line; NAN until counted */
	double scans_s;          /* seconds that they were counted over */
	int64_t counted_mono_ns; /* until when */
	bool scans_grew;
	bool many;        /* several between two polls: none in sight says little */
	double p50_worst; /* us, of the intervals in the storm; NAN if none was judged */
	unsigned at_once; /* the most scans in sight at one time */
	unsigned seen;    /* scans that were in sight, at least */
	bool elsewhere;   /* not all of them on one namespace by one application */
};

struct scan {
	enum scan_phase phase;
	bool proven, promoted;
	uint64_t id;
	int64_t first_mono_ns, last_mono_ns; /* of the watch: first and newest frame */
	int64_t begin_mono_ns, end_mono_ns;
	int64_t lull_mono_ns; /* since when it has been no storm, 0: it is one */
	int64_t gone_mono_ns; /* since when $currentOp shows no suspect, 0: it does, or is silent */
	int64_t calm_mono_ns;
	unsigned calm; /* frames in a row */
	struct base base;
	struct tally sum;
	double rising_in, rising_out; /* pages of the frames so far that may become a storm */
	struct culprit seen;          /* the newest suspect in $currentOp */
	struct culprit culprit;       /* of this storm: the longest one */
	struct culprit elder;  /* a bystander of this storm, unless its end proves otherwise */
	struct culprit cursor; /* the newest one that scans, in any phase */
};

/* ---- looking ---- */

/* False if the frame has no pages to judge. */
bool scan_look(const struct scan *sc, const struct endpoint *ep, struct look *out);
/* Medians before the frame, within the watched run of the server. False if too little is known. */
bool scan_read_base(
	const struct scan *sc, const struct endpoint *ep, const struct look *l, struct base *out);
void scan_note_culprit(struct culprit *out, const struct cell_value *op, int64_t mono_ns);
/* The same operation, or another batch of the same cursor. */
bool scan_same_op(const struct culprit *c, const struct cell_value *op);
void scan_note_cursor(struct scan *sc, const struct endpoint *ep, const struct look *l);
double scan_seconds_since(const struct endpoint *ep, int64_t mono_ns);

/* ---- judging ---- */

bool scan_is_storm(const struct base *b, const struct look *l);
/* Whether it is one by its amount, too: in tenths of a second rates are easily high. */
bool scan_is_large(const struct scan *sc);
/* Documents without keys, and collection scans, beyond the usual within what the frame covers. */
double scan_extra_unindexed(const struct base *b, const struct look *l);
double scan_extra_scans(const struct base *b, const struct look *l); /* NAN: not told */
bool scan_seen_lately(const struct culprit *c, const struct endpoint *ep);
bool scan_counters_prove(const struct tally *sum, const struct look *l);
bool scan_sight_proves(const struct scan *sc, const struct endpoint *ep, const struct look *l);
/* Whether the median of the reads says something about the hot set. */
bool scan_latency_counts(const struct scan *sc, const struct look *l);
/* The worst median of the storm so far, also of the time before it was proven. */
bool scan_reads_are_slow(const struct scan *sc);
/* Pages come in and the cache has room for them: nobody is evicted. */
bool scan_fills_room(const struct base *b, const struct look *l);
/* Pages come and go, whatever was usual. */
bool scan_churns(const struct look *l);
/* Notes as elder a scan in sight that began before the watch did; false if there is none. */
bool scan_note_earlier(struct scan *sc, const struct endpoint *ep, const struct look *l);

/* ---- telling ---- */

void scan_describe_storm(struct finding *out, const struct scan *sc, const struct look *l);
/* Of one that is over; until: "" or why the watch ends, such as " until the server restarted". */
void scan_describe_past(
	struct finding *out, const struct scan *sc, const char *until, double read_now);
void scan_describe_filling(struct finding *out, const struct scan *sc, const struct look *l);
void scan_describe_earlier(struct finding *out, const struct scan *sc, const struct look *l);
/* after: p50 of the reads at the end; recovery_s NAN: not back, and why_not says until when. */
void scan_describe_recovery(struct finding *out, const struct scan *sc, double recovery_s,
	double after, const char *why_not);

/* ---- the rule ---- */

void rules_scan(struct model *m, const struct endpoint *ep, void *state, struct finding *out);
/* The server restarted or went silent: ends what was begun. */
void rules_scan_cut(struct model *m, const struct endpoint *ep, void *state);

#endif
