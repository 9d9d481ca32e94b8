/*
 * What is asked beside serverStatus, each less often and each with a way down: a privilege that is
 * missing, a command or an option that the server does not know, makes its values missing and is
 * not asked for again.
 */
#include "mongo.h"

#include "hotset/clock.h"
#include "hotset/log.h"

#define PARAMS_EVERY_NS  (30 * NS_PER_SEC)
#define OPS_EVERY_NS     (2 * NS_PER_SEC)
#define OPS_STORM_NS     NS_PER_SEC /* in a read storm, and at once when it begins */
#define OPS_EACH         60         /* of scans, of transactions, of others */
#define OPS_LONG_US      1000000    /* an operation is of interest from here on */
#define OPS_MAX_TIME_MS  1000

/* ---- parameters ---- */

static char *copy_text(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	return mongo_find(doc, path, &it) && BSON_ITER_HOLDS_UTF8(&it)
		       ? strdup(bson_iter_utf8(&it, NULL))
		       : strdup("");
}

static void take_gigabytes(const bson_t *doc, const char *path, double *out)
{
	bson_iter_t it;

	/* On the command line set as text: "wiredTigerEvictionDirtyTargetGB=2". */
	if (mongo_find(doc, path, &it) && BSON_ITER_HOLDS_UTF8(&it))
		*out = strtod(bson_iter_utf8(&it, NULL), NULL);
	else
		mongo_number(doc, path, out);
}

static void ask_command_line(struct mongo *m)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	struct mongo_params *p = &m->params;
	struct mongo_failure f = {.status = STATUS_OK};

	BSON_APPEND_INT32(&cmd, "getCmdLineOpts", 1);
	if (mongo_conn_run(&m->conn, "admin", &cmd, &reply, &f)) {
		free(p->startup_config);
		p->startup_config =
			copy_text(&reply, "parsed.storage.wiredTiger.engineConfig.configString");
		take_gigabytes(&reply, "parsed.setParameter.wiredTigerEvictionDirtyTargetGB",
			&p->dirty_target_gb);
		take_gigabytes(&reply, "parsed.setParameter.wiredTigerEvictionDirtyMaxGB",
			&p->dirty_max_gb);
		p->readable = true;
	} else {
		mongo_note_refusal(m, RIGHT_CMD_LINE, &f);
	}
	bson_destroy(&reply);
	bson_destroy(&cmd);
}

static void ask_parameters(struct mongo *m)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	struct mongo_params *p = &m->params;
	struct mongo_failure f = {.status = STATUS_OK};
	double v;

	BSON_APPEND_INT32(&cmd, "getParameter", 1);
	BSON_APPEND_INT32(&cmd, "wiredTigerEngineRuntimeConfig", 1);
	BSON_APPEND_INT32(&cmd, "minSnapshotHistoryWindowInSeconds", 1);
	BSON_APPEND_INT32(&cmd, "transactionLifetimeLimitSeconds", 1);
	if (mongo_conn_run(&m->conn, "admin", &cmd, &reply, &f)) {
		free(p->runtime_config);
		p->runtime_config = copy_text(&reply, "wiredTigerEngineRuntimeConfig");
		p->window_s = mongo_number(&reply, "minSnapshotHistoryWindowInSeconds", &v)
				      ? (int64_t)v
				      : -1;
		p->limit_s = mongo_number(&reply, "transactionLifetimeLimitSeconds", &v)
				     ? (int64_t)v
				     : -1;
		p->readable = true;
		mongo_follow_runtime(m, p->runtime_config);
	} else {
		mongo_note_refusal(m, RIGHT_PARAMETER, &f);
	}
	bson_destroy(&reply);
	bson_destroy(&cmd);
}

void mongo_take_params(struct mongo *m, struct sample *out)
{
	const struct mongo_params *p = &m->params;
	struct mongo_thresholds_in in;
	bool first = m->params_ns == 0, denied;

	if (!sample_has(out, METRIC_MONGO_CACHE_MAX))
		return; /* a router, an emulation */
	if (mongo_has_time(m) && mongo_is_due(m, &m->params_ns, PARAMS_EVERY_NS)) {
		if (first) /* does not change while the server runs */
			ask_command_line(m);
		if (mongo_has_time(m))
			ask_parameters(m);
	}
	denied = mongo_is_denied(m, RIGHT_CMD_LINE) || mongo_is_denied(m, RIGHT_PARAMETER);
	in = (struct mongo_thresholds_in){p->startup_config, p->runtime_config, p->dirty_target_gb,
		p->dirty_max_gb, p->readable, denied ? "no privilege" : "no answer", &p->log};
	parse_mongo_thresholds(&in, out);
	if (p->window_s >= 0)
		sample_set_u64(out, METRIC_MONGO_PINNED_WINDOW, (uint64_t)p->window_s);
	if (p->limit_s >= 0)
		sample_set_u64(out, METRIC_MONGO_PINNED_LIMIT, (uint64_t)p->limit_s);
	else if (!p->readable)
		sample_set_missing(out, METRIC_MONGO_PINNED_LIMIT, REASON_NO_PRIVILEGE);
}

/* ---- running operations ---- */

static bson_t *from_json(const char *json)
{
	bson_error_t error;
	bson_t *doc = bson_new_from_json((const uint8_t *)json, -1, &error);

	if (!doc)
		log_write("command text: %s", error.message);
	return doc;
}

