#include "store.h"

#include "bsonx.h"

#include <sched.h>

#define CONFLICT_YIELDS 100 /* attempts before a writer sleeps between two */
#define CONFLICT_US     1000

/* The two cursors of a collection, open for one operation. */
struct trees {
	WT_CURSOR *records, *index;
};

static int open_trees(WT_SESSION *session, const struct collection *coll, struct trees *trees)
{
	int ret =
		session->open_cursor(session, coll->index, NULL, "overwrite=false", &trees->index);

	if (ret == 0) {
		ret = session->open_cursor(session, coll->records, NULL, NULL, &trees->records);
		if (ret != 0) {
			trees->index->close(trees->index);
		}
	}
	return ret;
}

static void close_trees(struct trees *trees)
{
	trees->index->close(trees->index);
	trees->records->close(trees->records);
}

/* One attempt inside a transaction; returns 0 to commit. */
typedef int attempt_fn(const struct store_context *ctx, struct trees *trees, void *arg);

/* Whether the operation has to end; 0 or why. */
static int interrupted(const struct store_context *ctx)
{
	if (atomic_load(ctx->stopping)) {
		return STORE_STOPPING;
	}
	if (ctx->txn != NULL && atomic_load(&ctx->txn->killed) != 0) {
		return STORE_KILLED;
	}
	return ctx->deadline_ns != 0 && ops_now_ns() > ctx->deadline_ns ? STORE_TIMEOUT : 0;
}

/* Begins what one snapshot shall see, unless the client's transaction is that. */
static int begin(const struct store_context *ctx)
{
	return ctx->txn != NULL ? 0 : ctx->session->begin_transaction(ctx->session, NULL);
}

static void end(const struct store_context *ctx)
{
	if (ctx->txn == NULL) {
		ctx->session->rollback_transaction(ctx->session, NULL);
	}
}

/* Another transaction was faster; it may stay open for long, so a busy loop would not do. */
static void wait_conflict(const struct store_context *ctx, int attempt)
{
	struct timespec pause = {.tv_nsec = CONFLICT_US * 1000};

	ops_count(ctx->ops, OPS_WRITE_CONFLICTS, 1);
	if (attempt < CONFLICT_YIELDS) {
		sched_yield();
	} else {
		nanosleep(&pause, NULL);
	}
}

/* One try of write_transaction. */
static int write_once(
	const struct store_context *ctx, struct trees *trees, attempt_fn *attempt, void *arg)
{
	int ret = begin(ctx);

	if (ret != 0) {
		return ret;
	}
	ret = attempt(ctx, trees, arg);
	if (ctx->txn != NULL) {
		return ret;
	}
	if (ret == 0) {
		return engine_commit(ctx->engine, ctx->session, ctx->slot);
	}
	end(ctx);
	return ret;
}

/* Runs the attempt in a transaction until it commits or fails for another reason than a conflict.
 */
static int write_transaction(
	const struct store_context *ctx, struct collection *coll, attempt_fn *attempt, void *arg)
{
	struct trees trees;
	int why = 0, ret = open_trees(ctx->session, coll, &trees);

	if (ret != 0) {
		return ret;
	}
	for (int i = 0; (ret = write_once(ctx, &trees, attempt, arg)) == WT_ROLLBACK; i++) {
		wait_conflict(ctx, ctx->txn == NULL ? i : 0);
		why = interrupted(ctx);
		if (ctx->txn != NULL || why != 0) {
			break;
		}
	}
	close_trees(&trees);
	return why != 0 ? why : ret;
}

/* Counts what a write did, at the latest when it can be seen. */
static void account(
	const struct store_context *ctx, struct collection *coll, int64_t count, int64_t bytes)
{
	if (ctx->txn != NULL) {
		txn_account(ctx->txn, coll, count, bytes);
	} else {
		atomic_fetch_add(&coll->count, count);
		atomic_fetch_add(&coll->bytes, bytes);
	}
}

/* ---- insert -----------------------------------------------------------------------------------
 */

