/*
 * Which panels a view is made of. The tables name them in the order in which they are kept when
 * space is short; the overview chooses among shapes by what is watched.
 */
#include <string.h>

#include "hotset/widgets.h"

#include "panels.h"

#define BLOCKS_MAX 6  /* endpoints that the overview shows as blocks; more become a table */
#define HALF_W     36 /* cells that a half panel needs */

struct line {
	const struct panel_ops *ops;
	bool half;
};

/* clang-format off */
static const struct line mongo_lines[] = {
	{&panel_mongo_cache, true},  {&panel_mongo_ws, true},     {&panel_mongo_pages, true},
	{&panel_mongo_eviction, true}, {&panel_mongo_ops, false}, {&panel_mongo_pinned, true},
	{&panel_mongo_miss, true},   {&panel_mongo_load, true},   {&panel_mongo_members, false},
	{&panel_mongo_coll, false},  {NULL, false},
};
/* of a node without a cache */
static const struct line router_lines[] = {
	{&panel_mongo_shards, false}, {&panel_mongo_load, false}, {&panel_mongo_ops, false},
	{NULL, false},
};
static const struct line mongo_overview_lines[] = {
	{&panel_mongo_cache, true},  {&panel_mongo_ws, true},   {&panel_mongo_pages, true},
	{&panel_mongo_eviction, true}, {&panel_mongo_pinned, true}, {&panel_mongo_miss, true},
	{&panel_mongo_ops, false},   {NULL, false},
};
static const struct line redis_lines[] = {
	{&panel_redis_masters, false}, {&panel_redis_hot_keys, false},
	{&panel_redis_memory, true},   {&panel_redis_hits, true},
	{&panel_redis_keys, true},     {&panel_redis_load, true},   {&panel_redis_stampede, false},
	{&panel_redis_nodes, false},   {&panel_redis_commands, true}, {&panel_redis_dbs, true},
	{&panel_redis_replicas, false}, {&panel_redis_slow, false},
	{NULL, false},
};
static const struct line memcached_lines[] = {
	{&panel_memcached_probe, false},    {&panel_memcached_memory, true},
	{&panel_memcached_hits, true},
	{&panel_memcached_evictions, true}, {&panel_memcached_load, true},
	{&panel_memcached_ext, false},      {&panel_memcached_slabs, false},
	{&panel_memcached_settings, false},
	{NULL, false},
};
static const struct line host_lines[] = {
	{&panel_host_memory, true}, {&panel_host_pressure, true}, {&panel_host_io, true},
	{&panel_host_disks, true},  {NULL, false},
};
static const struct line ops_lines[] = {
	{&panel_mongo_ops, false},
	{&panel_mongo_coll, false},
	{NULL, false},
};
/* clang-format on */

static const struct line *const lines_of_kind[KIND_COUNT] = {
	[KIND_MONGO] = mongo_lines,
	[KIND_REDIS] = redis_lines,
	[KIND_MEMCACHED] = memcached_lines,
	[KIND_HOST] = host_lines,
};

struct list {
	struct view_item *items;
	unsigned n;
};

static void add(struct list *l, const struct panel_ops *ops, const struct endpoint *ep, bool half)
{
	if (l->n < VIEW_ITEMS_MAX)
		l->items[l->n++] = (struct view_item){ops, ep, half ? HALF_W : 1, half};
}

static void add_lines(struct list *l, const struct line *lines, const struct endpoint *ep)
{
	if (!ep) {
		add(l, &panel_lack, NULL, false);
		return;
	}
	if (!endpoint_has_data(ep)) {
		add(l, &panel_silent, ep, false);
		return;
	}
	for (; lines->ops; lines++)
		add(l, lines->ops, ep, lines->half);
}

/* A router has operations, but no cache. */
static void add_mongo(struct list *l, const struct line *lines, const struct endpoint *ep)
{
	add_lines(l, ep && strcmp(ep->role, "mongos") == 0 ? router_lines : lines, ep);
}

/* The database, if one alone is watched (hosts do not count); without any, the host. */
static const struct endpoint *only_one(const struct model *m)
{
	const struct endpoint *found = NULL;

	for (unsigned i = 0; i < m->n; i++) {
		if (m->ep[i]->kind == KIND_HOST)
			continue;
		if (found)
			return NULL;
		found = m->ep[i];
	}
	return found ? found : m->n == 1 ? m->ep[0] : NULL;
}

