/* collStats, the command and the stage: a collection's size and its tables' own statistics. */
#include "commands.h"

#include "clockx.h"
#include "wtstat.h"

#include <inttypes.h>

/* The statistics of one table under the name. */
static int append_table(const struct store_context *ctx, const char *table, const char *name,
	int version, bson_t *out)
{
	char uri[CATALOG_URI_MAX + 16];
	bson_t doc, metadata;

	snprintf(uri, sizeof(uri), "statistics:%s", table);
	bson_append_document_begin(out, name, -1, &doc);
	BSON_APPEND_DOCUMENT_BEGIN(&doc, "metadata", &metadata);
	BSON_APPEND_INT32(&metadata, "formatVersion", version);
	bson_append_document_end(&doc, &metadata);
	BSON_APPEND_UTF8(&doc, "type", "file");
	BSON_APPEND_UTF8(&doc, "uri", uri);
	int ret = wtstat_append(ctx->session, uri, &doc);
	bson_append_document_end(out, &doc);
	return ret;
}

static int table_sizes(
	const struct store_context *ctx, const char *table, int64_t *size, int64_t *reusable)
{
	char uri[CATALOG_URI_MAX + 16];

	snprintf(uri, sizeof(uri), "statistics:%s", table);
	int ret = wtstat_get(ctx->session, uri, WT_STAT_DSRC_BLOCK_SIZE, size);
	return ret == 0 ? wtstat_get(ctx->session, uri, WT_STAT_DSRC_BLOCK_REUSE_BYTES, reusable)
			: ret;
}

/* Adds the table's bytes in the file, and those of them that can be used again. */
static int add_sizes(
	const struct store_context *ctx, const char *table, int64_t *size, int64_t *reusable)
{
	int64_t one = 0, free_bytes = 0;
	int ret = table_sizes(ctx, table, &one, &free_bytes);

	*size += one;
	*reusable += free_bytes;
	return ret;
}

static int append_indexes(const struct store_context *ctx, const struct collection *coll,
	int64_t scale, int64_t *total, bson_t *out)
{
	int64_t size[1 + INDEX_MAX] = {0}, reusable = 0;
	bson_t doc;
	int ret = add_sizes(ctx, coll->index, &size[0], &reusable);

	*total = size[0];
	BSON_APPEND_INT32(out, "nindexes", (int32_t)coll->index_count + 1);
	BSON_APPEND_DOCUMENT_BEGIN(out, "indexDetails", &doc);
	if (ret == 0) {
		ret = append_table(ctx, coll->index, "_id_", 8, &doc);
	}
	for (unsigned i = 0; i < coll->index_count && ret == 0; i++) {
		const struct index *ix = coll->indexes[i];

		ret = add_sizes(ctx, ix->uri, &size[1 + i], &reusable);
		*total += size[1 + i];
		if (ret == 0) {
			ret = append_table(ctx, ix->uri, ix->name, 8, &doc);
		}
	}
	bson_append_document_end(out, &doc);
	bsonx_append_int(out, "totalIndexSize", *total / scale);
	BSON_APPEND_DOCUMENT_BEGIN(out, "indexSizes", &doc);
	bsonx_append_int(&doc, "_id_", size[0] / scale);
	for (unsigned i = 0; i < coll->index_count; i++) {
		bsonx_append_int(&doc, coll->indexes[i]->name, size[1 + i] / scale);
	}
	bson_append_document_end(out, &doc);
	return ret;
}

/* The fields of mongod's storageStats. A scale divides the sizes. */
static bool append_stats(struct command *cmd, struct collection *coll, int64_t scale, bson_t *out)
{
	struct store_context ctx;
	int64_t count = atomic_load(&coll->count), bytes = atomic_load(&coll->bytes);
	int64_t size = 0, reusable = 0, index_size = 0;

	if (!command_store(cmd, &ctx)) {
		return false;
	}
	int ret = table_sizes(&ctx, coll->records, &size, &reusable);
	if (ret != 0) {
		return fail_engine(cmd->fail, ret, "reading the statistics");
	}
	bsonx_append_int(out, "size", bytes / scale);
	bsonx_append_int(out, "count", count);
	if (count > 0) {
		bsonx_append_int(out, "avgObjSize", bytes / count);
	}
	bsonx_append_int(out, "storageSize", size / scale);
	bsonx_append_int(out, "freeStorageSize", reusable / scale);
	BSON_APPEND_BOOL(out, "capped", false);
	ret = append_table(&ctx, coll->records, "wiredTiger", 1, out);
	if (ret == 0) {
		ret = append_indexes(&ctx, coll, scale, &index_size, out);
	}
	bsonx_append_int(out, "totalSize", (size + index_size) / scale);
	bsonx_append_int(out, "scaleFactor", scale);
	return ret == 0 ? true : fail_engine(cmd->fail, ret, "reading the statistics");
}

