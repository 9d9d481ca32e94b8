/*
 * What stands around the node: its replica set, or the shards behind a router. The replies are
 * kept, since they are asked for less often than the rest and say something in each sample.
 */
#include "mongo.h"

#include "hotset/clock.h"

#define REPLSET_EVERY_NS (5 * NS_PER_SEC)
#define SHARDS_EVERY_NS  (30 * NS_PER_SEC)

static void keep(bson_t **kept, const bson_t *reply)
{
	if (*kept)
		bson_destroy(*kept);
	*kept = reply ? bson_copy(reply) : NULL;
}

/* Leaves NULL where nothing was answered; an answer may be an error. */
static void ask(struct mongo *m, const char *command, enum mongo_right right, bson_t **kept)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	struct mongo_failure f = {.code = 0};
	bool ok;

	BSON_APPEND_INT32(&cmd, command, 1);
	ok = mongo_conn_run(&m->conn, "admin", &cmd, &reply, &f);
	keep(kept, ok || f.code ? &reply : NULL);
	if (!ok)
		mongo_note_refusal(m, right, &f);
	bson_destroy(&reply);
	bson_destroy(&cmd);
}

/* ---- the replica set ---- */

static bool is_role(const struct sample *s, const char *role)
{
	return strcmp(s->role, role) == 0;
}

static bool is_member(const struct sample *s)
{
	return s->role[0] && !is_role(s, "standalone") && !is_role(s, "mongos") &&
	       !is_role(s, "ARBITER");
}

void mongo_take_replset(struct mongo *m, struct sample *out)
{
	bool asked = false;

	if (!is_member(out))
		return;
	if (!mongo_is_denied(m, RIGHT_REPLSET) && mongo_has_time(m) &&
		mongo_is_due(m, &m->replset_ns, REPLSET_EVERY_NS)) {
		ask(m, "replSetGetStatus", RIGHT_REPLSET, &m->replset);
		asked = true;
	}
	parse_mongo_lags(m->replset,
		mongo_is_denied(m, RIGHT_REPLSET) ? REASON_NO_PRIVILEGE : REASON_NOT_SENT, out);
	if (asked || m->hello_is_new)
		parse_mongo_members(m->hello, m->replset, out);
	if (m->replset && !is_role(out, "PRIMARY") && !is_role(out, "SECONDARY"))
		parse_mongo_member_state(m->replset, out);
}

/* ---- shards ---- */

void mongo_take_shards(struct mongo *m, struct sample *out)
{
	bson_t *reply = NULL;

	if (!is_role(out, "mongos") || mongo_is_denied(m, RIGHT_SHARDS) || !mongo_has_time(m) ||
		!mongo_is_due(m, &m->shards_ns, SHARDS_EVERY_NS))
		return;
	ask(m, "listShards", RIGHT_SHARDS, &reply);
	if (!reply)
		return;
	parse_mongo_shards(reply, out);
	bson_destroy(reply);
}
