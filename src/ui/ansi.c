/* The canvas with SGR sequences: a line per row, every line ends in the default style. */
#include "hotset/strbuf.h"
#include "hotset/text.h"
#include "hotset/theme.h"

static bool same_style(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

static void set_pen(struct strbuf *out, struct style *pen, struct style s)
{
	static const int codes[] = {1, 4, 7, 2}; /* in the order of enum attr's bits */

	if (same_style(*pen, s))
		return;
	*pen = s;
	strbuf_puts(out, "\033[0");
	for (unsigned i = 0; i < 4; i++)
		if (s.attr & (1u << i))
			strbuf_printf(out, ";%d", codes[i]);
	if (s.fg != THEME_COLOR_DEFAULT)
		strbuf_printf(out, ";38;5;%d", theme_to_256(s.fg));
	if (s.bg != THEME_COLOR_DEFAULT)
		strbuf_printf(out, ";48;5;%d", theme_to_256(s.bg));
	strbuf_putc(out, 'm');
}

static void add_char(struct strbuf *out, char32_t ch)
{
	char utf8[4];

	strbuf_add(out, utf8, text_encode(utf8, ch));
}

void canvas_to_ansi(const struct canvas *c, const struct theme *t, struct strbuf *out)
{
	static const struct style plain = {THEME_COLOR_DEFAULT, THEME_COLOR_DEFAULT, 0};

	for (int y = 0; y < c->h; y++) {
		struct style pen = plain;

		for (int x = 0; x < c->w; x++) {
			const struct cell *p = canvas_cell(c, x, y);
			struct style s = t->style[p->role];

			if (!p->width)
				continue;
			s.attr |= p->attr;
			set_pen(out, &pen, s);
			add_char(out, p->ch);
			if (p->combining)
				add_char(out, p->combining);
		}
		set_pen(out, &pen, plain);
		strbuf_putc(out, '\n');
	}
}