static bool read_scale(struct command *cmd, const bson_t *doc, int64_t *scale)
{
	*scale = bsonx_number(doc, "scale", 1);
	return *scale > 0 ? true : fail_set(cmd->fail, FAIL_BAD_VALUE, "scale must be positive");
}

bool cmd_coll_stats(struct command *cmd)
{
	struct catalog *catalog = &cmd->conn->node->catalog;
	int64_t scale;

	if (!read_scale(cmd, &cmd->req->body, &scale)) {
		return false;
	}
	struct collection *coll = catalog_get(catalog, cmd->ns);
	BSON_APPEND_UTF8(cmd->out, "ns", cmd->ns);
	if (coll == NULL) {
		/* As mongod: zeros, no error. */
		static const char *const zeros[] = {
			"size", "count", "storageSize", "totalSize", "nindexes", "totalIndexSize"};

		for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++) {
			BSON_APPEND_INT32(cmd->out, zeros[i], 0);
		}
		return true;
	}
	bool ok = append_stats(cmd, coll, scale, cmd->out);
	catalog_put(catalog, coll);
	return ok;
}

static void append_exec_stats(const struct collection *coll, bson_t *out)
{
	bson_t exec, scans;
	int64_t n = atomic_load(&coll->collscans);

	BSON_APPEND_DOCUMENT_BEGIN(out, "queryExecStats", &exec);
	BSON_APPEND_DOCUMENT_BEGIN(&exec, "collectionScans", &scans);
	BSON_APPEND_INT64(&scans, "total", n);
	BSON_APPEND_INT64(&scans, "nonTailable", n);
	bson_append_document_end(&exec, &scans);
	bson_append_document_end(out, &exec);
}

/* Fills the one document of the stage's result. */
static bool fill_stage(
	struct command *cmd, struct collection *coll, const bson_t *spec, bson_t *doc)
{
	bson_iter_t it;
	bson_t storage, sub;
	int64_t scale = 1;
	bool ok = true;

	BSON_APPEND_UTF8(doc, "ns", cmd->ns);
	BSON_APPEND_UTF8(doc, "host", cmd->conn->node->host);
	BSON_APPEND_DATE_TIME(doc, "localTime", clockx_wall_ms());
	if (bson_iter_init_find(&it, spec, "storageStats")) {
		if (bsonx_iter_view(&it, &sub) && !read_scale(cmd, &sub, &scale)) {
			return false;
		}
		BSON_APPEND_DOCUMENT_BEGIN(doc, "storageStats", &storage);
		ok = append_stats(cmd, coll, scale, &storage);
		bson_append_document_end(doc, &storage);
	}
	if (bson_iter_init_find(&it, spec, "count")) {
		bsonx_append_int(doc, "count", atomic_load(&coll->count));
	}
	if (bson_iter_init_find(&it, spec, "queryExecStats")) {
		append_exec_stats(coll, doc);
	}
	return ok;
}

bool coll_stats_stage(struct command *cmd, const bson_t *spec)
{
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct collection *coll = catalog_get(catalog, cmd->ns);
	struct command_cursor cc;
	bson_t doc;

	if (coll == NULL) {
		return fail_set(cmd->fail, FAIL_NAMESPACE_NOT_FOUND,
			"Collection [%.180s] not found.", cmd->ns);
	}
	bson_init(&doc);
	bool ok = fill_stage(cmd, coll, spec, &doc);
	if (ok) {
		command_cursor_begin(&cc, cmd->out, cmd->ns);
		command_cursor_add(&cc, &doc);
		command_cursor_end(&cc, cmd->out);
	}
	bson_destroy(&doc);
	catalog_put(catalog, coll);
	return ok;
}
