/*
 * Transactions as commands state them: lsid, txnNumber, autocommit: false, startTransaction and a
 * read concern on a statement; commitTransaction, abortTransaction; killSessions and endSessions.
 *
 * A txnNumber without autocommit is a retryable write, which this node takes as any other write.
 */
#include "commands.h"

/* ---- what a command says ----------------------------------------------------------------------
 */

static bool read_id(const bson_t *lsid, struct txn_id *id, struct fail *fail)
{
	bson_subtype_t subtype;
	bson_iter_t it;
	const uint8_t *bytes = NULL;
	uint32_t len = 0;

	if (bson_iter_init_find(&it, lsid, "id") && BSON_ITER_HOLDS_BINARY(&it)) {
		bson_iter_binary(&it, &subtype, &len, &bytes);
	}
	if (bytes == NULL || len != TXN_ID_BYTES) {
		return fail_set(fail, FAIL_TYPE_MISMATCH, "the id of a session must be a UUID");
	}
	memcpy(id->bytes, bytes, TXN_ID_BYTES);
	id->subtype = (uint8_t)subtype;
	return true;
}

static bool read_concern(const bson_t *body, struct txn_request *req, struct fail *fail)
{
	static const char *const levels[] = {"local", "majority", "snapshot"};
	const char *level = NULL;
	bson_iter_t it, sub;
	bson_t concern;
	uint32_t t = 0, i = 0;

	if (!bson_iter_init_find(&it, body, "readConcern") || !bsonx_iter_view(&it, &concern)) {
		return true;
	}
	req->has_concern = true;
	if (bson_iter_init_find(&sub, &concern, "level")) {
		level = bsonx_name(&sub, TXN_LEVEL_MAX);
		for (size_t n = 0; n < sizeof(levels) / sizeof(levels[0]); n++) {
			if (level != NULL && strcmp(level, levels[n]) == 0) {
				snprintf(req->level, sizeof(req->level), "%s", level);
			}
		}
		if (req->level[0] == '\0') {
			return fail_set(fail, FAIL_INVALID_OPTIONS,
				"The readConcern level must be either 'local' (default), "
				"'majority' or 'snapshot' in order to run in a transaction");
		}
	}
	if (!bson_iter_init_find(&sub, &concern, "atClusterTime")) {
		return true;
	}
	if (BSON_ITER_HOLDS_TIMESTAMP(&sub)) {
		bson_iter_timestamp(&sub, &t, &i);
	}
	req->at = (uint64_t)t << 32 | i;
	if (req->at == 0 || strcmp(req->level, "snapshot") != 0) {
		return fail_set(fail, FAIL_INVALID_OPTIONS,
			"atClusterTime must be a timestamp and needs the level 'snapshot'");
	}
	return true;
}

static bool is_false(const bson_t *body, const char *key)
{
	return !bsonx_flag(body, key, true);
}

/* Reads the command's transaction; *has is whether it is part of one. */
static bool read_request(const bson_t *body, struct txn_request *req, bool *has, struct fail *fail)
{
	bool autocommit = bson_has_field(body, "autocommit");
	bool start = bson_has_field(body, "startTransaction");
	bson_iter_t it;
	bson_t lsid;

	*has = autocommit;
	*req = (struct txn_request){.start = start};
	if (start && !autocommit) {
		return fail_set(fail, FAIL_INVALID_OPTIONS,
			"'startTransaction' field requires 'autocommit' field to also be "
			"specified");
	}
	if (!autocommit) {
		return true;
	}
	if (!is_false(body, "autocommit") || (start && is_false(body, "startTransaction"))) {
		return fail_set(fail, FAIL_INVALID_OPTIONS,
			"Specifying autocommit=true or startTransaction=false is not allowed.");
	}
	if (!bson_iter_init_find(&it, body, "txnNumber") || !bsonx_is_number(&it) ||
		bsonx_int64(&it) < 0) {
		return fail_set(fail, FAIL_INVALID_OPTIONS,
			"'autocommit' field requires a transaction number to also be specified");
	}
	req->number = bsonx_int64(&it);
	if (!bson_iter_init_find(&it, body, "lsid") || !bsonx_iter_view(&it, &lsid)) {
		return fail_set(fail, FAIL_INVALID_OPTIONS,
			"Transaction number requires a session ID to also be specified");
	}
	return read_id(&lsid, &req->id, fail) && read_concern(body, req, fail);
}

/* ---- statements -------------------------------------------------------------------------------
 */

