/* insert, update and delete. Each statement fails for itself, as writeErrors say. */
#include "commands.h"

#include "update.h"

/* What a write command has done so far. */
struct writing {
	struct command *cmd;
	struct store_context ctx;
	struct collection *coll;
	bool ordered;
	int64_t n, modified;
	bson_t errors, upserted;
	uint32_t error_count, upserted_count;
	bool failed; /* the command as a whole, as cmd->fail says */
};

static bool begin_writing(struct writing *w, struct command *cmd, bool create)
{
	*w = (struct writing){.cmd = cmd, .ordered = bsonx_flag(&cmd->req->body, "ordered", true)};
	WT_SESSION *session;

	if (!command_store(cmd, &w->ctx) || !command_session(cmd, &session)) {
		return false;
	}
	w->coll = create ? catalog_create(&cmd->conn->node->catalog, session, cmd->ns, cmd->fail)
			 : catalog_get(&cmd->conn->node->catalog, cmd->ns);
	if (w->coll == NULL && create) {
		return false;
	}
	if (w->coll != NULL && cmd->txn != NULL &&
		!txn_touch(&cmd->conn->node->txns, cmd->txn, w->coll, cmd->fail)) {
		catalog_put(&cmd->conn->node->catalog, w->coll);
		return false;
	}
	bson_init(&w->errors);
	bson_init(&w->upserted);
	return true;
}

/* Fills the reply; false when the command failed as a whole. */
static bool end_writing(struct writing *w)
{
	bson_t *out = w->cmd->out;

	catalog_put(&w->cmd->conn->node->catalog, w->coll);
	bsonx_append_int(out, "n", w->n);
	if (w->upserted_count > 0) {
		BSON_APPEND_ARRAY(out, "upserted", &w->upserted);
	}
	if (w->error_count > 0) {
		BSON_APPEND_ARRAY(out, "writeErrors", &w->errors);
	}
	bson_destroy(&w->errors);
	bson_destroy(&w->upserted);
	return !w->failed;
}

/* A failure after which the client shall try again is the command's and not the statement's. */
static bool is_transient(enum fail_code code)
{
	return code == FAIL_WRITE_CONFLICT || code == FAIL_TRANSACTION_EXPIRED ||
	       code == FAIL_INTERRUPTED || code == FAIL_SHUTTING_DOWN;
}

/* Notes the failure of a statement; false when the command is to end with it. */
static bool statement_failed(struct writing *w, uint32_t index, const struct fail *fail)
{
	char buf[16];
	const char *key;
	bson_t error;

	w->cmd->abort_after = w->cmd->txn != NULL;
	if (w->cmd->txn != NULL && is_transient(fail->code)) {
		*w->cmd->fail = *fail;
		w->failed = true;
		return false;
	}
	bson_uint32_to_string(w->error_count++, &key, buf, sizeof(buf));
	BSON_APPEND_DOCUMENT_BEGIN(&w->errors, key, &error);
	BSON_APPEND_INT32(&error, "index", (int32_t)index);
	BSON_APPEND_INT32(&error, "code", (int32_t)fail->code);
	BSON_APPEND_UTF8(&error, "errmsg", fail->msg);
	bson_append_document_end(&w->errors, &error);
	return !w->ordered && w->cmd->txn == NULL;
}

static bool write_result(struct writing *w, int ret, struct fail *fail)
{
	if (ret == WT_DUPLICATE_KEY) {
		return fail_set(fail, FAIL_DUPLICATE_KEY,
			"E11000 duplicate key error collection: %.150s index: _id_", w->cmd->ns);
	}
	if (!command_result(w->cmd, ret, "write")) {
		*fail = *w->cmd->fail;
		return false;
	}
	return true;
}

/* ---- insert -----------------------------------------------------------------------------------
 */

/* Documents that wait to be inserted in one transaction. */
struct batch {
	bson_t docs[STORE_BATCH];
	struct idkey keys[STORE_BATCH];
	uint32_t index[STORE_BATCH]; /* in the command */
	unsigned count;
};

/*
 * Inserts what waits; after a failure one by one, to find whose it was. In a client's transaction
 * one by one from the beginning: a part of it cannot be taken back.
 */
static bool flush(struct writing *w, struct batch *b)
{
	struct fail fail;
	bool go_on = true;
	bool done = w->cmd->txn == NULL &&
		    store_insert(&w->ctx, w->coll, b->docs, b->keys, b->count) == 0;

	if (done) {
		w->n += b->count;
		ops_count(&w->cmd->conn->node->ops, OPS_INSERT, b->count);
	}
	for (unsigned i = 0; !done && i < b->count && go_on; i++) {
		int one = store_insert(&w->ctx, w->coll, &b->docs[i], &b->keys[i], 1);

		ops_count(&w->cmd->conn->node->ops, OPS_INSERT, 1);
		if (write_result(w, one, &fail)) {
			w->n++;
		} else {
			go_on = statement_failed(w, b->index[i], &fail);
		}
	}
	for (unsigned i = 0; i < b->count; i++) {
		bson_destroy(&b->docs[i]);
	}
	b->count = 0;
	return go_on;
}

