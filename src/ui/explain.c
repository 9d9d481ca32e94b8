/*
 * What a metric is: an overlay with the metrics of the view, those that its panels draw first, and
 * below the list what is known of the selected one. All of it is read from the tables of metrics
 * and panels and from what the rules said, so that it cannot say anything else than they do.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#define WIDTH      110 /* cells */
#define TEXT_LINES 10  /* of the explanation, when there is room */
#define TEXT_MIN   4
#define MINUTE     60u  /* steps of a second */
#define TEXT_MAX   1024 /* bytes */
#define NAME_W     34
#define VALUE_W    24

struct list {
	const char *search;
	unsigned n, all;
	bool seen[METRIC_COUNT];
	uint16_t id[METRIC_COUNT];
};

/* ---- which metrics ---- */

static void add(struct list *l, enum metric_id id)
{
	const struct metric_desc *d;

	if (id >= METRIC_COUNT || l->seen[id] || metric_desc(id)->sem == SEM_COUNTER)
		return;
	d = metric_desc(id);
	l->seen[id] = true;
	l->all++;
	if (text_contains(d->name, l->search) || text_contains(d->label, l->search) ||
		text_contains(d->help, l->search))
		l->id[l->n++] = (uint16_t)id;
}

static void add_sheet(struct list *l, const struct sheet *sh)
{
	for (unsigned i = 0; i < sh->nbars; i++) {
		add(l, sh->bars[i].id);
		add(l, sh->bars[i].target);
		add(l, sh->bars[i].trigger);
	}
	for (unsigned i = 0; i < sh->nfields; i++)
		add(l, sh->fields[i].id);
	add(l, sh->graph);
}

static bool is_shown(const struct model *m, const struct view_state *s, enum kind k)
{
	enum kind own;

	return view_endpoint(m, s, k) && (!view_kind(s->view, &own) || own == k);
}

static void make_list(const struct model *m, const struct view_state *s, struct list *l)
{
	struct view_item items[VIEW_ITEMS_MAX];
	unsigned n = view_build(m, s, items);

	*l = (struct list){.search = s->explain.search};
	for (unsigned i = 0; i < n; i++)
		if (items[i].ops->sheet)
			add_sheet(l, items[i].ops->sheet);
	for (unsigned k = 0; k < KIND_COUNT; k++) {
		enum metric_id id, end;

		metric_range((enum kind)k, &id, &end);
		for (; is_shown(m, s, (enum kind)k) && id < end; id++)
			add(l, id);
	}
}

unsigned explain_count(const struct model *m, const struct view_state *s, unsigned *all)
{
	struct list l;

	make_list(m, s, &l);
	*all = l.all;
	return l.n;
}

bool explain_move(const struct model *m, struct view_state *s, int by)
{
	unsigned all, n = explain_count(m, s, &all);
	int from = s->explain.line < (int)n ? s->explain.line : (int)n - 1, to = from + by;

	to = to >= (int)n ? (int)n - 1 : to;
	s->explain.line = to < 0 ? 0 : to;
	return s->explain.line != from && n > 0;
}

/* ---- what is known of one ---- */

static const struct endpoint *endpoint_of(const struct pane *p, enum metric_id id)
{
	return view_endpoint(p->x->m, p->x->s, metric_desc(id)->kind);
}

/* "3.1 %", the text of an INFO, or "n/a: reason". */
static enum role now_text(const struct pane *p, enum metric_id id, char *buf, size_t cap)
{
	const struct endpoint *ep = endpoint_of(p, id);
	const char *info = ep ? frame_info(&ep->frame, id) : NULL;
	struct value v = ep ? endpoint_value(ep, id) : value_none(REASON_NO_ANSWER);
	char num[VALUE_TEXT_MAX];

	if (info && *info)
		(void)snprintf(buf, cap, "%s", info);
	else if (value_ok(v))
		(void)snprintf(
			buf, cap, "%s", value_text(num, metric_desc(id)->unit, v, p->c->ascii));
	else
		(void)snprintf(buf, cap, "n/a: %s", reason_text((enum reason)v.why));
	return (info && *info) || value_ok(v) ? ROLE_VALUE : ROLE_DIM;
}

