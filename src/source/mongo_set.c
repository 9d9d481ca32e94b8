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

/* ---- lags ---- */

static int64_t seconds_of(const bson_t *doc, const char *path)
{
	uint32_t secs, inc;
	bson_iter_t it;

	if (!mongo_find(doc, path, &it) || !BSON_ITER_HOLDS_TIMESTAMP(&it))
		return -1;
	bson_iter_timestamp(&it, &secs, &inc);
	return secs ? (int64_t)secs : -1;
}

static int64_t difference(int64_t later, int64_t earlier)
{
	if (later < 0 || earlier < 0)
		return -1;
	return later > earlier ? later - earlier : 0;
}

/* How far the member that answers is behind the primary. */
static int64_t lag_of_self(const bson_t *reply)
{
	int64_t self = -1, primary = -1;
	bson_iter_t members, it;

	if (!mongo_find(reply, "members", &members) || !BSON_ITER_HOLDS_ARRAY(&members) ||
		!bson_iter_recurse(&members, &it))
		return -1;
	while (bson_iter_next(&it)) {
		const uint8_t *data;
		uint32_t len;
		bson_t doc;
		bson_iter_t f;
		double state = 0;
		int64_t optime;

		if (!BSON_ITER_HOLDS_DOCUMENT(&it))
			continue;
		bson_iter_document(&it, &len, &data);
		if (!bson_init_static(&doc, data, len))
			continue;
		optime = seconds_of(&doc, "optime.ts");
		if (mongo_find(&doc, "self", &f) && bson_iter_as_bool(&f))
			self = optime;
		if (mongo_number(&doc, "state", &state) && state == 1)
			primary = optime;
	}
	return difference(primary, self);
}

static void set_lag(struct sample *out, enum metric_id id, int64_t lag_s, enum reason why)
{
	if (lag_s >= 0)
		sample_set_u64(out, id, (uint64_t)lag_s);
	else
		sample_set_missing(out, id, why);
}

static void take_lags(const struct mongo *m, struct sample *out)
{
	enum reason why =
		mongo_is_denied(m, RIGHT_REPLSET) ? REASON_NO_PRIVILEGE : REASON_NOT_SENT;
	int64_t majority = -1, own = -1;

	if (m->replset) {
		majority = difference(seconds_of(m->replset, "optimes.appliedOpTime.ts"),
			seconds_of(m->replset, "optimes.lastCommittedOpTime.ts"));
		own = lag_of_self(m->replset);
	}
	set_lag(out, METRIC_MONGO_REPL_MAJORITY_LAG, majority, why);
	set_lag(out, METRIC_MONGO_REPL_LAG, own, why);
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
	take_lags(m, out);
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
