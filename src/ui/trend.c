/*
 * Graphs of history. All of them share one time axis: the newest step in the last column, and as
 * many seconds a column as the view asks for. A column that covers several steps shows the worst
 * of them, so that a short storm does not vanish when the axis is zoomed out.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#define ZOOM_MAX   60u /* seconds a step at most, as screen_key() zooms */
#define VALUES_MAX (2u * CANVAS_W_MAX)
#define SHOWN_MAX  6u

struct trend {
	const struct endpoint *ep;
	enum metric_id id;
	enum role role;
	int64_t newest; /* index of the newest bucket */
	unsigned zoom;  /* history steps a bucket */
	unsigned n;
	float v[VALUES_MAX];
};

static float worse(float a, float b, enum metric_good good)
{
	if (!isfinite(a))
		return b;
	if (!isfinite(b))
		return a;
	return good == GOOD_HIGHER ? fminf(a, b) : fmaxf(a, b);
}

/* A late endpoint's graph ends in a gap; one that is merely between two polls has none. */
static int64_t newest_step(const struct model *m, const struct endpoint *ep)
{
	int64_t now = model_is_stale(m, ep) ? m->mono_ns : ep->seen_mono_ns;

	return now / HISTORY_STEP_NS;
}

static void trend_load(struct trend *t, const struct model *m, const struct view_state *s)
{
	enum metric_good good = metric_desc(t->id)->good;
	float steps[ZOOM_MAX];

	t->zoom = s->columns_s < 1                    ? 1
		  : (unsigned)s->columns_s > ZOOM_MAX ? ZOOM_MAX
						      : (unsigned)s->columns_s;
	t->newest = newest_step(m, t->ep) / t->zoom;
	if (t->zoom == 1) {
		(void)history_window(
			t->ep->history, t->id, t->newest * HISTORY_STEP_NS, t->n, t->v);
		return;
	}
	for (unsigned i = 0; i < t->n; i++) {
		int64_t last = (t->newest - (int64_t)(t->n - 1 - i) + 1) * t->zoom - 1;

		t->v[i] = NAN;
		(void)history_window(t->ep->history, t->id, last * HISTORY_STEP_NS, t->zoom, steps);
		for (unsigned k = 0; k < t->zoom; k++)
			t->v[i] = worse(t->v[i], steps[k], good);
	}
}

static double max_of(const float *v, unsigned n)
{
	double max = NAN;

	for (unsigned i = 0; i < n; i++)
		if (isfinite(v[i]) && !((double)v[i] <= max))
			max = (double)v[i];
	return max;
}

/* The scale's upper end: round in the unit in which it is printed. */
static double trend_top(const struct trend *t)
{
	const struct metric_desc *d = metric_desc(t->id);
	double unit = 1, max;
	float scaled;

	switch (d->unit) {
	case UNIT_PERCENT:
		return d->good == GOOD_LOWER ? chart_nice_top(t->v, t->n, 1) : 100;
	case UNIT_BYTES:
	case UNIT_BYTES_PER_SEC:
		max = max_of(t->v, t->n);
		while (max / unit >= 1000)
			unit *= 1024;
		scaled = isfinite(max) ? (float)(max / unit) : 0;
		return unit * chart_nice_top(&scaled, 1, 1);
	case UNIT_TIMES:
	case UNIT_RATIO:
	case UNIT_PAGES:
		return chart_nice_top(t->v, t->n, 1);
	default:
		return chart_nice_top(t->v, t->n, 10);
	}
}

/* ---- events as marks ---------------------------------------------------------------------------
 */

static const char *mark_label(const struct event *e)
{
	const char *dot = strrchr(e->code, '.');

	if (strstr(e->code, ".scan."))
		return "scan";
	return dot ? dot + 1 : e->code;
}

struct event_marks {
	unsigned n;
	struct chart_mark mark[SHOWN_MAX];
	uint64_t id[SHOWN_MAX];
};

/* Events come newest first: of a begin and its promotion the older one, seen later, counts. */
static void add_event_mark(struct event_marks *l, const struct event *e, int column)
{
	bool end = e->state == EVENT_END;

	for (unsigned i = 0; i < l->n; i++)
		if (l->id[i] == e->id && l->mark[i].end == end) {
			l->mark[i].column = column;
			return;
		}
	if (l->n == SHOWN_MAX)
		return;
	l->mark[l->n] = (struct chart_mark){column, end ? NULL : mark_label(e), end};
	l->id[l->n++] = e->id;
}

/* A label stands to the left of its mark, so it goes where an older mark is in the way. */
static void drop_crowded_labels(struct event_marks *l)
{
	for (unsigned i = 0; i < l->n; i++) {
		struct chart_mark *m = &l->mark[i];

		for (unsigned k = 0; k < l->n && m->label; k++) {
			int distance = l->mark[k].column - m->column;

			if (k != i && distance > 0 && distance <= text_width(m->label))
				m->label = NULL;
		}
	}
}

/* What is added to an event after its end, such as pages read again, is no beginning. */
static bool is_afterthought(const struct model *m, unsigned i)
{
	const struct event *e = model_event(m, i), *older;

	if (e->state != EVENT_POINT)
		return false;
	while ((older = model_event(m, ++i)) != NULL)
		if (older->id == e->id)
			return true;
	return false;
}