struct insertion {
	const bson_t *docs;
	const struct idkey *keys;
	unsigned count;
	int64_t first_record;
};

static int insert_attempt(const struct store_context *ctx, struct trees *trees, void *arg)
{
	const struct insertion *in = arg;

	(void)ctx;
	for (unsigned i = 0; i < in->count; i++) {
		WT_ITEM key = {.data = in->keys[i].bytes, .size = in->keys[i].len};
		WT_ITEM doc = {.data = bson_get_data(&in->docs[i]), .size = in->docs[i].len};
		int64_t record = in->first_record + i;

		trees->index->set_key(trees->index, &key);
		trees->index->set_value(trees->index, record);
		int ret = trees->index->insert(trees->index);
		if (ret != 0) {
			return ret;
		}
		trees->records->set_key(trees->records, record);
		trees->records->set_value(trees->records, &doc);
		ret = trees->records->insert(trees->records);
		if (ret != 0) {
			return ret;
		}
	}
	return 0;
}

int store_insert(const struct store_context *ctx, struct collection *coll, const bson_t *docs,
	const struct idkey *keys, unsigned count)
{
	struct insertion in = {.docs = docs, .keys = keys, .count = count};
	int64_t bytes = 0;

	in.first_record = atomic_fetch_add(&coll->next_record, count);
	int ret = write_transaction(ctx, coll, insert_attempt, &in);
	if (ret == 0) {
		for (unsigned i = 0; i < count; i++) {
			bytes += docs[i].len;
		}
		account(ctx, coll, count, bytes);
	}
	return ret;
}

/* ---- one document by _id ----------------------------------------------------------------------
 */

/* Positions records on the document with the key and gives a view of it. */
static int look_up(const struct store_context *ctx, struct trees *trees, const struct idkey *key,
	int64_t *record, bson_t *doc)
{
	WT_ITEM item = {.data = key->bytes, .size = key->len}, value = {0};

	trees->index->set_key(trees->index, &item);
	int ret = trees->index->search(trees->index);
	if (ret == 0) {
		ret = trees->index->get_value(trees->index, record);
	}
	if (ret != 0) {
		return ret;
	}
	atomic_fetch_add(&ctx->op->keys, 1);
	trees->records->set_key(trees->records, *record);
	ret = trees->records->search(trees->records);
	if (ret == 0) {
		ret = trees->records->get_value(trees->records, &value);
	}
	if (ret != 0) {
		return ret;
	}
	atomic_fetch_add(&ctx->op->docs, 1);
	return bsonx_view(doc, value.data, value.size) ? 0 : WT_ERROR;
}

int store_find(const struct store_context *ctx, struct collection *coll, const struct idkey *key,
	store_visit *visit, void *arg)
{
	struct trees trees;
	int64_t record = 0;
	bson_t doc;
	int ret = open_trees(ctx->session, coll, &trees);

	if (ret != 0) {
		return ret;
	}
	/* One snapshot for both trees: a rewrite or a removal between them stays invisible. */
	ret = begin(ctx);
	if (ret == 0) {
		ret = look_up(ctx, &trees, key, &record, &doc);
		if (ret == 0) {
			ret = visit(&doc, arg);
		}
		end(ctx);
	}
	close_trees(&trees);
	return ret;
}

struct rewriting {
	const struct idkey *key;
	store_rewrite *rewrite;
	void *arg;
	bool changed;
	int64_t growth; /* bytes */
};

static int update_attempt(const struct store_context *ctx, struct trees *trees, void *arg)
{
	struct rewriting *rw = arg;
	int64_t record = 0;
	bson_t old, new;
	int ret = look_up(ctx, trees, rw->key, &record, &old);

	if (ret != 0) {
		return ret;
	}
	bson_init(&new);
	ret = rw->rewrite(&new, &old, rw->arg);
	if (ret == 0) {
		rw->changed = !bson_equal(&new, &old);
		rw->growth = (int64_t) new.len - (int64_t)old.len;
	}
	if (ret == 0 && rw->changed) {
		WT_ITEM item = {.data = bson_get_data(&new), .size = new.len};

		trees->records->set_key(trees->records, record);
		trees->records->set_value(trees->records, &item);
		ret = trees->records->update(trees->records);
	}
	bson_destroy(&new);
	return ret;
}

