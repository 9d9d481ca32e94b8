/*
 * Reading many documents, in the order of insertion or of a secondary index, in slices: each has a
 * snapshot of its own, unless the client has a transaction.
 */
#include "store_snapshot.h"

#include "bsonx.h"

/* ---- the whole collection ---------------------------------------------------------------------
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
	int seen = 0, ret = store_begin(ctx);

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
	store_end(ctx);
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
		(why = store_interrupted(ctx)) == 0) {
		atomic_fetch_add(&ctx->op->yields, ctx->txn == NULL);
	}
	scan.cursor->close(scan.cursor);
	return why != 0 ? why : ret == WT_NOTFOUND ? 0 : ret;
}

/* ---- a range of an index ----------------------------------------------------------------------
 */

struct range_scan {
	const struct index_range *range;
	WT_CURSOR *entries, *records;
	struct ixkey last; /* the entry visited last; without one, where the range begins */
	bool begun;
	store_visit *visit;
	void *arg;
};

/* Moves to the first entry of the slice. */
static int seek(struct range_scan *scan)
{
	WT_ITEM key = {.data = scan->last.bytes, .size = scan->last.len};
	WT_CURSOR *cursor = scan->entries;
	int exact = 0;

	cursor->set_key(cursor, &key);
	int ret = cursor->search_near(cursor, &exact);
	bool before = exact < 0 || (exact == 0 && scan->begun);
	return ret == 0 && before ? cursor->next(cursor) : ret;
}

/* Visits the document of the entry that the cursor stands on. */
static int visit_entry(const struct store_context *ctx, struct range_scan *scan)
{
	WT_ITEM key, value;
	bson_t doc;
	int ret = scan->entries->get_key(scan->entries, &key);

	if (ret != 0) {
		return ret;
	}
	if (key.size > sizeof(scan->last.bytes)) {
		return WT_ERROR;
	}
	if (index_is_behind(scan->range, key.data, key.size)) {
		return WT_NOTFOUND;
	}
	memcpy(scan->last.bytes, key.data, key.size);
	scan->last.len = key.size;
	scan->begun = true;
	atomic_fetch_add(&ctx->op->keys, 1);
	scan->records->set_key(scan->records, ixkey_record(key.data, key.size));
	ret = scan->records->search(scan->records);
	if (ret == 0) {
		ret = scan->records->get_value(scan->records, &value);
	}
	if (ret != 0 || !bsonx_view(&doc, value.data, value.size)) {
		return ret == 0 || ret == WT_NOTFOUND ? WT_ERROR : ret;
	}
	atomic_fetch_add(&ctx->op->docs, 1);
	return scan->visit(&doc, scan->arg);
}

/* Up to STORE_YIELD_DOCS entries under one snapshot. 0: there may be more. */
static int range_slice(const struct store_context *ctx, struct range_scan *scan)
{
	int ret = store_begin(ctx);

	if (ret != 0) {
		return ret;
	}
	ret = seek(scan);
	for (int n = 0; ret == 0 && n < STORE_YIELD_DOCS; n++) {
		ret = n == 0 ? 0 : scan->entries->next(scan->entries);
		if (ret == 0) {
			ret = visit_entry(ctx, scan);
		}
	}
	scan->entries->reset(scan->entries);
	scan->records->reset(scan->records);
	store_end(ctx);
	return ret;
}

int store_range(const struct store_context *ctx, struct collection *coll, const struct index *ix,
	const struct index_range *range, store_visit *visit, void *arg)
{
	struct range_scan scan = {.range = range, .visit = visit, .arg = arg};
	WT_SESSION *session = ctx->session;
	int why = 0, ret = session->open_cursor(session, ix->uri, NULL, NULL, &scan.entries);

	if (ret != 0) {
		return ret;
	}
	ret = session->open_cursor(session, coll->records, NULL, NULL, &scan.records);
	if (ret != 0) {
		scan.entries->close(scan.entries);
		return ret;
	}
	memcpy(scan.last.bytes, range->low.bytes, range->low.len);
	scan.last.len = range->low.len;
	while (((ret = range_slice(ctx, &scan)) == 0 || (ret == WT_ROLLBACK && ctx->txn == NULL)) &&
		(why = store_interrupted(ctx)) == 0) {
		atomic_fetch_add(&ctx->op->yields, ctx->txn == NULL);
	}
	scan.records->close(scan.records);
	scan.entries->close(scan.entries);
	return why != 0 ? why : ret == WT_NOTFOUND ? 0 : ret;
}
