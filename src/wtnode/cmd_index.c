/* createIndexes, listIndexes, dropIndexes. */
#include "commands.h"

#include "catalog_index.h"

#define ID_NAME "_id_"

/* One index as createIndexes asks for it. */
struct wanted {
	const char *name;
	bson_t pattern;
	bool is_id;
};

static bool read_wanted(const bson_t *spec, struct wanted *w, struct fail *fail)
{
	static const char *const known[] = {"key", "name", "v", "ns", "background", NULL};
	bson_iter_t it, first;
	bool has_key = false;

	*w = (struct wanted){.name = NULL};
	if (!bson_iter_init(&it, spec)) {
		return fail_set(fail, FAIL_INVALID_BSON, "broken index");
	}
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);
		size_t i = 0;

		while (known[i] != NULL && strcmp(known[i], key) != 0) {
			i++;
		}
		if (known[i] == NULL && bsonx_truthy(&it)) {
			return fail_set(fail, FAIL_NOT_IMPLEMENTED,
				"the index option '%.60s' is not supported by wtnode", key);
		}
		if (strcmp(key, "name") == 0) {
			w->name = bsonx_name(&it, INDEX_NAME_MAX);
		}
		if (strcmp(key, "key") == 0) {
			has_key =
				BSON_ITER_HOLDS_DOCUMENT(&it) && bsonx_iter_view(&it, &w->pattern);
		}
	}
	if (!has_key || w->name == NULL) {
		return fail_set(fail, FAIL_FAILED_TO_PARSE,
			"an index needs a 'key' and a 'name' of at most %d bytes", INDEX_NAME_MAX);
	}
	w->is_id = bson_count_keys(&w->pattern) == 1 && bson_iter_init(&first, &w->pattern) &&
		   bson_iter_next(&first) && strcmp(bson_iter_key(&first), "_id") == 0;
	return true;
}

static bool same_pattern(const struct index *ix, const struct index *other)
{
	bool same = ix->fields == other->fields;

	for (unsigned i = 0; same && i < ix->fields; i++) {
		same = strcmp(ix->paths[i], other->paths[i]) == 0;
	}
	return same;
}

/* Whether the collection has the index already; *ok is false when it has one that excludes it. */
static bool exists(
	const struct collection *coll, const struct index *ix, bool *ok, struct fail *fail)
{
	for (unsigned i = 0; i < coll->index_count; i++) {
		const struct index *other = coll->indexes[i];
		bool same_name = strcmp(ix->name, other->name) == 0;
		bool same_key = same_pattern(ix, other);

		if (same_name && same_key) {
			return true;
		}
		if (same_key) {
			*ok = fail_set(fail, FAIL_INDEX_OPTIONS_CONFLICT,
				"Index already exists with a different name: %s", other->name);
		} else if (same_name) {
			*ok = fail_set(fail, FAIL_INDEX_KEYS_CONFLICT,
				"An existing index has the same name as the requested index: %s",
				other->name);
		}
	}
	return false;
}

/* Makes the index of a collection that is claimed, unless it is there. */
static bool create_one(struct command *cmd, struct collection *coll, const struct wanted *w)
{
	struct node *node = cmd->conn->node;
	WT_SESSION *session;
	bool ok = true;

	if (w->is_id) {
		return true;
	}
	if (!command_session(cmd, &session)) {
		return false;
	}
	struct index *ix = index_create(
		catalog_index_next_id(&node->catalog), w->name, &w->pattern, cmd->fail);
	if (ix == NULL) {
		return false;
	}
	if (exists(coll, ix, &ok, cmd->fail) || !ok) {
		free(ix);
		return ok;
	}
	if (coll->index_count == INDEX_MAX || strcmp(w->name, ID_NAME) == 0) {
		ok = fail_set(cmd->fail, FAIL_CANNOT_CREATE_INDEX,
			"a collection has at most %d indexes here, and _id_ is one of them",
			INDEX_MAX + 1);
	} else {
		ok = catalog_index_add(&node->catalog, session, cmd->conn->slot, coll, ix,
			&node->stopping, cmd->fail);
	}
	if (!ok) {
		free(ix);
	}
	return ok;
}

/* Makes the collection where there is none; *created says whether. */
static bool ensure_collection(struct command *cmd, bool *created)
{
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct collection *coll = catalog_get(catalog, cmd->ns);
	WT_SESSION *session;

	*created = coll == NULL;
	if (coll == NULL) {
		coll = command_session(cmd, &session)
			       ? catalog_create(catalog, session, cmd->ns, cmd->fail)
			       : NULL;
	}
	catalog_put(catalog, coll);
	return coll != NULL;
}

static bool create_all(struct command *cmd, struct doc_list *specs, struct collection *coll)
{
	struct wanted w;
	bson_t spec;

	while (doc_list_next(specs, &spec)) {
		if (!read_wanted(&spec, &w, cmd->fail) || !create_one(cmd, coll, &w)) {
			return false;
		}
	}
	return true;
}

