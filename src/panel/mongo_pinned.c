/*
 * How far back history is pinned, who holds it and until when, and what it costs meanwhile: the
 * answer first, then the parts of the range and the history store.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/hold.h"
#include "hotset/num.h"
#include "hotset/widgets.h"

#include "panels.h"

#define HELD         "mongo.pinned.held"
#define RELEASED_S   600.0 /* how long a release is remembered */
#define SECS_PER_MIN 60.0
#define ANSWER_LINES 3 /* who, since and until when, the history store */

/* The first three say what the verdict is made of, the others where it is large enough. */
static const struct field fields[] = {
	{"excess", METRIC_MONGO_PINNED_EXCESS},
	{"majority", METRIC_MONGO_REPL_MAJORITY_LAG},
	{"reader", METRIC_MONGO_PINNED_READER},
	{"ckpt", METRIC_MONGO_PINNED_CHECKPOINT},
	{"readable", METRIC_MONGO_PINNED_AVAILABLE},
	{"pins", METRIC_MONGO_PINNED_REQUESTS},
};
#define FIELDS_FEW   3
#define FIELDS_ALL   6
#define GRAPH_WANT_H 4 /* lines that a graph is worth */

static enum level level_of(const struct panel_ctx *x)
{
	for (unsigned i = 0; i < x->m->nverdicts; i++) {
		const struct verdict *v = &x->m->verdicts[i];

		if (v->endpoint == x->ep->index && strcmp(v->code, HELD) == 0)
			return v->level;
	}
	return LEVEL_OK;
}

/* ---- who ---- */

static const char *cause_text(const struct hold *h)
{
	switch (h->cause) {
	case HOLD_UNSEEN:
		return "a reader that is not shown to us";
	case HOLD_CHECKPOINT:
		return "a running checkpoint";
	case HOLD_BACKUP:
		return "an open backup cursor";
	case HOLD_INTERNAL:
		return "the server itself (internal pin)";
	case HOLD_MAJORITY:
		return "the majority commit point, stuck";
	default:
		return "no transaction that is visible here";
	}
}

static bool names_holder(const struct hold *h)
{
	return h->holder.row && h->cause != HOLD_WINDOW && h->cause == h->holder.kind;
}

/* A server without replication has no timestamps, whatever its parameter of the window says. */
static bool pins_nothing(const struct panel_ctx *x)
{
	struct value lag = frame_value(&x->ep->frame, METRIC_MONGO_PINNED_LAG);

	return strcmp(x->ep->role, "standalone") == 0 && value_ok(lag) && lag.v <= 0;
}

/* The parts of the range, where there is one. */
static void draw_parts(struct pane *p)
{
	int all = fields_lines(fields, FIELDS_ALL, p->frame.w);

	if (!pins_nothing(p->x))
		pane_fields(p, fields, pane_left(p) >= all + GRAPH_WANT_H ? FIELDS_ALL : FIELDS_FEW,
			pane_left(p));
}

static const char *doing(enum hold_cause kind)
{
	return kind == HOLD_IDLE     ? "idle"
	       : kind == HOLD_ACTIVE ? "at work"
	       : kind == HOLD_READ   ? "reading"
				     : "prepared";
}

/* "report-job: idle 92 s, 508 s left", for where there is but one line. */
static void say_short(char *out, size_t cap, const struct holder *h)
{
	const char *app = h->row[COL_MONGO_OP_APP].text, *client = h->row[COL_MONGO_OP_CLIENT].text;
	char open[NUM_MAX], left[NUM_MAX], tail[NUM_MAX + 16] = "";

	if (h->left_s > 0)
		snprintf(tail, sizeof(tail), ", %s left", num_duration(left, h->left_s));
	else if (h->left_s <= 0)
		snprintf(tail, sizeof(tail), ", past its limit");
	snprintf(out, cap, "%s: %s %s%s",
		app      ? app
		: client ? client
			 : "unnamed",
		doing(h->kind), num_duration(open, h->open_s), tail);
}

