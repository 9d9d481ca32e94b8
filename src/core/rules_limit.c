/*
 * A cache that is larger than what its cgroup or its machine has is a promise that cannot be kept:
 * it swaps, or its process is killed, before it evicts.
 */
#include "rules_limit.h"

#include <stdio.h>

#define NEAR 0.9 /* of the limit: nothing is left for connections, buffers and fragmentation */

static const struct {
	enum metric_id cache, used, limit;
	const char *name;
} sizes[KIND_COUNT] = {
	[KIND_MONGO] = {METRIC_MONGO_CACHE_MAX, METRIC_MONGO_CACHE_USED, METRIC_MONGO_CGROUP_MAX,
		"the WiredTiger cache"},
	[KIND_REDIS] = {METRIC_REDIS_MEM_MAX, METRIC_REDIS_MEM_USED, METRIC_REDIS_CGROUP_MAX,
		"maxmemory"},
	[KIND_MEMCACHED] = {METRIC_MEMCACHED_MEM_MAX, METRIC_MEMCACHED_MEM_USED,
		METRIC_MEMCACHED_CGROUP_MAX, "-m"},
};

/* Critical once the cache has grown to where the limit is near. */
static void say(struct finding *out, const char *what, double cache, double used, double limit,
	const char *whose)
{
	char size[NUM_MAX], most[NUM_MAX];

	finding_say(out, cache > limit && used > NEAR * limit ? LEVEL_CRIT : LEVEL_WARN,
		"%s is %s, and %s %s: it will swap or be killed before it evicts", what,
		num_format(size, UNIT_BYTES, cache, false), whose,
		num_format(most, UNIT_BYTES, limit, false));
	finding_next(out,
		"Make the cache smaller, or the limit larger; a server needs memory beside it.");
	data_num(&out->data, "max_bytes", cache);
	data_num(&out->data, "memory_bytes", limit);
}

void rules_limit(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value cache = ep->frame.v[sizes[ep->kind].cache];
	struct value limit = ep->frame.v[sizes[ep->kind].limit];
	struct value machine = {.why = REASON_NOT_SENT};
	double used = value_or(ep->frame.v[sizes[ep->kind].used], 0).v;

	(void)m;
	if (ep->kind == KIND_REDIS)
		machine = ep->frame.v[METRIC_REDIS_MEM_SYSTEM];
	if (!value_ok(cache))
		return;
	if (value_ok(limit) && cache.v > NEAR * limit.v)
		say(out, sizes[ep->kind].name, cache.v, used, limit.v, "its cgroup may use");
	else if (value_ok(machine) && cache.v > machine.v)
		say(out, sizes[ep->kind].name, cache.v, used, machine.v, "the machine has");
}

/* Its process was found here, whether or not a cgroup limits it. */
static bool is_here(const struct endpoint *ep)
{
	struct value limit = ep->frame.v[sizes[ep->kind].limit];

	return value_ok(limit) || limit.why == REASON_NO_LIMIT || limit.why == REASON_NO_CGROUP;
}

void rules_limit_of_host(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value total = ep->frame.v[METRIC_HOST_MEM_TOTAL];
	char what[64];
	unsigned n = 0;
	double sum = 0, used = 0;

	if (strcmp(ep->id, "proc:") != 0 || !value_ok(total))
		return;
	for (unsigned i = 0; i < m->n; i++) {
		const struct endpoint *other = m->ep[i];

		if (other->kind == KIND_HOST || !is_here(other) ||
			!value_ok(other->frame.v[sizes[other->kind].cache]))
			continue;
		sum += other->frame.v[sizes[other->kind].cache].v;
		used += value_or(other->frame.v[sizes[other->kind].used], 0).v;
		n++;
	}
	if (n == 0 || sum <= NEAR * total.v)
		return;
	snprintf(what, sizeof(what),
		n == 1 ? "the one cache here" : "the sum of the %u caches here", n);
	say(out, what, sum, used, total.v, "the machine has");
}
