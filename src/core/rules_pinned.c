/*
 * Pinned timestamps: history that cannot be thrown away, why, by whom, until when, and what it
 * costs meanwhile. hold.c finds the cause and the holder; here is what is said about them.
 */
#include "rules_mongo.h"

#include "hotset/hold.h"

#include <math.h>

#define CRIT_S       300.0 /* of excess: as long as the default window once more */
#define OVERDUE_S    30.0  /* the reaper of the default limit of 60 s comes every 30 s */
#define MAJORITY_S   90.0  /* flow control aims at 10 s: the commit point is stuck */
#define SECS_PER_MIN 60.0

/* ---- words ---- */

static const char *const causes[] = {
	[HOLD_UNKNOWN] = "no transaction that is visible here",
	[HOLD_WINDOW] = "its window",
	[HOLD_IDLE] = "an idle open transaction",
	[HOLD_ACTIVE] = "an open transaction at work",
	[HOLD_PREPARED] = "a prepared transaction",
	[HOLD_READ] = "a snapshot read",
	[HOLD_UNSEEN] = "an open transaction or snapshot read that is not shown to us",
	[HOLD_CHECKPOINT] = "a running checkpoint",
	[HOLD_BACKUP] = "no transaction: a backup cursor is open",
	[HOLD_INTERNAL] = "no transaction: the server itself (a backup, resharding, ...)",
	[HOLD_MAJORITY] = "the majority commit point, which is stuck",
};

static const char *const words[] = {
	[HOLD_IDLE] = "idle",
	[HOLD_ACTIVE] = "at work",
	[HOLD_PREPARED] = "prepared",
};

/*  (app report-job from 127.0.0.1:60546, open 75 s, its limit ends it in 525 s) */
static void say_holder(char *out, size_t cap, const struct holder *h, const char *hint)
{
	char who[HOLD_WHO_MAX], left[HOLD_LEFT_MAX], age[NUM_MAX];

	hold_who(who, h);
	hold_left(left, h);
	snprintf(out, cap, " (%s%s%s%s%sopen %s%s%s)", hint,
		h->row[COL_MONGO_OP_APP].text ? "app " : "", who, *who ? ", " : "",
		h->kind == HOLD_READ ? "reading, " : "", num_duration(age, h->open_s),
		*left ? ", " : "", left);
}

/* The file's own growth where it is told at any time, else the inserts, which it does not show. */
static void say_growth(char *out, size_t cap, const struct endpoint *ep)
{
	struct value size = ep->frame.v[METRIC_MONGO_HS_SIZE];
	struct value growth = ep->frame.v[METRIC_MONGO_HS_GROWTH];
	char bytes[NUM_MAX], rate[NUM_MAX];
	double inserts;

	out[0] = '\0';
	if (!value_ok(size))
		return;
	num_format(bytes, UNIT_BYTES, size.v, false);
	if (value_ok(growth))
		snprintf(out, cap, "; history store %s, %s%s/min", bytes, growth.v < 0 ? "" : "+",
			num_format(rate, UNIT_BYTES, growth.v * SECS_PER_MIN, false));
	else if (hold_inserts(ep, &inserts))
		snprintf(out, cap, "; history store %s, %s inserts/s", bytes,
			num_short(rate, inserts));
}

/* The reaper comes after the limit: "525 s to 585 s". */
static void say_end(char *out, size_t cap, const struct holder *h)
{
	double reaper_s = hold_reaper_s(h->limit_s);
	char from[NUM_MAX], to[NUM_MAX];

	out[0] = '\0';
	if (h->left_s > 0)
		snprintf(out, cap, " The server's own limit ends it in %s to %s.",
			num_duration(from, h->left_s), num_duration(to, h->left_s + reaper_s));
	else if (h->left_s > -reaper_s)
		snprintf(out, cap, " The server ends it within %s.",
			num_duration(to, h->left_s + reaper_s));
}

static const char *operation_of(const struct holder *h, char buf[NUM_MAX])
{
	const struct cell_value *id = h->row ? &h->row[COL_MONGO_OP_OPID] : NULL;

	if (id && value_ok(id->num))
		snprintf(buf, NUM_MAX, "killOp(%.0f)", id->num.v);
	else
		snprintf(buf, NUM_MAX, "killOp");
	return buf;
}

static void say_next(const struct endpoint *ep, const struct hold *h, struct finding *out)
{
	char end[96], op[NUM_MAX];

	if (h->holder.row)
		say_end(end, sizeof(end), &h->holder);
	switch (h->cause) {
	case HOLD_IDLE:
		finding_next(
			out, "Its client left it open: end its session (killSessions).%s", end);
		break;
	case HOLD_ACTIVE:
		finding_next(out, "Let it finish or end it with %s.%s",
			operation_of(&h->holder, op), end);
		break;
	case HOLD_PREPARED:
		finding_next(out, "No limit ends it, its coordinator must: see the other shards.");
		break;
	case HOLD_READ:
		finding_next(out, "Let it finish or end it with %s.", operation_of(&h->holder, op));
		break;
	case HOLD_UNSEEN:
		finding_next(out,
			ep->err.code == ERR_AUTH
				? "The privilege inprog (clusterMonitor) shows whose it is."
				: "Ask $currentOp with allUsers and idleSessions whose it is.");
		break;
	case HOLD_CHECKPOINT:
		finding_next(out, "Wait for its end; a long one has much to write or a slow disk.");
		break;
	case HOLD_BACKUP:
		finding_next(out, "Let the backup end, or close its cursor.");
		break;
	case HOLD_INTERNAL:
		finding_next(out, "It ends with the server's own work; its log says which.");
		break;
	case HOLD_MAJORITY:
		finding_next(out, "See which members are down or behind: rs.status().");
		break;
	case HOLD_UNKNOWN:
	case HOLD_WINDOW:
		finding_next(out, "Watch whether it grows; the server's log may say more.");
		break;
	}
}

