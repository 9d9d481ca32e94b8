/* find and count. */
#include "commands.h"

/* A query as both commands state it. */
struct query {
	struct command *cmd;
	struct match match;
	bson_t filter;
	int64_t limit;                /* 0 = none */
	struct command_cursor cursor; /* find: the documents found */
	bool full;                    /* find: they do not fit one reply */
	int64_t found;
};

/* The filter under that name; an absent one matches all. */
static bool read_filter(struct query *q, const char *name)
{
	bson_iter_t it;

	bson_init(&q->filter);
	if (bson_iter_init_find(&it, &q->cmd->req->body, name) &&
		(!BSON_ITER_HOLDS_DOCUMENT(&it) || !bsonx_iter_view(&it, &q->filter))) {
		return fail_set(q->cmd->fail, FAIL_TYPE_MISMATCH, "'%s' must be a document", name);
	}
	return match_compile(&q->match, &q->filter, q->cmd->fail);
}

static void read_limits(struct query *q)
{
	const bson_t *body = &q->cmd->req->body;
	int64_t limit = bsonx_number(body, "limit", 0);
	int64_t batch = bsonx_number(body, "batchSize", 0);

	/* A negative limit is an old way to ask for one batch. */
	q->limit = limit == INT64_MIN ? INT64_MAX : limit < 0 ? -limit : limit;
	if (bsonx_flag(body, "singleBatch", false) && batch > 0 &&
		(q->limit == 0 || batch < q->limit)) {
		q->limit = batch;
	}
}

static int visit_find(const bson_t *doc, void *arg)
{
	struct query *q = arg;

	if (!match_doc(&q->match, doc)) {
		return 0;
	}
	if (!command_cursor_add(&q->cursor, doc)) {
		q->full = true;
		return STORE_STOP;
	}
	q->found++;
	return q->found == q->limit ? STORE_STOP : 0;
}

static int visit_count(const bson_t *doc, void *arg)
{
	struct query *q = arg;

	q->found += match_doc(&q->match, doc);
	return q->found > 0 && q->found == q->limit ? STORE_STOP : 0;
}

/*
 * Of the indexes the one that the filter restricts most, by the number of its fields; NULL when
 * none is of use. A transaction does not see what was built after it began.
 */
static const struct index *choose_index(
	const struct query *q, const struct collection *coll, struct index_range *range)
{
	const struct txn *txn = q->cmd->txn;
	const struct index *best = NULL;
	unsigned most = 0;

	for (unsigned i = 0; i < coll->index_count; i++) {
		const struct index *ix = coll->indexes[i];
		unsigned fields = txn != NULL && txn->horizon < ix->since
					  ? 0
					  : index_bounds(ix, &q->match, range);

		if (fields > most) {
			most = fields;
			best = ix;
		}
	}
	if (best != NULL) {
		index_bounds(best, &q->match, range);
	}
	return best;
}

/* Answers the query by an index that restricts it, else by reading the whole collection. */
static bool run_scan(struct query *q, const struct store_context *ctx, struct collection *coll,
	store_visit *visit)
{
	struct index_range *range = malloc(sizeof(*range)); /* large for a stack */

	if (range == NULL) {
		return fail_set(q->cmd->fail, FAIL_INTERNAL, "out of memory");
	}
	const struct index *ix = choose_index(q, coll, range);
	int ret;
	if (ix != NULL) {
		ops_set_plan(ctx->op, ix->plan);
		ret = store_range(ctx, coll, ix, range, visit, q);
	} else {
		ops_set_plan(ctx->op, "COLLSCAN");
		ret = store_scan(ctx, coll, visit, q);
		ops_count(ctx->ops, OPS_COLLSCANS, 1);
	}
	free(range);
	return command_result(q->cmd, ret, "scan");
}

/* Answers the query by _id where it names one. */
static bool run_query(struct query *q, struct collection *coll, store_visit *visit)
{
	struct store_context ctx;
	struct idkey key;
	bson_iter_t id;
	int ret;

	if (!command_store(q->cmd, &ctx)) {
		return false;
	}
	if (match_id(&q->match, &id)) {
		ops_set_plan(ctx.op, q->match.count == 1 ? "IDHACK" : "IXSCAN { _id: 1 }");
		if (!idkey_encode(&key, &id, q->cmd->fail)) {
			return false;
		}
		ret = store_find(&ctx, coll, &key, visit, q);
		return command_result(q->cmd, ret == WT_NOTFOUND ? 0 : ret, "find");
	}
	return run_scan(q, &ctx, coll, visit);
}

bool cmd_find(struct command *cmd)
{
	static const char *const known[] = {"filter", "limit", "batchSize", "singleBatch",
		"noCursorTimeout", "allowPartialResults", "allowDiskUse", NULL};
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct query q = {.cmd = cmd};

	if (!command_check_options(cmd, known) || !read_filter(&q, "filter")) {
		return false;
	}
	read_limits(&q);
	struct collection *coll = catalog_get(catalog, cmd->ns);
	command_cursor_begin(&q.cursor, cmd->out, cmd->ns);
	bool ok = coll == NULL || run_query(&q, coll, visit_find);
	command_cursor_end(&q.cursor, cmd->out);
	catalog_put(catalog, coll);
	if (ok && q.full) {
		return fail_set(cmd->fail, FAIL_TOO_LARGE,
			"the result exceeds %d bytes and wtnode has no cursors: set a limit or "
			"narrow "
			"the filter",
			COMMAND_REPLY_MAX);
	}
	return ok;
}

bool cmd_count(struct command *cmd)
{
	static const char *const known[] = {"query", "limit", "fields", NULL};
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct query q = {.cmd = cmd};
	bool ok = true;

	if (!command_check_options(cmd, known) || !read_filter(&q, "query")) {
		return false;
	}
	read_limits(&q);
	struct collection *coll = catalog_get(catalog, cmd->ns);
	if (coll != NULL && q.match.count == 0) {
		ops_set_plan(cmd->conn->op, "RECORD_STORE_FAST_COUNT");
		q.found = atomic_load(&coll->count);
		q.found = q.limit > 0 && q.limit < q.found ? q.limit : q.found;
	} else if (coll != NULL) {
		ok = run_query(&q, coll, visit_count);
	}
	catalog_put(catalog, coll);
	bsonx_append_int(cmd->out, "n", q.found);
	return ok;
}
