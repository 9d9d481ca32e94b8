/*
 * What the parts of the store share: the snapshot that an operation reads, which is its own or that
 * of the client's transaction, and whether it has to end.
 */
#ifndef WTNODE_STORE_SNAPSHOT_H
#define WTNODE_STORE_SNAPSHOT_H

#include "store.h"

/* Begins what one snapshot shall see, unless the client's transaction is that. */
static inline int store_begin(const struct store_context *ctx)
{
	return ctx->txn != NULL ? 0 : ctx->session->begin_transaction(ctx->session, NULL);
}

/* Ends it without a commit. */
static inline void store_end(const struct store_context *ctx)
{
	if (ctx->txn == NULL) {
		ctx->session->rollback_transaction(ctx->session, NULL);
	}
}

/* 0, or the STORE_ value that says why the operation has to end. */
static inline int store_interrupted(const struct store_context *ctx)
{
	if (atomic_load(ctx->stopping)) {
		return STORE_STOPPING;
	}
	if (ctx->txn != NULL && atomic_load(&ctx->txn->killed) != 0) {
		return STORE_KILLED;
	}
	return ctx->deadline_ns != 0 && ops_now_ns() > ctx->deadline_ns ? STORE_TIMEOUT : 0;
}

#endif
