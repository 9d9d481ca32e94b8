/*
 * A MongoDB node second by second: what happened in each becomes counters in a sample, which is
 * pushed into a model of one endpoint.
 */
#ifndef TESTS_SECONDS_H
#define TESTS_SECONDS_H

#include "hotset/model.h"

/* A row of $currentOp; what is left out was not sent. */
struct test_op {
	const char *plan, *ns, *app, *command, *op;
	double secs;
	unsigned opid;
};

/* What happens in one second. */
struct second {
	double pages, clean, dirty; /* read into the cache, evicted from it */
	double docs, keys, scans;   /* examined; collection scans that ended */
	bool no_counts;             /* these three were not asked for */
	bool no_scans;              /* this server does not count collection scans */
	double reads, read_us;      /* operations, and the latency of each; 0: no histogram */
	double fill;                /* percent; 0: not sent */
	bool ops;                   /* $currentOp was asked */
	bool own_only;              /* and showed one's own operations only */
	struct test_op op[4];       /* those with a plan or a command */
};

extern struct model *seconds_model;
extern uint64_t seconds_epoch; /* another one is another run of the server */
extern double seconds_now;     /* of the last one */
extern double seconds_step;    /* seconds between two polls; the counts stay per second */
extern double seconds_uptime;  /* 0: not sent */
extern const char *seconds_role;

/* setup and teardown of cmocka */
int seconds_start(void **state);
int seconds_stop(void **state);
void seconds_pass(struct second sec);
void seconds_pass_many(unsigned n, struct second sec);
void seconds_new_run(void); /* the server restarts: counters begin anew */
/* The newest event of a code, and the verdict; NULL if there is none. */
const struct event *seconds_event(const char *code);
const struct verdict *seconds_verdict(const char *code);
/* Fails the test if there is no such figure. */
const struct datum *seconds_datum(const struct data *d, const char *key);

#endif
