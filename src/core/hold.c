/*
 * The pinned range reaches from the newest write back to what must still be readable: the oldest
 * reader's timestamp, or the oldest timestamp itself, which follows the majority commit point
 * (stable) at the distance of the history window. So
 *
 *   a reader is the cause      when its own range is as long as the pinned one;
 *   the commit point is stuck  when the newest write is far ahead of stable (oldest - available);
 *   an internal pin            when stable is further ahead of oldest than the window.
 *
 * Ranges of one reply belong together, to a second. The operations come from another command and
 * less often; the oldest reader's timestamp is also in its row, which is how it is found.
 */
#include "hotset/hold.h"
#include "hotset/clock.h"
#include "hotset/num.h"

#include <math.h>

#define OPS_FRESH_S    10.0 /* operations older than this say nothing about now */
#define SAME_RANGE_S   5.0  /* two ranges this close have the same cause */
#define SAME_STAMP_S   1.0  /* as do timestamps, whose lower words may borrow */
#define STANDS_STILL_S 30.0 /* three times the lag at which flow control begins to brake */
#define BAR_MIN_S      10.0
#define BAR_MAX_S      90.0 /* 60 s lifetime of a transaction and 30 s until it is reaped */
#define INSERTS_S      30u  /* of the mean rate of history store inserts */
#define REAPER_MIN_S   1.0
#define REAPER_MAX_S   60.0

const char *hold_cause_name(enum hold_cause c)
{
	static const char *const names[] = {
		[HOLD_UNKNOWN] = "unknown",
		[HOLD_WINDOW] = "history window",
		[HOLD_IDLE] = "idle transaction",
		[HOLD_ACTIVE] = "open transaction",
		[HOLD_PREPARED] = "prepared transaction",
		[HOLD_READ] = "snapshot read",
		[HOLD_UNSEEN] = "reader not shown",
		[HOLD_CHECKPOINT] = "checkpoint",
		[HOLD_BACKUP] = "backup cursor",
		[HOLD_INTERNAL] = "internal pin",
		[HOLD_MAJORITY] = "majority point stuck",
	};

	return names[c];
}

double hold_bar_s(double window_s)
{
	return fmin(BAR_MAX_S, fmax(BAR_MIN_S, window_s));
}

/* The server looks for expired transactions at half of their lifetime. */
double hold_reaper_s(double limit_s)
{
	return fmin(REAPER_MAX_S, fmax(REAPER_MIN_S, limit_s / 2));
}

bool hold_inserts(const struct endpoint *ep, double *out)
{
	return history_mean(
		ep->history, METRIC_MONGO_HS_INSERTS, ep->seen_mono_ns, INSERTS_S, 1, out);
}

static double number(struct value v)
{
	return value_ok(v) ? v.v : (double)NAN;
}

/* ---- the holder ---- */

static enum hold_cause kind_of(const struct cell_value *row)
{
	const char *txn = row[COL_MONGO_OP_TXN].text;

	if (txn && strcmp(txn, "idle") == 0)
		return HOLD_IDLE;
	if (txn && strcmp(txn, "prepared") == 0)
		return HOLD_PREPARED;
	return txn || value_ok(row[COL_MONGO_OP_TXN_OPEN].num) ? HOLD_ACTIVE : HOLD_READ;
}

/* A transaction's own limit counts, not what the parameter has become since it began. */
static struct holder holder_of(const struct endpoint *ep, const struct cell_value *row)
{
	double age_s =
		(double)(ep->seen_mono_ns - ep->kept[TABLE_MONGO_OP].mono_ns) / (double)NS_PER_SEC;
	double left_s = number(row[COL_MONGO_OP_TXN_LEFT].num);
	double open_s = number(row[COL_MONGO_OP_TXN_OPEN].num);
	struct holder h = {.row = row, .kind = kind_of(row)};

	if (h.kind == HOLD_READ)
		open_s = number(row[COL_MONGO_OP_SECS].num);
	h.open_s = open_s + age_s;
	h.limit_s =
		isnan(left_s) ? number(ep->frame.v[METRIC_MONGO_PINNED_LIMIT]) : open_s + left_s;
	h.left_s = h.limit_s - h.open_s;
	if (h.kind == HOLD_READ)
		h.left_s = h.limit_s = NAN;
	if (h.kind == HOLD_PREPARED)
		h.left_s = NAN;
	return h;
}

static bool opens_before(const struct holder *a, const struct holder *b)
{
	return !b->row || a->open_s > b->open_s;
}

static bool has_stamp(const struct holder *h, struct value stamp)
{
	struct value own = h->row[COL_MONGO_OP_READ_TS].num;

	return value_ok(stamp) && value_ok(own) && fabs(own.v - stamp.v) <= SAME_STAMP_S;
}

/*
 * The operation with the oldest reader's timestamp. Where that cannot be compared, it is the
 * transaction that is open longest, unproven; one that says it has no timestamp holds none.
 */