static void draw_who(struct pane *p, const struct hold *h)
{
	enum level level = level_of(p->x);
	char who[HOLD_WHO_MAX], text[HOLD_WHO_MAX + 64];
	enum role role = p->stale || level == LEVEL_OK ? ROLE_DIM : level_role(level);

	if (!value_ok(pane_value(p, METRIC_MONGO_PINNED_LAG))) {
		pane_text(p, ROLE_DIM, "whether history is held is not known");
		return;
	}
	if (pins_nothing(p->x)) {
		pane_text(p, ROLE_DIM, "not held (a standalone)");
		return;
	}
	if (h->cause == HOLD_WINDOW && level == LEVEL_OK) {
		pane_text(p, ROLE_DIM, "not held: history is kept for its window");
		return;
	}
	if (names_holder(h) && pane_left(p) == 1)
		say_short(text, sizeof(text), &h->holder);
	else if (names_holder(h))
		snprintf(text, sizeof(text), "held by %s%s", h->proven ? "" : "likely ",
			*hold_who(who, &h->holder) ? who : "an unnamed client");
	else
		snprintf(text, sizeof(text), "held by %s", cause_text(h));
	if (h->cause == HOLD_WINDOW) /* the verdict lingers */
		snprintf(text, sizeof(text), "held no longer");
	pane_printf(p, role, "%s%s%s", level == LEVEL_OK ? "" : level_symbol(level),
		level == LEVEL_OK ? "" : " ", text);
}

/* ---- since when, until when ---- */

/* "idle, open 92 s, limit in 508 s" */
static void say_age(char *out, size_t cap, const struct holder *h)
{
	char open[NUM_MAX], left[NUM_MAX];

	num_duration(open, h->open_s);
	if (h->kind == HOLD_PREPARED)
		snprintf(out, cap, "prepared, open %s, without limit", open);
	else if (h->left_s > 0)
		snprintf(out, cap, "%s, open %s, limit in %s", doing(h->kind), open,
			num_duration(left, h->left_s));
	else if (h->left_s <= 0)
		snprintf(out, cap, "%s, open %s, %s past its limit", doing(h->kind), open,
			num_duration(left, -h->left_s));
	else
		snprintf(out, cap, "%s, open %s", doing(h->kind), open);
}

/* Seconds since the newest hold ended; NAN if none did of late. */
static double released_s(const struct panel_ctx *x)
{
	const struct event *e;

	for (unsigned i = 0; (e = model_event(x->m, i)); i++) {
		double age_s = (double)(x->ep->seen_mono_ns - e->mono_ns) / (double)NS_PER_SEC;

		if (age_s > RELEASED_S)
			break;
		if (e->endpoint == x->ep->index && strcmp(e->code, HELD) == 0)
			return e->state == EVENT_END ? age_s : (double)NAN;
	}
	return (double)NAN;
}

static bool nobody_reads(const struct pane *p)
{
	struct value stamp = pane_value(p, METRIC_MONGO_PINNED_READER_TS);
	struct value range = pane_value(p, METRIC_MONGO_PINNED_READER);

	return stamp.why == REASON_NOT_SET || range.why == REASON_NOT_SET ||
	       (value_ok(range) && range.v <= 0);
}

static void draw_since(struct pane *p, const struct hold *h)
{
	double ago_s = released_s(p->x);
	char text[128] = "", num[NUM_MAX];
	enum role role = p->stale ? ROLE_DIM : ROLE_DEFAULT;

	if (names_holder(h)) {
		say_age(text, sizeof(text), &h->holder);
		pane_text(p, role, text);
	} else if (h->cause == HOLD_MAJORITY && isfinite(h->majority_lag_s)) {
		pane_printf(p, role, "it is %s behind the newest write",
			num_duration(num, h->majority_lag_s));
	} else if (h->cause == HOLD_UNSEEN) {
		pane_text(p, ROLE_DIM,
			p->x->ep->err.code == ERR_AUTH ? "the privilege inprog is missing"
			: h->ops                       ? "$currentOp does not show it"
						       : "operations were not asked for of late");
	} else if (isfinite(ago_s)) {
		pane_printf(p, ROLE_DIM, "released %s ago: the file keeps its size",
			num_duration(num, ago_s));
	} else if (h->holder.row) {
		say_short(text, sizeof(text), &h->holder);
		pane_printf(p, ROLE_DIM, "oldest reader %s", text);
	} else if (!pins_nothing(p->x)) {
		pane_text(p, ROLE_DIM,
			nobody_reads(p) ? "nobody reads at a timestamp"
					: "oldest reader not known");
	}
}

