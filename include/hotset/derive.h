/*
 * Two samples in, one frame out: rates, ratios and their reasons. Pure: no clock, no I/O, and the
 * only state is the last present value of every counter, since expensive parts are polled less
 * often than the rest.
 *
 * rate = (cur - prev) / dt, only if both are present, of the same server run (epoch), cur >= prev
 * and dt > 0; else FIRST, RESET or RESTARTED. A ratio over zero events is NO_TRAFFIC.
 */
#ifndef HOTSET_DERIVE_H
#define HOTSET_DERIVE_H

#include "hotset/sample.h"

struct cell_value {
	struct value num; /* KEY and TEXT cells with a text: why is TEXT */
	const char  *text; /* NULL for numbers; lies in the frame's sample */
};

struct frame_rows {
	unsigned           n;
	struct cell_value *cells; /* n x ncols; owned by the frame */
	bool               asked;
};

/* Derived values of one endpoint at one time. Texts point into `sample`, which it does not own. */
struct frame {
	const struct sample *sample;
	double               interval_s; /* since the sample before, 0 for the first */
	bool                 restarted;  /* the epoch differs from the sample before */
	bool                 reset;      /* some counter fell within the same run */
	struct value         v[METRIC_COUNT];
	struct frame_rows    tables[TABLE_COUNT];
	/* what derive or estimate concluded as a text, by metric id; NULL: take the sample's */
	const char          *info[METRIC_COUNT];
	char                 evidence[96]; /* the text of mongo.cache.thresholds */
};

struct derive; /* the state of one endpoint */

struct derive *derive_create(enum kind kind);
void           derive_destroy(struct derive *d);
/*
 * Fills out (frame_init'ed or from an earlier step, whose tables it frees first). `s` must live as
 * long as `out` is used. With one_dump, rates of a first sample have the reason ONE_DUMP.
 */
void derive_step(struct derive *d, const struct sample *s, bool one_dump, struct frame *out);

void         frame_init(struct frame *f);
void         frame_finish(struct frame *f);
struct value frame_value(const struct frame *f, enum metric_id id);
/* The info text of an INFO metric, NULL if there is none. */
const char  *frame_info(const struct frame *f, enum metric_id id);
const struct cell_value *frame_row(const struct frame *f, enum table_id t, unsigned row);

/*
 * Whether a row of mongo.op is a collection scan of a user: not one that follows the oplog or waits
 * for what comes next (a tailable cursor, a change stream), which read no collection through.
 */
bool derive_mongo_is_scan(const struct cell_value *row);
/* The row of the longest running one, NULL if there is none. */
const struct cell_value *derive_mongo_scan(const struct frame *f);

/*
 * Arithmetic on values: the first operand that is not OK gives its reason to the result, whose age
 * is the larger of the two; a result that is not finite is IMPLAUSIBLE.
 */
struct value value_of(double v);
struct value value_none(enum reason why);
struct value value_add(struct value a, struct value b);
struct value value_sub(struct value a, struct value b);
/* num / den * scale; den == 0 gives zero_why. */
struct value value_ratio(struct value num, struct value den, double scale, enum reason zero_why);
/* a, or `instead` when a is missing. */
struct value value_or(struct value a, double instead);

/* For the CALC functions of core/derive_KIND.c: */
struct delta {
	double      d;  /* cur - prev */
	double      dt; /* seconds between the two */
	enum reason why;
};
struct derive_ctx {
	const struct derive *d;
	const struct sample *s;
	struct frame        *f;
};
/* The difference of a raw counter since its last present value (before this step). */
struct delta derive_delta(const struct derive_ctx *c, enum metric_id counter);
/* The same difference as a value, its age included. */
struct value derive_diff(const struct derive_ctx *c, enum metric_id counter);
void         derive_set(const struct derive_ctx *c, enum metric_id id, double v);
void         derive_none(const struct derive_ctx *c, enum metric_id id, enum reason why);
void         derive_put(const struct derive_ctx *c, enum metric_id id, struct value v);
/* A better reason than NOT_SENT, for a value that is not there yet. */
void derive_explain(const struct derive_ctx *c, enum metric_id id, enum reason why);
/* derive_put of value_ratio. */
void derive_ratio(const struct derive_ctx *c, enum metric_id id, struct value num, struct value den,
	double scale, enum reason zero_why);

void derive_mongo(const struct derive_ctx *c);
void derive_redis(const struct derive_ctx *c);
void derive_memcached(const struct derive_ctx *c);
void derive_host(const struct derive_ctx *c);

#endif