static void add_overview_of_one(struct list *l, const struct model *m, const struct endpoint *ep)
{
	const struct endpoint *host = model_of_kind(m, KIND_HOST, 0);

	if (ep->kind == KIND_MONGO)
		add_mongo(l, mongo_overview_lines, ep);
	else
		add_lines(l, lines_of_kind[ep->kind], ep);
	if (host && host != ep && ep->kind != KIND_MONGO)
		add_lines(l, host_lines, host);
}

static void add_overview(struct list *l, const struct model *m)
{
	const struct endpoint *one = only_one(m), *mongo = model_of_kind(m, KIND_MONGO, 0);

	if (one && m->n <= 2) {
		add_overview_of_one(l, m, one);
		return;
	}
	if (m->n > BLOCKS_MAX) {
		add(l, &panel_fleet, NULL, false);
	} else {
		for (unsigned i = 0; i < m->n; i++)
			add(l, &panel_block, m->ep[i], true);
		if (mongo && endpoint_has_data(mongo))
			add(l, &panel_mongo_ops, mongo, false);
	}
	add(l, m->n ? &panel_events : &panel_lack, NULL, false);
}

unsigned view_build(
	const struct model *m, const struct view_state *s, struct view_item out[VIEW_ITEMS_MAX])
{
	struct list l = {out, 0};

	switch (s->view) {
	case VIEW_OVERVIEW:
		add_overview(&l, m);
		break;
	case VIEW_MONGO:
		add_mongo(&l, mongo_lines, view_endpoint(m, s, KIND_MONGO));
		break;
	case VIEW_REDIS:
		add_lines(&l, redis_lines, view_endpoint(m, s, KIND_REDIS));
		break;
	case VIEW_MEMCACHED:
		add_lines(&l, memcached_lines, view_endpoint(m, s, KIND_MEMCACHED));
		break;
	case VIEW_HOST:
		add_lines(&l, host_lines, view_endpoint(m, s, KIND_HOST));
		break;
	case VIEW_OPS:
		add_lines(&l, ops_lines, view_endpoint(m, s, KIND_MONGO));
		break;
	case VIEW_EVENTS:
		add(&l, &panel_verdicts, NULL, false);
		add(&l, &panel_events, NULL, false);
		break;
	case VIEW_COUNT:
		break;
	}
	return l.n;
}

const struct table_view *view_table(const struct view_state *s, unsigned i)
{
	static const struct table_view *const tables[BROWSE_TABLES] = {
		&mongo_ops_table, &mongo_coll_table};

	return s->view == VIEW_OPS && i < BROWSE_TABLES ? tables[i] : NULL;
}

unsigned view_wants(const struct model *m, const struct view_state *s)
{
	struct view_item items[VIEW_ITEMS_MAX];
	unsigned n = view_build(m, s, items), wants = 0;

	for (unsigned i = 0; i < n; i++)
		wants |= items[i].ops->wants;
	return wants;
}

int view_rows(const struct model *m, const struct view_state *s)
{
	switch (s->view) {
	case VIEW_OVERVIEW:
		return m->n > BLOCKS_MAX ? (int)m->n : 0;
	case VIEW_MEMCACHED:
		return (int)table_rows(view_endpoint(m, s, KIND_MEMCACHED), TABLE_MEMCACHED_SLAB);
	case VIEW_EVENTS:
		return (int)(m->nevents + marks_count(&s->marks, m->mono_ns));
	default:
		return 0;
	}
}

bool view_open(const struct model *m, struct view_state *s)
{
	static const enum view views[KIND_COUNT] = {
		[KIND_MONGO] = VIEW_MONGO,
		[KIND_REDIS] = VIEW_REDIS,
		[KIND_MEMCACHED] = VIEW_MEMCACHED,
		[KIND_HOST] = VIEW_HOST,
	};
	uint16_t order[ENDPOINTS_MAX];
	const struct endpoint *ep;
	unsigned n;

	if (s->view != VIEW_OVERVIEW || view_rows(m, s) == 0)
		return false;
	n = fleet_order(m, order);
	if (s->cursor < 0 || (unsigned)s->cursor >= n)
		return false;
	ep = m->ep[order[s->cursor]];
	s->selected[ep->kind] = ep->index;
	s->view = views[ep->kind];
	s->cursor = 0;
	return true;
}
