/*
 * Commands: a table of name -> handler, and what the handlers share. A handler fills the reply or
 * the failure; the dispatcher adds ok, or errmsg, code and codeName.
 */
#ifndef WTNODE_COMMANDS_H
#define WTNODE_COMMANDS_H

#include "bsonx.h"
#include "match.h"
#include "node.h"
#include "store.h"

#define COMMAND_REPLY_MAX 16777216 /* bytes of the documents in one reply */

struct command {
	struct conn *conn;
	const struct request *req;
	bson_iter_t arg;         /* the first field: the command and its value */
	char ns[OPS_NS_MAX + 1]; /* "db.collection", or "db.$cmd" without one */
	bson_t *out;
	struct fail *fail;
	struct txn *txn;    /* checked out for this statement, or NULL */
	int64_t statements; /* updates or deletes in it, 0 when it has no such list */
	bool abort_after;   /* a statement of the transaction failed in a reply that is ok */
};

/* Answers; true after filling cmd->out, false after filling cmd->fail. */
typedef bool command_fn(struct command *cmd);

/* Runs the request and fills out, an empty document, with the whole reply. */
void commands_run(struct conn *conn, const struct request *req, bson_t *out);

/* The reply of a failure. */
void commands_append_fail(bson_t *out, const struct fail *fail);

/*
 * Refuses any option of the command that is not in the NULL-terminated list: an option silently
 * ignored would give a wrong answer. What every driver adds ($db, lsid, comment, ...) is accepted.
 */
bool command_check_options(struct command *cmd, const char *const *known);

/* The connection's own session, opened at its first use. Never inside a transaction. */
bool command_session(struct command *cmd, WT_SESSION **session);

/* What the store needs, in the client's transaction if there is one. */
bool command_store(struct command *cmd, struct store_context *ctx);

/* Turns a result of the store into a failure; true for 0 and STORE_STOP. */
bool command_result(struct command *cmd, int result, const char *what);

/* {cursor: {id: 0, ns, firstBatch: [...]}} around documents, which the caller appends to batch. */
struct command_cursor {
	bson_t cursor, batch;
	unsigned count;
	uint32_t bytes;
};
void command_cursor_begin(struct command_cursor *cc, bson_t *out, const char *ns);
bool command_cursor_add(struct command_cursor *cc, const bson_t *doc); /* false: reply is full */
void command_cursor_end(struct command_cursor *cc, bson_t *out);

/* cmd_basic.c */
command_fn cmd_hello, cmd_ping, cmd_build_info, cmd_host_info, cmd_cmd_line, cmd_shutdown;
/* cmd_log.c */
command_fn cmd_get_log;
/* cmd_params.c */
command_fn cmd_get_parameter, cmd_set_parameter;
/* cmd_status.c */
command_fn cmd_server_status;
/* cmd_crud.c */
command_fn cmd_find, cmd_count;
/* cmd_write.c */
command_fn cmd_insert, cmd_update, cmd_delete;
/* cmd_admin.c */
command_fn cmd_list_databases, cmd_list_collections, cmd_drop, cmd_drop_database, cmd_fsync;
/* cmd_index.c */
command_fn cmd_create_indexes, cmd_list_indexes, cmd_drop_indexes;
/* cmd_collstats.c */
command_fn cmd_coll_stats;
bool coll_stats_stage(struct command *cmd, const bson_t *spec);
/*
 * cmd_txn.c: brackets around a command that may be a statement of a transaction, if it says so.
 * allowed: whether it may be one. Leave after a true enter only.
 */
bool command_enter_txn(struct command *cmd, bool allowed);
void command_leave_txn(struct command *cmd, bool ok);
/* Appends errorLabels to a failure that lets the client try its whole transaction again. */
void command_append_labels(const struct command *cmd, bson_t *out);
command_fn cmd_commit, cmd_abort, cmd_kill_sessions, cmd_kill_all_sessions;
/* cmd_top.c: counts an operation on a collection that took us microseconds. */
void command_record_top(struct command *cmd, const char *op, bool write, int64_t us);
command_fn cmd_top;
/* cmd_ops.c */
command_fn cmd_current_op, cmd_aggregate;

#endif
