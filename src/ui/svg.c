/*
 * The canvas as a picture. Letters are text with a position for each, so that the grid holds in
 * any font; lines, bars and braille are drawn as shapes, since fonts disagree about them.
 */
#include <stdio.h>

#include "hotset/strbuf.h"
#include "hotset/text.h"
#include "hotset/theme.h"

/* pixels */
#define CELL_W 8
#define CELL_H 17
#define BASE   13 /* of the letters, from the top of a cell */
#define MARGIN 12

struct svg {
	const struct canvas *c;
	const struct theme *t;
	struct strbuf *out;
	int32_t fg, bg; /* what "default" is in the picture */
};

struct paint {
	int32_t fg, bg;
	bool bold, dim, underline;
};

static struct paint paint_of(const struct svg *g, int x, int y)
{
	const struct cell *p = canvas_cell(g->c, x, y);
	struct style s = g->t->style[p->role];
	unsigned attr = s.attr | p->attr;
	struct paint q = {s.fg == THEME_COLOR_DEFAULT ? g->fg : s.fg,
		s.bg == THEME_COLOR_DEFAULT ? g->bg : s.bg, attr & ATTR_BOLD, attr & ATTR_DIM,
		attr & ATTR_UNDERLINE};

	if (attr & ATTR_REVERSE) {
		int32_t fg = q.fg;

		q.fg = q.bg;
		q.bg = fg;
	}
	return q;
}

static bool same_paint(struct paint a, struct paint b)
{
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.dim == b.dim &&
	       a.underline == b.underline;
}

static int left(int x)
{
	return MARGIN + x * CELL_W;
}

static int top(int y)
{
	return MARGIN + y * CELL_H;
}

static bool is_braille(char32_t ch)
{
	return ch >= 0x2800 && ch <= 0x28ff;
}

static bool is_block(char32_t ch)
{
	return ch >= 0x2588 && ch <= 0x258f;
}

static bool is_line(char32_t ch)
{
	return (ch >= 0x2500 && ch <= 0x253f) || (ch >= 0x256d && ch <= 0x2570);
}

static bool is_letter(const struct cell *p)
{
	return p->width && p->ch != U' ' && !is_braille(p->ch) && !is_block(p->ch) &&
	       !is_line(p->ch) && p->ch != U'░';
}

/* ---- shapes: path data within one cell ----------------------------------------------------------
 */

static void add_dots(struct strbuf *out, int x, int y, unsigned bits)
{
	static const struct {
		unsigned bit;
		int dx, dy;
	} dots[] = {{0x01, 2, 2}, {0x02, 2, 6}, {0x04, 2, 10}, {0x40, 2, 15}, {0x08, 6, 2},
		{0x10, 6, 6}, {0x20, 6, 10}, {0x80, 6, 15}};

	for (size_t i = 0; i < sizeof(dots) / sizeof(dots[0]); i++)
		if (bits & dots[i].bit)
			strbuf_printf(out, "M%d %dh0", left(x) + dots[i].dx, top(y) + dots[i].dy);
}

/* clang-format off */
static void add_line(struct strbuf *out, int x, int y, char32_t ch)
{
	int l = left(x), t = top(y), mx = l + CELL_W / 2, my = t + CELL_H / 2;
	int r = l + CELL_W, b = t + CELL_H;

	switch (ch) {
	case U'╭': strbuf_printf(out, "M%d %dV%dQ%d %d %d %d", mx, b, my + 3, mx, my, r, my); break;
	case U'╮': strbuf_printf(out, "M%d %dV%dQ%d %d %d %d", mx, b, my + 3, mx, my, l, my); break;
	case U'╰': strbuf_printf(out, "M%d %dV%dQ%d %d %d %d", mx, t, my - 3, mx, my, r, my); break;
	case U'╯': strbuf_printf(out, "M%d %dV%dQ%d %d %d %d", mx, t, my - 3, mx, my, l, my); break;
	case U'│':
	case U'┃': strbuf_printf(out, "M%d %dV%d", mx, t, b); break;
	case U'┊': strbuf_printf(out, "M%d %dv3m0 3v3m0 3v3", mx, t + 1); break;
	case U'├': strbuf_printf(out, "M%d %dV%dM%d %dH%d", mx, my - 4, my + 4, mx, my, r); break;
	case U'┤': strbuf_printf(out, "M%d %dV%dM%d %dH%d", mx, my - 4, my + 4, mx, my, l); break;
	case U'┼': strbuf_printf(out, "M%d %dV%dM%d %dH%d", mx, my - 4, my + 4, l, my, r); break;
	case U'┴': strbuf_printf(out, "M%d %dV%dM%d %dH%d", mx, my - 4, my, l, my, r); break;
	default: strbuf_printf(out, "M%d %dH%d", l, my, r); break;
	}
}
/* clang-format on */

enum shape { SHAPE_BLOCK, SHAPE_DOTS, SHAPE_LINE, SHAPE_HEAVY, SHAPE_NONE };

static enum shape shape_of(const struct cell *p)
{
	if (!p->width)
		return SHAPE_NONE;
	if (is_block(p->ch))
		return SHAPE_BLOCK;
	if (is_braille(p->ch) || p->ch == U'░')
		return SHAPE_DOTS;
	if (p->ch == U'━' || p->ch == U'┃')
		return SHAPE_HEAVY;
	return is_line(p->ch) ? SHAPE_LINE : SHAPE_NONE;
}

