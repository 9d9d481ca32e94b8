/*
 * Cells, and nothing but cells: every function ends in set_cell(), which clips, refuses control
 * characters, replaces glyphs in ASCII mode and keeps wide characters whole. A wide character
 * takes a cell of width 2 and a right half of width 0; whoever overwrites one half blanks the
 * other, so that a terminal never has to show half a glyph.
 */
#include "hotset/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hotset/text.h"

#define REPLACEMENT U'\uFFFD'

static const char letters[ROLE_COUNT] = {
#define X(name, word, letter) letter,
	ROLE_LIST(X)
#undef X
};

static const char *const names[ROLE_COUNT] = {
#define X(name, word, letter) word,
	ROLE_LIST(X)
#undef X
};

char role_letter(enum role r)
{
	return letters[r];
}

const char *role_name(enum role r)
{
	return names[r];
}

static const struct cell blank = {.ch = U' ', .width = 1, .role = ROLE_DEFAULT};

static int clamp(int v, int lo, int hi)
{
	return v < lo ? lo : v > hi ? hi : v;
}

bool canvas_init(struct canvas *c, int w, int h)
{
	*c = (struct canvas){0};
	return canvas_resize(c, w, h);
}

bool canvas_resize(struct canvas *c, int w, int h)
{
	w = clamp(w, 1, CANVAS_W_MAX);
	h = clamp(h, 1, CANVAS_H_MAX);
	if (!c->cells || w != c->w || h != c->h) {
		struct cell *cells = calloc((size_t)w * (size_t)h, sizeof(*cells));

		if (!cells)
			return false;
		free(c->cells);
		c->cells = cells;
		c->w = w;
		c->h = h;
	}
	canvas_clear(c);
	return true;
}

void canvas_finish(struct canvas *c)
{
	free(c->cells);
	*c = (struct canvas){0};
}

void canvas_clear(struct canvas *c)
{
	c->clip = (struct rect){0, 0, c->w, c->h};
	for (size_t i = 0, n = (size_t)c->w * (size_t)c->h; i < n; i++)
		c->cells[i] = blank;
}

static struct rect intersect(struct rect a, struct rect b)
{
	int x0 = a.x > b.x ? a.x : b.x, y0 = a.y > b.y ? a.y : b.y;
	int x1 = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int y1 = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	return (struct rect){x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0};
}

struct rect canvas_clip(struct canvas *c, struct rect r)
{
	struct rect old = c->clip;

	c->clip = intersect(old, r);
	return old;
}

void canvas_unclip(struct canvas *c, struct rect old)
{
	c->clip = old;
}

static bool visible(const struct canvas *c, int x, int y)
{
	return x >= c->clip.x && x < c->clip.x + c->clip.w && y >= c->clip.y &&
	       y < c->clip.y + c->clip.h;
}

static struct cell *cell_at(struct canvas *c, int x, int y)
{
	return &c->cells[(size_t)y * (size_t)c->w + (size_t)x];
}

const struct cell *canvas_cell(const struct canvas *c, int x, int y)
{
	return &c->cells[(size_t)y * (size_t)c->w + (size_t)x];
}

bool canvas_equal(const struct canvas *a, const struct canvas *b)
{
	if (a->w != b->w || a->h != b->h)
		return false;
	for (size_t i = 0, n = (size_t)a->w * (size_t)a->h; i < n; i++) {
		const struct cell *p = &a->cells[i], *q = &b->cells[i];

		if (p->ch != q->ch || p->combining != q->combining || p->width != q->width ||
			p->attr != q->attr || p->role != q->role)
			return false;
	}
	return true;
}

/* ---- glyphs ------------------------------------------------------------------------------------
 */

/* What a terminal would obey or not show: such text was replaced by the parser already. */
static bool refused(char32_t ch)
{
	return ch < 0x20 || (ch >= 0x7f && ch < 0xa0) || (ch >= 0x200b && ch <= 0x200f) ||
	       (ch >= 0x2028 && ch <= 0x202e) || (ch >= 0x2060 && ch <= 0x206f) || ch == 0xfeff ||
	       (ch >= 0xd800 && ch <= 0xdfff) || ch > 0x10ffff;
}

