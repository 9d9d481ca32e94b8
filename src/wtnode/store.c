#include "store_snapshot.h"

#include "bsonx.h"

#include <sched.h>

#define CONFLICT_YIELDS 100 /* attempts before a writer sleeps between two */
#define CONFLICT_US     1000

/* The cursors of a collection, open for one operation; those of secondary indexes for a write. */
struct trees {
	const struct collection *coll;
	WT_CURSOR *records, *index, *secondary[INDEX_MAX];
	unsigned secondaries;
};

static void close_trees(struct trees *trees)
{
	for (unsigned i = 0; i < trees->secondaries; i++) {
		trees->secondary[i]->close(trees->secondary[i]);
	}
	if (trees->records != NULL) {
		trees->records->close(trees->records);
	}
	if (trees->index != NULL) {
		trees->index->close(trees->index);
	}
}

static int open_trees(
	WT_SESSION *session, const struct collection *coll, bool write, struct trees *trees)
{
	*trees = (struct trees){.coll = coll};
	int ret =
		session->open_cursor(session, coll->index, NULL, "overwrite=false", &trees->index);

	if (ret == 0) {
		ret = session->open_cursor(session, coll->records, NULL, NULL, &trees->records);
	}
	for (unsigned i = 0; write && ret == 0 && i < coll->index_count; i++) {
		ret = session->open_cursor(
			session, coll->indexes[i]->uri, NULL, NULL, &trees->secondary[i]);
		trees->secondaries += ret == 0;
	}
	if (ret != 0) {
		close_trees(trees);
	}
	return ret;
}

/* One attempt inside a transaction; returns 0 to commit. */
typedef int attempt_fn(const struct store_context *ctx, struct trees *trees, void *arg);

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
	int ret = store_begin(ctx);

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
	store_end(ctx);
	return ret;
}

/* Runs the attempt in a transaction until it commits or fails for another reason than a conflict.
 */
static int write_transaction(
	const struct store_context *ctx, struct collection *coll, attempt_fn *attempt, void *arg)
{
	struct trees trees;
	int why = 0, ret = open_trees(ctx->session, coll, true, &trees);

	if (ret != 0) {
		return ret;
	}
	for (int i = 0; (ret = write_once(ctx, &trees, attempt, arg)) == WT_ROLLBACK; i++) {
		wait_conflict(ctx, ctx->txn == NULL ? i : 0);
		why = store_interrupted(ctx);
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

/* ---- secondary indexes ------------------------------------------------------------------------
 */

static int write_entry(WT_CURSOR *cursor, const struct ixkey *key, bool remove)
{
	WT_ITEM item = {.data = key->bytes, .size = key->len}, empty = {.data = "", .size = 0};

	cursor->set_key(cursor, &item);
	if (remove) {
		return cursor->remove(cursor);
	}
	cursor->set_value(cursor, &empty);
	return cursor->insert(cursor);
}

/* Brings the entries of a document from what it was to what it is; one of the two may be NULL. */
static int move_entries(
	const struct trees *trees, int64_t record, const bson_t *old, const bson_t *new)
{
	struct ixkey was = {.len = 0}, is = {.len = 0};
	int ret = 0;

	for (unsigned i = 0; i < trees->secondaries && ret == 0; i++) {
		if (old != NULL) {
			index_key(trees->coll->indexes[i], old, record, &was);
		}
		if (new != NULL) {
			index_key(trees->coll->indexes[i], new, record, &is);
		}
		if (was.len == is.len && memcmp(was.bytes, is.bytes, is.len) == 0) {
			continue;
		}
		if (old != NULL) {
			ret = write_entry(trees->secondary[i], &was, true);
		}
		if (new != NULL && ret == 0) {
			ret = write_entry(trees->secondary[i], &is, false);
		}
	}
	return ret;
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
		if (ret == 0) {
			ret = move_entries(trees, record, NULL, &in->docs[i]);
		}
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
	int ret = open_trees(ctx->session, coll, false, &trees);

	if (ret != 0) {
		return ret;
	}
	/* One snapshot for both trees: a rewrite or a removal between them stays invisible. */
	ret = store_begin(ctx);
	if (ret == 0) {
		ret = look_up(ctx, &trees, key, &record, &doc);
		if (ret == 0) {
			ret = visit(&doc, arg);
		}
		store_end(ctx);
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

		ret = move_entries(trees, record, &old, &new);
		if (ret == 0) {
			trees->records->set_key(trees->records, record);
			trees->records->set_value(trees->records, &item);
			ret = trees->records->update(trees->records);
		}
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
	ret = move_entries(trees, record, &old, NULL);
	if (ret == 0) {
		ret = trees->records->remove(trees->records);
	}
	if (ret != 0) {
		return ret;
	}
	return trees->index->remove(trees->index);
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