/* ---- history is held ---- */

static double number(struct value v)
{
	return value_ok(v) ? v.v : (double)NAN;
}

static void put_data(const struct endpoint *ep, const struct hold *h, struct finding *out)
{
	const struct value *v = ep->frame.v;
	const struct cell_value *row = h->holder.row;
	double inserts;

	data_text(&out->data, "app", row ? row[COL_MONGO_OP_APP].text : NULL);
	data_text(&out->data, "client", row ? row[COL_MONGO_OP_CLIENT].text : NULL);
	data_num(&out->data, "txn_open_s", row ? h->holder.open_s : (double)NAN);
	data_num(&out->data, "lag_s", number(v[METRIC_MONGO_PINNED_LAG]));
	data_num(&out->data, "excess_s", number(v[METRIC_MONGO_PINNED_EXCESS]));
	data_text(&out->data, "cause", hold_cause_name(h->cause));
	data_num(&out->data, "limit_left_s", row ? h->holder.left_s : (double)NAN);
	data_num(&out->data, "hs_size", number(v[METRIC_MONGO_HS_SIZE]));
	data_num(&out->data, "hs_growth", number(v[METRIC_MONGO_HS_GROWTH]));
	data_num(&out->data, "hs_inserts", hold_inserts(ep, &inserts) ? inserts : (double)NAN);
}

static bool is_reader(enum hold_cause c)
{
	return c == HOLD_IDLE || c == HOLD_ACTIVE || c == HOLD_PREPARED || c == HOLD_READ;
}

static void report_hold(
	const struct endpoint *ep, struct hold *h, enum level level, struct finding *out)
{
	const struct value *v = ep->frame.v;
	char who[256] = "", growth[80], lag[NUM_MAX], window[NUM_MAX];

	if (!is_reader(h->cause)) /* somebody reads, but that is not what holds */
		h->holder = (struct holder){0};
	if (h->holder.row)
		say_holder(who, sizeof(who), &h->holder, h->proven ? "" : "the longest: ");
	say_growth(growth, sizeof(growth), ep);
	finding_say(out, level, "history is pinned for %s (window %s) by %s%s%s",
		num_duration(lag, v[METRIC_MONGO_PINNED_LAG].v),
		num_duration(window, v[METRIC_MONGO_PINNED_WINDOW].v), causes[h->cause], who,
		growth);
	say_next(ep, h, out);
	put_data(ep, h, out);
}

/* It may pin no timestamp, or no more than the window: yet the server should have ended it. */
static void report_overdue(const struct endpoint *ep, struct hold *h, struct finding *out)
{
	char who[HOLD_WHO_MAX], open[NUM_MAX], limit[NUM_MAX];

	h->holder = h->longest;
	h->cause = h->longest.kind;
	hold_who(who, &h->longest);
	finding_say(out, LEVEL_WARN,
		"a transaction (%s%s%s) is open for %s, past the server's own limit of %s",
		words[h->cause], *who ? ", " : "", who, num_duration(open, h->longest.open_s),
		num_duration(limit, h->longest.limit_s));
	say_next(ep, h, out);
	put_data(ep, h, out);
}

static enum level level_of(const struct frame *f)
{
	struct value excess = f->v[METRIC_MONGO_PINNED_EXCESS];

	if (!value_ok(excess) ||
		excess.v <= hold_bar_s(value_or(f->v[METRIC_MONGO_PINNED_WINDOW], 0).v))
		return LEVEL_OK;
	return excess.v > CRIT_S ? LEVEL_CRIT : LEVEL_WARN;
}

void rules_held(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	enum level level = level_of(&ep->frame);
	struct hold h;

	(void)m;
	hold_find(ep, &h);
	if (level != LEVEL_OK)
		report_hold(ep, &h, level, out);
	else if (h.longest.row && h.longest.open_s > h.longest.limit_s + OVERDUE_S)
		report_overdue(ep, &h, out);
}

/* ---- the majority commit point ---- */

/*
 * Where its lag can be read it is no part of the excess, since nobody here holds anything; but the
 * history that it keeps is as long.
 */
void rules_majority(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct value *v = ep->frame.v;
	struct value lag = v[METRIC_MONGO_REPL_MAJORITY_LAG], pinned = v[METRIC_MONGO_PINNED_LAG];
	bool limited = value_or(v[METRIC_MONGO_FLOW_LIMITED], 0).v > 0;
	char behind[NUM_MAX], kept[NUM_MAX], history[64] = "";

	(void)m;
	if (!value_ok(lag) || lag.v <= MAJORITY_S)
		return;
	if (value_ok(pinned))
		snprintf(history, sizeof(history), "; history is kept for %s",
			num_duration(kept, pinned.v));
	finding_say(out, LEVEL_WARN,
		"the majority commit point is %s behind the newest write here%s%s",
		num_duration(behind, lag.v), history, limited ? "; flow control slows writes" : "");
	finding_next(out, "See which members are down or behind (rs.status()): writes with "
			  "w: majority wait for them.");
	data_num(&out->data, "majority_lag_s", lag.v);
	data_num(&out->data, "lag_s", number(pinned));
}