/* The user's own marks are of all endpoints. */
static void add_user_marks(const struct trend *t, const struct model *m, const struct view_state *s,
	unsigned per_cell, struct event_marks *l)
{
	const struct mark *k;

	for (unsigned i = 0; l->n < SHOWN_MAX && (k = marks_get(&s->marks, i, m->mono_ns)); i++) {
		int64_t bucket = k->mono_ns / HISTORY_STEP_NS / t->zoom, back = t->newest - bucket;

		if (back >= (int64_t)t->n)
			break;
		if (back < 0)
			continue; /* newer than what the graph ends with */
		l->id[l->n] = 0;  /* no event's */
		l->mark[l->n++] = (struct chart_mark){(int)(back / per_cell), k->label, false};
	}
}

/* Those of the user, then the newest events of the endpoint that are at least warnings. */
static void trend_marks(const struct trend *t, const struct model *m, const struct view_state *s,
	unsigned per_cell, struct event_marks *l)
{
	const struct event *e;

	*l = (struct event_marks){0};
	add_user_marks(t, m, s, per_cell, l);
	for (unsigned i = 0; (e = model_event(m, i)) != NULL; i++) {
		int64_t bucket = e->mono_ns / HISTORY_STEP_NS / t->zoom;

		if (e->endpoint != t->ep->index || e->level < LEVEL_WARN || bucket > t->newest)
			continue;
		if (t->newest - bucket >= (int64_t)t->n)
			break;
		if (!is_afterthought(m, i))
			add_event_mark(l, e, (int)((t->newest - bucket) / per_cell));
	}
	drop_crowded_labels(l);
}

/* ---- the caption --------------------------------------------------------------------------------
 */

static void caption_line(struct pane *p, const struct trend *t, const char *now, const char *rest)
{
	bool there = value_ok(pane_value(p, t->id)) && !p->stale;
	int x = p->in.x;

	x += canvas_text(p->c, x, p->y, "■ ", p->stale ? ROLE_DIM : t->role, 0);
	x += canvas_text(p->c, x, p->y, metric_desc(t->id)->label, ROLE_LABEL, 0) + 1;
	canvas_text_right(p->c, x + 10, p->y, 10, now, there ? ROLE_VALUE : ROLE_DIM, 0);
	(void)canvas_text_fit(p->c, x + 12, p->y, p->in.x + p->in.w - x - 12, rest, ROLE_DIM, 0);
	p->y++;
}

static void caption_border(struct pane *p, const char *now, const char *rest)
{
	int end = p->frame.x + p->frame.w - 1, w = text_width(now) + 2;

	if (*rest)
		w += text_width(rest) + 1;

	(void)canvas_printf(p->c, end - w, p->frame.y, ROLE_VALUE, 0, " %s ", now);
	if (*rest)
		(void)canvas_printf(
			p->c, end - text_width(rest) - 1, p->frame.y, ROLE_DIM, 0, "%s ", rest);
}

/* The figure of now, then as much of the highest one and the upper end as there is room for. */
static void draw_caption(struct pane *p, const struct trend *t, double top, enum caption where)
{
	const struct metric_desc *d = metric_desc(t->id);
	double highest = max_of(t->v, t->n);
	char now[VALUE_TEXT_MAX], max[NUM_MAX], end[NUM_MAX], rest[80] = "no history yet";
	int room = where == CAPTION_BORDER ? p->frame.w - p->title_w - 14
					   : p->in.w - text_width(d->label) - 15;

	if (where == CAPTION_NONE)
		return;
	value_text(now, d->unit, pane_value(p, t->id), p->c->ascii);
	if (isfinite(highest)) {
		num_format(max, d->unit, highest, p->c->ascii);
		(void)snprintf(rest, sizeof(rest), "max %s  top %s", max,
			num_format(end, d->unit, top, p->c->ascii));
		if (text_width(rest) > room)
			(void)snprintf(rest, sizeof(rest), "max %s", max);
	}
	if (text_width(rest) > room)
		rest[0] = '\0';
	if (where == CAPTION_LINE)
		caption_line(p, t, now, rest);
	else
		caption_border(p, now, rest);
}

void pane_graph(struct pane *p, enum metric_id id, enum role role, enum caption caption, int max_h)
{
	struct trend t = {.ep = p->x->ep, .id = id, .role = role};
	struct event_marks marks;
	unsigned per_cell = p->c->ascii ? 1 : 2;
	int left = pane_left(p) < max_h ? pane_left(p) : max_h;
	struct rect r;
	double top;

	if (!t.ep || left < (caption == CAPTION_LINE ? 3 : 1) || p->in.w < 4)
		return;
	t.n = chart_graph_values(p->c, p->in.w);
	trend_load(&t, p->x->m, p->x->s);
	top = trend_top(&t);
	draw_caption(p, &t, top, caption);
	r = (struct rect){p->in.x, p->y, p->in.w, left - (caption == CAPTION_LINE)};
	trend_marks(&t, p->x->m, p->x->s, per_cell, &marks);
	if (r.h < 3)
		marks.n = 0;
	chart_graph(p->c, r, t.v, t.n, top, p->stale ? ROLE_DIM : role, marks.mark, marks.n);
	p->axis = (int)(per_cell * t.zoom);
	p->y += r.h;
}