static void say_minute(struct pane *p, enum metric_id id)
{
	const struct endpoint *ep = endpoint_of(p, id);
	enum metric_unit unit = metric_desc(id)->unit;
	char low[NUM_MAX], mean[NUM_MAX], high[NUM_MAX], text[120];
	double min = INFINITY, max = -INFINITY, sum = 0;
	float steps[MINUTE];
	unsigned n = 0;

	if (!ep || metric_desc(id)->sem == SEM_INFO)
		return;
	(void)history_window(ep->history, id, ep->seen_mono_ns, MINUTE, steps);
	for (unsigned i = 0; i < MINUTE; i++) {
		double v = (double)steps[i];

		if (!isfinite(v))
			continue;
		min = v < min ? v : min;
		max = v > max ? v : max;
		sum += v;
		n++;
	}
	if (n == 0)
		return;
	(void)snprintf(text, sizeof(text), "%s to %s, mean %s of %u s",
		num_format(low, unit, min, p->c->ascii), num_format(high, unit, max, p->c->ascii),
		num_format(mean, unit, sum / n, p->c->ascii), n);
	pane_labelled(p, "last minute", ROLE_DEFAULT, text);
}

/* Where a threshold comes from: NAME.source says so, where there is such a metric. Or NULL. */
static const char *source_of(const struct pane *p, enum metric_id id)
{
	const struct endpoint *ep = endpoint_of(p, id);
	enum metric_id source;
	char name[96];

	(void)snprintf(name, sizeof(name), "%s.source", metric_desc(id)->name);
	return ep && metric_find(name, &source) ? frame_info(&ep->frame, source) : NULL;
}

static void say_threshold(struct pane *p, const char *label, enum metric_id id)
{
	char value[128], text[256];
	const char *from;
	enum role role;

	if (id >= METRIC_COUNT)
		return;
	role = now_text(p, id, value, sizeof(value));
	from = source_of(p, id);
	(void)snprintf(text, sizeof(text), "%s%s%s (%s)", value, from ? ", from: " : "",
		from ? from : "", metric_desc(id)->name);
	pane_labelled(p, label, role, text);
}

/* Of a bar: the view of its kind has it, whichever view is looked at. */
static void say_thresholds(struct pane *p, enum metric_id id)
{
	static const enum view views[KIND_COUNT] = {
		[KIND_MONGO] = VIEW_MONGO,
		[KIND_REDIS] = VIEW_REDIS,
		[KIND_MEMCACHED] = VIEW_MEMCACHED,
		[KIND_HOST] = VIEW_HOST,
	};
	struct view_state own = *p->x->s;
	struct view_item items[VIEW_ITEMS_MAX];
	unsigned n;

	own.view = views[metric_desc(id)->kind];
	n = view_build(p->x->m, &own, items);

	for (unsigned i = 0; i < n; i++) {
		const struct sheet *sh = items[i].ops->sheet;

		for (unsigned k = 0; sh && k < sh->nbars; k++) {
			if (sh->bars[k].id != id)
				continue;
			say_threshold(p, "▲ target", sh->bars[k].target);
			say_threshold(p, "┃ trigger", sh->bars[k].trigger);
			return;
		}
	}
}

/* "mongo.cache." of "mongo.cache.fill": what the rules call their own by, too. */
static size_t group_length(const char *name)
{
	const char *dot = strchr(name, '.');

	dot = dot ? strchr(dot + 1, '.') : NULL;
	return dot ? (size_t)(dot - name) + 1 : strlen(name);
}

/* What the rules of the same group say now, and what to do about it. */
static void say_verdicts(struct pane *p, enum metric_id id)
{
	const struct model *m = p->x->m;
	const char *name = metric_desc(id)->name;
	const struct endpoint *ep = endpoint_of(p, id);

	for (unsigned i = 0; ep && i < m->nverdicts; i++) {
		const struct verdict *v = &m->verdicts[i];
		char label[16];

		if (v->endpoint != ep->index || strncmp(v->code, name, group_length(name)) != 0)
			continue;
		(void)snprintf(label, sizeof(label), "%s %s", level_symbol(v->level),
			level_word(v->level));
		pane_labelled(p, label, level_role(v->level), v->text);
		if (v->next[0])
			pane_labelled(p, "→ next", ROLE_DEFAULT, v->next);
	}
}

