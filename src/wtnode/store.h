/*
 * Documents in collections: insert, look up by _id, scan, rewrite and remove. Every write is a
 * transaction with a commit timestamp; a conflict between two is retried here until the deadline.
 * In a client's transaction all is a part of that, nothing is retried, and after an error the
 * transaction must be aborted.
 *
 * Functions return 0, an error of WiredTiger, or one of the STORE_ values below. A context belongs
 * to one connection; its session is never left on a positioned cursor, and inside a transaction
 * only when the client began one, so nothing else stays pinned between requests.
 */
#ifndef WTNODE_STORE_H
#define WTNODE_STORE_H

#include "idkey.h"
#include "txn.h"

#include <bson/bson.h>

#define STORE_BATCH      64   /* documents inserted in one transaction, as mongod */
#define STORE_YIELD_DOCS 1000 /* a scan lets go of its snapshot this often, as mongod */

enum store_result {
	STORE_STOP = 1, /* the visitor has seen enough; not an error */
	STORE_TIMEOUT,  /* the deadline passed */
	STORE_STOPPING, /* the node is shutting down */
	STORE_REFUSED,  /* the rewriter said no */
	STORE_KILLED,   /* the client's transaction is to end: txn->killed says why */
};

struct store_context {
	struct engine *engine;
	WT_SESSION *session;
	unsigned slot;
	struct op_slot *op; /* where progress is shown */
	struct ops *ops;
	const atomic_bool *stopping;
	struct txn *txn;     /* of the client, its session is the one above; or NULL */
	int64_t deadline_ns; /* of ops_now_ns, 0 = none */
};

/* Sees one document, a view that ends with the call. Returns 0 to go on or STORE_STOP. */
typedef int store_visit(const bson_t *doc, void *arg);

/*
 * Makes the new document from the old one. Returns 0, or STORE_REFUSED to leave all as it was. It
 * may be called again after a conflict, with out empty again.
 */
typedef int store_rewrite(bson_t *out, const bson_t *old, void *arg);

/* Inserts documents with their index keys in one transaction; all or none. */
int store_insert(const struct store_context *ctx, struct collection *coll, const bson_t *docs,
	const struct idkey *keys, unsigned count);

/* Visits the document with that _id: reads two trees. WT_NOTFOUND when there is none. */
int store_find(const struct store_context *ctx, struct collection *coll, const struct idkey *key,
	store_visit *visit, void *arg);

/*
 * Visits every document in the order of insertion until the end (0), STORE_STOP or the deadline.
 * Yields as mongod does: lets go of its snapshot, but not in a client's transaction.
 */
int store_scan(
	const struct store_context *ctx, struct collection *coll, store_visit *visit, void *arg);

/* The same for the documents of a range of the index, in its order. */
int store_range(const struct store_context *ctx, struct collection *coll, const struct index *ix,
	const struct index_range *range, store_visit *visit, void *arg);

/* Rewrites the document with that _id. *changed: whether the bytes differ. */
int store_update(const struct store_context *ctx, struct collection *coll, const struct idkey *key,
	store_rewrite *rewrite, void *arg, bool *changed);

int store_delete(const struct store_context *ctx, struct collection *coll, const struct idkey *key);

#endif
