/*
 * Figures drawn in cells. Bars count in eighths of a cell, graphs in braille dots (2 x 4 a cell);
 * ASCII mode has whole cells and thirds. What was never measured stays blank, while a measured
 * zero has its base line: a gap and a zero must not look alike.
 */
#include "hotset/chart.h"

#include <math.h>
#include <stdio.h>

#include "hotset/text.h"

/* ---- bars --------------------------------------------------------------------------------------
 */

/* U+258F is one eighth, U+2588 the whole cell. */
static char32_t eighths_glyph(int n)
{
	return (char32_t)(0x2590 - n);
}

/* Eighths of a cell that v takes of w cells; anything above 0 shows at least one. */
static int bar_eighths(int w, double v, double max)
{
	double e;

	if (!(v > 0) || !(max > 0) || w <= 0)
		return 0;
	e = v / max * w * 8;
	if (e >= (double)w * 8)
		return w * 8;
	return e < 1 ? 1 : (int)e;
}

static void bar_cell(struct canvas *c, int x, int y, int eighths, enum role filled)
{
	if (c->ascii && eighths > 0)
		canvas_put(c, x, y, eighths >= 4 ? U'#' : U':', filled, 0);
	else if (eighths > 0)
		canvas_put(c, x, y, eighths_glyph(eighths > 8 ? 8 : eighths), filled, 0);
	else
		canvas_put(c, x, y, U'░', ROLE_BAR_EMPTY, 0);
}

void chart_bar(struct canvas *c, int x, int y, int w, double v, double max, enum role filled)
{
	int eighths = bar_eighths(w, v, max);

	for (int i = 0; i < w; i++)
		bar_cell(c, x + i, y, eighths - i * 8, filled);
}

/* The cell of a threshold, -1 when it is not on the scale. */
static int mark_cell(int w, double mark, double scale_max)
{
	int at;

	if (!(mark >= 0) || !(scale_max > 0) || mark > scale_max)
		return -1;
	at = (int)(mark / scale_max * w);
	return at < w ? at : w - 1;
}

void chart_ladder(struct canvas *c, int x, int y, int w, struct value v, double scale_max,
	double target, double trigger)
{
	int eighths = value_ok(v) ? bar_eighths(w, v.v, scale_max) : 0;
	int at_target = mark_cell(w, target, scale_max);
	int at_trigger = mark_cell(w, trigger, scale_max);

	for (int i = 0; i < w; i++) {
		enum role role = ROLE_BAR;

		if (at_trigger >= 0 && i >= at_trigger)
			role = ROLE_BAR_CRIT;
		else if (at_target >= 0 && i >= at_target)
			role = ROLE_BAR_WARN;
		bar_cell(c, x + i, y, eighths - i * 8, role);
	}
	if (at_target >= 0 && at_target != at_trigger)
		canvas_put(c, x + at_target, y, U'▲', ROLE_MARK_TARGET, 0);
	if (at_trigger >= 0)
		canvas_put(c, x + at_trigger, y, U'┃', ROLE_MARK_TRIGGER, 0);
}

/* ---- graphs ------------------------------------------------------------------------------------
 */

unsigned chart_graph_values(const struct canvas *c, int w)
{
	return w <= 0 ? 0 : (unsigned)w * (c->ascii ? 1u : 2u);
}

double chart_nice_top(const float *v, unsigned n, double min_top)
{
	static const double steps[] = {1, 1.5, 2, 3, 5, 7, 10};
	double max = min_top > 0 ? min_top : 1, power;

	for (unsigned i = 0; i < n; i++)
		if (isfinite(v[i]) && (double)v[i] > max)
			max = (double)v[i];
	power = pow(10, floor(log10(max)));
	for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++)
		if (steps[k] * power >= max * (1 - 1e-9))
			return steps[k] * power;
	return 10 * power;
}

/* Steps of a graph of `steps` in height: 0 for a gap, at least 1 for a value. */
static int graph_level(const float *v, unsigned n, long i, double top, int steps)
{
	double level;

	if (i < 0 || i >= (long)n || !isfinite(v[i]))
		return 0;
	if (!(v[i] > 0) || !(top > 0))
		return 1;
	level = ceil((double)v[i] / top * steps);
	return level > steps ? steps : level < 1 ? 1 : (int)level;
}

/* `dots` of the four in one column of a braille cell, filled from below. */
static unsigned braille_column(int dots, bool right)
{
	static const unsigned char left_bits[] = {0x40, 0x04, 0x02, 0x01};
	static const unsigned char right_bits[] = {0x80, 0x20, 0x10, 0x08};
	unsigned bits = 0;

	for (int i = 0; i < dots && i < 4; i++)
		bits |= right ? right_bits[i] : left_bits[i];
	return bits;
}

