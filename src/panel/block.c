/*
 * One endpoint of the overview: its state, what is wrong with it in words, and the figures that
 * answer whether its cache is healthy and what it costs. The same shape for every kind.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/text.h"
#include "hotset/widgets.h"

#include "panels.h"

#define WORDS_H 8 /* inner lines from which two are reserved for the verdict */

static const struct bar mongo_bars[] = {
	{"fill", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TRIGGER,
		100, METRIC_COUNT},
	{"dirty", METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TARGET,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER, 0, METRIC_COUNT},
};
static const struct field mongo_fields[] = {
	{"pages in", METRIC_MONGO_CACHE_PAGES_READ},
	{"evicted", METRIC_MONGO_CACHE_EVICTED_CLEAN},
	{"cost/op", METRIC_MONGO_READ_COST_PER_OP},
	{"reads p50", METRIC_MONGO_LAT_READS_P50},
	{"ws/cache", METRIC_MONGO_WS_RATIO},
	{"pinned", METRIC_MONGO_PINNED_LAG},
};

static const struct bar redis_bars[] = {
	{"memory", METRIC_REDIS_MEM_FILL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"hits", METRIC_REDIS_HIT_RATIO, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};
static const struct field redis_fields[] = {
	{"misses", METRIC_REDIS_MISSES},
	{"evicted", METRIC_REDIS_EVICTED},
	{"expired", METRIC_REDIS_EXPIRED},
	{"ops", METRIC_REDIS_OPS},
	{"keys", METRIC_REDIS_KEYS},
	{"residence", METRIC_REDIS_RESIDENCE},
};

static const struct bar memcached_bars[] = {
	{"memory", METRIC_MEMCACHED_MEM_FILL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"hits", METRIC_MEMCACHED_HIT_RATIO, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};
static const struct field memcached_fields[] = {
	{"misses", METRIC_MEMCACHED_MISSES},
	{"evicted", METRIC_MEMCACHED_EVICTIONS},
	{"sets", METRIC_MEMCACHED_SETS},
	{"after", METRIC_MEMCACHED_EVICTED_TIME},
	{"items", METRIC_MEMCACHED_ITEMS},
	{"tail age", METRIC_MEMCACHED_TAIL_AGE},
};

static const struct bar host_bars[] = {
	{"memory", METRIC_HOST_MEM_USED_SHARE, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"cgroup", METRIC_HOST_CGROUP_FILL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};
static const struct field host_fields[] = {
	{"pg cache", METRIC_HOST_MEM_FILE_CACHE},
	{"avail.", METRIC_HOST_MEM_AVAILABLE},
	{"refaults", METRIC_HOST_VM_REFAULT},
	{"disk", METRIC_HOST_DISK_READ},
	{"PSI mem", METRIC_HOST_PSI_MEM_SOME},
	{"PSI io", METRIC_HOST_PSI_IO_SOME},
};

static const struct {
	const struct bar *bars;
	const struct field *fields;
	enum metric_id graph;
	enum role role;
} shapes[KIND_COUNT] = {
	[KIND_MONGO] = {mongo_bars, mongo_fields, METRIC_MONGO_CACHE_PAGES_READ, ROLE_GRAPH},
	[KIND_REDIS] = {redis_bars, redis_fields, METRIC_REDIS_MISSES, ROLE_GRAPH},
	[KIND_MEMCACHED] = {memcached_bars, memcached_fields, METRIC_MEMCACHED_MISSES, ROLE_GRAPH},
	[KIND_HOST] = {host_bars, host_fields, METRIC_HOST_DISK_READ, ROLE_GRAPH},
};
#define BARS   2
#define FIELDS 6
#define BORDER_W 7 /* cells that the border needs beside title and note */

static const struct verdict *verdict_of(const struct model *m, const struct endpoint *ep)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (m->verdicts[i].endpoint == ep->index)
			return &m->verdicts[i];
	return NULL;
}

/* Two lines in any case, so that the figures below do not jump when a verdict comes or goes. */
static void draw_words(struct pane *p)
{
	const struct verdict *v = verdict_of(p->x->m, p->x->ep);
	int after = p->y + 2;

	if (v)
		pane_wrap(p, v->standing ? ROLE_DIM : level_role(v->level), v->text, 2);
	else if (!status_has_data(p->x->ep->status) && p->x->ep->err.msg[0])
		pane_wrap(p, level_role(status_level(p->x->ep->status)), p->x->ep->err.msg, 2);
	else
		pane_text(p, ROLE_DIM, "nothing to report");
	p->y = after;
}

static void draw_silent(struct pane *p)
{
	const struct endpoint *ep = p->x->ep;
	char state[STATE_TEXT_MAX];

	pane_text(p, level_role(status_level(ep->status)), endpoint_state(state, p->x->m, ep));
	pane_text(p, ROLE_DIM, ep->address);
	pane_wrap(p, ROLE_DEFAULT, ep->err.msg, 3);
	pane_wrap(p, ROLE_DIM, status_advice(ep->status), 2);
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = BARS + fields_lines(shapes[x->ep->kind].fields, FIELDS, w);

	return (struct extent){5, lines + 8, lines + 20};
}

/* A name of the user's own does not say what it names. */
static void make_title(const struct endpoint *ep, char *buf, size_t cap)
{
	const char *kind = kind_name(ep->kind);
	bool said = strstr(ep->name, kind) != NULL;

	(void)snprintf(buf, cap, "%s%s%s", ep->name, said ? "" : " · ", said ? "" : kind);
}

static void draw_figures(struct pane *p)
{
	enum kind kind = p->x->ep->kind;

	if (pane_left(p) >= WORDS_H)
		draw_words(p);
	for (unsigned i = 0; i < BARS; i++)
		pane_bar(p, &shapes[kind].bars[i]);
	pane_fields(p, shapes[kind].fields, FIELDS, pane_left(p));
	pane_graph(p, shapes[kind].graph, shapes[kind].role, CAPTION_LINE, pane_left(p));
}

/* Who leads matters more than the end of a long name, which is marked as cut. */
static void cut_title(char *title, size_t cap, int room)
{
	size_t at = text_fit(title, room > 1 ? room - 1 : 0, NULL);

	(void)snprintf(title + at, cap - at, "…");
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	const struct endpoint *ep = x->ep;
	enum level level = endpoint_level(x->m, ep);
	char title[NAME_MAX_LEN + 16], note[STATE_TEXT_MAX + 48], state[STATE_TEXT_MAX];
	bool fresh = status_has_data(ep->status) && !model_is_stale(x->m, ep);
	bool member = ep->kind == KIND_MONGO && frame_info(&ep->frame, METRIC_MONGO_REPL_SET);
	struct pane p;

	make_title(ep, title, sizeof(title));
	(void)snprintf(note, sizeof(note), "%s%s%s %s", member ? ep->role : "",
		member ? "  " : "", level_symbol(level),
		fresh ? level_word(level) : endpoint_state(state, x->m, ep));
	if (member && text_width(title) + text_width(note) + BORDER_W > r.w)
		(void)snprintf(note, sizeof(note), "%s %s", ep->role, level_symbol(level));
	if (member && text_width(title) + text_width(note) + BORDER_W > r.w)
		cut_title(title, sizeof(title), r.w - text_width(note) - BORDER_W);
	pane_open(&p, x, c, r, title, note);
	if (endpoint_has_data(ep))
		draw_figures(&p);
	else
		draw_silent(&p);
	pane_close(&p);
}

const struct panel_ops panel_block = {.name = "endpoint", .measure = measure, .draw = draw};