/* clang-format off */
static const struct {
	char32_t from;
	char     to;
} ascii_glyphs[] = {
	{U'·', '.'}, {U'×', 'x'}, {U'µ', 'u'}, {U'–', '-'}, {U'—', '-'}, {U'…', '~'}, {U'←', '<'},
	{U'↑', '^'}, {U'→', '>'}, {U'↓', 'v'}, {U'−', '-'}, {U'≈', '~'}, {U'≤', '<'}, {U'≥', '>'},
	{U'─', '-'}, {U'━', '='}, {U'│', '|'}, {U'┃', '|'}, {U'┊', ':'}, {U'├', '|'}, {U'┤', '|'},
	{U'┼', '+'}, {U'┴', '+'}, {U'╭', '+'}, {U'╮', '+'}, {U'╯', '+'}, {U'╰', '+'}, {U'░', '.'},
	{U'■', '#'}, {U'▲', '^'}, {U'▶', '>'}, {U'▼', 'v'}, {U'▽', '^'}, {U'○', 'o'}, {U'●', '*'},
	{U'⚠', '!'}, {U'✓', '+'}, {U'✖', 'X'}, {U'‖', '='}, {U'◌', 'o'},
};
/* clang-format on */

static char ascii_of(char32_t ch)
{
	if (ch < 0x80)
		return (char)ch;
	if (ch >= 0x2581 && ch <= 0x258f) /* blocks in eighths: half a cell or more counts */
		return ch <= 0x2583 || ch >= 0x258d ? '.' : '#';
	for (size_t i = 0; i < sizeof(ascii_glyphs) / sizeof(ascii_glyphs[0]); i++)
		if (ascii_glyphs[i].from == ch)
			return ascii_glyphs[i].to;
	return '?';
}

/* Cells of a character as set_cell() draws it. */
static int glyph_width(char32_t ch)
{
	return refused(ch) ? 1 : text_cell_width(ch);
}

/* The other half of a wide character that loses the cell (x, y). */
static void break_wide(struct canvas *c, int x, int y)
{
	struct cell *p = cell_at(c, x, y);
	struct cell *other = NULL;

	if (p->width == 2 && x + 1 < c->w)
		other = p + 1;
	else if (p->width == 0 && x > 0)
		other = p - 1;
	if (!other)
		return;
	other->ch = U' ';
	other->combining = 0;
	other->width = 1;
}

static void set_one(struct canvas *c, int x, int y, struct cell v)
{
	if (!visible(c, x, y))
		return;
	break_wide(c, x, y);
	*cell_at(c, x, y) = v;
}

static void set_cell(struct canvas *c, int x, int y, char32_t ch, enum role role, unsigned attr)
{
	struct cell v = {.ch = refused(ch) ? REPLACEMENT : ch,
		.width = 1,
		.attr = (uint8_t)attr,
		.role = (uint8_t)role};
	int width = text_cell_width(v.ch);

	if (c->ascii) {
		v.ch = (char32_t)ascii_of(v.ch);
		set_one(c, x, y, v);
		if (width == 2)
			set_one(c, x + 1, y, v);
	} else if (width == 2 && visible(c, x, y) && visible(c, x + 1, y)) {
		set_one(c, x, y, v);
		set_one(c, x + 1, y, v);
		cell_at(c, x, y)->width = 2;
		cell_at(c, x + 1, y)->width = 0;
		cell_at(c, x + 1, y)->ch = 0;
	} else if (width == 2) { /* half of it is clipped: nothing can be shown of it */
		v.ch = U' ';
		set_one(c, x, y, v);
		set_one(c, x + 1, y, v);
	} else {
		set_one(c, x, y, v);
	}
}

void canvas_put(struct canvas *c, int x, int y, char32_t ch, enum role role, unsigned attr)
{
	set_cell(c, x, y, ch, role, attr);
}

/* ---- text --------------------------------------------------------------------------------------
 */

static size_t line_length(const char *s)
{
	return strcspn(s, "\n");
}

/* Bytes of s[0..len) that fit into `cells`; *used gets the cells that they take. */
static size_t fit(const char *s, size_t len, int cells, int *used)
{
	size_t at = 0;

	*used = 0;
	while (at < len) {
		char32_t ch;
		size_t n = text_decode(s + at, len - at, &ch);
		int w = glyph_width(ch);

		if (*used + w > cells)
			break;
		*used += w;
		at += n;
	}
	return at;
}

