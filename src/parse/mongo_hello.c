/* hello (isMaster): who the server is, readable before login. */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/text.h"
#include "mongo_status.h"

uint64_t mongo_epoch(const bson_t *doc)
{
	uint64_t h = TEXT_HASH_INIT;
	bson_iter_t it;
	int64_t pid;
	size_t len;
	const char *host;

	if (bdoc_find(doc, "topologyVersion.processId", &it) && BSON_ITER_HOLDS_OID(&it))
		return text_hash(h, bson_iter_oid(&it)->bytes, sizeof(bson_oid_t));
	if (!bdoc_find_i64(doc, "pid", &pid))
		return 0;
	h = text_hash(h, &pid, sizeof(pid));
	host = bdoc_find_text(doc, "host", &len);
	return host ? text_hash(h, host, len) : h;
}

void mongo_set_role(struct sample *s, const char *role)
{
	snprintf(s->role, sizeof(s->role), "%s", role);
	sample_set_text(s, METRIC_MONGO_REPL_STATE, role, strlen(role));
}

/* hello does not tell STARTUP2, RECOVERING and ROLLBACK apart; replSetGetStatus does. */
static const char *role_of(const bson_t *doc)
{
	if (bdoc_find_true(doc, "arbiterOnly"))
		return "ARBITER";
	if (bdoc_find_true(doc, "isreplicaset"))
		return "STARTUP"; /* started with a set's name, not initiated yet */
	if (!bson_has_field(doc, "setName"))
		return "standalone";
	if (bdoc_find_true(doc, "isWritablePrimary") || bdoc_find_true(doc, "ismaster"))
		return "PRIMARY";
	if (bdoc_find_true(doc, "secondary"))
		return "SECONDARY";
	return "RECOVERING";
}

void mongo_take_role(struct sample *s, const bson_t *doc, const char *path)
{
	bson_iter_t it;
	bson_t sub;
	size_t len;
	const char *name;

	if (*path) {
		if (!bdoc_find(doc, path, &it) || !bdoc_view(&it, &sub))
			return;
		doc = &sub;
	}
	mongo_set_role(s, role_of(doc));
	name = bdoc_find_text(doc, "setName", &len);
	if (name)
		sample_set_text(s, METRIC_MONGO_REPL_SET, name, len);
}

bool parse_mongo_hello(const bson_t *doc, struct sample *out, struct err *err)
{
	size_t len;
	const char *msg;
	uint64_t epoch;

	if (!mongo_reply_ok(doc, err))
		return false;
	if (!bson_has_field(doc, "isWritablePrimary") && !bson_has_field(doc, "ismaster"))
		return err_set(err, ERR_PROTOCOL, "the reply to hello names neither isWritablePrimary "
						  "nor ismaster: is this MongoDB?");
	msg = bdoc_find_text(doc, "msg", &len);
	if (msg && len == 8 && memcmp(msg, "isdbgrid", 8) == 0)
		mongo_set_role(out, "mongos");
	else
		mongo_take_role(out, doc, "");
	epoch = mongo_epoch(doc);
	if (epoch)
		out->epoch = epoch;
	if (strcmp(out->role, "ARBITER") == 0)
		sample_explain_missing(out, KIND_MONGO, REASON_ARBITER);
	return true;
}
