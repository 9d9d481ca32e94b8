/* Databases and collections: lists, drops, checkpoint. */
#include "commands.h"

#include "wtstat.h"

/* The names of a database's collections, or of all, taken while the catalog is locked. */
struct names {
	unsigned count;
	char ns[CATALOG_MAX][OPS_NS_MAX + 1];
};

static void add_name(const struct collection *coll, void *arg)
{
	struct names *names = arg;

	memcpy(names->ns[names->count++], coll->ns, sizeof(coll->ns));
}

/* By strcmp, so that the collections of a database are together. */
static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The caller frees it; NULL without memory, with the failure filled. */
static struct names *collect_names(struct command *cmd, const char *db)
{
	struct names *names = calloc(1, sizeof(*names));

	if (names == NULL) {
		fail_set(cmd->fail, FAIL_INTERNAL, "out of memory");
		return NULL;
	}
	catalog_each(&cmd->conn->node->catalog, db, add_name, names);
	qsort(names->ns, names->count, sizeof(names->ns[0]), compare_names);
	return names;
}

/* Bytes in the file of a table; 0 when it cannot be asked. */
static int64_t table_size(const struct store_context *ctx, const char *table)
{
	char uri[CATALOG_URI_MAX + 16];
	int64_t size = 0;

	snprintf(uri, sizeof(uri), "statistics:%s", table);
	return wtstat_get(ctx->session, uri, WT_STAT_DSRC_BLOCK_SIZE, &size) == 0 ? size : 0;
}

/* Bytes in the files of a collection; 0 when it has just gone. */
static int64_t size_on_disk(struct command *cmd, const struct store_context *ctx, const char *ns)
{
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct collection *coll = catalog_get(catalog, ns);
	int64_t total = 0;

	if (coll == NULL) {
		return 0;
	}
	total = table_size(ctx, coll->records) + table_size(ctx, coll->index);
	for (unsigned i = 0; i < coll->index_count; i++) {
		total += table_size(ctx, coll->indexes[i]->uri);
	}
	catalog_put(catalog, coll);
	return total;
}

static int64_t append_database(struct command *cmd, const struct store_context *ctx, bson_t *list,
	uint32_t index, const struct names *names, unsigned *next)
{
	bool name_only = bsonx_flag(&cmd->req->body, "nameOnly", false);
	char db[WIRE_DB_MAX + 1], buf[16];
	const char *key;
	bson_t doc;
	int64_t size = 0;

	snprintf(db, sizeof(db), "%.*s", (int)strcspn(names->ns[*next], "."), names->ns[*next]);
	size_t len = strlen(db);
	for (; *next < names->count && strncmp(names->ns[*next], db, len) == 0 &&
		names->ns[*next][len] == '.';
		++*next) {
		size += name_only ? 0 : size_on_disk(cmd, ctx, names->ns[*next]);
	}
	bson_uint32_to_string(index, &key, buf, sizeof(buf));
	BSON_APPEND_DOCUMENT_BEGIN(list, key, &doc);
	BSON_APPEND_UTF8(&doc, "name", db);
	if (!name_only) {
		BSON_APPEND_INT64(&doc, "sizeOnDisk", size);
		BSON_APPEND_BOOL(&doc, "empty", false);
	}
	bson_append_document_end(list, &doc);
	return size;
}

bool cmd_list_databases(struct command *cmd)
{
	struct store_context ctx;
	struct names *names;
	bson_t list;
	int64_t total = 0;
	unsigned next = 0;

	if (!command_store(cmd, &ctx) || (names = collect_names(cmd, NULL)) == NULL) {
		return false;
	}
	bson_append_array_begin(cmd->out, "databases", -1, &list);
	for (uint32_t i = 0; next < names->count; i++) {
		total += append_database(cmd, &ctx, &list, i, names, &next);
	}
	bson_append_array_end(cmd->out, &list);
	if (!bsonx_flag(&cmd->req->body, "nameOnly", false)) {
		BSON_APPEND_INT64(cmd->out, "totalSize", total);
	}
	free(names);
	return true;
}

static void append_collection(
	struct command_cursor *cc, const struct match *filter, const char *name)
{
	bson_t doc, sub, key;

