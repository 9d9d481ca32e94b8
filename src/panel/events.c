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
#define MARK_CODE  "mark"

static bool has_names(const struct panel_ctx *x, int w)
{
	return x->m->n > 1 && w >= NAME_FROM;
}

/* ---- events and marks in one list ---- */

static unsigned count_entries(const struct panel_ctx *x)
{
	return x->m->nevents + marks_count(&x->s->marks, x->m->mono_ns);
}

/* The user's mark as an event of no endpoint. */
static const struct event *of_mark(const struct mark *k, struct event *room)
{
	*room = (struct event){.wall_ns = k->wall_ns,
		.mono_ns = k->mono_ns,
		.endpoint = UINT16_MAX,
		.code = MARK_CODE,
		.level = LEVEL_INFO,
		.state = EVENT_POINT};
	(void)snprintf(room->text, sizeof(room->text), "%s", k->text);
	return room;
}

/* The i-th newest, NULL past the end; room is where a mark becomes an event. */
static const struct event *entry(const struct panel_ctx *x, unsigned i, struct event *room)
{
	const struct event *e = NULL;
	const struct mark *k = NULL;
	unsigned events = 0, marks = 0;

	for (;; i--) {
		e = model_event(x->m, events);
		k = marks_get(&x->s->marks, marks, x->m->mono_ns);
		bool is_mark = k && (!e || k->mono_ns >= e->mono_ns);

		if (i == 0 || (!e && !k))
			return is_mark ? of_mark(k, room) : e;
		marks += is_mark;
		events += !is_mark;
	}
}

/* ---- drawing ---- */

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
	bool is_mark = e->endpoint == UINT16_MAX;
	char time[TIME_TEXT_MAX];
	int x = p->in.x;

	(void)canvas_text_fit(
		p->c, x, p->y, TIME_W, time_text(time, e->wall_ns, p->x->s), ROLE_DIM, 0);
	x += TIME_W + 1;
	(void)canvas_text(p->c, x, p->y, level_symbol(e->level), level_role(e->level), 0);
	x += SYMBOL_W;
	if (p->in.w >= STATE_FROM) {
		(void)canvas_text_fit(p->c, x, p->y, STATE_W,
			is_mark ? MARK_CODE : event_state_word(e->state), ROLE_LABEL, 0);
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
	struct event room;

	while (first >= 0 && (e = entry(p->x, (unsigned)first, &room)) != NULL) {
		left -= lines_of(p->x, e, p->in.w);
		if (left < 0)
			return first < cursor ? first + 1 : cursor;
		first--;
	}
	return 0;
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)count_entries(x);

	(void)w;
	rows = rows > 100 ? 100 : rows < 1 ? 1 : rows;
	return (struct extent){3, rows > 1 ? 4 : 3, x->s->view == VIEW_EVENTS ? EXTENT_ANY : 14};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	int cursor = x->s->view == VIEW_EVENTS && x->s->cursor > 0 ? x->s->cursor : -1;
	int n = (int)count_entries(x);
	const struct event *e;
	struct event room;
	char note[32];
	struct pane p;

	(void)snprintf(note, sizeof(note), "%d", n);
	pane_open(&p, x, c, r, "events, newest first", n ? note : NULL);
	if (cursor >= n)
		cursor = n - 1;
	for (int i = first_shown(&p, cursor);
		pane_left(&p) > 0 && (e = entry(x, (unsigned)i, &room)) != NULL; i++) {
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
