/* Privileges that the login lacks: each is met once, remembered, and said in one sentence. */
#include "mongo.h"

/* The action as roles name it, and what is missing without it. clusterMonitor has all of them. */
static const struct {
	const char *action, *what;
} rights[RIGHT_COUNT] = {
	[RIGHT_INPROG] = {"inprog", "operations of other users"},
	[RIGHT_CMD_LINE] = {"getCmdLineOpts", "thresholds set at start"},
	[RIGHT_PARAMETER] = {"getParameter", "thresholds set since"},
	[RIGHT_LOG] = {"getLog", "thresholds set earlier"},
	[RIGHT_REPLSET] = {"replSetGetStatus", "members and lags"},
	[RIGHT_SHARDS] = {"listShards", "shards"},
	[RIGHT_DIAGNOSTIC] = {"collStats on the oplog", "memory of its host"},
	[RIGHT_TOP] = {"top", "collections in the cache"},
	[RIGHT_COLL_STATS] = {"collStats", "some collections"},
};

void mongo_note_refusal(struct mongo *m, enum mongo_right right, const struct mongo_failure *f)
{
	if (f->code == CODE_UNAUTHORIZED)
		m->denied |= 1u << right;
}

bool mongo_is_denied(const struct mongo *m, enum mongo_right right)
{
	return m->denied & 1u << right;
}

void mongo_say_denied(const struct mongo *m, struct sample *out)
{
	char list[192] = "";
	size_t n = 0;

	if (!m->denied || out->status != STATUS_OK)
		return;
	for (unsigned i = 0; i < RIGHT_COUNT; i++) {
		if (!mongo_is_denied(m, (enum mongo_right)i) || n >= sizeof(list))
			continue;
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s (%s)", n ? ", " : "",
			rights[i].action, rights[i].what);
	}
	out->status = STATUS_PARTIAL;
	err_set(&out->err, ERR_AUTH, "the role clusterMonitor would add: %s", list);
}