/* ---- the history store ---- */

/* Its size is that of the last checkpoint, unless the file's own statistics are sent. */
static void draw_store(struct pane *p)
{
	struct value size = pane_value(p, METRIC_MONGO_HS_SIZE);
	struct value growth = pane_value(p, METRIC_MONGO_HS_GROWTH);
	struct value reusable = pane_value(p, METRIC_MONGO_HS_REUSABLE);
	char bytes[NUM_MAX], rate[NUM_MAX], tail[64] = "";
	double inserts;

	if (!value_ok(size)) {
		pane_printf(
			p, ROLE_DIM, "history store n/a: %s", reason_text((enum reason)size.why));
		return;
	}
	if (value_ok(growth))
		snprintf(tail, sizeof(tail), "  %s%s/min", growth.v < 0 ? "" : "+",
			num_format(rate, UNIT_BYTES, growth.v * SECS_PER_MIN, p->c->ascii));
	else if (!value_ok(reusable) && hold_inserts(p->x->ep, &inserts))
		snprintf(tail, sizeof(tail), "  %s inserts/s", num_short(rate, inserts));
	pane_printf(p, p->stale ? ROLE_DIM : ROLE_DEFAULT, "history store %s%s%s%s",
		num_format(bytes, UNIT_BYTES, size.v, p->c->ascii), tail,
		value_ok(reusable) ? "  reusable " : "",
		value_ok(reusable) ? num_format(rate, UNIT_BYTES, reusable.v, p->c->ascii) : "");
}

/* ---- the panel ---- */

static const char *note(const struct panel_ctx *x, char buf[NOTE_MAX])
{
	struct value window = frame_value(&x->ep->frame, METRIC_MONGO_PINNED_WINDOW);
	struct value limit = frame_value(&x->ep->frame, METRIC_MONGO_PINNED_LIMIT);
	char a[NUM_MAX], b[NUM_MAX];

	snprintf(buf, NOTE_MAX, "window %s · limit %s",
		value_ok(window) ? num_duration(a, window.v) : "n/a",
		value_ok(limit) ? num_duration(b, limit.v) : "n/a");
	return buf;
}

/* The window's end stays in sight however long the range becomes. */
static void draw_lag(struct pane *p)
{
	struct value lag = pane_value(p, METRIC_MONGO_PINNED_LAG);
	struct value window = pane_value(p, METRIC_MONGO_PINNED_WINDOW);
	struct bar bar = {
		.label = "lag",
		.id = METRIC_MONGO_PINNED_LAG,
		.target = METRIC_MONGO_PINNED_WINDOW,
		.trigger = METRIC_COUNT,
		.scale = fmax(fmax(10, 2 * value_or(window, 0).v), 1.1 * value_or(lag, 0).v),
		.scale_id = METRIC_COUNT,
	};

	pane_bar(p, &bar);
}

/* The parts of the range and the graph take what is left over. */
static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = 1 + ANSWER_LINES;

	(void)x;
	(void)w;
	return (struct extent){4, lines + 2, lines + 16};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	char text[NOTE_MAX];
	struct hold hold;
	struct pane p;

	hold_find(x->ep, &hold);
	pane_open(&p, x, c, r, "pinned timestamp", note(x, text));
	draw_lag(&p);
	draw_who(&p, &hold);
	draw_since(&p, &hold);
	draw_store(&p);
	draw_parts(&p);
	pane_graph(&p, METRIC_MONGO_PINNED_LAG, ROLE_GRAPH_2, CAPTION_LINE, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_mongo_pinned = {.name = "pinned", .measure = measure, .draw = draw};