bool cmd_create_indexes(struct command *cmd)
{
	static const char *const known[] = {"indexes", "commitQuorum", NULL};
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct doc_list specs;
	bool created;

	if (!command_check_options(cmd, known) ||
		!request_docs(cmd->req, "indexes", &specs, cmd->fail) ||
		!ensure_collection(cmd, &created)) {
		return false;
	}
	struct collection *coll = catalog_claim(catalog, cmd->ns);
	if (coll == NULL) {
		return fail_set(cmd->fail, FAIL_NAMESPACE_NOT_FOUND, "ns not found");
	}
	int32_t before = (int32_t)coll->index_count + 1;
	bool ok = create_all(cmd, &specs, coll);
	int32_t after = (int32_t)coll->index_count + 1;
	catalog_unclaim(catalog, coll);
	BSON_APPEND_INT32(cmd->out, "numIndexesBefore", before);
	BSON_APPEND_INT32(cmd->out, "numIndexesAfter", after);
	BSON_APPEND_BOOL(cmd->out, "createdCollectionAutomatically", created);
	if (before == after) {
		BSON_APPEND_UTF8(cmd->out, "note", "all indexes already exist");
	}
	return ok;
}

static void list_one(struct command_cursor *cc, const char *name, const bson_t *pattern)
{
	bson_t doc;

	bson_init(&doc);
	BSON_APPEND_INT32(&doc, "v", 2);
	BSON_APPEND_DOCUMENT(&doc, "key", pattern);
	BSON_APPEND_UTF8(&doc, "name", name);
	command_cursor_add(cc, &doc);
	bson_destroy(&doc);
}

bool cmd_list_indexes(struct command *cmd)
{
	static const char *const known[] = {"cursor", NULL};
	struct catalog *catalog = &cmd->conn->node->catalog;
	struct command_cursor cc;
	bson_t pattern;

	if (!command_check_options(cmd, known)) {
		return false;
	}
	struct collection *coll = catalog_get(catalog, cmd->ns);
	if (coll == NULL) {
		return fail_set(
			cmd->fail, FAIL_NAMESPACE_NOT_FOUND, "ns does not exist: %.150s", cmd->ns);
	}
	command_cursor_begin(&cc, cmd->out, cmd->ns);
	bson_init(&pattern);
	BSON_APPEND_INT32(&pattern, "_id", 1);
	list_one(&cc, ID_NAME, &pattern);
	bson_destroy(&pattern);
	for (unsigned i = 0; i < coll->index_count; i++) {
		const struct index *ix = coll->indexes[i];

		if (bsonx_view(&pattern, ix->pattern, ix->pattern_len)) {
			list_one(&cc, ix->name, &pattern);
		}
	}
	command_cursor_end(&cc, cmd->out);
	catalog_put(catalog, coll);
	return true;
}

/* The place of the index that is named, or whose key is given; index_count when there is none. */
static unsigned find_index(const struct collection *coll, const bson_iter_t *which)
{
	bson_t pattern, own;
	const char *name = bsonx_name(which, INDEX_NAME_MAX);
	bool by_key = BSON_ITER_HOLDS_DOCUMENT(which) && bsonx_iter_view(which, &pattern);
	unsigned i = 0;

	for (; i < coll->index_count; i++) {
		const struct index *ix = coll->indexes[i];

		if ((name != NULL && strcmp(ix->name, name) == 0) ||
			(by_key && bsonx_view(&own, ix->pattern, ix->pattern_len) &&
				bson_equal(&own, &pattern))) {
			break;
		}
	}
	return i;
}

static bool drop_indexes(
	struct command *cmd, WT_SESSION *session, struct collection *coll, const bson_iter_t *which)
{
	const char *name = bsonx_name(which, INDEX_NAME_MAX);
	bool ok = true;

	if (name != NULL && strcmp(name, "*") == 0) {
		while (ok && coll->index_count > 0) {
			ok = catalog_index_remove(session, coll, coll->index_count - 1, cmd->fail);
		}
		return ok;
	}
	if (name != NULL && strcmp(name, ID_NAME) == 0) {
		return fail_set(cmd->fail, FAIL_INVALID_OPTIONS, "cannot drop _id index");
	}
	unsigned at = find_index(coll, which);
	if (at == coll->index_count) {
		return fail_set(cmd->fail, FAIL_INDEX_NOT_FOUND,
			"index not found with name [%.127s]", name == NULL ? "" : name);
	}
	return catalog_index_remove(session, coll, at, cmd->fail);
}

bool cmd_drop_indexes(struct command *cmd)
{
	static const char *const known[] = {"index", NULL};
	struct catalog *catalog = &cmd->conn->node->catalog;
	WT_SESSION *session;
	bson_iter_t which;

	if (!command_check_options(cmd, known) || !command_session(cmd, &session)) {
		return false;
	}
	if (!bson_iter_init_find(&which, &cmd->req->body, "index")) {
		return fail_set(cmd->fail, FAIL_FAILED_TO_PARSE, "'index' is missing");
	}
	struct collection *coll = catalog_claim(catalog, cmd->ns);
	if (coll == NULL) {
		return fail_set(
			cmd->fail, FAIL_NAMESPACE_NOT_FOUND, "ns not found %.150s", cmd->ns);
	}
	BSON_APPEND_INT32(cmd->out, "nIndexesWas", (int32_t)coll->index_count + 1);
	bool ok = drop_indexes(cmd, session, coll, &which);
	catalog_unclaim(catalog, coll);
	return ok;
}