	bson_init(&doc);
	BSON_APPEND_UTF8(&doc, "name", name);
	BSON_APPEND_UTF8(&doc, "type", "collection");
	BSON_APPEND_DOCUMENT_BEGIN(&doc, "options", &sub);
	bson_append_document_end(&doc, &sub);
	BSON_APPEND_DOCUMENT_BEGIN(&doc, "info", &sub);
	BSON_APPEND_BOOL(&sub, "readOnly", false);
	bson_append_document_end(&doc, &sub);
	BSON_APPEND_DOCUMENT_BEGIN(&doc, "idIndex", &sub);
	BSON_APPEND_INT32(&sub, "v", 2);
	BSON_APPEND_DOCUMENT_BEGIN(&sub, "key", &key);
	BSON_APPEND_INT32(&key, "_id", 1);
	bson_append_document_end(&sub, &key);
	BSON_APPEND_UTF8(&sub, "name", "_id_");
	bson_append_document_end(&doc, &sub);
	if (match_doc(filter, &doc)) {
		command_cursor_add(cc, &doc);
	}
	bson_destroy(&doc);
}

bool cmd_list_collections(struct command *cmd)
{
	struct command_cursor cc;
	struct match filter = {0};
	struct names *names;
	bson_iter_t it;
	bson_t view;
	char ns[OPS_NS_MAX + 1];

	if (bson_iter_init_find(&it, &cmd->req->body, "filter") && bsonx_iter_view(&it, &view) &&
		!match_compile(&filter, &view, cmd->fail)) {
		return false;
	}
	names = collect_names(cmd, cmd->req->db);
	if (names == NULL) {
		return false;
	}
	snprintf(ns, sizeof(ns), "%s.$cmd.listCollections", cmd->req->db);
	command_cursor_begin(&cc, cmd->out, ns);
	for (unsigned i = 0; i < names->count; i++) {
		append_collection(&cc, &filter, names->ns[i] + strlen(cmd->req->db) + 1);
	}
	command_cursor_end(&cc, cmd->out);
	free(names);
	return true;
}

static bool drop(struct command *cmd, const struct store_context *ctx, const char *ns)
{
	if (!catalog_drop(&cmd->conn->node->catalog, ctx->session, ns, cmd->fail)) {
		return false;
	}
	top_forget(&cmd->conn->node->top, ns);
	return true;
}

bool cmd_drop(struct command *cmd)
{
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct store_context ctx;
	int32_t indexes = 1;

	struct collection *coll = catalog_get(catalog, cmd->ns);
	if (coll != NULL) {
		indexes += (int32_t)coll->index_count;
		catalog_put(catalog, coll);
	}
	if (!command_store(cmd, &ctx) || !drop(cmd, &ctx, cmd->ns)) {
		return false;
	}
	BSON_APPEND_INT32(cmd->out, "nIndexesWas", indexes);
	BSON_APPEND_UTF8(cmd->out, "ns", cmd->ns);
	return true;
}

bool cmd_drop_database(struct command *cmd)
{
	struct store_context ctx;
	struct names *names;
	bool ok = true;

	if (!command_store(cmd, &ctx) || (names = collect_names(cmd, cmd->req->db)) == NULL) {
		return false;
	}
	for (unsigned i = 0; i < names->count && ok; i++) {
		ok = drop(cmd, &ctx, names->ns[i]) || cmd->fail->code == FAIL_NAMESPACE_NOT_FOUND;
	}
	if (names->count > 0) {
		BSON_APPEND_UTF8(cmd->out, "dropped", cmd->req->db);
	}
	free(names);
	return ok;
}

/* A checkpoint. */
bool cmd_fsync(struct command *cmd)
{
	struct store_context ctx;

	if (bsonx_flag(&cmd->req->body, "lock", false)) {
		return fail_set(
			cmd->fail, FAIL_NOT_IMPLEMENTED, "fsync with lock is not supported");
	}
	if (!command_store(cmd, &ctx) ||
		!catalog_save(&cmd->conn->node->catalog, ctx.session, cmd->fail)) {
		return false;
	}
	BSON_APPEND_INT32(cmd->out, "numFiles", 1);
	return command_result(cmd, ctx.session->checkpoint(ctx.session, NULL), "checkpoint");
}
