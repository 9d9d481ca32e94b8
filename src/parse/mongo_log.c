/*
 * What a server's log says of WiredTiger's configuration. getParameter tells the last string set
 * at run time only, while each of them stays in force for what it names; the log has all of them,
 * and the string that the engine was opened with. Lines are JSON from 4.4 on, plain before. Text of
 * a client may stand in any line, so that a line counts only by its own id or its own beginning.
 */
#include "hotset/parse.h"

#include <bson/bson.h>

enum {
	ID_OPENING = 22315,
	ID_RECONFIGURING = 22376, /* logged before it is done */
	ID_RECONFIGURE_FAILED = 22378,
};

void mongo_log_finish(struct mongo_log *log)
{
	free(log->opened);
	for (unsigned i = 0; i < log->n; i++)
		free(log->runtime[i]);
	*log = (struct mongo_log){0};
}

void mongo_log_add(struct mongo_log *log, const char *config)
{
	char *copy = strdup(config);

	if (log->n == MONGO_LOG_CONFIGS) {
		free(log->runtime[0]);
		memmove(log->runtime, log->runtime + 1,
			(MONGO_LOG_CONFIGS - 1) * sizeof(*log->runtime));
		log->n--;
		log->whole = false;
	}
	if (copy)
		log->runtime[log->n++] = copy;
	else
		log->whole = false;
}

/* What was set at run time before an opening was set in another life of the engine. */
static void take_opening(struct mongo_log *log, const char *config)
{
	mongo_log_finish(log);
	log->opened = strdup(config);
	log->whole = log->opened != NULL;
}

static void take_failure(struct mongo_log *log)
{
	if (log->n)
		free(log->runtime[--log->n]);
}

/* ---- 4.4 and later: {"id": 22376, "msg": ..., "attr": {"config": ...}} ---- */

static const char *config_of(const bson_t *line)
{
	static const char *const names[] = {"attr.config", "attr.str"}; /* early 4.4: str */

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bson_iter_t it, at;

		if (bson_iter_init(&it, line) &&
			bson_iter_find_descendant(&it, names[i], &at) && BSON_ITER_HOLDS_UTF8(&at))
			return bson_iter_utf8(&at, NULL);
	}
	return NULL;
}

static void take_json(const bson_t *line, int64_t id, struct mongo_log *log)
{
	const char *config = bson_has_field(line, "truncated") ? NULL : config_of(line);

	if (id == ID_RECONFIGURE_FAILED)
		take_failure(log);
	else if (id == ID_OPENING && config)
		take_opening(log, config);
	else if (id == ID_RECONFIGURING && config)
		mongo_log_add(log, config);
	else if (id == ID_OPENING || id == ID_RECONFIGURING)
		log->whole = false;
}

static void parse_json(const char *text, struct mongo_log *log)
{
	struct err err;
	bson_iter_t it;
	bool is_array;
	bson_t *line;

	/* Most lines are of other matters. */
	if (!strstr(text, "22315") && !strstr(text, "22376") && !strstr(text, "22378"))
		return;
	line = parse_ejson(text, strlen(text), &is_array, &err);
	if (!line)
		return;
	if (bson_iter_init_find(&it, line, "id") && BSON_ITER_HOLDS_NUMBER(&it))
		take_json(line, bson_iter_as_int64(&it), log);
	bson_destroy(line);
}

/* ---- up to 4.2: "2020-01-31T12:00:00.000+0000 I  STORAGE  [conn1] text" ---- */

static const char *skip_word(const char *p)
{
	p += strcspn(p, " ");
	return p + strspn(p, " ");
}

/* The text of a line of the storage engine, NULL for another one. */
static const char *storage_text(const char *line)
{
	const char *p = skip_word(skip_word(line)); /* time, severity */

	if (strncmp(p, "STORAGE ", 8) != 0)
		return NULL;
	p = skip_word(p);
	return *p == '[' ? skip_word(p) : NULL;
}

static const char *after(const char *text, const char *start)
{
	size_t len = strlen(start);

	return strncmp(text, start, len) == 0 ? text + len : NULL;
}

static void parse_plain(const char *line, struct mongo_log *log)
{
	const char *text = storage_text(line), *config;

	if (!text)
		return;
	if ((config = after(text, "wiredtiger_open config: "))) {
		take_opening(log, config);
	} else if ((config = after(text, "Reconfiguring WiredTiger storage engine with config "
					 "string: \""))) {
		const char *end = strrchr(config, '"');
		char *copy = end ? strndup(config, (size_t)(end - config)) : NULL;

		if (copy)
			mongo_log_add(log, copy);
		else
			log->whole = false;
		free(copy);
	} else if (after(text, "WiredTiger reconfiguration failed with error code (")) {
		take_failure(log);
	}
}

void parse_mongo_log_line(const char *line, struct mongo_log *log)
{
	if (*line == '{')
		parse_json(line, log);
	else
		parse_plain(line, log);
}