/* Adds a document, with an _id if it has none. */
static bool add(struct batch *b, const bson_t *doc, uint32_t index, struct fail *fail)
{
	bson_t *copy = &b->docs[b->count];
	bson_iter_t it;
	bson_oid_t oid;

	if (doc->len > WIRE_DOCUMENT_MAX) {
		return fail_set(
			fail, FAIL_TOO_LARGE, "the document exceeds %d bytes", WIRE_DOCUMENT_MAX);
	}
	if (bson_iter_init_find(&it, doc, "_id")) {
		if (!idkey_encode(&b->keys[b->count], &it, fail)) {
			return false;
		}
		bsonx_view(copy, bson_get_data(doc), doc->len);
	} else {
		bson_init(copy);
		bson_oid_init(&oid, NULL);
		BSON_APPEND_OID(copy, "_id", &oid);
		bson_concat(copy, doc);
		if (!bson_iter_init_find(&it, copy, "_id") ||
			!idkey_encode(&b->keys[b->count], &it, fail)) {
			bson_destroy(copy);
			return false;
		}
	}
	b->index[b->count++] = index;
	return true;
}

static void insert_all(struct writing *w, struct doc_list *docs, struct batch *b)
{
	struct fail fail;
	bson_t doc;
	bool go_on = true;

	b->count = 0;
	for (uint32_t i = 0; go_on && doc_list_next(docs, &doc); i++) {
		if (!add(b, &doc, i, &fail)) {
			go_on = flush(w, b) && statement_failed(w, i, &fail);
		} else if (b->count == STORE_BATCH) {
			go_on = flush(w, b);
		}
	}
	if (go_on && b->count > 0) {
		flush(w, b);
	}
}

bool cmd_insert(struct command *cmd)
{
	static const char *const known[] = {
		"documents", "ordered", "bypassDocumentValidation", NULL};
	struct writing w;
	struct doc_list docs;
	struct batch *b;

	if (!command_check_options(cmd, known) ||
		!request_docs(cmd->req, "documents", &docs, cmd->fail)) {
		return false;
	}
	b = aligned_alloc(_Alignof(struct batch), sizeof(*b));
	if (b == NULL) {
		return fail_set(cmd->fail, FAIL_INTERNAL, "out of memory");
	}
	bool ok = begin_writing(&w, cmd, true);
	if (ok) {
		insert_all(&w, &docs, b);
		ok = end_writing(&w);
	}
	free(b);
	return ok;
}

/* ---- update and delete by _id -----------------------------------------------------------------
 */

struct statement {
	struct writing *w;
	uint32_t index;
	struct match match;
	struct idkey key;
	bson_iter_t id;
	bson_t query, spec;
	bool upsert;
	struct fail *fail;
};

static bool read_query(struct statement *st, const bson_t *doc)
{
	bson_iter_t it;

	if (!bson_iter_init_find(&it, doc, "q") || !bsonx_iter_view(&it, &st->query)) {
		return fail_set(st->fail, FAIL_FAILED_TO_PARSE, "'q' must be a document");
	}
	if (!match_compile(&st->match, &st->query, st->fail)) {
		return false;
	}
	if (st->match.count != 1 || !match_id(&st->match, &st->id)) {
		return fail_set(
			st->fail, FAIL_NOT_IMPLEMENTED, "wtnode writes by _id only: {_id: value}");
	}
	return idkey_encode(&st->key, &st->id, st->fail);
}

static bool read_update(struct statement *st, const bson_t *doc)
{
	static const char *const unsupported[] = {"arrayFilters", "collation", "hint", "c"};
	bson_iter_t it;

	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
		if (bson_iter_init_find(&it, doc, unsupported[i])) {
			return fail_set(st->fail, FAIL_NOT_IMPLEMENTED,
				"the option '%s' is not supported by wtnode", unsupported[i]);
		}
	}
	if (!bson_iter_init_find(&it, doc, "u") || !BSON_ITER_HOLDS_DOCUMENT(&it) ||
		!bsonx_iter_view(&it, &st->spec)) {
		return fail_set(st->fail, FAIL_FAILED_TO_PARSE, "'u' must be a document");
	}
	st->upsert = bsonx_flag(doc, "upsert", false);
	return read_query(st, doc);
}