/*
 * Connections that wait for a change of topology run a hello for 10 s: thousands of them would fill
 * the limit. The projection keeps what parse_mongo_current_op() reads.
 */
#define OPS_MATCH                                                                                  \
	"\"appName\": {\"$ne\": \"hotset\"}, \"command.hello\": {\"$exists\": false},"             \
	"\"command.isMaster\": {\"$exists\": false}, \"command.ismaster\": {\"$exists\": false},"  \
	"\"$or\": [{\"planSummary\": \"COLLSCAN\"},"                                               \
	"{\"op\": {\"$ne\": \"none\"}, \"microsecs_running\": {\"$gte\": %d}},"                    \
	"{\"transaction\": {\"$exists\": true}}]"
#define OPS_PROJECT                                                                                \
	"\"opid\": 1, \"active\": 1, \"op\": 1, \"ns\": 1, \"command\": 1, \"query\": 1,"          \
	"\"originatingCommand\": 1, \"cursor.originatingCommand\": 1, \"planSummary\": 1,"         \
	"\"secs_running\": 1, \"microsecs_running\": 1, \"docsExamined\": 1, \"appName\": 1,"      \
	"\"client\": 1, \"client_s\": 1, \"transaction\": 1, \"lsid\": 1"

/* The longest of each kind: a limit without an order would cut off any. */
#define OPS_FACET(name, which, age)                                                                \
	"\"hotset" name "\": [{\"$match\": {" which "}},"                                          \
	"{\"$sort\": {\"" age "\": -1}}, {\"$limit\": %d}]"
#define OPS_NO_SCAN "\"planSummary\": {\"$ne\": \"COLLSCAN\"}"
#define OPS_FACETS                                                                                 \
	OPS_FACET("Scans", "\"planSummary\": \"COLLSCAN\"", "microsecs_running")                   \
	","                                                                                        \
	OPS_FACET("Transactions", OPS_NO_SCAN ", \"transaction\": {\"$exists\": true}",            \
		"transaction.timeOpenMicros")                                                      \
	","                                                                                        \
	OPS_FACET("Long", OPS_NO_SCAN ", \"transaction\": {\"$exists\": false}",                   \
		"microsecs_running")

static bson_t *make_ops_command(enum ops_mode mode)
{
	char json[4096];

	if (mode == OPS_COMMAND)
		snprintf(json, sizeof(json), "{\"currentOp\": 1, " OPS_MATCH "}", OPS_LONG_US);
	else
		snprintf(json, sizeof(json),
			"{\"aggregate\": 1, \"cursor\": {}, \"maxTimeMS\": %d, "
			"\"pipeline\": ["
			"{\"$currentOp\": {\"allUsers\": %s, \"idleConnections\": false, "
			"\"idleSessions\": true}},"
			"{\"$match\": {" OPS_MATCH "}}, {\"$project\": {" OPS_PROJECT
			"}}, {\"$facet\": {" OPS_FACETS "}}]}",
			OPS_MAX_TIME_MS, mode == OPS_ALL ? "true" : "false", OPS_LONG_US, OPS_EACH,
			OPS_EACH, OPS_EACH);
	return from_json(json);
}

static bool is_stage_unknown(int code)
{
	return code == CODE_COMMAND_NOT_FOUND || code == CODE_UNKNOWN_STAGE ||
	       code == CODE_FAILED_TO_PARSE;
}

/* The next form to try after a refusal; the same one if it was no refusal. */
static enum ops_mode step_down(enum ops_mode mode, int code)
{
	if (mode == OPS_ALL && code == CODE_UNAUTHORIZED)
		return OPS_OWN;
	if (mode < OPS_COMMAND && (is_stage_unknown(code) || parse_mongo_rejects_option(code)))
		return OPS_COMMAND;
	if (code == CODE_UNAUTHORIZED || is_stage_unknown(code))
		return OPS_NONE;
	return mode;
}

static bool ask_ops(struct mongo *m, struct sample *out, struct mongo_failure *f)
{
	enum ops_mode mode = m->ops_mode;
	bson_t *cmd = make_ops_command(mode), reply;
	bool ok;

	if (!cmd)
		return true;
	ok = mongo_conn_run(&m->conn, "admin", cmd, &reply, f);
	/* mongod counts an aggregate among the reads, the embedded node among the commands. */
	if (f->code == 0 && mode != OPS_COMMAND && strcmp(out->product, "wtnode") != 0)
		m->own_ops++;
	if (ok)
		(void)parse_mongo_op_list(&reply, out);
	else
		m->ops_mode = step_down(mode, f->code);
	if (!ok && mode != OPS_OWN)
		mongo_note_refusal(m, RIGHT_INPROG, f);
	bson_destroy(&reply);
	bson_destroy(cmd);
	return ok || m->ops_mode == mode;
}

void mongo_take_ops(struct mongo *m, struct sample *out)
{
	struct mongo_failure f = {.code = 0};
	int64_t every = m->storm ? OPS_STORM_NS : OPS_EVERY_NS;

	if (m->storm_began)
		m->ops_ns = 0;
	while (m->ops_mode != OPS_NONE && mongo_has_time(m) &&
		(f.code || mongo_is_due(m, &m->ops_ns, every)))
		if (ask_ops(m, out, &f))
			break;
	sample_set_u64(out, METRIC_MONGO_OWN_OPS, m->own_ops);
}
