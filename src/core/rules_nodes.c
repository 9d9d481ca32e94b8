/* What kind of node it is: a set without a primary, a router, a login that may not see all. */
#include "rules_nodes.h"

/* ---- replica sets ---- */

static bool is_fresh(const struct model *m, const struct endpoint *ep)
{
	return status_has_data(ep->status) && !model_is_stale(m, ep);
}

static bool is_of_set(const struct endpoint *ep, const char *set)
{
	const char *own = ep->kind == KIND_MONGO ? frame_info(&ep->frame, METRIC_MONGO_REPL_SET)
						 : NULL;

	return own && strcmp(own, set) == 0;
}

/* Each member sees it; the first of them says it, and none while one of them is the primary. */
static bool is_to_speak(const struct model *m, const struct endpoint *ep, const char *set)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct endpoint *other = m->ep[i];

		if (!is_of_set(other, set) || !is_fresh(m, other))
			continue;
		if (strcmp(other->role, "PRIMARY") == 0)
			return false;
		if (i < ep->index && !frame_info(&other->frame, METRIC_MONGO_REPL_PRIMARY))
			return false;
	}
	return true;
}

void rules_no_primary(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const char *set = frame_info(&ep->frame, METRIC_MONGO_REPL_SET);

	if (!set || frame_info(&ep->frame, METRIC_MONGO_REPL_PRIMARY) ||
		!is_to_speak(m, ep, set))
		return;
	finding_say(out, LEVEL_WARN, "the set %.64s has no primary, as %s sees it: no writes", set,
		ep->name);
	finding_next(out, "An election takes seconds; longer, and no majority of the voting "
			  "members can be reached.");
	data_text(&out->data, "set", set);
}

/* ---- routers ---- */

void rules_router(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct cell_value *first = kept_row(ep, TABLE_MONGO_SHARD, 0);
	const char *uri = first ? first[COL_MONGO_SHARD_URI].text : NULL;
	unsigned n = ep->kept[TABLE_MONGO_SHARD].n;

	(void)m;
	if (strcmp(ep->role, "mongos") != 0)
		return;
	if (uri)
		finding_say(out, LEVEL_INFO,
			"a router has no cache; watch the shards behind it (%u): %.160s%s", n, uri,
			n > 1 ? " ..." : "");
	else
		finding_say(out, LEVEL_INFO,
			"a router has no cache; watch the shards behind it, which the "
			"privilege listShards would name");
	finding_next(out, "View 2 lists the shards as targets.");
	data_num(&out->data, "shards", n);
}

/* ---- privileges ---- */

void rules_privileges(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	if (ep->status != STATUS_PARTIAL || ep->err.code != ERR_AUTH)
		return;
	finding_say(out, LEVEL_INFO, "%s", ep->err.msg);
	finding_next(out, "db.grantRolesToUser(USER, [{role: \"clusterMonitor\", db: \"admin\"}])");
}
