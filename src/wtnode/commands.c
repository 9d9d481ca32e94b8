#include "commands.h"

/* What an entry of the table asks for. */
enum {
	NEEDS_ADMIN = 1,      /* runs on the database admin only */
	NEEDS_COLLECTION = 2, /* its value is the name of a collection */
	MAY_COLLECTION = 4,   /* its value may be one */
	STATEMENT = 8,        /* may be a statement of a transaction */
	ENDS_TXN = 16,        /* says itself what its transaction becomes */
};

static const struct command_entry {
	const char *name;
	command_fn *fn;
	const char *op; /* as $currentOp calls it */
	enum ops_class class;
	unsigned flags;
} table[] = {
	{"find", cmd_find, "query", OPS_READ, NEEDS_COLLECTION | STATEMENT},
	{"insert", cmd_insert, "insert", OPS_WRITE, NEEDS_COLLECTION | STATEMENT},
	{"update", cmd_update, "update", OPS_WRITE, NEEDS_COLLECTION | STATEMENT},
	{"delete", cmd_delete, "remove", OPS_WRITE, NEEDS_COLLECTION | STATEMENT},
	{"count", cmd_count, "command", OPS_READ, NEEDS_COLLECTION},
	{"aggregate", cmd_aggregate, "command", OPS_COMMAND, MAY_COLLECTION},
	{"hello", cmd_hello, "command", OPS_COMMAND, 0},
	{"isMaster", cmd_hello, "command", OPS_COMMAND, 0},
	{"ping", cmd_ping, "command", OPS_COMMAND, 0},
	{"serverStatus", cmd_server_status, "command", OPS_COMMAND, 0},
	{"currentOp", cmd_current_op, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"top", cmd_top, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"collStats", cmd_coll_stats, "command", OPS_COMMAND, NEEDS_COLLECTION},
	{"buildInfo", cmd_build_info, "command", OPS_COMMAND, 0},
	{"hostInfo", cmd_host_info, "command", OPS_COMMAND, 0},
	{"getCmdLineOpts", cmd_cmd_line, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"getLog", cmd_get_log, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"getParameter", cmd_get_parameter, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"setParameter", cmd_set_parameter, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"listDatabases", cmd_list_databases, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"listCollections", cmd_list_collections, "command", OPS_COMMAND, 0},
	{"createIndexes", cmd_create_indexes, "command", OPS_COMMAND, NEEDS_COLLECTION},
	{"listIndexes", cmd_list_indexes, "command", OPS_COMMAND, NEEDS_COLLECTION},
	{"dropIndexes", cmd_drop_indexes, "command", OPS_COMMAND, NEEDS_COLLECTION},
	{"drop", cmd_drop, "command", OPS_COMMAND, NEEDS_COLLECTION},
	{"dropDatabase", cmd_drop_database, "command", OPS_COMMAND, 0},
	{"fsync", cmd_fsync, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"commitTransaction", cmd_commit, "command", OPS_COMMAND, NEEDS_ADMIN | ENDS_TXN},
	{"abortTransaction", cmd_abort, "command", OPS_COMMAND, NEEDS_ADMIN | ENDS_TXN},
	{"killSessions", cmd_kill_sessions, "command", OPS_COMMAND, 0},
	{"killAllSessions", cmd_kill_all_sessions, "command", OPS_COMMAND, NEEDS_ADMIN},
	{"endSessions", cmd_kill_sessions, "command", OPS_COMMAND, 0},
	{"shutdown", cmd_shutdown, "command", OPS_COMMAND, NEEDS_ADMIN},
};

static const struct command_entry *find_entry(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcasecmp(table[i].name, name) == 0) {
			return &table[i];
		}
	}
	return NULL;
}

void commands_append_fail(bson_t *out, const struct fail *fail)
{
	BSON_APPEND_DOUBLE(out, "ok", 0.0);
	BSON_APPEND_UTF8(out, "errmsg", fail->msg);
	BSON_APPEND_INT32(out, "code", (int32_t)fail->code);
	BSON_APPEND_UTF8(out, "codeName", fail_name(fail->code));
}

