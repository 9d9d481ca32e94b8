/* The help overlay: the same table of keys that the footer shows, the symbols, and the bounds. */
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

static const struct {
	const char *symbol, *text;
	enum role role;
} legend[] = {
	{"▲", "target: background eviction begins", ROLE_MARK_TARGET},
	{"┃", "trigger: application threads evict", ROLE_MARK_TRIGGER},
	{"✓ ● ⚠ ✖", "ok, info, warn, crit", ROLE_VALUE},
	{"▼▽", "an event begins, ends; a blank column is a gap, not a zero", ROLE_GRAPH_MARK},
};
#define LEGEND_LINES (sizeof(legend) / sizeof(legend[0]))
#define FOOT_LINES   3 /* a blank one, and what is said of all of it */

static unsigned count_bindings(void)
{
	unsigned n = 0;

	while (screen_bindings[n].keys)
		n++;
	return n;
}

static void draw_history(struct pane *p, const struct model *m)
{
	char held[NUM_MAX], span[NUM_MAX];
	unsigned steps = 0;
	size_t bytes = 0;

	for (unsigned i = 0; i < m->n; i++) {
		unsigned n = history_steps(m->ep[i]->history);

		bytes += history_bytes(m->ep[i]->history);
		steps = n > steps ? n : steps;
	}
	pane_printf(p, ROLE_DIM,
		"history: the last %s in steps of 1 s, %s for %u endpoint%s; it never grows",
		num_duration(span, (double)steps),
		num_format(held, UNIT_BYTES, (double)bytes, p->c->ascii), m->n,
		m->n == 1 ? "" : "s");
}

static void draw_pair(struct pane *p, int key_w, const char *key, const char *text, enum role role)
{
	if (pane_left(p) == 0)
		return;
	(void)canvas_text_fit(p->c, p->in.x, p->y, key_w, key, role, 0);
	(void)canvas_text_fit(
		p->c, p->in.x + key_w + 2, p->y, p->in.w - key_w - 2, text, ROLE_DEFAULT, 0);
	p->y++;
}

static int help_lines(void)
{
	return (int)(count_bindings() + LEGEND_LINES);
}

int help_hidden(int h)
{
	int hidden = help_lines() + 2 + FOOT_LINES - h;

	return hidden > 0 ? hidden : 0;
}

/* Keys and symbols, from the line `first` on, as many as there is room for. */
static void draw_lines(struct pane *p, int first)
{
	int key_w = p->in.w < 56 ? 9 : 15, keys = (int)count_bindings();

	for (int i = first; i < help_lines(); i++) {
		if (i < keys)
			draw_pair(p, key_w, screen_bindings[i].keys, screen_bindings[i].text,
				ROLE_KEY);
		else
			draw_pair(p, key_w, legend[i - keys].symbol, legend[i - keys].text,
				legend[i - keys].role);
	}
}

void help_draw(const struct model *m, const struct view_state *s, struct canvas *c)
{
	struct panel_ctx x = {m, s, NULL};
	int w = c->w < 84 ? c->w : 84, h = help_lines() + 2 + FOOT_LINES;
	int hidden = help_hidden(c->h);
	struct rect r = {(c->w - w) / 2, 0, w, h < c->h ? h : c->h};
	struct pane p;

	r.y = (c->h - r.h) / 2;
	canvas_fill(c, r, U' ', ROLE_DEFAULT);
	pane_open(&p, &x, c, r, "help", hidden > 0 ? "↑ ↓ more  Esc closes" : "Esc closes");
	draw_lines(&p, s->scroll < hidden ? s->scroll : hidden);
	p.y += pane_left(&p) >= FOOT_LINES;
	draw_history(&p, m);
	pane_text(&p, ROLE_DIM, "every metric, its formula and its source: hotset metrics");
	pane_close(&p);
}
