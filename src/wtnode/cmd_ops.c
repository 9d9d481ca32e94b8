/*
 * Running operations and open transactions: the command currentOp and the stage $currentOp, and
 * aggregate, which knows $currentOp and $collStats as first stages.
 *
 * After $currentOp, $limit is applied and $match as far as match.h can; a $match that it cannot and
 * every other stage are passed over. The answer then holds more than was asked for, never less: a
 * monitor that checks what it gets stays right.
 */
#include "commands.h"

#include "clockx.h"

#define COMMAND_SHOWN_MAX 4096 /* bytes of a running command that are shown */

/* What to list, and where to put it. */
struct listing {
	struct command *cmd;
	bool idle;          /* connections without an operation too */
	bool idle_sessions; /* and open transactions without one */
	struct match matches[4];
	unsigned match_count;
	int64_t limit;
	struct command_cursor cc; /* the stage's result */
	bson_t *array;            /* the command's result, or NULL */
	uint32_t count;
};

static void append_client(const struct ops_client *client, bson_t *doc)
{
	bson_t metadata;

	BSON_APPEND_INT32(doc, "connectionId", client->connection_id);
	BSON_APPEND_UTF8(doc, "client", client->address);
	if (client->app[0] != '\0') {
		BSON_APPEND_UTF8(doc, "appName", client->app);
	}
	if (client->metadata_len > 0 &&
		bsonx_view(&metadata, client->metadata, client->metadata_len)) {
		BSON_APPEND_DOCUMENT(doc, "clientMetadata", &metadata);
	}
}

static void append_connection(const struct op_slot *slot, const char *host, bson_t *doc)
{
	char desc[32], now[CLOCKX_TEXT];

	BSON_APPEND_UTF8(doc, "type", "op");
	BSON_APPEND_UTF8(doc, "host", host);
	snprintf(desc, sizeof(desc), "conn%d", (int)slot->client.connection_id);
	BSON_APPEND_UTF8(doc, "desc", desc);
	append_client(&slot->client, doc);
	BSON_APPEND_BOOL(doc, "active", slot->active);
	clockx_text(clockx_wall_ms(), now);
	BSON_APPEND_UTF8(doc, "currentOpTime", now);
	BSON_APPEND_BOOL(doc, "threaded", true);
}

/* The command as it came, with the database; the documents of a write are not part of it. */
static void append_command(const struct op_slot *slot, bson_t *doc)
{
	bson_t command, shown;

	if (!bsonx_view(&command, slot->command, slot->command_len)) {
		return;
	}
	if (command.len > COMMAND_SHOWN_MAX) {
		BSON_APPEND_DOCUMENT_BEGIN(doc, "command", &shown);
		BSON_APPEND_UTF8(&shown, "$truncated", slot->op);
		bson_append_document_end(doc, &shown);
	} else {
		BSON_APPEND_DOCUMENT(doc, "command", &command);
	}
}

static void append_operation(struct op_slot *slot, struct txns *txns, bson_t *doc)
{
	int64_t us = (ops_now_ns() - slot->start_ns) / 1000;

	if (slot->txn != NULL) {
		struct txn copy;

		txn_copy(txns, slot->txn, &copy);
		txn_report(&copy, doc);
	}
	BSON_APPEND_INT32(doc, "opid", slot->opid);
	BSON_APPEND_INT64(doc, "secs_running", us / 1000000);
	BSON_APPEND_INT64(doc, "microsecs_running", us);
	BSON_APPEND_UTF8(doc, "op", slot->op);
	BSON_APPEND_UTF8(doc, "ns", slot->ns);
	append_command(slot, doc);
	if (slot->plan[0] != '\0') {
		BSON_APPEND_UTF8(doc, "planSummary", slot->plan);
	}
	bsonx_append_int(doc, "numYields", atomic_load(&slot->yields));
	BSON_APPEND_BOOL(doc, "waitingForLock", false);
}

static bool wanted(const struct listing *l, const bson_t *doc)
{
	for (unsigned i = 0; i < l->match_count; i++) {
		if (!match_doc(&l->matches[i], doc)) {
			return false;
		}
	}
	return true;
}

/* Appends the document to the result; false when no more can follow. */
static bool put(struct listing *l, const bson_t *doc)
{
	char buf[16];
	const char *key;

	if (l->array == NULL) {
		if (!command_cursor_add(&l->cc, doc)) {
			return false;
		}
	} else {
		bson_uint32_to_string(l->count, &key, buf, sizeof(buf));
		BSON_APPEND_DOCUMENT(l->array, key, doc);
	}
	l->count++;
	return l->limit == 0 || l->count < l->limit;
}

static void list_ops(struct listing *l)
{
	struct node *node = l->cmd->conn->node;
	bool more = true;

	for (int i = 0; i < OPS_SLOTS && more; i++) {
		struct op_slot *slot = &node->ops.slots[i];
		bson_t doc;

		bson_init(&doc);
		pthread_mutex_lock(&slot->lock);
		bool show = slot->connected && (slot->active || l->idle);
		if (show) {
			append_connection(slot, node->host, &doc);
		}
		if (show && slot->active) {
			append_operation(slot, &node->txns, &doc);
		}
		pthread_mutex_unlock(&slot->lock);
		if (show && wanted(l, &doc)) {
			more = put(l, &doc);
		}
		bson_destroy(&doc);
	}
}