int store_update(const struct store_context *ctx, struct collection *coll, const struct idkey *key,
	store_rewrite *rewrite, void *arg, bool *changed)
{
	struct rewriting rw = {.key = key, .rewrite = rewrite, .arg = arg};
	int ret = write_transaction(ctx, coll, update_attempt, &rw);

	if (ret == 0) {
		*changed = rw.changed;
		account(ctx, coll, 0, rw.growth);
	}
	return ret;
}

static int delete_attempt(const struct store_context *ctx, struct trees *trees, void *arg)
{
	struct rewriting *rw = arg;
	int64_t record = 0;
	bson_t old;
	int ret = look_up(ctx, trees, rw->key, &record, &old);

	if (ret != 0) {
		return ret;
	}
	rw->growth = -(int64_t)old.len;
	ret = trees->records->remove(trees->records);
	return ret == 0 ? trees->index->remove(trees->index) : ret;
}

int store_delete(const struct store_context *ctx, struct collection *coll, const struct idkey *key)
{
	struct rewriting rw = {.key = key};
	int ret = write_transaction(ctx, coll, delete_attempt, &rw);

	if (ret == 0) {
		account(ctx, coll, -1, rw.growth);
	}
	return ret;
}

/* ---- scan -------------------------------------------------------------------------------------
 */

struct scan {
	WT_CURSOR *cursor;
	int64_t last; /* the record visited last, 0 before the first */
	store_visit *visit;
	void *arg;
};

/* Moves to the record behind the last one, also after the cursor was reset. */
static int advance(struct scan *scan, bool first)
{
	WT_CURSOR *cursor = scan->cursor;
	int exact = 0;

	if (!first || scan->last == 0) {
		return cursor->next(cursor);
	}
	cursor->set_key(cursor, scan->last);
	int ret = cursor->search_near(cursor, &exact);
	return ret == 0 && exact <= 0 ? cursor->next(cursor) : ret;
}

/* Up to STORE_YIELD_DOCS documents under one snapshot. 0: there may be more. */
static int scan_slice(const struct store_context *ctx, struct scan *scan)
{
	WT_ITEM value;
	bson_t doc;
	int64_t record = 0;
	int seen = 0, ret = begin(ctx);

	if (ret != 0) {
		return ret;
	}
	while (ret == 0 && seen < STORE_YIELD_DOCS && (ret = advance(scan, seen == 0)) == 0) {
		ret = scan->cursor->get_key(scan->cursor, &record);
		if (ret == 0) {
			ret = scan->cursor->get_value(scan->cursor, &value);
		}
		if (ret == 0 && !bsonx_view(&doc, value.data, value.size)) {
			ret = WT_ERROR;
		}
		if (ret == 0) {
			seen++;
			scan->last = record;
			ret = scan->visit(&doc, scan->arg);
		}
	}
	scan->cursor->reset(scan->cursor);
	end(ctx);
	atomic_fetch_add(&ctx->op->docs, seen);
	return ret;
}

int store_scan(
	const struct store_context *ctx, struct collection *coll, store_visit *visit, void *arg)
{
	struct scan scan = {.visit = visit, .arg = arg};
	int why = 0,
	    ret = ctx->session->open_cursor(ctx->session, coll->records, NULL, NULL, &scan.cursor);

	if (ret != 0) {
		return ret;
	}
	atomic_fetch_add(&coll->collscans, 1);
	while (((ret = scan_slice(ctx, &scan)) == 0 || (ret == WT_ROLLBACK && ctx->txn == NULL)) &&
		(why = interrupted(ctx)) == 0) {
		atomic_fetch_add(&ctx->op->yields, ctx->txn == NULL);
	}
	scan.cursor->close(scan.cursor);
	return why != 0 ? why : ret == WT_NOTFOUND ? 0 : ret;
}