/* Fills cmd->ns from the command's value. */
static bool set_namespace(struct command *cmd, unsigned flags)
{
	const char *db = cmd->req->db, *name = NULL;

	if ((flags & (NEEDS_COLLECTION | MAY_COLLECTION)) != 0) {
		name = bsonx_name(&cmd->arg, OPS_NS_MAX - strlen(db) - 1);
	}
	if (name != NULL && (name[0] == '.' || strchr(name, '$') != NULL)) {
		name = NULL;
	} else if (name == NULL && (flags & MAY_COLLECTION) != 0 && bsonx_is_number(&cmd->arg)) {
		snprintf(cmd->ns, sizeof(cmd->ns), "%s.$cmd.aggregate", db);
		return true;
	}
	if (name == NULL && (flags & (NEEDS_COLLECTION | MAY_COLLECTION)) != 0) {
		return fail_set(cmd->fail, FAIL_INVALID_NAMESPACE, "not a name for a collection");
	}
	snprintf(cmd->ns, sizeof(cmd->ns), "%s.%s", db, name == NULL ? "$cmd" : name);
	return true;
}

static bool run(struct command *cmd)
{
	struct ops *ops = &cmd->conn->node->ops;
	const struct command_entry *entry;

	if (!bson_iter_init(&cmd->arg, &cmd->req->body) || !bson_iter_next(&cmd->arg)) {
		return fail_set(cmd->fail, FAIL_COMMAND_NOT_FOUND, "an empty command");
	}
	entry = find_entry(bson_iter_key(&cmd->arg));
	/* Writes are counted by the statement, where they are made. */
	ops_count(ops, entry != NULL && entry->fn == cmd_find ? OPS_QUERY : OPS_COMMANDS,
		entry == NULL || entry->class != OPS_WRITE);
	if (entry == NULL) {
		return fail_set(cmd->fail, FAIL_COMMAND_NOT_FOUND, "no such command: '%.100s'",
			bson_iter_key(&cmd->arg));
	}
	if ((entry->flags & NEEDS_ADMIN) != 0 && strcmp(cmd->req->db, "admin") != 0) {
		return fail_set(cmd->fail, FAIL_UNAUTHORIZED,
			"%s may only be run against the admin database.", entry->name);
	}
	if (!set_namespace(cmd, entry->flags)) {
		return false;
	}
	ops_begin(ops, cmd->conn->op, entry->class, entry->op, cmd->ns, cmd->req);
	bool ok = (entry->flags & ENDS_TXN) != 0 ||
		  command_enter_txn(cmd, (entry->flags & STATEMENT) != 0);
	if (ok) {
		ok = entry->fn(cmd);
		command_leave_txn(cmd, ok);
	}
	if (entry->fn != cmd_drop) {
		command_record_top(cmd, entry->op, entry->class == OPS_WRITE,
			(ops_now_ns() - cmd->conn->op->start_ns) / 1000);
	}
	ops_end(ops, cmd->conn->op);
	return ok;
}

void commands_run(struct conn *conn, const struct request *req, bson_t *out)
{
	struct fail fail;
	struct command cmd = {.conn = conn, .req = req, .out = out, .fail = &fail};

	if (run(&cmd)) {
		BSON_APPEND_DOUBLE(out, "ok", 1.0);
	} else {
		bson_reinit(out);
		commands_append_fail(out, &fail);
		command_append_labels(&cmd, out);
	}
}

static bool in_list(const char *const *list, const char *key)
{
	while (*list != NULL && strcmp(*list, key) != 0) {
		list++;
	}
	return *list != NULL;
}

/*
 * Outside of a transaction reads are always of what is committed now, which is what these levels
 * promise of one node.
 */
static bool check_read_concern(struct command *cmd, const bson_iter_t *it)
{
	static const char *const levels[] = {"local", "available", "majority", NULL};
	bson_t doc;
	bson_iter_t level;

	if (cmd->txn != NULL || !bsonx_iter_view(it, &doc) ||
		!bson_iter_init_find(&level, &doc, "level")) {
		return true;
	}
	const char *name = bsonx_name(&level, 32);
	if (name == NULL || !in_list(levels, name)) {
		return fail_set(cmd->fail, FAIL_NOT_IMPLEMENTED,
			"this read concern is not supported by wtnode");
	}
	return true;
}

