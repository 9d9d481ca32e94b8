/* What happened, newest first. */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

#define TIME_W  8
#define STATE_W 5
#define NAME_W  16

static void draw_event(struct pane *p, const struct event *e)
{
	const struct model *m = p->x->m;
	const char *name = e->endpoint < m->n ? m->ep[e->endpoint]->name : "";
	char time[TIME_TEXT_MAX];
	int x = p->in.x, end = p->in.x + p->in.w;
	bool names = m->n > 1 && p->in.w >= 60;

	(void)canvas_text_fit(
		p->c, x, p->y, TIME_W, time_text(time, e->wall_ns, p->x->s), ROLE_DIM, 0);
	x += TIME_W + 1;
	(void)canvas_text(p->c, x, p->y, level_symbol(e->level), level_role(e->level), 0);
	x += 2;
	if (p->in.w >= 50) {
		(void)canvas_text_fit(
			p->c, x, p->y, STATE_W, event_state_word(e->state), ROLE_LABEL, 0);
		x += STATE_W + 1;
	}
	if (names) {
		(void)canvas_text_fit(
			p->c, x, p->y, NAME_W, name, kind_role(m->ep[e->endpoint]->kind), 0);
		x += NAME_W + 1;
	}
	(void)canvas_text_fit(p->c, x, p->y, end - x, e->text,
		e->state == EVENT_END ? ROLE_DIM : ROLE_DEFAULT, 0);
	p->y++;
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
	int n = (int)x->m->nevents, first;
	const struct event *e;
	char note[32];
	struct pane p;

	(void)snprintf(note, sizeof(note), "%d", n);
	pane_open(&p, x, c, r, "events, newest first", n ? note : NULL);
	first = table_first(cursor, n, pane_left(&p));
	for (int i = first; pane_left(&p) > 0 && (e = model_event(x->m, (unsigned)i)) != NULL;
		i++) {
		int y = p.y;

		draw_event(&p, e);
		if (i == cursor)
			canvas_recolor(c, (struct rect){p.in.x, y, p.in.w, 1}, ROLE_SELECTED, 0);
	}
	if (n == 0)
		pane_text(&p, ROLE_DIM, "nothing has happened since this program started to watch");
	pane_close(&p);
}

const struct panel_ops panel_events = {.name = "events", .measure = measure, .draw = draw};
