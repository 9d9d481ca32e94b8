/*
 * Themes give colours and attributes to roles. A theme is an INI file (themes/NAME.theme) with one
 * line per role: `warn = yellow bold`, `bar = #5fafff on default`, `title = default bold`. The
 * default theme is compiled in, so the program needs no file.
 */
#ifndef HOTSET_THEME_H
#define HOTSET_THEME_H

#include "hotset/canvas.h"

#define THEME_COLOR_DEFAULT (-1)

struct style {
	int32_t fg, bg; /* 0xRRGGBB, or THEME_COLOR_DEFAULT: the terminal's own */
	uint8_t attr;   /* enum attr bits */
};

struct theme {
	char         name[32];
	struct style style[ROLE_COUNT];
};

void theme_default(struct theme *t);
void theme_mono(struct theme *t); /* no colours: attributes only (NO_COLOR, --no-color) */
/*
 * By name: the compiled-in ones (default, light, mono) first unless a file of that name exists in
 * `dirs` (NULL-terminated); or a path with a '/'. An error names the file and the line.
 */
MUST_CHECK bool theme_load(
	struct theme *t, const char *name, const char *const *dirs, struct err *err);
MUST_CHECK bool theme_parse(struct theme *t, const char *text, const char *what, struct err *err);
/* The name of the i-th compiled-in theme, NULL past the end: for the theme key. */
const char *theme_builtin(unsigned i);

/* The nearest of the 256-colour cube or of the 8 basic colours, for backends. */
int theme_to_256(int32_t rgb);
int theme_to_8(int32_t rgb);

struct strbuf;
/* The canvas with SGR colours, a line per row: for `--format text` on a colour terminal. */
void canvas_to_ansi(const struct canvas *c, const struct theme *t, struct strbuf *out);
/* The canvas as a stand-alone SVG picture, for README (dark background unless light). */
void canvas_to_svg(const struct canvas *c, const struct theme *t, bool light, struct strbuf *out);

#endif