bool command_check_options(struct command *cmd, const char *const *known)
{
	static const char *const common[] = {"$db", "lsid", "$readPreference", "$clusterTime",
		"comment", "maxTimeMS", "readConcern", "writeConcern", "txnNumber", "autocommit",
		"startTransaction", NULL};
	bson_iter_t it = cmd->arg;

	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (strcmp(key, "readConcern") == 0 && !check_read_concern(cmd, &it)) {
			return false;
		}
		if (!in_list(known, key) && !in_list(common, key)) {
			return fail_set(cmd->fail, FAIL_NOT_IMPLEMENTED,
				"the option '%.60s' is not supported by wtnode", key);
		}
	}
	return true;
}

bool command_session(struct command *cmd, WT_SESSION **session)
{
	struct conn *conn = cmd->conn;

	if (conn->session == NULL) {
		int ret = engine_session(&conn->node->engine, &conn->session);

		if (ret != 0) {
			conn->session = NULL;
			return fail_engine(cmd->fail, ret, "opening a session");
		}
	}
	*session = conn->session;
	return true;
}

bool command_store(struct command *cmd, struct store_context *ctx)
{
	struct conn *conn = cmd->conn;
	WT_SESSION *session;
	int64_t max_ms = bsonx_number(&cmd->req->body, "maxTimeMS", 0);

	if (!command_session(cmd, &session)) {
		return false;
	}
	*ctx = (struct store_context){.engine = &conn->node->engine,
		.session = cmd->txn != NULL ? cmd->txn->session : session,
		.slot = conn->slot,
		.op = conn->op,
		.ops = &conn->node->ops,
		.stopping = &conn->node->stopping,
		.txn = cmd->txn};
	if (max_ms > 0 && max_ms < INT32_MAX) {
		ctx->deadline_ns = ops_now_ns() + max_ms * 1000000;
	}
	return true;
}

static bool fail_killed(struct command *cmd)
{
	if (atomic_load(&cmd->txn->killed) == FAIL_TRANSACTION_EXPIRED) {
		return fail_set(cmd->fail, FAIL_TRANSACTION_EXPIRED,
			"operation was interrupted because the transaction exceeded the configured "
			"'transactionLifetimeLimitSeconds'");
	}
	return fail_set(cmd->fail, FAIL_INTERRUPTED, "operation was interrupted");
}

bool command_result(struct command *cmd, int result, const char *what)
{
	switch (result) {
	case 0:
	case STORE_STOP:
		return true;
	case STORE_TIMEOUT:
		return fail_set(cmd->fail, FAIL_MAX_TIME, "operation exceeded time limit");
	case STORE_STOPPING:
		return fail_set(cmd->fail, FAIL_SHUTTING_DOWN, "the node is shutting down");
	case STORE_KILLED:
		return fail_killed(cmd);
	default:
		return fail_engine(cmd->fail, result, what);
	}
}

void command_cursor_begin(struct command_cursor *cc, bson_t *out, const char *ns)
{
	cc->count = cc->bytes = 0;
	bson_append_document_begin(out, "cursor", -1, &cc->cursor);
	BSON_APPEND_INT64(&cc->cursor, "id", 0);
	BSON_APPEND_UTF8(&cc->cursor, "ns", ns);
	bson_append_array_begin(&cc->cursor, "firstBatch", -1, &cc->batch);
}

bool command_cursor_add(struct command_cursor *cc, const bson_t *doc)
{
	char buf[16];
	const char *key;

	if (doc->len > COMMAND_REPLY_MAX - cc->bytes) {
		return false;
	}
	bson_uint32_to_string(cc->count, &key, buf, sizeof(buf));
	cc->count++;
	cc->bytes += doc->len;
	return BSON_APPEND_DOCUMENT(&cc->batch, key, doc);
}

void command_cursor_end(struct command_cursor *cc, bson_t *out)
{
	bson_append_array_end(&cc->cursor, &cc->batch);
	bson_append_document_end(out, &cc->cursor);
}
