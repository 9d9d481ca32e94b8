/*
 * The namespaces of a node and who of them is asked next. `top` gives the time spent in each since
 * the server started; what was added since the time before is how busy it is.
 */
#include "mongo_coll.h"

#include <stdlib.h>
#include <string.h>

#define OWN_CALLS 2 /* that asking for the statistics of a collection counts as, at most */

/* The server's own databases hold nothing of the users; the oplog, however, fills caches. */
static bool is_of_interest(const char *ns)
{
	const char *dot = strchr(ns, '.');

	if (!dot || !dot[1])
		return false;
	if (strncmp(ns, "local.", 6) == 0)
		return strcmp(dot + 1, "oplog.rs") == 0;
	if (strncmp(ns, "admin.", 6) == 0 || strncmp(ns, "config.", 7) == 0)
		return false;
	return strncmp(dot + 1, "system.", 7) != 0;
}

static int compare_names(const void *pa, const void *pb)
{
	const struct mongo_ns *a = pa, *b = pb;

	return strcmp(a->name, b->name);
}

static struct mongo_ns *find(const struct mongo_nss *l, unsigned n, const char *name)
{
	struct mongo_ns want = {.name = (char *)(uintptr_t)name};

	return n ? bsearch(&want, l->ns, n, sizeof(want), compare_names) : NULL;
}

static void drop(struct mongo_ns *ns)
{
	free(ns->name);
	if (ns->stats)
		bson_destroy(ns->stats);
}

static bool append(struct mongo_nss *l, const char *name)
{
	struct mongo_ns *grown;
	unsigned cap = l->cap ? 2 * l->cap : 64;

	if (l->n == l->cap) {
		grown = realloc(l->ns, cap * sizeof(*grown));
		if (!grown)
			return false;
		l->ns = grown;
		l->cap = cap;
	}
	l->ns[l->n] = (struct mongo_ns){.name = strdup(name)};
	if (!l->ns[l->n].name)
		return false;
	l->n++;
	return true;
}

struct look {
	uint64_t time_us, calls;
};

static uint64_t since(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/*
 * What came before the first look counts as busy, too: it is all there is to go by. Our own call of
 * the round before is none of the users'.
 */
static void take_look(struct mongo_ns *ns, const struct look *k, unsigned round)
{
	bool asked = ns->stats && ns->asked + 1 == round;

	ns->busy_us = asked && since(k->calls, ns->calls) <= OWN_CALLS
			      ? 0
			      : since(k->time_us, ns->time_us);
	ns->time_us = k->time_us;
	ns->calls = k->calls;
	ns->round = round;
}

static bool read_number(const bson_iter_t *entry, const char *path, uint64_t *out)
{
	bson_iter_t sub, it;

	if (!BSON_ITER_HOLDS_DOCUMENT(entry) || !bson_iter_recurse(entry, &sub) ||
		!bson_iter_find_descendant(&sub, path, &it) || !BSON_ITER_HOLDS_NUMBER(&it))
		return false;
	*out = bson_iter_as_int64(&it) > 0 ? (uint64_t)bson_iter_as_int64(&it) : 0;
	return true;
}

static bool read_look(const bson_iter_t *entry, struct look *out)
{
	return read_number(entry, "total.time", &out->time_us) &&
	       read_number(entry, "total.count", &out->calls);
}

/* A collection that was dropped is not named any more. */
static void forget_gone(struct mongo_nss *l)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < l->n; i++) {
		if (l->ns[i].round != l->round)
			drop(&l->ns[i]);
		else
			l->ns[kept++] = l->ns[i];
	}
	l->n = kept;
}

bool mongo_nss_update(struct mongo_nss *l, const bson_t *top)
{
	unsigned known = l->n;
	bson_iter_t totals, it;

	l->round++;
	l->named = 0;
	if (!bson_iter_init_find(&totals, top, "totals") || !bson_iter_recurse(&totals, &it))
		return true;
	while (bson_iter_next(&it)) {
		const char *name = bson_iter_key(&it);
		struct mongo_ns *ns = find(l, known, name);
		struct look look;

		if (!is_of_interest(name) || !read_look(&it, &look))
			continue;
		l->named++;
		if (!ns) {
			if (l->n == COLLECTIONS_LIST_MAX)
				continue;
			if (!append(l, name))
				return false;
			ns = &l->ns[l->n - 1];
		}
		take_look(ns, &look, l->round);
	}
	forget_gone(l);
	if (l->n)
		qsort(l->ns, l->n, sizeof(*l->ns), compare_names);
	return true;
}

/* Of two that are equally busy the one that was asked before stays, so that its rates go on. */
static bool is_before(const struct mongo_ns *a, const struct mongo_ns *b)
{
	if (a->busy_us != b->busy_us)
		return a->busy_us > b->busy_us;
	return a->active && !b->active;
}

static bool may_be_asked(const struct mongo_nss *l, const struct mongo_ns *ns)
{
	return !ns->useless && l->round >= ns->rests;
}

/* The busiest, by insertion into a short list. */
static unsigned choose_active(struct mongo_nss *l, struct mongo_ns *out[COLLECTIONS_ACTIVE])
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++) {
		struct mongo_ns *ns = &l->ns[i];
		unsigned at = n;

		if (!may_be_asked(l, ns) || (!ns->busy_us && !ns->active))
			continue;
		while (at && is_before(ns, out[at - 1]))
			at--;
		if (at == COLLECTIONS_ACTIVE)
			continue;
		if (n < COLLECTIONS_ACTIVE)
			n++;
		memmove(out + at + 1, out + at, (n - 1 - at) * sizeof(*out));
		out[at] = ns;
	}
	return n;
}

unsigned mongo_nss_choose(
	struct mongo_nss *l, struct mongo_ns *out[COLLECTIONS_ACTIVE + COLLECTIONS_IN_TURN])
{
	unsigned active = choose_active(l, out), n = active;

	for (unsigned i = 0; i < l->n; i++)
		l->ns[i].active = false;
	for (unsigned i = 0; i < active; i++)
		out[i]->active = true;
	for (unsigned tried = 0; tried < l->n && n < active + COLLECTIONS_IN_TURN; tried++) {
		struct mongo_ns *ns = &l->ns[l->turn++ % l->n];

		if (!ns->active && may_be_asked(l, ns))
			out[n++] = ns;
	}
	return n;
}

void mongo_nss_lose(struct mongo_ns *ns)
{
	if (ns->stats)
		bson_destroy(ns->stats);
	ns->stats = NULL;
}

void mongo_nss_keep(struct mongo_nss *l, struct mongo_ns *ns, bson_t *stats_take)
{
	struct mongo_ns *oldest = NULL;
	unsigned kept = 0;

	mongo_nss_lose(ns);
	ns->stats = stats_take;
	ns->asked = l->round;
	for (unsigned i = 0; i < l->n; i++) {
		if (!l->ns[i].stats || l->ns[i].active)
			continue;
		kept++;
		if (!oldest || l->ns[i].asked < oldest->asked)
			oldest = &l->ns[i];
	}
	if (kept > COLLECTIONS_KEPT)
		mongo_nss_lose(oldest);
}

void mongo_nss_finish(struct mongo_nss *l)
{
	for (unsigned i = 0; i < l->n; i++)
		drop(&l->ns[i]);
	free(l->ns);
	*l = (struct mongo_nss){0};
}
