/*
 * What was set at run time. getParameter tells the last string only, so that the first time there
 * is one the log is asked for those before it; afterwards each new one is added as it is seen.
 */
#include "mongo.h"

static void take_lines(const bson_t *reply, struct mongo_log *log)
{
	bson_iter_t array, it;

	if (!mongo_find(reply, "log", &array) || !BSON_ITER_HOLDS_ARRAY(&array) ||
		!bson_iter_recurse(&array, &it))
		return;
	while (bson_iter_next(&it))
		if (BSON_ITER_HOLDS_UTF8(&it))
			parse_mongo_log_line(bson_iter_utf8(&it, NULL), log);
}

/* At most 1 MiB, which the server keeps in memory. A refusal is not asked again. */
static void ask_log(struct mongo *m)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	struct mongo_failure f;

	BSON_APPEND_UTF8(&cmd, "getLog", "global");
	if (mongo_conn_run(&m->conn, "admin", &cmd, &reply, &f))
		take_lines(&reply, &m->params.log);
	else
		mongo_note_refusal(m, RIGHT_LOG, &f);
	bson_destroy(&reply);
	bson_destroy(&cmd);
}

void mongo_follow_runtime(struct mongo *m, const char *config)
{
	struct mongo_log *log = &m->params.log;

	if (!m->params.log_known) {
		if (*config && !mongo_has_time(m))
			return; /* next time */
		m->params.log_known = true;
		if (*config)
			ask_log(m);
		else
			log->whole = true;
	}
	if (*config && (!log->n || strcmp(log->runtime[log->n - 1], config) != 0))
		mongo_log_add(log, config);
}