/* What may not be a statement, and the databases that have none. */
static bool check_statement(struct command *cmd, const struct txn_request *req, bool allowed)
{
	static const char *const closed[] = {"admin", "config", "local"};

	if (!allowed) {
		return fail_set(cmd->fail, FAIL_NOT_IN_TRANSACTION,
			"Cannot run '%.60s' in a multi-document transaction.",
			bson_iter_key(&cmd->arg));
	}
	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		if (strcmp(cmd->req->db, closed[i]) == 0) {
			return fail_set(cmd->fail, FAIL_NOT_IN_TRANSACTION,
				"Cannot run command against the '%s' database in a transaction.",
				closed[i]);
		}
	}
	if (req->has_concern && !req->start) {
		return fail_set(cmd->fail, FAIL_INVALID_OPTIONS,
			"Only the first command in a transaction may specify a readConcern");
	}
	return true;
}

bool command_enter_txn(struct command *cmd, bool allowed)
{
	struct txn_request req;
	bool has;

	if (!read_request(&cmd->req->body, &req, &has, cmd->fail)) {
		return false;
	}
	if (!has) {
		return true;
	}
	if (!check_statement(cmd, &req, allowed)) {
		return false;
	}
	cmd->txn = txn_enter(&cmd->conn->node->txns, &req, &cmd->conn->op->client, cmd->fail);
	if (cmd->txn == NULL) {
		return false;
	}
	ops_set_txn(cmd->conn->op, cmd->txn);
	return true;
}

void command_leave_txn(struct command *cmd, bool ok)
{
	if (cmd->txn != NULL) {
		ops_set_txn(cmd->conn->op, NULL);
		txn_leave(&cmd->conn->node->txns, cmd->txn, ok && !cmd->abort_after);
	}
}

void command_append_labels(const struct command *cmd, bson_t *out)
{
	enum fail_code code = cmd->fail->code;
	bson_t labels;

	if (bson_has_field(&cmd->req->body, "autocommit") &&
		(code == FAIL_WRITE_CONFLICT || code == FAIL_NO_SUCH_TRANSACTION ||
			code == FAIL_LOCK_TIMEOUT)) {
		bson_append_array_begin(out, "errorLabels", -1, &labels);
		BSON_APPEND_UTF8(&labels, "0", "TransientTransactionError");
		bson_append_array_end(out, &labels);
	}
}

/* ---- their end --------------------------------------------------------------------------------
 */

static bool read_ending(struct command *cmd, struct txn_request *req)
{
	static const char *const known[] = {"recoveryToken", NULL};
	bool has;

	if (!command_check_options(cmd, known) ||
		!read_request(&cmd->req->body, req, &has, cmd->fail)) {
		return false;
	}
	if (!has || req->start || req->has_concern) {
		return fail_set(cmd->fail, FAIL_INVALID_OPTIONS,
			"%s must be run within a transaction: lsid, txnNumber and autocommit: "
			"false, and nothing else of it",
			bson_iter_key(&cmd->arg));
	}
	return true;
}

bool cmd_commit(struct command *cmd)
{
	struct txn_request req;

	return read_ending(cmd, &req) &&
	       txn_commit(&cmd->conn->node->txns, &req, cmd->conn->slot, cmd->fail);
}

bool cmd_abort(struct command *cmd)
{
	struct txn_request req;

	return read_ending(cmd, &req) && txn_abort(&cmd->conn->node->txns, &req, cmd->fail);
}

/* Also endSessions, which in mongod leaves the same to a job that runs later. */
bool cmd_kill_sessions(struct command *cmd)
{
	struct txns *txns = &cmd->conn->node->txns;
	struct txn_id id;
	bson_iter_t list;
	bson_t lsid;
	unsigned n = 0;

	if (!BSON_ITER_HOLDS_ARRAY(&cmd->arg) || !bson_iter_recurse(&cmd->arg, &list)) {
		return fail_set(cmd->fail, FAIL_TYPE_MISMATCH, "'%.60s' must be an array",
			bson_iter_key(&cmd->arg));
	}
	for (; bson_iter_next(&list); n++) {
		if (!BSON_ITER_HOLDS_DOCUMENT(&list) || !bsonx_iter_view(&list, &lsid)) {
			return fail_set(cmd->fail, FAIL_TYPE_MISMATCH, "a session is {id: UUID}");
		}
		if (!read_id(&lsid, &id, cmd->fail)) {
			return false;
		}
		txns_kill(txns, &id);
	}
	if (n == 0 && strcasecmp(bson_iter_key(&cmd->arg), "killSessions") == 0) {
		txns_kill(txns, NULL);
	}
	return true;
}

bool cmd_kill_all_sessions(struct command *cmd)
{
	bson_iter_t list;

	if (!BSON_ITER_HOLDS_ARRAY(&cmd->arg) || !bson_iter_recurse(&cmd->arg, &list) ||
		bson_iter_next(&list)) {
		return fail_set(cmd->fail, FAIL_NOT_IMPLEMENTED,
			"killAllSessions takes [] here: there are no users");
	}
	txns_kill(&cmd->conn->node->txns, NULL);
	return true;
}
