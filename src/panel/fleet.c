/* Many endpoints as a table, worst first: one line each, with the figures that all kinds have. */
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#include "panels.h"

enum fleet_column { NAME, KIND, STATE, FILL, HITS, MISSES, EVICTED, WHAT, COLUMNS };

static const struct column columns[COLUMNS] = {
	[NAME] = {"endpoint", NAME, 18, true, 0, true},
	[KIND] = {"kind", KIND, 9, true, 4, false},
	[STATE] = {"state", STATE, 16, true, 0, false},
	[FILL] = {"fill", FILL, 7, false, 1, false},
	[HITS] = {"hit ratio", HITS, 9, false, 2, false},
	[MISSES] = {"misses/s", MISSES, 8, false, 1, false},
	[EVICTED] = {"evicted/s", EVICTED, 9, false, 3, false},
	[WHAT] = {"what", WHAT, 40, true, 5, true},
};

static const struct {
	enum metric_id fill, hits, misses, evicted;
} figures[KIND_COUNT] = {
	[KIND_MONGO] = {METRIC_MONGO_CACHE_FILL, METRIC_COUNT, METRIC_MONGO_CACHE_PAGES_READ,
		METRIC_MONGO_CACHE_EVICTED_CLEAN},
	[KIND_REDIS] = {METRIC_REDIS_MEM_FILL, METRIC_REDIS_HIT_RATIO, METRIC_REDIS_MISSES,
		METRIC_REDIS_EVICTED},
	[KIND_MEMCACHED] = {METRIC_MEMCACHED_MEM_FILL, METRIC_MEMCACHED_HIT_RATIO,
		METRIC_MEMCACHED_MISSES, METRIC_MEMCACHED_EVICTIONS},
	[KIND_HOST] = {METRIC_HOST_MEM_USED_SHARE, METRIC_COUNT, METRIC_COUNT, METRIC_COUNT},
};

unsigned fleet_order(const struct model *m, uint16_t order[ENDPOINTS_MAX])
{
	unsigned n = 0;

	for (int level = LEVEL_CRIT; level >= LEVEL_OK; level--)
		for (unsigned i = 0; i < m->n && n < ENDPOINTS_MAX; i++)
			if ((int)endpoint_level(m, m->ep[i]) == level)
				order[n++] = (uint16_t)i;
	return n;
}

static const char *what_of(const struct model *m, const struct endpoint *ep)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (m->verdicts[i].endpoint == ep->index)
			return m->verdicts[i].text;
	return status_has_data(ep->status) ? "" : ep->err.msg;
}

static void draw_figure(
	struct pane *p, const struct endpoint *ep, enum metric_id id, int x_end, int w)
{
	struct value v = {.why = REASON_NOT_SENT};
	char buf[NUM_MAX];
	bool old;

	if (id != METRIC_COUNT)
		v = frame_value(&ep->frame, id);
	old = model_is_stale(p->x->m, ep) || !value_ok(v);
	if (!value_ok(v))
		(void)snprintf(buf, sizeof(buf), "–");
	else if (metric_desc(id)->unit == UNIT_PER_SEC)
		(void)num_short(buf, v.v);
	else
		(void)num_format(buf, metric_desc(id)->unit, v.v, p->c->ascii);
	canvas_text_right(p->c, x_end, p->y, w, buf, old ? ROLE_DIM : ROLE_VALUE, 0);
}

/* "ok", "ok PRIMARY" of a member of a set, or why there is nothing fresh. */
static void say_state(char out[STATE_TEXT_MAX], const struct model *m, const struct endpoint *ep)
{
	bool member = ep->kind == KIND_MONGO && frame_info(&ep->frame, METRIC_MONGO_REPL_SET);

	if (!status_has_data(ep->status) || model_is_stale(m, ep))
		(void)endpoint_state(out, m, ep);
	else
		(void)snprintf(out, STATE_TEXT_MAX, "%s%s%s", level_word(endpoint_level(m, ep)),
			member ? " " : "", member ? ep->role : "");
}

static void draw_cell(
	struct pane *p, const struct endpoint *ep, enum fleet_column col, int x, int w)
{
	enum level level = endpoint_level(p->x->m, ep);
	char state[STATE_TEXT_MAX];

	switch (col) {
	case NAME:
		(void)canvas_text_fit(p->c, x, p->y, w, ep->name, kind_role(ep->kind), 0);
		break;
	case KIND:
		(void)canvas_text_fit(p->c, x, p->y, w, kind_name(ep->kind), ROLE_LABEL, 0);
		break;
	case STATE:
		say_state(state, p->x->m, ep);
		(void)canvas_text_fit(p->c, x, p->y, w, state, level_role(level), 0);
		break;
	case FILL:
		draw_figure(p, ep, figures[ep->kind].fill, x + w, w);
		break;
	case HITS:
		draw_figure(p, ep, figures[ep->kind].hits, x + w, w);
		break;
	case MISSES:
		draw_figure(p, ep, figures[ep->kind].misses, x + w, w);
		break;
	case EVICTED:
		draw_figure(p, ep, figures[ep->kind].evicted, x + w, w);
		break;
	case WHAT:
		(void)canvas_text_fit(p->c, x, p->y, w, what_of(p->x->m, ep), ROLE_DEFAULT, 0);
		break;
	case COLUMNS:
		break;
	}
}

static void draw_line(struct pane *p, const struct endpoint *ep, const struct table_fit *fit)
{
	enum level level = endpoint_level(p->x->m, ep);
	int x = p->in.x + 2;

	(void)canvas_text(p->c, p->in.x, p->y, level_symbol(level), level_role(level), 0);
	for (int i = 0; i < COLUMNS; i++) {
		if (!fit->w[i])
			continue;
		draw_cell(p, ep, (enum fleet_column)i, x, fit->w[i]);
		x += fit->w[i] + fit->gap;
	}
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	(void)w;
	return (struct extent){4, (int)x->m->n + 3, (int)x->m->n + 3};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	uint16_t order[ENDPOINTS_MAX];
	int n = (int)fleet_order(x->m, order), lines, first;
	struct table_fit fit;
	struct pane p;

	pane_open(&p, x, c, r, "endpoints, worst first", "Enter opens one");
	table_fit(columns, COLUMNS, p.in.w - 2, false, -1, &fit);
	table_head(&p, columns, COLUMNS, &fit, p.in.x + 2, -1, false);
	lines = pane_left(&p);
	first = table_first(x->s->cursor, n, lines);
	for (int i = first; i < n && i - first < lines; i++) {
		draw_line(&p, x->m->ep[order[i]], &fit);
		if (i == x->s->cursor)
			canvas_recolor(c, (struct rect){p.in.x, p.y, p.in.w, 1}, ROLE_SELECTED, 0);
		p.y++;
	}
	pane_close(&p);
}

const struct panel_ops panel_fleet = {.name = "endpoints", .measure = measure, .draw = draw};