static void add_shape(struct strbuf *out, const struct cell *p, int x, int y)
{
	switch (shape_of(p)) {
	case SHAPE_BLOCK:
		strbuf_printf(out, "M%d %dh%dv%dh-%dz", left(x), top(y) + 2,
			(int)(0x2590 - p->ch) * CELL_W / 8, CELL_H - 4,
			(int)(0x2590 - p->ch) * CELL_W / 8);
		break;
	case SHAPE_DOTS:
		add_dots(out, x, y, p->ch == U'░' ? 0x24 : p->ch & 0xff);
		break;
	case SHAPE_LINE:
	case SHAPE_HEAVY:
		add_line(out, x, y, p->ch);
		break;
	case SHAPE_NONE:
		break;
	}
}

/* ---- rows: neighbours that look alike make one element ------------------------------------------
 */

static int run_end(const struct svg *g, int x, int y)
{
	struct paint p = paint_of(g, x, y);

	while (x < g->c->w && same_paint(p, paint_of(g, x, y)))
		x++;
	return x;
}

static void add_background(const struct svg *g, int from, int to, int y, int32_t bg)
{
	if (bg != g->bg)
		strbuf_printf(g->out, "<path fill=\"#%06x\" d=\"M%d %dh%dv%dh-%dz\"/>\n",
			(unsigned)bg, left(from), top(y), (to - from) * CELL_W, CELL_H,
			(to - from) * CELL_W);
}

static void add_shapes(const struct svg *g, int from, int to, int y, struct paint p)
{
	static const char *const strokes[] = {
		[SHAPE_DOTS] = "stroke-width=\"2.6\" stroke-linecap=\"round\"",
		[SHAPE_LINE] = "stroke-width=\"1\"",
		[SHAPE_HEAVY] = "stroke-width=\"2.5\"",
	};

	for (int kind = SHAPE_BLOCK; kind < SHAPE_NONE; kind++) {
		bool open = false;

		for (int x = from; x < to; x++) {
			const struct cell *cell = canvas_cell(g->c, x, y);

			if ((int)shape_of(cell) != kind)
				continue;
			if (!open && kind == SHAPE_BLOCK)
				strbuf_printf(g->out, "<path fill=\"#%06x\" d=\"", (unsigned)p.fg);
			else if (!open)
				strbuf_printf(g->out,
					"<path fill=\"none\" stroke=\"#%06x\" %s%s d=\"",
					(unsigned)p.fg, strokes[kind],
					cell->ch == U'░' || p.dim ? " opacity=\".55\"" : "");
			open = true;
			add_shape(g->out, cell, x, y);
		}
		if (open)
			strbuf_puts(g->out, "\"/>\n");
	}
}

static void add_escaped(struct strbuf *out, char32_t ch)
{
	char utf8[4];

	if (ch == U'<')
		strbuf_puts(out, "&lt;");
	else if (ch == U'>')
		strbuf_puts(out, "&gt;");
	else if (ch == U'&')
		strbuf_puts(out, "&amp;");
	else
		strbuf_add(out, utf8, text_encode(utf8, ch));
}

/* One word: where each of its letters stands, since fonts differ in width, and the letters. */
static int add_word(const struct svg *g, int x, int to, int y)
{
	int end = x;

	strbuf_puts(g->out, "<tspan x=\"");
	for (; end < to && is_letter(canvas_cell(g->c, end, y));
		end += canvas_cell(g->c, end, y)->width)
		strbuf_printf(g->out, end > x ? " %d" : "%d", left(end));
	strbuf_puts(g->out, "\">");
	for (; x < end; x += canvas_cell(g->c, x, y)->width)
		add_escaped(g->out, canvas_cell(g->c, x, y)->ch);
	strbuf_puts(g->out, "</tspan>");
	return end;
}

/* Combining marks are left out: in a list of positions they would take one of their own. */
static void add_letters(const struct svg *g, int from, int to, int y, struct paint p)
{
	bool any = false;

	for (int x = from; x < to;) {
		if (!is_letter(canvas_cell(g->c, x, y))) {
			x++;
			continue;
		}
		if (!any)
			strbuf_printf(g->out, "<text y=\"%d\" fill=\"#%06x\"%s%s%s>", top(y) + BASE,
				(unsigned)p.fg, p.bold ? " font-weight=\"bold\"" : "",
				p.dim ? " opacity=\".7\"" : "",
				p.underline ? " text-decoration=\"underline\"" : "");
		any = true;
		x = add_word(g, x, to, y);
	}
	if (any)
		strbuf_puts(g->out, "</text>\n");
}

void canvas_to_svg(const struct canvas *c, const struct theme *t, bool light, struct strbuf *out)
{
	struct svg g = {c, t, out, light ? 0x24292f : 0xd8dee4, light ? 0xffffff : 0x14181d};
	int w = 2 * MARGIN + c->w * CELL_W, h = 2 * MARGIN + c->h * CELL_H;

	strbuf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" "
		"font-size=\"13.3\">\n<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#%06x\"/>\n",
		w, h, w, h, w, h, (unsigned)g.bg);
	for (int y = 0; y < c->h; y++) {
		for (int x = 0, end; x < c->w; x = end) {
			struct paint p = paint_of(&g, x, y);

			end = run_end(&g, x, y);
			add_background(&g, x, end, y, p.bg);
			add_shapes(&g, x, end, y, p);
			add_letters(&g, x, end, y, p);
		}
	}
	strbuf_puts(out, "</svg>\n");
}
