/*
 * Running operations and open transactions: the command currentOp and the stage $currentOp, and
 * aggregate, which knows $currentOp and $collStats as first stages.
 *
 * What stages.h knows is applied after $currentOp; the rest is passed over. The answer then holds
 * more than was asked for, never less: a monitor that checks what it gets stays right.
 */
#include "commands.h"

#include "clockx.h"
#include "stages.h"

#define COMMAND_SHOWN_MAX 4096 /* bytes of a running command that are shown */

/* What to list, and where to put it. */
struct listing {
	struct command *cmd;
	bool idle;          /* connections without an operation too */
	bool idle_sessions; /* and open transactions without one */
	bool filtered;
	struct match filter;
	struct docs docs; /* the result */
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

static bool put(struct listing *l, const bson_t *doc)
{
	return (l->filtered && !match_doc(&l->filter, doc)) || docs_add(&l->docs, doc);
}

static void list_ops(struct listing *l)
{
	struct node *node = l->cmd->conn->node;
	bool ok = true;

	for (int i = 0; i < OPS_SLOTS && ok; i++) {
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
		ok = !show || put(l, &doc);
		bson_destroy(&doc);
	}
}

static bool list_session(const struct txn *txn, void *arg)
{
	struct listing *l = arg;
	bson_t doc;

	bson_init(&doc);
	BSON_APPEND_UTF8(&doc, "type", "idleSession");
	BSON_APPEND_UTF8(&doc, "host", l->cmd->conn->node->host);
	BSON_APPEND_UTF8(&doc, "desc", "inactive transaction");
	append_client(&txn->client, &doc);
	txn_report(txn, &doc);
	BSON_APPEND_BOOL(&doc, "waitingForLock", false);
	BSON_APPEND_BOOL(&doc, "active", false);
	bool ok = put(l, &doc);
	bson_destroy(&doc);
	return ok;
}

static void list_all(struct listing *l)
{
	list_ops(l);
	if (l->idle_sessions) {
		txns_each_idle(&l->cmd->conn->node->txns, list_session, l);
	}
}

static void put_cursor(struct command *cmd, const struct docs *docs)
{
	struct command_cursor cc;

	command_cursor_begin(&cc, cmd->out, "admin.$cmd.aggregate");
	for (unsigned i = 0; i < docs->count && command_cursor_add(&cc, docs->doc[i]); i++) {
	}
	command_cursor_end(&cc, cmd->out);
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
	list_all(&l);
	bool ok = stages_run(&l.docs, stages, cmd->fail);
	if (ok) {
		put_cursor(cmd, &l.docs);
	}
	docs_clear(&l.docs);
	return ok;
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
	char buf[16];
	const char *key;

	bson_init(&filter);
	bson_copy_to_excluding_noinit(&cmd->req->body, &filter, bson_iter_key(&cmd->arg), "$db",
		"$all", "$ownOps", "lsid", "$readPreference", "maxTimeMS", "comment", NULL);
	l.filtered = match_compile(&l.filter, &filter, &passed_over);
	list_all(&l);
	bson_append_array_begin(cmd->out, "inprog", -1, &inprog);
	for (unsigned i = 0; i < l.docs.count; i++) {
		bson_uint32_to_string(i, &key, buf, sizeof(buf));
		BSON_APPEND_DOCUMENT(&inprog, key, l.docs.doc[i]);
	}
	bson_append_array_end(cmd->out, &inprog);
	docs_clear(&l.docs);
	bson_destroy(&filter);
	return true;
}
