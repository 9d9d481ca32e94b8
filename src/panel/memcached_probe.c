/*
 * Our own timed gets against the rate of everybody's: a point for each second and percentile, the
 * knee as a line. Shown while --probe times them, also in a replay.
 */
#include "hotset/knee.h"
#include "hotset/num.h"
#include "hotset/widgets.h"

#include "panels.h"

#include <math.h>

#define LABEL_W 8 /* cells of a label at the left */
#define PLOT_H  4

static const struct field fields[] = {
	{"p50", METRIC_MEMCACHED_PROBE_P50},
	{"p95", METRIC_MEMCACHED_PROBE_P95},
	{"p99", METRIC_MEMCACHED_PROBE_P99},
};
static const struct field key_fields[] = {
	{"key p50", METRIC_MEMCACHED_PROBE_KEY_P50},
	{"key p95", METRIC_MEMCACHED_PROBE_KEY_P95},
	{"key p99", METRIC_MEMCACHED_PROBE_KEY_P99},
};

static bool has_key(const struct panel_ctx *x)
{
	return value_ok(frame_value(&x->ep->frame, METRIC_MEMCACHED_PROBE_KEY_P50));
}

static int field_lines(const struct panel_ctx *x, int w)
{
	return fields_lines(fields, 3, w) * (has_key(x) ? 2 : 1);
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	if (!x->ep || !value_ok(frame_value(&x->ep->frame, METRIC_MEMCACHED_PROBE_P50)))
		return (struct extent){0};
	int lines = field_lines(x, w) + 3;
	return (struct extent){lines + PLOT_H + 1, lines + PLOT_H + 2, lines + 14};
}

/* ---- the answer ---- */

static void draw_answer(struct pane *p, const struct knee *k)
{
	char low[NUM_MAX], high[NUM_MAX], base[NUM_MAX], top[NUM_MAX];
	bool ascii = p->c->ascii;

	num_format(base, UNIT_USEC, k->base, ascii);
	num_format(top, UNIT_USEC, k->top, ascii);
	if (k->why == REASON_OK)
		pane_printf(p, p->stale ? ROLE_DIM : ROLE_DEFAULT,
			"knee at %s to %s gets/s: p95 %s below, %s at most", num_short(low, k->low),
			num_short(high, k->high), base, top);
	else if (k->why == REASON_NO_KNEE)
		pane_printf(p, p->stale ? ROLE_DIM : ROLE_DEFAULT,
			"no knee up to %s gets/s: p95 stays near %s", num_short(high, k->highest),
			base);
	else
		pane_printf(p, ROLE_DIM, "no knee yet: %s", reason_text(k->why));
}

/* ---- the scatter ---- */

struct scale {
	struct rect r;    /* of the plot */
	double top;       /* rate at its right end */
	double low, high; /* log10 of the latency at its lower and upper end */
};

static int column_of(const struct scale *s, double rate)
{
	int col = (int)(rate / s->top * (s->r.w - 1) + 0.5);

	return s->r.x + (col < 0 ? 0 : col >= s->r.w ? s->r.w - 1 : col);
}

static int line_of(const struct scale *s, double us)
{
	double share = (log10(us) - s->low) / (s->high - s->low);
	int line = (int)(share * (s->r.h - 1) + 0.5);

	return s->r.y + s->r.h - 1 - (line < 0 ? 0 : line >= s->r.h ? s->r.h - 1 : line);
}

/* Whole powers of ten and a steady upper rate, so that the picture does not jump. */
static void make_scale(
	struct scale *s, struct rect r, const struct knee_second *seconds, unsigned n)
{
	float rates[KNEE_POINTS_MAX];
	double least = INFINITY, most = 0;

	for (unsigned i = 0; i < n; i++) {
		rates[i] = seconds[i].rate;
		least = fmin(least, (double)seconds[i].p50);
		most = fmax(most, (double)seconds[i].p99);
	}
	s->r = r;
	s->top = chart_nice_top(rates, n, 10);
	s->low = floor(log10(fmax(least, 1)));
	s->high = ceil(log10(fmax(most, 1)));
	if (s->high <= s->low)
		s->high = s->low + 1;
}

static void draw_axes(struct pane *p, const struct scale *s)
{
	char text[NUM_MAX], label[NUM_MAX + 16];
	int bottom = s->r.y + s->r.h;

	canvas_text_right(p->c, s->r.x - 1, s->r.y, LABEL_W - 1,
		num_format(text, UNIT_USEC, pow(10, s->high), p->c->ascii), ROLE_AXIS, 0);
	canvas_text_right(p->c, s->r.x - 1, bottom - 1, LABEL_W - 1,
		num_format(text, UNIT_USEC, pow(10, s->low), p->c->ascii), ROLE_AXIS, 0);
	canvas_text(p->c, s->r.x, bottom, "0", ROLE_AXIS, 0);
	snprintf(label, sizeof(label), "%s gets/s", num_short(text, s->top));
	canvas_text_right(p->c, s->r.x + s->r.w, bottom, s->r.w - 2, label, ROLE_AXIS, 0);
}

static void draw_percentile(struct pane *p, const struct scale *s,
	const struct knee_second *seconds, unsigned n, unsigned which)
{
	static const struct {
		char32_t glyph, ascii;
		enum role role;
	} marks[] = {{U'·', '.', ROLE_DIM}, {U'o', 'o', ROLE_GRAPH}, {U'×', 'x', ROLE_GRAPH_2}};

	for (unsigned i = 0; i < n; i++) {
		float us = which == 0   ? seconds[i].p50
			   : which == 1 ? seconds[i].p95
					: seconds[i].p99;

		if (us > 0)
			canvas_put(p->c, column_of(s, (double)seconds[i].rate),
				line_of(s, (double)us),
				p->c->ascii ? marks[which].ascii : marks[which].glyph,
				marks[which].role, 0);
	}
}

static void draw_scatter(struct pane *p, const struct knee *k, struct rect r)
{
	struct knee_second seconds[KNEE_POINTS_MAX];
	unsigned n = knee_seconds(p->x->ep->history, p->x->ep->seen_mono_ns, seconds);
	struct scale s;

	if (n == 0 || r.w < 16)
		return;
	make_scale(&s, r, seconds, n);
	draw_axes(p, &s);
	if (k->why == REASON_OK) {
		int x = column_of(&s, (k->low + k->high) / 2);

		for (int y = r.y; y < r.y + r.h; y++)
			canvas_put(p->c, x, y, p->c->ascii ? '|' : U'┊', ROLE_GRAPH_MARK, 0);
	}
	for (unsigned which = 3; which-- > 0;) /* the median last, on top */
		draw_percentile(p, &s, seconds, n, which);
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct knee k;
	struct pane p;
	bool plot;

	pane_open(&p, x, c, r, "latency of our own gets",
		c->ascii ? ". p50  o p95  x p99" : "· p50  o p95  × p99");
	knee_find(x->ep->history, x->ep->seen_mono_ns, &k);
	draw_answer(&p, &k);
	pane_fields(&p, fields, 3, pane_left(&p));
	if (has_key(x))
		pane_fields(&p, key_fields, 3, pane_left(&p));
	plot = pane_left(&p) >= PLOT_H;
	if (plot)
		draw_scatter(&p, &k,
			(struct rect){p.in.x + LABEL_W, p.y, p.in.w - LABEL_W, pane_left(&p) - 1});
	pane_close(&p);
}

const struct panel_ops panel_memcached_probe = {.name = "probe", .measure = measure, .draw = draw};
