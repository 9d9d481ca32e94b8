/* How large the working set is against the cache, and what the misses cost an operation. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hotset/widgets.h"

#include "panels.h"

#define SIDE_W        50 /* inner width from which the words stand beside the gauge */
#define WIDE_W        76 /* and from which they have room */
#define NARROW_SIDE_W 23
#define WIDE_SIDE_W   36
#define LONG_W        30 /* of the words, to name what the number is a multiple of */
#define GAUGE_H       3

static const struct field fields[] = {
	{"pages/op", METRIC_MONGO_READ_PER_OP},
	{"per page", METRIC_MONGO_READ_LATENCY},
	{"cost/op", METRIC_MONGO_READ_COST_PER_OP},
};

static double number(struct value v)
{
	return value_ok(v) ? v.v : NAN;
}

/* Steady: doubles only when the estimate leaves the scale. */
static double scale_of(double high)
{
	double max = 4;

	while (isfinite(high) && high > max && max < 1024)
		max *= 2;
	return max;
}

/* The number with its range, and in words what it is or why there is none. */
static void draw_estimate(struct pane *p)
{
	struct value ratio = pane_value(p, METRIC_MONGO_WS_RATIO);
	double low = number(pane_value(p, METRIC_MONGO_WS_LOW));
	double high = number(pane_value(p, METRIC_MONGO_WS_HIGH));
	bool bound = strcmp(pane_info(p, METRIC_MONGO_WS_KIND), "at most") == 0;
	enum role role = low > 1 ? ROLE_WARN : ROLE_VALUE;
	double shown = floor(ratio.v * 100 + 0.5) / 100;
	char text[96];

	if (!value_ok(ratio)) {
		(void)snprintf(text, sizeof(text), "no estimate: %s",
			reason_text((enum reason)ratio.why));
		pane_wrap(p, ROLE_DIM, text, 3);
	} else if (bound) {
		pane_printf(p, p->stale ? ROLE_DIM : role, "at most %.3g× the cache", shown);
		pane_wrap(p, ROLE_DIM, "nothing is evicted: it fits", 2);
	} else {
		pane_printf(p, p->stale ? ROLE_DIM : role, "≈ %.3g×%s (%.*f – %.*f)", shown,
			p->in.w >= LONG_W ? " the cache" : "", high < 10 ? 2 : 0, low,
			high < 10 ? 2 : 0, high);
		pane_wrap(p, ROLE_DIM, "uniform-equivalent, more if skewed", 2);
	}
}

/* A part of the pane from its present line on. */
static struct pane part_of(const struct pane *p, int x, int w, int lines)
{
	struct pane part = *p;

	part.in.x = x;
	part.in.w = w;
	if (pane_left(p) > lines)
		part.in.h = p->y - p->in.y + lines;
	return part;
}

static void draw_gauge(struct pane *p, int w)
{
	double high = number(pane_value(p, METRIC_MONGO_WS_HIGH));

	chart_gauge(p->c, p->in.x, p->y, w, number(pane_value(p, METRIC_MONGO_WS_RATIO)),
		number(pane_value(p, METRIC_MONGO_WS_LOW)), high, scale_of(high));
	p->y += GAUGE_H;
}

/* What the estimate is made from. */
static const char *note(const struct panel_ctx *x)
{
	return frame_info(&x->ep->frame, METRIC_MONGO_WS_BASIS);
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = 3 + fields_lines(fields, 3, w);

	(void)x;
	if (w - 4 < SIDE_W)
		return (struct extent){5, lines + 4, lines + 16};
	return (struct extent){5, lines + 2, lines + 16};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p, words;
	int side;

	pane_open(&p, x, c, r, "working set", note(x));
	side = p.in.w >= WIDE_W ? WIDE_SIDE_W : p.in.w >= SIDE_W ? NARROW_SIDE_W : 0;
	if (side) {
		words = part_of(&p, p.in.x + p.in.w - side, side, GAUGE_H);
		draw_estimate(&words);
		draw_gauge(&p, p.in.w - side - 2);
	} else {
		words = part_of(&p, p.in.x, p.in.w, 2);
		draw_estimate(&words);
		p.y += 2;
		if (pane_left(&p) >= GAUGE_H)
			draw_gauge(&p, p.in.w);
	}
	pane_fields(&p, fields, 3, pane_left(&p));
	pane_graph(&p, METRIC_MONGO_READ_PER_OP, ROLE_GRAPH_2, CAPTION_LINE, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_mongo_ws = {.name = "working set", .measure = measure, .draw = draw};
