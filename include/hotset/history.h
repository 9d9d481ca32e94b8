/*
 * History of one endpoint's metrics in steps of a second: a value or a gap per step, never a zero
 * for "unknown". A value covers the whole interval that its sample spans, so that a slow interval
 * does not leave holes; what was never measured stays a gap. Fixed memory.
 */
#ifndef HOTSET_HISTORY_H
#define HOTSET_HISTORY_H

#include "hotset/derive.h"

#define HISTORY_STEP_NS INT64_C(1000000000)
#define HISTORY_STEPS   3600u

struct history;

/* steps: capacity in steps (HISTORY_STEPS, or less for fleets). NULL when there is no memory. */
struct history *history_create(enum kind kind, unsigned steps);
void            history_destroy(struct history *h);
/*
 * Stores all gauges, rates and calcs of the frame at its sample's mono time. An interval of more
 * than 2.5 times the one before is a gap: then a value gets its own step only. The same frame may
 * be put again, when estimate_step() has added to it.
 */
void history_put(struct history *h, const struct frame *f);
/* Stores one value; for what estimate computed afterwards. */
void history_put_one(
	struct history *h, enum metric_id id, int64_t mono_ns, double span_s, struct value v);
/* The value of the step that holds mono_ns; NaN for a gap. */
float history_at(const struct history *h, enum metric_id id, int64_t mono_ns);
/*
 * Copies the n steps that end with the one of mono_ns into out (oldest first), NaN for gaps.
 * Returns how many are not gaps.
 */
unsigned history_window(
	const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n, float *out);
enum kind history_kind(const struct history *h);
unsigned history_steps(const struct history *h);
size_t   history_bytes(const struct history *h); /* memory held, for the help screen */

/* Mean over the last n steps; false below min_count present steps. */
bool history_mean(const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n,
	unsigned min_count, double *out);
bool history_median(const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n,
	unsigned min_count, double *out);
/* Least-squares slope per second and its standard error over the last n steps. */
bool history_slope(const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n,
	unsigned min_count, double *slope, double *stderr_out);

/*
 * Sets the CALCs that need history, after history_put() of the same frame: means, times to trigger,
 * working set. A working set needs 10 s of history and uses up to 60 s; see core/estimate_ws.c for
 * the two estimators and the conditions of each, whose names are the reasons when there is none.
 */
void estimate_step(const struct history *h, struct frame *f);
/* Parts of it: the growth of the history store, the working set by tables and as a whole. */
void estimate_growth(const struct history *h, struct frame *f);
void estimate_collections(const struct history *h, struct frame *f);
void estimate_working_set(const struct history *h, struct frame *f);

#endif
