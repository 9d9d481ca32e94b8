/*
 * The screen as data: cells with a glyph, a role (what it means, not its colour) and attributes.
 * Every write is clipped. Backends turn a canvas into curses calls, text or a snapshot; panels
 * draw on nothing else. No allocation after canvas_init() of the same size.
 */
#ifndef HOTSET_CANVAS_H
#define HOTSET_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <uchar.h>
#include "hotset/err.h"

/* X(enum, name in themes, letter in snapshots) */
#define ROLE_LIST(X)                                                                               \
	X(DEFAULT, "default", '.')                                                                 \
	X(TITLE, "title", 'T')           /* the program's name, panel titles */                    \
	X(BORDER, "border", 'b')                                                                   \
	X(LABEL, "label", 'l')           /* names of figures */                                    \
	X(VALUE, "value", 'v')           /* figures */                                             \
	X(DIM, "dim", 'd')               /* units, stale, unavailable */                           \
	X(OK, "ok", 'o')                                                                           \
	X(INFO, "info", 'i')                                                                       \
	X(WARN, "warn", 'w')                                                                       \
	X(CRIT, "crit", 'c')                                                                       \
	X(BAR, "bar", 'B')               /* filled part of a gauge below its target */             \
	X(BAR_WARN, "bar_warn", 'W')     /* between target and trigger */                          \
	X(BAR_CRIT, "bar_crit", 'C')     /* above the trigger */                                   \
	X(BAR_EMPTY, "bar_empty", 'e')                                                             \
	X(MARK_TARGET, "mark_target", 't')                                                         \
	X(MARK_TRIGGER, "mark_trigger", 'x')                                                       \
	X(GRAPH, "graph", 'g')                                                                     \
	X(GRAPH_2, "graph2", 'h')                                                                  \
	X(GRAPH_MARK, "graph_mark", 'm')                                                           \
	X(AXIS, "axis", 'a')                                                                       \
	X(HEADER, "header", 'H')         /* heads of table columns */                              \
	X(SELECTED, "selected", 'S')                                                               \
	X(KEY, "key", 'k')               /* key names in the footer */                             \
	X(FOOTER, "footer", 'f')                                                                   \
	X(MONGO, "mongo", '1')                                                                     \
	X(REDIS, "redis", '2')                                                                     \
	X(MEMCACHED, "memcached", '3')                                                             \
	X(HOST, "host", '4')

enum role {
#define X(name, word, letter) ROLE_##name,
	ROLE_LIST(X)
#undef X
	ROLE_COUNT
};

enum attr { ATTR_BOLD = 1, ATTR_UNDERLINE = 2, ATTR_REVERSE = 4, ATTR_DIM = 8 };

struct cell {
	char32_t ch;       /* 0: right half of a wide character */
	char32_t combining; /* one combining mark, 0 none */
	uint8_t  width;    /* 1 or 2; 0 for a right half */
	uint8_t  attr;     /* enum attr bits, on top of what the theme gives the role */
	uint8_t  role;     /* enum role */
};

struct rect {
	int x, y, w, h;
};

struct canvas {
	int          w, h;
	bool         ascii; /* only ASCII is drawn: borders, bars, names ('?' for the rest) */
	struct cell *cells; /* w x h */
	struct rect  clip;
};

#define CANVAS_W_MAX 1000
#define CANVAS_H_MAX 500

MUST_CHECK bool canvas_init(struct canvas *c, int w, int h); /* sizes are clamped to 1..MAX */
MUST_CHECK bool canvas_resize(struct canvas *c, int w, int h);
void canvas_finish(struct canvas *c);
void canvas_clear(struct canvas *c);
/* Restricts writes to r (inside the present clip); returns the old clip for canvas_unclip(). */
struct rect canvas_clip(struct canvas *c, struct rect r);
void canvas_unclip(struct canvas *c, struct rect old);
void canvas_put(struct canvas *c, int x, int y, char32_t ch, enum role role, unsigned attr);
/* Draws UTF-8 (a newline ends it); returns the cells it took, also where they were clipped. */
int  canvas_text(struct canvas *c, int x, int y, const char *s, enum role role, unsigned attr);
/* At most w cells, cut with an ellipsis; returns the cells used. */
int  canvas_text_fit(struct canvas *c, int x, int y, int w, const char *s, enum role role,
	unsigned attr);
/* Right-aligned, ending before x_end; at most w cells. */
void canvas_text_right(struct canvas *c, int x_end, int y, int w, const char *s, enum role role,
	unsigned attr);
int  canvas_printf(struct canvas *c, int x, int y, enum role role, unsigned attr, const char *fmt,
	...) PRINTF_LIKE(6, 7);
void canvas_fill(struct canvas *c, struct rect r, char32_t ch, enum role role);
/* Gives the cells of r another role and attributes; glyphs stay. */
void canvas_recolor(struct canvas *c, struct rect r, enum role role, unsigned attr);
/* A frame with a title at the left of its upper edge, a note at the right (each may be NULL). */
void canvas_box(struct canvas *c, struct rect r, const char *title, const char *note,
	enum role border);
const struct cell *canvas_cell(const struct canvas *c, int x, int y);
bool canvas_equal(const struct canvas *a, const struct canvas *b);

/* What is inside a box's border. */
static inline struct rect rect_inner(struct rect r)
{
	return (struct rect){r.x + 1, r.y + 1, r.w > 2 ? r.w - 2 : 0, r.h > 2 ? r.h - 2 : 0};
}
char role_letter(enum role r);
const char *role_name(enum role r);

struct strbuf;
/* Plain text, trailing blanks trimmed, a newline per row. */
void canvas_to_text(const struct canvas *c, struct strbuf *out);
/* The glyph grid, a ruler, the grid of role letters, and the legend of the letters used. */
void canvas_to_snapshot(const struct canvas *c, struct strbuf *out);

#endif
