/* A canvas as text for people (canvas_to_text) and for golden files (canvas_to_snapshot). */
#include "hotset/canvas.h"
#include "hotset/strbuf.h"
#include "hotset/text.h"

static bool is_blank(const struct cell *p)
{
	return p->width == 1 && p->ch == U' ' && !p->combining;
}

static int row_end(const struct canvas *c, int y)
{
	int end = c->w;

	while (end > 0 && is_blank(canvas_cell(c, end - 1, y)))
		end--;
	return end;
}

static void add_char(struct strbuf *out, char32_t ch)
{
	char utf8[4];

	strbuf_add(out, utf8, text_encode(utf8, ch));
}

void canvas_to_text(const struct canvas *c, struct strbuf *out)
{
	for (int y = 0; y < c->h; y++) {
		for (int x = 0, end = row_end(c, y); x < end; x++) {
			const struct cell *p = canvas_cell(c, x, y);

			if (p->width)
				add_char(out, p->ch);
			if (p->combining)
				add_char(out, p->combining);
		}
		strbuf_putc(out, '\n');
	}
}

/* Columns in tens, so that a difference can be named: "....:....1....:....2". */
static void add_ruler(const struct canvas *c, struct strbuf *out)
{
	static const char digits[] = "0123456789";

	for (int x = 1; x <= c->w; x++)
		strbuf_putc(out, x % 10 == 0 ? digits[x / 10 % 10] : x % 5 == 0 ? ':' : '.');
	strbuf_putc(out, '\n');
}

static void add_attrs(struct strbuf *out, unsigned attr)
{
	static const char *const words[] = {"bold", "underline", "reverse", "dim"};

	for (unsigned i = 0; i < 4; i++)
		if (attr & (1u << i))
			strbuf_printf(out, " %s", words[i]);
}

/* Roles, a blank cell of the default role as a space, so that the grid shows the figures. */
static void add_roles(const struct canvas *c, struct strbuf *out)
{
	for (int y = 0; y < c->h; y++) {
		int end = row_end(c, y);

		for (int x = 0; x < end; x++) {
			const struct cell *p = canvas_cell(c, x, y);
			bool empty = is_blank(p) && p->role == ROLE_DEFAULT && !p->attr;

			strbuf_putc(out, empty ? ' ' : role_letter((enum role)p->role));
		}
		strbuf_putc(out, '\n');
	}
}

/* Runs of cells with attributes: "3:10-14 bold". */
static void add_attr_runs(const struct canvas *c, struct strbuf *out)
{
	for (int y = 0; y < c->h; y++) {
		for (int x = 0; x < c->w;) {
			unsigned attr = canvas_cell(c, x, y)->attr;
			int from = x;

			while (x < c->w && canvas_cell(c, x, y)->attr == attr)
				x++;
			if (!attr)
				continue;
			strbuf_printf(out, "%d:%d-%d", y + 1, from + 1, x);
			add_attrs(out, attr);
			strbuf_putc(out, '\n');
		}
	}
}

void canvas_to_snapshot(const struct canvas *c, struct strbuf *out)
{
	bool used[ROLE_COUNT] = {false};

	strbuf_printf(out, "%dx%d%s\n", c->w, c->h, c->ascii ? " ascii" : "");
	canvas_to_text(c, out);
	add_ruler(c, out);
	add_roles(c, out);
	add_ruler(c, out);
	add_attr_runs(c, out);
	for (int y = 0; y < c->h; y++)
		for (int x = 0; x < c->w; x++)
			used[canvas_cell(c, x, y)->role] = true;
	for (unsigned r = 0; r < ROLE_COUNT; r++)
		if (used[r])
			strbuf_printf(
				out, "%c %s\n", role_letter((enum role)r), role_name((enum role)r));
}
