/* How large the working set is against the cache, and what the misses cost an operation. */
#include <math.h>
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

#define SIDE_W 50 /* inner width from which the figures stand beside the gauge */

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

static void draw_estimate(struct pane *p, int x, int w, struct value ratio, double low, double high)
{
	int lines = p->in.y + p->in.h - p->y;
	struct value shown = ratio;

	if (!value_ok(ratio)) {
		struct pane side = *p;
		char text[96];

		side.in.x = x;
		side.in.w = w;
		(void)snprintf(
			text, sizeof(text), "no estimate: %s", reason_text((enum reason)ratio.why));
		pane_wrap(&side, ROLE_DIM, text, 3);
		return;
	}
	shown.v = floor(shown.v * 100 + 0.5) / 100;
	(void)canvas_printf(p->c, x, p->y,
		p->stale      ? ROLE_DIM
		: ratio.v > 1 ? ROLE_WARN
			      : ROLE_VALUE,
		0, "≈ %.3g× the cache", shown.v);
	if (lines > 1 && isfinite(low) && isfinite(high))
		(void)canvas_printf(p->c, x, p->y + 1, ROLE_DIM, 0, "range %.2g – %.2g", low, high);
	if (lines > 2)
		(void)canvas_text_fit(
			p->c, x, p->y + 2, w, pane_info(p, METRIC_MONGO_WS_KIND), ROLE_DIM, 0);
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
	struct pane p;
	struct value ratio;
	double low, high;
	int side;

	pane_open(&p, x, c, r, "working set", NULL);
	ratio = pane_value(&p, METRIC_MONGO_WS_RATIO);
	low = number(pane_value(&p, METRIC_MONGO_WS_LOW));
	high = number(pane_value(&p, METRIC_MONGO_WS_HIGH));
	side = p.in.w >= SIDE_W ? 22 : 0;
	if (!side && pane_left(&p) < 5) {
		draw_estimate(&p, p.in.x, p.in.w, ratio, low, high);
		p.y += 3;
	} else {
		int w = p.in.w - (side ? side + 2 : 0);

		if (!side) {
			draw_estimate(&p, p.in.x, p.in.w, ratio, low, high);
			p.y += 2;
		}
		chart_gauge(c, p.in.x, p.y, w, number(ratio), low, high, scale_of(high));
		if (side)
			draw_estimate(&p, p.in.x + w + 2, side, ratio, low, high);
		p.y += 3;
	}
	pane_fields(&p, fields, 3, pane_left(&p));
	pane_graph(&p, METRIC_MONGO_READ_PER_OP, ROLE_GRAPH_2, CAPTION_LINE, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_mongo_ws = {.name = "working set", .measure = measure, .draw = draw};
