/* Bars, ladders, graphs and gauges on a canvas: pure drawing of given numbers. */
#ifndef HOTSET_CHART_H
#define HOTSET_CHART_H

#include "hotset/canvas.h"
#include "hotset/metric.h"
#include "hotset/value.h"

/* A horizontal bar of w cells from 0 to max, in eighths of a cell ('#' in ASCII). */
void chart_bar(struct canvas *c, int x, int y, int w, double v, double max, enum role filled);

/*
 * A threshold ladder: the bar of v (percent of 100, capped in drawing) with a mark at target and
 * at trigger; the filled part changes its role at each. Marks may be NaN. v may be absent.
 */
void chart_ladder(struct canvas *c, int x, int y, int w, struct value v, double scale_max,
	double target, double trigger);

/*
 * A graph of n values, oldest first, the newest in the last column; NaN draws a gap. Two values
 * per column in braille, one in blocks and ASCII. The scale is [0, top]; see chart_nice_top().
 */
struct chart_mark {
	int         column; /* from the right: 0 is the newest */
	const char *label;  /* NULL: none */
	bool        end;    /* something ended here: its head is hollow */
};
void chart_graph(struct canvas *c, struct rect r, const float *v, unsigned n, double top,
	enum role role, const struct chart_mark *marks, unsigned nmarks);
/* How many values a graph of this width takes. */
unsigned chart_graph_values(const struct canvas *c, int w);
/* A steady upper end of a scale: 1, 1.5, 2, 3, 5, 7 times a power of ten, at least min_top. */
double chart_nice_top(const float *v, unsigned n, double min_top);

/* The working-set gauge: a scale from 0 to at least 2 times the cache, the needle, the range. */
void chart_gauge(
	struct canvas *c, int x, int y, int w, double v, double low, double high, double max);

#endif
