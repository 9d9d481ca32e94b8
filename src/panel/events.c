/*
 * What happened, newest first. In its own view every sentence stands in full, over as many lines as
 * it takes; beside other panels an event is one line.
 */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

#define TIME_W     8
#define SYMBOL_W   2
#define STATE_W    5
#define STATE_FROM 50 /* columns from which there is room for it */
#define NAME_W     16
#define NAME_FROM  60

static bool has_names(const struct panel_ctx *x, int w)
{
	return x->m->n > 1 && w >= NAME_FROM;
}

/* Cells before the sentence. */
static int text_column(const struct panel_ctx *x, int w)
{
	return TIME_W + 1 + SYMBOL_W + (w >= STATE_FROM ? STATE_W + 1 : 0) +
	       (has_names(x, w) ? NAME_W + 1 : 0);
}

static int lines_of(const struct panel_ctx *x, const struct event *e, int w)
{
	int lines = x->s->view == VIEW_EVENTS ? text_lines(e->text, w - text_column(x, w)) : 1;

	return lines > 1 ? lines : 1;
}

static void draw_head(struct pane *p, const struct event *e)
{
	const struct model *m = p->x->m;
	char time[TIME_TEXT_MAX];
	int x = p->in.x;

	(void)canvas_text_fit(
		p->c, x, p->y, TIME_W, time_text(time, e->wall_ns, p->x->s), ROLE_DIM, 0);
	x += TIME_W + 1;
	(void)canvas_text(p->c, x, p->y, level_symbol(e->level), level_role(e->level), 0);
	x += SYMBOL_W;
	if (p->in.w >= STATE_FROM) {
		(void)canvas_text_fit(
			p->c, x, p->y, STATE_W, event_state_word(e->state), ROLE_LABEL, 0);
		x += STATE_W + 1;
	}
	if (has_names(p->x, p->in.w) && e->endpoint < m->n)
		(void)canvas_text_fit(p->c, x, p->y, NAME_W, m->ep[e->endpoint]->name,
			kind_role(m->ep[e->endpoint]->kind), 0);
}

static void draw_event(struct pane *p, const struct event *e)
{
	int indent = text_column(p->x, p->in.w), lines = lines_of(p->x, e, p->in.w);
	struct rect in = p->in;

	draw_head(p, e);
	p->in.x += indent;
	p->in.w -= indent;
	pane_wrap(p, e->state == EVENT_END ? ROLE_DIM : ROLE_DEFAULT, e->text, lines);
	if (!e->text[0])
		p->y++;
	p->in = in;
}

/* The first event to show, so that the one under the cursor is there whole. */
static int first_shown(const struct pane *p, int cursor)
{
	int left = pane_left(p), first = cursor;
	const struct event *e;

	while (first >= 0 && (e = model_event(p->x->m, (unsigned)first)) != NULL) {
		left -= lines_of(p->x, e, p->in.w);
		if (left < 0)
			return first < cursor ? first + 1 : cursor;
		first--;
	}
	return 0;
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = x->m->nevents > 100 ? 100 : (int)x->m->nevents;

	(void)w;
	rows = rows < 1 ? 1 : rows;
	return (struct extent){3, rows > 1 ? 4 : 3, x->s->view == VIEW_EVENTS ? EXTENT_ANY : 14};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	int cursor = x->s->view == VIEW_EVENTS && x->s->cursor > 0 ? x->s->cursor : -1;
	int n = (int)x->m->nevents;
	const struct event *e;
	char note[32];
	struct pane p;

	(void)snprintf(note, sizeof(note), "%d", n);
	pane_open(&p, x, c, r, "events, newest first", n ? note : NULL);
	if (cursor >= n)
		cursor = n - 1;
	for (int i = first_shown(&p, cursor);
		pane_left(&p) > 0 && (e = model_event(x->m, (unsigned)i)) != NULL; i++) {
		int y = p.y;

		draw_event(&p, e);
		if (i == cursor)
			canvas_recolor(
				c, (struct rect){p.in.x, y, p.in.w, p.y - y}, ROLE_SELECTED, 0);
	}
	if (n == 0)
		pane_text(&p, ROLE_DIM, "nothing has happened since this program started to watch");
	pane_close(&p);
}

const struct panel_ops panel_events = {.name = "events", .measure = measure, .draw = draw};