static int draw_span(
	struct canvas *c, int x, int y, const char *s, size_t len, enum role role, unsigned attr)
{
	int used = 0, base = -1;

	for (size_t at = 0; at < len;) {
		char32_t ch;

		at += text_decode(s + at, len - at, &ch);
		if (glyph_width(ch) > 0) {
			base = x + used;
			set_cell(c, base, y, ch, role, attr);
			used += glyph_width(ch);
		} else if (base >= 0 && visible(c, base, y) && !c->ascii) {
			cell_at(c, base, y)->combining = ch;
		}
	}
	return used;
}

int canvas_text(struct canvas *c, int x, int y, const char *s, enum role role, unsigned attr)
{
	return draw_span(c, x, y, s, line_length(s), role, attr);
}

int canvas_text_fit(
	struct canvas *c, int x, int y, int w, const char *s, enum role role, unsigned attr)
{
	size_t len = line_length(s), n;
	int used;

	if (w <= 0)
		return 0;
	if (fit(s, len, w, &used) == len)
		return draw_span(c, x, y, s, len, role, attr);
	n = fit(s, len, w - 1, &used);
	used = draw_span(c, x, y, s, n, role, attr);
	set_cell(c, x + used, y, U'…', role, attr);
	return used + 1;
}

void canvas_text_right(
	struct canvas *c, int x_end, int y, int w, const char *s, enum role role, unsigned attr)
{
	int used;

	(void)fit(s, line_length(s), w, &used);
	(void)canvas_text_fit(c, x_end - used, y, used, s, role, attr);
}

int canvas_printf(
	struct canvas *c, int x, int y, enum role role, unsigned attr, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return canvas_text(c, x, y, line, role, attr);
}

/* ---- shapes ------------------------------------------------------------------------------------
 */

void canvas_fill(struct canvas *c, struct rect r, char32_t ch, enum role role)
{
	r = intersect(r, c->clip);
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			set_cell(c, x, y, ch, role, 0);
}

void canvas_recolor(struct canvas *c, struct rect r, enum role role, unsigned attr)
{
	r = intersect(r, c->clip);
	for (int y = r.y; y < r.y + r.h; y++) {
		for (int x = r.x; x < r.x + r.w; x++) {
			cell_at(c, x, y)->role = (uint8_t)role;
			cell_at(c, x, y)->attr = (uint8_t)attr;
		}
	}
}

static void box_edge(
	struct canvas *c, struct rect r, int y, char32_t left, char32_t right, enum role role)
{
	set_cell(c, r.x, y, left, role, 0);
	for (int x = r.x + 1; x < r.x + r.w - 1; x++)
		set_cell(c, x, y, U'─', role, 0);
	set_cell(c, r.x + r.w - 1, y, right, role, 0);
}

/* The title keeps its place at the left; the note is left out where both do not fit. */
static void box_texts(struct canvas *c, struct rect r, const char *title, const char *note)
{
	int room = r.w - 4, used = 0;

	if (title && *title && room >= 3) {
		set_cell(c, r.x + 1, r.y, U' ', ROLE_BORDER, 0);
		used = canvas_text_fit(c, r.x + 2, r.y, room, title, ROLE_TITLE, ATTR_BOLD);
		set_cell(c, r.x + 2 + used, r.y, U' ', ROLE_BORDER, 0);
		used += 3;
	}
	if (note && *note) {
		int width;

		if (fit(note, line_length(note), room - used, &width) < line_length(note))
			return;
		set_cell(c, r.x + r.w - width - 3, r.y, U' ', ROLE_BORDER, 0);
		canvas_text_right(c, r.x + r.w - 2, r.y, width, note, ROLE_VALUE, 0);
		set_cell(c, r.x + r.w - 2, r.y, U' ', ROLE_BORDER, 0);
	}
}

void canvas_box(
	struct canvas *c, struct rect r, const char *title, const char *note, enum role border)
{
	if (r.w < 2 || r.h < 2)
		return;
	box_edge(c, r, r.y, U'╭', U'╮', border);
	box_edge(c, r, r.y + r.h - 1, U'╰', U'╯', border);
	for (int y = r.y + 1; y < r.y + r.h - 1; y++) {
		set_cell(c, r.x, y, U'│', border, 0);
		set_cell(c, r.x + r.w - 1, y, U'│', border, 0);
	}
	box_texts(c, r, title, note);
}