static int rewrite(bson_t *out, const bson_t *old, void *arg)
{
	struct statement *st = arg;

	if (!update_apply(out, old, &st->spec, st->fail)) {
		return STORE_REFUSED;
	}
	if (out->len > WIRE_DOCUMENT_MAX) {
		fail_set(st->fail, FAIL_TOO_LARGE, "the document would exceed %d bytes",
			WIRE_DOCUMENT_MAX);
		return STORE_REFUSED;
	}
	return 0;
}

static void append_upserted(struct statement *st)
{
	char buf[16];
	const char *key;
	bson_t doc;

	bson_uint32_to_string(st->w->upserted_count++, &key, buf, sizeof(buf));
	BSON_APPEND_DOCUMENT_BEGIN(&st->w->upserted, key, &doc);
	BSON_APPEND_INT32(&doc, "index", (int32_t)st->index);
	bson_append_iter(&doc, "_id", 3, &st->id);
	bson_append_document_end(&st->w->upserted, &doc);
}

/* Inserts what the update makes of {_id: value}. */
static int upsert(struct statement *st)
{
	bson_t seed, doc;

	bson_init(&seed);
	bson_init(&doc);
	bson_append_iter(&seed, "_id", 3, &st->id);
	int ret = rewrite(&doc, &seed, st);
	if (ret == 0) {
		ret = store_insert(&st->w->ctx, st->w->coll, &doc, &st->key, 1);
	}
	if (ret == 0) {
		append_upserted(st);
	}
	bson_destroy(&doc);
	bson_destroy(&seed);
	return ret;
}

static bool update_one(struct statement *st, const bson_t *doc)
{
	struct writing *w = st->w;
	bool changed = false;
	int ret;

	if (!read_update(st, doc)) {
		return false;
	}
	/* A document that another client inserts between the two is found in the next round. */
	do {
		ret = w->coll == NULL
			      ? WT_NOTFOUND
			      : store_update(&w->ctx, w->coll, &st->key, rewrite, st, &changed);
		if (ret != WT_NOTFOUND || !st->upsert) {
			break;
		}
		ret = upsert(st);
	} while (ret == WT_DUPLICATE_KEY && w->cmd->txn == NULL);
	if (ret == WT_NOTFOUND) {
		return true;
	}
	if (ret == STORE_REFUSED) {
		return false;
	}
	if (ret == 0) {
		w->n++;
		w->modified += changed;
	}
	return write_result(w, ret, st->fail);
}

static bool delete_one(struct statement *st, const bson_t *doc)
{
	struct writing *w = st->w;

	if (!read_query(st, doc)) {
		return false;
	}
	int ret = w->coll == NULL ? WT_NOTFOUND : store_delete(&w->ctx, w->coll, &st->key);
	if (ret == WT_NOTFOUND) {
		return true;
	}
	w->n += ret == 0;
	return write_result(w, ret, st->fail);
}

/* Runs the statements of the list one after another. */
static void write_all(struct writing *w, struct doc_list *docs, enum ops_counter counter,
	bool (*one)(struct statement *st, const bson_t *doc))
{
	struct fail fail;
	bson_t doc;
	bool go_on = true;

	for (uint32_t i = 0; go_on && doc_list_next(docs, &doc); i++) {
		struct statement st = {.w = w, .index = i, .fail = &fail};

		ops_count(&w->cmd->conn->node->ops, counter, 1);
		w->cmd->statements++;
		if (!one(&st, &doc)) {
			go_on = statement_failed(w, i, &fail);
		}
	}
}

static bool any_upsert(const struct doc_list *list)
{
	struct doc_list docs = *list;
	bson_t doc;

	while (doc_list_next(&docs, &doc)) {
		if (bsonx_flag(&doc, "upsert", false)) {
			return true;
		}
	}
	return false;
}

bool cmd_update(struct command *cmd)
{
	static const char *const known[] = {"updates", "ordered", "bypassDocumentValidation", NULL};
	struct writing w;
	struct doc_list docs;

	if (!command_check_options(cmd, known) ||
		!request_docs(cmd->req, "updates", &docs, cmd->fail) ||
		!begin_writing(&w, cmd, any_upsert(&docs))) {
		return false;
	}
	ops_set_plan(cmd->conn->op, "IDHACK");
	write_all(&w, &docs, OPS_UPDATE, update_one);
	bsonx_append_int(cmd->out, "nModified", w.modified);
	return end_writing(&w);
}

bool cmd_delete(struct command *cmd)
{
	static const char *const known[] = {"deletes", "ordered", NULL};
	struct writing w;
	struct doc_list docs;

	if (!command_check_options(cmd, known) ||
		!request_docs(cmd->req, "deletes", &docs, cmd->fail) ||
		!begin_writing(&w, cmd, false)) {
		return false;
	}
	ops_set_plan(cmd->conn->op, "IDHACK");
	write_all(&w, &docs, OPS_DELETE, delete_one);
	return end_writing(&w);
}
