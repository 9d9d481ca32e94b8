/*
 * Transactions of several statements. A session (the client's lsid) has one at a time, with a
 * session of the engine of its own, so that each statement may come on another connection.
 *
 * A statement checks the transaction out with txn_enter and in again with txn_leave; between the
 * two it belongs to that thread. A statement that fails ends it. So do killSessions, the node's end
 * and the reaper once its lifetime has passed: at once when it is idle, else when its statement
 * comes back, which looks at `killed` from time to time.
 *
 * A finished transaction is remembered, with its number, until its place is needed.
 */
#ifndef WTNODE_TXN_H
#define WTNODE_TXN_H

#include "catalog.h"

#define TXN_OPEN_MAX    64  /* open at once */
#define TXN_SESSIONS    256 /* remembered */
#define TXN_TOUCHED_MAX 16  /* collections that one can write to */
#define TXN_ID_BYTES    16
#define TXN_LEVEL_MAX   15 /* bytes of a read concern's level */

enum txn_state { TXN_UNUSED, TXN_OPEN, TXN_COMMITTED, TXN_ABORTED };

struct txn_id {
	uint8_t bytes[TXN_ID_BYTES];
	uint8_t subtype; /* of the binary that it came as */
};

/* What a command says of its transaction. */
struct txn_request {
	struct txn_id id;
	int64_t number;
	bool start;
	bool has_concern;              /* a read concern was given */
	char level[TXN_LEVEL_MAX + 1]; /* empty when none was given */
	uint64_t at;                   /* atClusterTime, 0 = none */
};

/* What an open transaction did to the count and the size of a collection. */
struct txn_touched {
	struct collection *coll;
	int64_t count, bytes;
};

struct txn {
	enum txn_state state;
	bool busy; /* checked out */
	struct txn_id id;
	int64_t number;
	int64_t used_ns;   /* last time, of ops_now_ns */
	atomic_int killed; /* an enum fail_code: why the statement shall end; 0 = go on */
	/* while open */
	WT_SESSION *session;
	char level[TXN_LEVEL_MAX + 1];
	uint64_t at;
	uint64_t read_stamp; /* 0: the plain snapshot of its start */
	uint64_t horizon;    /* what was made after this timestamp cannot be seen */
	int64_t start_ns, busy_ns, active_ns, start_wall_ms, lifetime_ms;
	struct ops_client client; /* of the last statement */
	struct txn_touched touched[TXN_TOUCHED_MAX];
	unsigned touched_count;
};

struct txn_counts {
	int64_t open, active, started, committed, aborted;
};

struct txns {
	struct engine *engine;
	struct catalog *catalog;
	struct ops *ops;
	const atomic_uint *lifetime_s;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t reaper;
	bool stop;
	struct txn all[TXN_SESSIONS];
	struct txn_counts counts;
};

/* Starts the reaper. What it is given outlives it; lifetime_s may change at any time. */
bool txns_open(struct txns *t, struct engine *engine, struct catalog *catalog, struct ops *ops,
	const atomic_uint *lifetime_s, struct fail *fail);

/* Aborts what is idle, lets nothing begin or go on, and ends the reaper. */
void txns_stop(struct txns *t);

/* After txns_stop, when no statement runs any more. */
void txns_close(struct txns *t);

/* Lets the reaper see a changed lifetime. */
void txns_wake(struct txns *t);

/*
 * Checks out the transaction of the request, which a start begins. Waits for a statement that has
 * it. NULL after filling fail.
 */
struct txn *txn_enter(struct txns *t, const struct txn_request *req,
	const struct ops_client *client, struct fail *fail);

/* Checks it in; aborts it when the statement was not ok or something else asked for its end. */
void txn_leave(struct txns *t, struct txn *txn, bool ok);

/* Commits, on the connection of that slot. A committed transaction is committed again at no cost.
 */
bool txn_commit(struct txns *t, const struct txn_request *req, unsigned slot, struct fail *fail);
bool txn_abort(struct txns *t, const struct txn_request *req, struct fail *fail);

/* Ends the open transaction of that session, of all sessions with NULL. */
void txns_kill(struct txns *t, const struct txn_id *id);

/*
 * Says that the transaction writes to the collection, which then stays until its end. Only the
 * thread that has it checked out may call this and txn_account.
 */
bool txn_touch(struct txns *t, struct txn *txn, struct collection *coll, struct fail *fail);

/* Adds to what the commit will add to the count and the size of a collection it touched. */
void txn_account(struct txn *txn, struct collection *coll, int64_t count, int64_t bytes);

void txns_count(struct txns *t, struct txn_counts *counts);

/* A copy to report from, of a transaction whose statement cannot end meanwhile. */
void txn_copy(struct txns *t, const struct txn *txn, struct txn *copy);

/* Calls visit with a copy of each idle open transaction until it returns false. */
void txns_each_idle(struct txns *t, bool (*visit)(const struct txn *txn, void *arg), void *arg);

/* txn_report.c: appends lsid and transaction as $currentOp has them, from a copy. */
void txn_report(const struct txn *txn, bson_t *doc);

#endif