static bool list_session(const struct txn *txn, void *arg)
{
	struct listing *l = arg;
	bool more = true;
	bson_t doc;

	bson_init(&doc);
	BSON_APPEND_UTF8(&doc, "type", "idleSession");
	BSON_APPEND_UTF8(&doc, "host", l->cmd->conn->node->host);
	BSON_APPEND_UTF8(&doc, "desc", "inactive transaction");
	append_client(&txn->client, &doc);
	txn_report(txn, &doc);
	BSON_APPEND_BOOL(&doc, "waitingForLock", false);
	BSON_APPEND_BOOL(&doc, "active", false);
	if (wanted(l, &doc)) {
		more = put(l, &doc);
	}
	bson_destroy(&doc);
	return more;
}

static void list_all(struct listing *l)
{
	list_ops(l);
	if (l->idle_sessions && (l->limit == 0 || l->count < l->limit)) {
		txns_each_idle(&l->cmd->conn->node->txns, list_session, l);
	}
}

/* The stages behind $currentOp; the iterator stands on the first stage. */
static bool read_stages(struct listing *l, bson_iter_t *stages)
{
	bson_t stage, spec;
	bson_iter_t it;
	struct fail passed_over;

	while (bson_iter_next(stages)) {
		if (!BSON_ITER_HOLDS_DOCUMENT(stages) || !bsonx_iter_view(stages, &stage) ||
			!bson_iter_init(&it, &stage) || !bson_iter_next(&it)) {
			return fail_set(l->cmd->fail, FAIL_FAILED_TO_PARSE,
				"each stage must be a document with one field");
		}
		if (strcmp(bson_iter_key(&it), "$limit") == 0 && bsonx_int64(&it) > 0) {
			int64_t n = bsonx_int64(&it);

			l->limit = l->limit == 0 || n < l->limit ? n : l->limit;
		} else if (strcmp(bson_iter_key(&it), "$match") == 0 && l->limit == 0 &&
			   l->match_count < 4 && bsonx_iter_view(&it, &spec) &&
			   match_compile(&l->matches[l->match_count], &spec, &passed_over)) {
			l->match_count++;
		}
	}
	return true;
}

static bool current_op_stage(struct command *cmd, const bson_t *spec, bson_iter_t *stages)
{
	struct listing l = {.cmd = cmd,
		.idle = bsonx_flag(spec, "idleConnections", false),
		.idle_sessions = bsonx_flag(spec, "idleSessions", true)};

	if (strcmp(cmd->req->db, "admin") != 0) {
		return fail_set(cmd->fail, FAIL_INVALID_NAMESPACE,
			"$currentOp must be run against the 'admin' database with {aggregate: 1}");
	}
	if (!read_stages(&l, stages)) {
		return false;
	}
	command_cursor_begin(&l.cc, cmd->out, "admin.$cmd.aggregate");
	list_all(&l);
	command_cursor_end(&l.cc, cmd->out);
	return true;
}

bool cmd_aggregate(struct command *cmd)
{
	bson_iter_t it, stages, op;
	bson_t stage, spec;

	if (!bson_iter_init_find(&it, &cmd->req->body, "pipeline") || !BSON_ITER_HOLDS_ARRAY(&it) ||
		!bson_iter_recurse(&it, &stages)) {
		return fail_set(cmd->fail, FAIL_FAILED_TO_PARSE, "'pipeline' must be an array");
	}
	if (!bson_iter_next(&stages) || !bsonx_iter_view(&stages, &stage) ||
		!bson_iter_init(&op, &stage) || !bson_iter_next(&op) ||
		!bsonx_iter_view(&op, &spec)) {
		return fail_set(cmd->fail, FAIL_FAILED_TO_PARSE,
			"the pipeline must begin with a stage such as {$currentOp: {}}");
	}
	const char *name = bson_iter_key(&op);
	bool whole_node = bsonx_is_number(&cmd->arg);
	if (strcmp(name, "$currentOp") == 0 && whole_node) {
		return current_op_stage(cmd, &spec, &stages);
	}
	if (strcmp(name, "$collStats") == 0 && !whole_node) {
		return coll_stats_stage(cmd, &spec);
	}
	return fail_set(cmd->fail, FAIL_UNKNOWN_STAGE,
		"the stage '%.60s' is not supported here by wtnode", name);
}

/* {currentOp: 1, $all: true} adds idle connections; other fields are a filter. */
bool cmd_current_op(struct command *cmd)
{
	struct listing l = {.cmd = cmd,
		.idle = bsonx_flag(&cmd->req->body, "$all", false),
		.idle_sessions = true};
	struct fail passed_over;
	bson_t filter, inprog;

	bson_init(&filter);
	bson_copy_to_excluding_noinit(&cmd->req->body, &filter, bson_iter_key(&cmd->arg), "$db",
		"$all", "$ownOps", "lsid", "$readPreference", "maxTimeMS", "comment", NULL);
	if (match_compile(&l.matches[0], &filter, &passed_over)) {
		l.match_count = 1;
	}
	bson_append_array_begin(cmd->out, "inprog", -1, &inprog);
	l.array = &inprog;
	list_all(&l);
	bson_append_array_end(cmd->out, &inprog);
	bson_destroy(&filter);
	return true;
}
