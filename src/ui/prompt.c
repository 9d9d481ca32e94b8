/*
 * The line at the foot that takes what is typed. While it is open a letter is a letter and no key;
 * those that move the cursor and those that end the program go on working.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/text.h"
#include "hotset/widgets.h"

#define CTRL_U 0x15

/* The text that is typed into; NULL when there is none. */
static char *target(struct view_state *s)
{
	return s->prompt == PROMPT_SEARCH ? s->browse[s->focus].search : NULL;
}

/* Not a control or zero-width character, and only what still fits. */
static bool append(char *text, char32_t ch)
{
	size_t len = strlen(text), n;
	char raw[4], clean[8];
	char32_t kept;

	n = text_sanitize(clean, sizeof(clean), raw, text_encode(raw, ch));
	(void)text_decode(clean, n, &kept);
	if (kept != ch || len + n >= SEARCH_MAX)
		return false;
	memcpy(text + len, clean, n + 1);
	return true;
}

static bool remove_last(char *text)
{
	size_t len = strlen(text);

	if (len == 0)
		return false;
	do
		len--;
	while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80);
	text[len] = '\0';
	return true;
}

static bool clear(char *text)
{
	bool was = text[0] != '\0';

	text[0] = '\0';
	return was;
}

static bool close_prompt(struct view_state *s, bool keep)
{
	if (!keep)
		(void)clear(target(s));
	s->prompt = PROMPT_NONE;
	return true;
}

/* clang-format off */
static bool edit(const struct model *m, struct view_state *s, const struct key *k)
{
	char *text = target(s);

	switch (k->code) {
	case KEYC_CHAR: return k->ch == CTRL_U ? clear(text) : append(text, k->ch);
	case KEYC_BACKSPACE: return remove_last(text) || close_prompt(s, true);
	case KEYC_ENTER: return close_prompt(s, true);
	case KEYC_ESC: return close_prompt(s, false);
	case KEYC_UP: return browse_move(m, s, -1);
	case KEYC_DOWN: return browse_move(m, s, 1);
	default: return false;
	}
}
/* clang-format on */

enum reaction prompt_key(const struct model *m, struct view_state *s, const struct key *k)
{
	switch (k->code) {
	case KEYC_CTRL_C:
	case KEYC_EOF:
		return REACT_QUIT;
	case KEYC_CTRL_L:
		return REACT_REFRESH;
	case KEYC_CTRL_Z:
		return REACT_SUSPEND;
	case KEYC_RESIZE:
		return REACT_RESIZE;
	default:
		return edit(m, s, k) ? REACT_REDRAW : REACT_NONE;
	}
}

/* The end of a text, where it is typed: as much as fits into w cells. */
static const char *tail(const char *text, int w)
{
	while (*text && text_width(text) > w) {
		char32_t ch;

		text += text_decode(text, strlen(text), &ch);
	}
	return text;
}

void prompt_draw(const struct model *m, const struct view_state *s, struct canvas *c)
{
	const struct browse *b = &s->browse[s->focus];
	const struct table_view *v = view_table(s, s->focus);
	struct row_order o;
	char count[48];
	int x, y = c->h - 1, room;
	enum kind k;

	if (!v || !view_kind(s->view, &k))
		return;
	rows_order(view_endpoint(m, s, k), v, b, &o);
	(void)snprintf(count, sizeof(count), "%u of %u", o.n, o.all);
	room = c->w - text_width(count) - 3;
	x = canvas_text(c, 0, y, "/", ROLE_KEY, 0);
	x += canvas_text(c, x, y, tail(b->search, room - x - 1), ROLE_VALUE, 0);
	canvas_put(c, x, y, U' ', ROLE_SELECTED, 0);
	x += 2 + canvas_text_fit(c, x + 2, y, c->w - x - 2, count,
			 o.n ? ROLE_LABEL : ROLE_WARN, 0);
	(void)canvas_text_fit(c, x + 2, y, c->w - x - 2,
		"Enter keeps  Esc shows all  Ctrl-U clears", ROLE_FOOTER, 0);
}