static void draw_text(struct pane *p, enum metric_id id)
{
	static const char *const good[] = {
		[GOOD_HIGHER] = "; higher is better",
		[GOOD_LOWER] = "; lower is better",
		[GOOD_NEITHER] = "",
	};
	const struct metric_desc *d = metric_desc(id);
	const struct endpoint *ep = endpoint_of(p, id);
	char text[TEXT_MAX], value[SAMPLE_TEXT_MAX];
	const char *from = source_of(p, id);
	enum role role;

	(void)snprintf(text, sizeof(text), "%s%s", d->help, good[d->good]);
	pane_labelled(p, "means", ROLE_DEFAULT, text);
	role = now_text(p, id, value, sizeof(value));
	(void)snprintf(text, sizeof(text), "%s%s%s%s%s", value, from ? ", from: " : "",
		from ? from : "", ep && p->x->m->n > 1 ? ", of " : "",
		ep && p->x->m->n > 1 ? ep->name : "");
	pane_labelled(p, "now", role, text);
	say_minute(p, id);
	say_thresholds(p, id);
	say_verdicts(p, id);
}

/* ---- drawing ---- */

static void draw_line(struct pane *p, enum metric_id id, bool selected)
{
	const struct metric_desc *d = metric_desc(id);
	int x = p->in.x, end = p->in.x + p->in.w;
	int name_w = p->in.w < 2 * NAME_W ? p->in.w / 2 : NAME_W, at = x + name_w + 1;
	int label = at + VALUE_W + 2;
	char value[SAMPLE_TEXT_MAX];
	enum role role = now_text(p, id, value, sizeof(value));

	(void)canvas_text_fit(p->c, x, p->y, name_w, d->name, ROLE_DEFAULT, 0);
	(void)canvas_text_fit(
		p->c, at, p->y, end - at < VALUE_W ? end - at : VALUE_W, value, role, 0);
	if (label < end)
		(void)canvas_text_fit(p->c, label, p->y, end - label, d->label, ROLE_LABEL, 0);
	if (selected)
		canvas_recolor(p->c, (struct rect){p->in.x, p->y, p->in.w, 1}, ROLE_SELECTED, 0);
	p->y++;
}

void explain_draw(const struct model *m, const struct view_state *s, struct canvas *c)
{
	struct panel_ctx x = {m, s, NULL};
	int w = c->w < WIDTH ? c->w : WIDTH, lines, first, line = s->explain.line;
	struct rect r = {(c->w - w) / 2, 0, w, c->h > 1 ? c->h - 1 : c->h};
	struct list l;
	struct pane p;

	make_list(m, s, &l);
	line = line < (int)l.n ? line : (int)l.n - 1;
	canvas_fill(c, r, U' ', ROLE_DEFAULT);
	pane_open(&p, &x, c, r, "what the figures mean", "/ search  Esc closes");
	lines = pane_left(&p) - TEXT_LINES - 1;
	lines = lines < pane_left(&p) / 2 ? pane_left(&p) / 2 : lines;
	lines = pane_left(&p) - lines < TEXT_MIN ? pane_left(&p) - TEXT_MIN : lines;
	first = table_first(line, (int)l.n, lines);
	for (int i = 0; i < lines; i++) {
		if (first + i < (int)l.n)
			draw_line(&p, (enum metric_id)l.id[first + i], first + i == line);
		else
			p.y++;
	}
	p.y += pane_left(&p) > TEXT_MIN;
	if (line >= 0)
		draw_text(&p, (enum metric_id)l.id[line]);
	else
		pane_text(&p, ROLE_DIM,
			m->n ? "no metric has the text searched for" : "nothing is watched");
	pane_close(&p);
}