static void graph_column_braille(struct canvas *c, struct rect r, int x, const float *v, unsigned n,
	double top, enum role role)
{
	long right = (long)n - 1 - 2 * (r.x + r.w - 1 - x);
	int l = graph_level(v, n, right - 1, top, r.h * 4);
	int q = graph_level(v, n, right, top, r.h * 4);

	for (int row = 0; row < r.h; row++) {
		int below = (r.h - 1 - row) * 4;
		unsigned bits = braille_column(l - below, false) | braille_column(q - below, true);

		if (bits)
			canvas_put(c, x, r.y + row, (char32_t)(0x2800 + bits), role, 0);
	}
}

static void graph_column_ascii(struct canvas *c, struct rect r, int x, const float *v, unsigned n,
	double top, enum role role)
{
	static const char glyphs[] = {'.', ':', '#'};
	long i = (long)n - 1 - (r.x + r.w - 1 - x);
	int level = graph_level(v, n, i, top, r.h * 3);
	bool zero = level == 1 && !(v[i] > 0);

	for (int row = 0; row < r.h; row++) {
		int below = level - (r.h - 1 - row) * 3;

		if (below > 0)
			canvas_put(c, x, r.y + row,
				zero ? U'_' : (char32_t)glyphs[below > 3 ? 2 : below - 1], role, 0);
	}
}

/* A dotted line above the data with a head: full and labelled at a beginning, hollow at an end. */
static void graph_mark(struct canvas *c, struct rect r, const struct chart_mark *m)
{
	int x = r.x + r.w - 1 - m->column;
	int len = m->label ? text_width(m->label) : 0;

	if (m->column < 0 || m->column >= r.w)
		return;
	for (int y = r.y; y < r.y + r.h; y++)
		if (canvas_cell(c, x, y)->ch == U' ')
			canvas_put(c, x, y, U'┊', ROLE_GRAPH_MARK, 0);
	canvas_put(c, x, r.y, m->end ? U'▽' : U'▼', ROLE_GRAPH_MARK, 0);
	if (len && x - len >= r.x)
		(void)canvas_text(c, x - len, r.y, m->label, ROLE_GRAPH_MARK, 0);
}

void chart_graph(struct canvas *c, struct rect r, const float *v, unsigned n, double top,
	enum role role, const struct chart_mark *marks, unsigned nmarks)
{
	struct rect old;

	if (r.w <= 0 || r.h <= 0 || r.x < 0 || r.y < 0 || r.x + r.w > c->w || r.y + r.h > c->h)
		return;
	old = canvas_clip(c, r);
	for (int x = r.x; x < r.x + r.w; x++) {
		if (c->ascii)
			graph_column_ascii(c, r, x, v, n, top, role);
		else
			graph_column_braille(c, r, x, v, n, top, role);
	}
	for (int end = 1; end >= 0; end--) /* in one column a beginning is what counts */
		for (unsigned i = 0; i < nmarks; i++)
			if (marks[i].end == (end > 0))
				graph_mark(c, r, &marks[i]);
	canvas_unclip(c, old);
}

/* ---- the working-set gauge ---------------------------------------------------------------------
 */

static int gauge_cell(int w, double v, double max)
{
	int at = (int)lround(v / max * (w - 1));

	return at < 0 ? 0 : at >= w ? w - 1 : at;
}

/* Cells between two labelled ticks: whole numbers, as dense as their labels allow. */
static int gauge_stride(int w, double max)
{
	int stride = 1;

	while (stride < max && (w - 1) * stride / max < 4)
		stride *= 2;
	return stride;
}

void chart_gauge(
	struct canvas *c, int x, int y, int w, double v, double low, double high, double max)
{
	bool range = isfinite(low) && isfinite(high);
	int from, to, stride;

	if (w < 4 || !(max >= 1))
		return;
	if (w > max) /* equal steps, rather than the last cell */
		w = (w - 1) / (int)max * (int)max + 1;
	from = range ? gauge_cell(w, low, max) : -1;
	to = range ? gauge_cell(w, high, max) : -2;
	stride = gauge_stride(w, max);
	for (int i = 0; i < w; i++) {
		bool in = i >= from && i <= to;

		canvas_put(c, x + i, y + 1, in ? U'━' : U'─', in ? ROLE_GRAPH : ROLE_AXIS, 0);
	}
	for (int k = 0; k <= (int)max; k += stride) {
		int at = gauge_cell(w, k, max);

		canvas_put(c, x + at, y + 1,
			at == 0       ? U'├'
			: at == w - 1 ? U'┤'
				      : U'┼',
			k == 1 ? ROLE_MARK_TARGET : ROLE_AXIS, 0);
		(void)canvas_printf(
			c, x + at, y + 2, k == 1 ? ROLE_MARK_TARGET : ROLE_AXIS, 0, "%d", k);
	}
	if (isfinite(v))
		canvas_put(c, x + gauge_cell(w, v, max), y, U'▼', v > 1 ? ROLE_WARN : ROLE_OK,
			ATTR_BOLD);
}