static void find_holder(const struct endpoint *ep, struct hold *out)
{
	struct value stamp = ep->frame.v[METRIC_MONGO_PINNED_READER_TS];
	struct holder likely = {0};
	bool comparable = stamp.why == REASON_NOT_SET; /* nobody reads at a timestamp */

	for (unsigned i = 0; out->ops && i < ep->kept[TABLE_MONGO_OP].n; i++) {
		const struct cell_value *row = kept_row(ep, TABLE_MONGO_OP, i);
		struct value own = row[COL_MONGO_OP_READ_TS].num;
		struct holder h = holder_of(ep, row);

		comparable |= value_ok(own) && value_ok(stamp);
		if (has_stamp(&h, stamp) && (!out->proven || opens_before(&h, &out->holder))) {
			out->holder = h;
			out->proven = true;
		}
		if (h.kind == HOLD_READ)
			continue;
		if (opens_before(&h, &out->longest))
			out->longest = h;
		if (own.why != REASON_NOT_SET && opens_before(&h, &likely))
			likely = h;
	}
	if (!out->proven && !comparable)
		out->holder = likely;
}

/* ---- the cause ---- */

static bool reaches(struct value range, double lag)
{
	return value_ok(range) && range.v > 0 && range.v >= lag - SAME_RANGE_S;
}

static double majority_lag(const struct frame *f)
{
	struct value lag = f->v[METRIC_MONGO_REPL_MAJORITY_LAG];
	struct value stable =
		value_sub(f->v[METRIC_MONGO_PINNED_OLDEST], f->v[METRIC_MONGO_PINNED_AVAILABLE]);

	return value_ok(lag) ? lag.v : number(stable);
}

/* No reader and no checkpoint: why the oldest timestamp itself stays behind. */
static enum hold_cause cause_of_oldest(const struct frame *f, double majority_lag_s)
{
	const struct value *v = f->v;
	bool backup = value_or(v[METRIC_MONGO_PINNED_BACKUP], 0).v > 0;
	bool pinned = backup || value_or(v[METRIC_MONGO_PINNED_REQUESTS], 0).v > 0;
	double beyond =
		number(value_sub(v[METRIC_MONGO_PINNED_AVAILABLE], v[METRIC_MONGO_PINNED_WINDOW]));

	if (majority_lag_s > STANDS_STILL_S && !(pinned && beyond > majority_lag_s))
		return HOLD_MAJORITY;
	if (pinned)
		return backup ? HOLD_BACKUP : HOLD_INTERNAL;
	if (value_or(v[METRIC_MONGO_FLOW_LIMITED], 0).v > 0)
		return HOLD_MAJORITY;
	return beyond > STANDS_STILL_S ? HOLD_INTERNAL : HOLD_UNKNOWN;
}

static enum hold_cause cause_of(const struct frame *f, const struct hold *h)
{
	struct value lag = f->v[METRIC_MONGO_PINNED_LAG];
	double window = value_or(f->v[METRIC_MONGO_PINNED_WINDOW], 0).v;

	if (!value_ok(lag))
		return HOLD_UNKNOWN;
	if (lag.v <= window + SAME_RANGE_S)
		return HOLD_WINDOW;
	if (reaches(f->v[METRIC_MONGO_PINNED_READER], lag.v))
		return h->holder.row ? h->holder.kind : HOLD_UNSEEN;
	if (reaches(f->v[METRIC_MONGO_PINNED_CHECKPOINT], lag.v))
		return HOLD_CHECKPOINT;

	enum hold_cause cause = cause_of_oldest(f, h->majority_lag_s);
	double excess = value_or(f->v[METRIC_MONGO_PINNED_EXCESS], 0).v;

	/* stable and a checkpoint lag a little behind at any time */
	return cause == HOLD_UNKNOWN && excess <= hold_bar_s(window) ? HOLD_WINDOW : cause;
}

void hold_find(const struct endpoint *ep, struct hold *out)
{
	const struct kept_rows *ops = &ep->kept[TABLE_MONGO_OP];

	*out = (struct hold){
		.ops = ops->asked && (double)(ep->seen_mono_ns - ops->mono_ns) <=
					     OPS_FRESH_S * (double)NS_PER_SEC,
		.majority_lag_s = majority_lag(&ep->frame),
	};
	find_holder(ep, out);
	out->cause = cause_of(&ep->frame, out);
}

/* ---- in words ---- */

const char *hold_who(char buf[HOLD_WHO_MAX], const struct holder *h)
{
	const char *app = h->row ? h->row[COL_MONGO_OP_APP].text : NULL;
	const char *client = h->row ? h->row[COL_MONGO_OP_CLIENT].text : NULL;

	snprintf(buf, HOLD_WHO_MAX, "%.40s%s%.48s", app ? app : "", app && client ? " from " : "",
		client ? client : "");
	return buf;
}

const char *hold_left(char buf[HOLD_LEFT_MAX], const struct holder *h)
{
	char num[NUM_MAX];

	buf[0] = '\0';
	if (h->left_s > 0)
		snprintf(buf, HOLD_LEFT_MAX, "its limit ends it in %s",
			num_duration(num, h->left_s));
	else if (h->left_s <= 0)
		snprintf(buf, HOLD_LEFT_MAX, "%s past its limit", num_duration(num, -h->left_s));
	return buf;
}
