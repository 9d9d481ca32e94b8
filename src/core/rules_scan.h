/* The state of a scan's course; see rules_scan.c. */
#ifndef HOTSET_RULES_SCAN_H
#define HOTSET_RULES_SCAN_H

#include "hotset/rules.h"

enum scan_phase { SCAN_QUIET, SCAN_STORM, SCAN_RECOVERY };

#define SCAN_TEXT_MAX 80

struct culprit {
	bool known;
	int64_t seen_mono_ns;
	double secs; /* running for, as the server says */
	char ns[SCAN_TEXT_MAX], app[SCAN_TEXT_MAX], client[SCAN_TEXT_MAX]; /* "" if not sent */
};

struct base {
	double read, clean, dirty, docs; /* per second; docs NAN if the server does not send it */
	double p50;                      /* us, NAN if there is none */
};

struct scan {
	enum scan_phase phase;
	bool proven, promoted;
	uint64_t id;
	int64_t begin_mono_ns, end_mono_ns, calm_mono_ns;
	unsigned calm; /* frames in a row */
	struct base base;
	struct culprit seen;                /* the newest scan in $currentOp */
	struct culprit culprit;             /* of this storm */
	double pages_in, clean_out, reread; /* sums, reread above the base line */
};

void rules_scan(struct model *m, const struct endpoint *ep, void *state, struct finding *out);

#endif
