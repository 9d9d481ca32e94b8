/* hello (isMaster): who the server is, readable before login. */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/fields.h"
#include "hotset/text.h"
#include "mongo_status.h"

/* By the server's own clock; 0 if it does not tell. */
static int64_t start_of(const bson_t *doc)
{
	bson_iter_t it;
	int64_t up_ms, up_s;

	if (!bdoc_find(doc, "localTime", &it) || !BSON_ITER_HOLDS_DATE_TIME(&it))
		return 0;
	if (bdoc_find_i64(doc, "uptimeMillis", &up_ms))
		return (bson_iter_date_time(&it) - up_ms) / 1000;
	if (bdoc_find_i64(doc, "uptime", &up_s))
		return bson_iter_date_time(&it) / 1000 - up_s;
	return 0;
}

void mongo_take_run(struct sample *s, const bson_t *doc)
{
	bson_iter_t it;
	int64_t pid;

	if (bdoc_find(doc, "topologyVersion.processId", &it) && BSON_ITER_HOLDS_OID(&it)) {
		s->epoch = text_hash(TEXT_HASH_INIT, bson_iter_oid(&it)->bytes, sizeof(bson_oid_t));
		s->start_s = 0; /* nothing for parse_settle_epoch() to settle */
	} else if (s->epoch == 0 && bdoc_find_i64(doc, "pid", &pid) && pid > 0) {
		field_set_run(s, (uint64_t)pid, start_of(doc));
	}
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
	name = bdoc_find_text(doc, "primary", &len);
	if (name)
		sample_set_text(s, METRIC_MONGO_REPL_PRIMARY, name, len);
}

bool parse_mongo_hello(const bson_t *doc, struct sample *out, struct err *err)
{
	size_t len;
	const char *msg;

	if (!mongo_reply_ok(doc, err))
		return false;
	if (!bson_has_field(doc, "isWritablePrimary") && !bson_has_field(doc, "ismaster"))
		return err_set(err, ERR_PROTOCOL,
			"the reply to hello names neither isWritablePrimary "
			"nor ismaster: is this MongoDB?");
	msg = bdoc_find_text(doc, "msg", &len);
	if (msg && len == 8 && memcmp(msg, "isdbgrid", 8) == 0)
		mongo_set_role(out, "mongos");
	else
		mongo_take_role(out, doc, "");
	mongo_take_run(out, doc);
	if (strcmp(out->role, "ARBITER") == 0)
		sample_explain_missing(out, KIND_MONGO, REASON_ARBITER);
	return true;
}
