/*
 * The line at the foot that takes what is typed. While it is open a letter is a letter and no key;
 * those that move the cursor and those that end the program go on working.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/text.h"
#include "hotset/widgets.h"

#define CTRL_U          0x15
#define PROMPT_TEXT_MAX SEARCH_MAX /* bytes, with its end */

_Static_assert((int)MARK_TEXT_MAX == (int)SEARCH_MAX, "one bound for whatever is typed");

/* The text that is typed into. */
static char *target(struct view_state *s)
{
	if (s->prompt == PROMPT_MARK)
		return s->marking.text;
	return s->explain.open ? s->explain.search : s->browse[s->focus].search;
}

/* Not a control or zero-width character, and only what still fits. */
static bool append(char *text, char32_t ch)
{
	size_t len = strlen(text), n;
	char raw[4], clean[8];
	char32_t kept;

	n = text_sanitize(clean, sizeof(clean), raw, text_encode(raw, ch));
	(void)text_decode(clean, n, &kept);
	if (kept != ch || len + n >= PROMPT_TEXT_MAX)
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

static bool move(const struct model *m, struct view_state *s, int by)
{
	if (s->prompt == PROMPT_MARK)
		return false;
	return s->explain.open ? explain_move(m, s, by) : browse_move(m, s, by);
}

static bool close_prompt(struct view_state *s, bool keep)
{
	if (s->prompt == PROMPT_MARK && keep)
		marks_add(&s->marks, s->marking.mono_ns, s->marking.wall_ns, s->marking.text);
	else if (!keep)
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
	case KEYC_BACKSPACE: return remove_last(text) || close_prompt(s, false);
	case KEYC_ENTER: return close_prompt(s, true);
	case KEYC_ESC: return close_prompt(s, false);
	case KEYC_UP: return move(m, s, -1);
	case KEYC_DOWN: return move(m, s, 1);
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
		if (!edit(m, s, k))
			return REACT_NONE;
		if (k->code == KEYC_CHAR || k->code == KEYC_BACKSPACE)
			s->explain.line = 0; /* other lines are there now */
		return REACT_REDRAW;
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

static void draw_mark(const struct view_state *s, struct canvas *c)
{
	char time[TIME_TEXT_MAX], lead[TIME_TEXT_MAX + 16];
	int x, y = c->h - 1;

	(void)snprintf(lead, sizeof(lead), "mark at %s: ", time_text(time, s->marking.wall_ns, s));
	x = canvas_text_fit(c, 0, y, c->w, lead, ROLE_KEY, 0);
	x += canvas_text(c, x, y, tail(s->marking.text, c->w - x - 1), ROLE_VALUE, 0);
	canvas_put(c, x, y, U' ', ROLE_SELECTED, 0);
	x += 2;
	(void)canvas_text_fit(c, x, y, c->w - x, "Enter sets it  Esc leaves it", ROLE_FOOTER, 0);
}

/* How many of what is searched there are. */
static unsigned count(const struct model *m, const struct view_state *s, unsigned *all)
{
	const struct table_view *v = view_table(s, s->focus);
	struct row_order o = {0};
	enum kind k;

	if (s->explain.open)
		return explain_count(m, s, all);
	if (v && view_kind(s->view, &k))
		rows_order(view_endpoint(m, s, k), v, &s->browse[s->focus], &o);
	*all = o.all;
	return o.n;
}

void prompt_draw(const struct model *m, const struct view_state *s, struct canvas *c)
{
	const char *text = s->explain.open ? s->explain.search : s->browse[s->focus].search;
	char found[48];
	unsigned all, n;
	int x, y = c->h - 1, room;

	if (s->prompt == PROMPT_MARK) {
		draw_mark(s, c);
		return;
	}
	n = count(m, s, &all);
	(void)snprintf(found, sizeof(found), "%u of %u", n, all);
	room = c->w - text_width(found) - 3;
	x = canvas_text(c, 0, y, "/", ROLE_KEY, 0);
	x += canvas_text(c, x, y, tail(text, room - x - 1), ROLE_VALUE, 0);
	canvas_put(c, x, y, U' ', ROLE_SELECTED, 0);
	x += 2;
	x += canvas_text_fit(c, x, y, c->w - x, found, n ? ROLE_LABEL : ROLE_WARN, 0) + 2;
	(void)canvas_text_fit(
		c, x, y, c->w - x, "Enter keeps  Esc shows all  Ctrl-U clears", ROLE_FOOTER, 0);
}
