#include "catalog.h"

#include "catalog_index.h"

#include <errno.h>
#include <inttypes.h>

#define CATALOG_URI    "table:_catalog"
#define CATALOG_CONFIG "key_format=S,value_format=qqq" /* ns -> id, documents, bytes */

/* mongod's configuration of its tables. */
#define RECORDS_CONFIG                                                                             \
	"type=file,key_format=q,value_format=u,memory_page_max=10m,split_pct=90,"                  \
	"leaf_value_max=64MB,checksum=on,app_metadata=(formatVersion=1)"
#define INDEX_CONFIG                                                                               \
	"type=file,key_format=u,value_format=q,internal_page_max=16k,leaf_page_max=16k,"           \
	"checksum=on,prefix_compression=true,app_metadata=(formatVersion=8)"

static struct collection *make_collection(const char *ns, int64_t id, int64_t count, int64_t bytes)
{
	struct collection *coll = calloc(1, sizeof(*coll));

	if (coll != NULL) {
		snprintf(coll->ns, sizeof(coll->ns), "%s", ns);
		snprintf(coll->records, sizeof(coll->records), "table:collection-%" PRId64, id);
		snprintf(coll->index, sizeof(coll->index), "table:index-%" PRId64, id);
		coll->id = id;
		atomic_store(&coll->next_record, 1);
		atomic_store(&coll->count, count);
		atomic_store(&coll->bytes, bytes);
	}
	return coll;
}

/* Finds the first free record id. */
static int load_next_record(struct collection *coll, WT_SESSION *session)
{
	WT_CURSOR *cursor;
	int64_t last = 0;
	int ret = session->open_cursor(session, coll->records, NULL, NULL, &cursor);

	if (ret != 0) {
		return ret;
	}
	ret = cursor->prev(cursor);
	if (ret == 0) {
		ret = cursor->get_key(cursor, &last);
	}
	cursor->close(cursor);
	atomic_store(&coll->next_record, last + 1);
	return ret == WT_NOTFOUND ? 0 : ret;
}

static void free_collection(struct collection *coll)
{
	for (unsigned i = 0; coll != NULL && i < coll->index_count; i++) {
		free(coll->indexes[i]);
	}
	free(coll);
}

/*
 * Removes the tables, if they are there. Without force the engine would be busy as long as the
 * history window covers a write to them.
 */
static int drop_tables(WT_SESSION *session, const struct collection *coll)
{
	int ret = session->drop(session, coll->records, "force=true");

	if (ret == 0) {
		ret = session->drop(session, coll->index, "force=true");
	}
	for (unsigned i = 0; i < coll->index_count && ret == 0; i++) {
		ret = session->drop(session, coll->indexes[i]->uri, "force=true");
	}
	return ret;
}

static bool known_index(const struct catalog *c, const char *uri)
{
	for (unsigned i = 0; i < c->count; i++) {
		for (unsigned k = 0; k < c->all[i]->index_count; k++) {
			if (strcmp(c->all[i]->indexes[k]->uri, uri) == 0) {
				return true;
			}
		}
	}
	return false;
}

static bool known_id(const struct catalog *c, int64_t id)
{
	for (unsigned i = 0; i < c->count; i++) {
		if (c->all[i]->id == id) {
			return true;
		}
	}
	return false;
}

static bool is_orphan(const struct catalog *c, const char *uri)
{
	int64_t id;

	if (strncmp(uri, "table:secondary-", 16) == 0) {
		return !known_index(c, uri);
	}
	return (sscanf(uri, "table:collection-%" SCNd64, &id) == 1 ||
		       sscanf(uri, "table:index-%" SCNd64, &id) == 1) &&
	       !known_id(c, id);
}

/* A table that belongs to no collection; uri is empty when there is none. */
static int find_orphan(const struct catalog *c, WT_SESSION *session, char uri[CATALOG_URI_MAX])
{
	WT_CURSOR *cursor;
	const char *key;
	int ret = session->open_cursor(session, "metadata:", NULL, NULL, &cursor);

	uri[0] = '\0';
	if (ret != 0) {
		return ret;
	}
	while (uri[0] == '\0' && (ret = cursor->next(cursor)) == 0 &&
		(ret = cursor->get_key(cursor, &key)) == 0) {
		if (is_orphan(c, key)) {
			snprintf(uri, CATALOG_URI_MAX, "%s", key);
		}
	}
	cursor->close(cursor);
	return ret == WT_NOTFOUND ? 0 : ret;
}

/* Removes the tables of what a crash cut off; their numbers would be given out again. */
static int drop_orphans(struct catalog *c, WT_SESSION *session)
{
	char uri[CATALOG_URI_MAX];
	int ret;

	while ((ret = find_orphan(c, session, uri)) == 0 && uri[0] != '\0' &&
		(ret = session->drop(session, uri, "force=true")) == 0) {
	}
	return ret;
}

static int load_row(struct catalog *c, WT_SESSION *session, WT_CURSOR *cursor)
{
	const char *ns = NULL;
	int64_t id = 0, count = 0, bytes = 0;
	struct collection *coll;
	int ret = cursor->get_key(cursor, &ns);

	if (ret == 0) {
		ret = cursor->get_value(cursor, &id, &count, &bytes);
	}
	if (ret != 0) {
		return ret;
	}
	coll = c->count < CATALOG_MAX ? make_collection(ns, id, count, bytes) : NULL;
	if (coll == NULL) {
		return ENOMEM;
	}
	c->all[c->count++] = coll;
	c->next_id = id >= c->next_id ? id + 1 : c->next_id;
	return load_next_record(coll, session);
}

bool catalog_open(struct catalog *c, struct engine *engine, WT_SESSION *session, struct fail *fail)
{
	WT_CURSOR *cursor = NULL;
	int ret;

	memset(c, 0, sizeof(*c));
	c->engine = engine;
	c->next_id = 1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->idle, NULL);
	ret = session->create(session, CATALOG_URI, CATALOG_CONFIG);
	if (ret == 0) {
		ret = session->open_cursor(session, CATALOG_URI, NULL, NULL, &cursor);
	}
	while (ret == 0 && (ret = cursor->next(cursor)) == 0) {
		ret = load_row(c, session, cursor);
	}
	if (cursor != NULL) {
		cursor->close(cursor);
	}
	if (ret == WT_NOTFOUND) {
		ret = catalog_index_load(c, session);
	}
	if (ret == 0) {
		ret = drop_orphans(c, session);
	}
	if (ret != 0) {
		catalog_finish(c);
		return fail_engine(fail, ret, "reading the catalog");
	}
	return true;
}

void catalog_finish(struct catalog *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		free_collection(c->all[i]);
	}
	c->count = 0;
	pthread_cond_destroy(&c->idle);
	pthread_mutex_destroy(&c->lock);
}

/* Writes a row, or removes it; the caller holds the lock. */
static int write_row(WT_SESSION *session, struct collection *coll, bool remove)
{
	WT_CURSOR *cursor;
	int ret = session->open_cursor(session, CATALOG_URI, NULL, NULL, &cursor);

	if (ret != 0) {
		return ret;
	}
	cursor->set_key(cursor, coll->ns);
	cursor->set_value(cursor, coll->id, (int64_t)atomic_load(&coll->count),
		(int64_t)atomic_load(&coll->bytes));
	ret = remove ? cursor->remove(cursor) : cursor->insert(cursor);
	cursor->close(cursor);
	return ret;
}

bool catalog_save(struct catalog *c, WT_SESSION *session, struct fail *fail)
{
	int ret = 0;

	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < c->count && ret == 0; i++) {
		ret = write_row(session, c->all[i], false);
	}
	pthread_mutex_unlock(&c->lock);
	return ret == 0 ? true : fail_engine(fail, ret, "saving the catalog");
}

/* The place of the collection, or count; the caller holds the lock. */
static unsigned find(const struct catalog *c, const char *ns)
{
	unsigned i = 0;

	while (i < c->count && strcmp(c->all[i]->ns, ns) != 0) {
		i++;
	}
	return i;
}

/* The same, once nobody has the collection alone. */
static unsigned find_free(struct catalog *c, const char *ns)
{
	unsigned i;

	while ((i = find(c, ns)) < c->count && c->all[i]->claimed) {
		pthread_cond_wait(&c->idle, &c->lock);
	}
	return i;
}

struct collection *catalog_get(struct catalog *c, const char *ns)
{
	struct collection *coll = NULL;

	pthread_mutex_lock(&c->lock);
	unsigned i = find_free(c, ns);
	if (i < c->count) {
		coll = c->all[i];
		coll->users++;
	}
	pthread_mutex_unlock(&c->lock);
	return coll;
}

/* Makes the two tables and the row of a new collection; the caller holds the lock. */
static struct collection *create_locked(
	struct catalog *c, WT_SESSION *session, const char *ns, struct fail *fail)
{
	char config[512];
	struct collection *coll;
	int ret;

	coll = c->count < CATALOG_MAX ? make_collection(ns, c->next_id, 0, 0) : NULL;
	if (coll == NULL) {
		fail_set(fail, FAIL_INTERNAL, "no room for another collection (at most %d)",
			CATALOG_MAX);
		return NULL;
	}
	snprintf(config, sizeof(config), "%s%s", RECORDS_CONFIG,
		c->engine->compressed ? ",block_compressor=snappy" : "");
	c->next_id++;
	ret = session->create(session, coll->records, config);
	if (ret == 0) {
		ret = session->create(session, coll->index, INDEX_CONFIG);
	}
	if (ret == 0) {
		ret = write_row(session, coll, false);
	}
	if (ret != 0) {
		free(coll);
		fail_engine(fail, ret, "creating the collection");
		return NULL;
	}
	c->all[c->count++] = coll;
	return coll;
}

struct collection *catalog_create(
	struct catalog *c, WT_SESSION *session, const char *ns, struct fail *fail)
{
	struct collection *coll;

	pthread_mutex_lock(&c->lock);
	unsigned i = find_free(c, ns);
	coll = i < c->count ? c->all[i] : create_locked(c, session, ns, fail);
	if (coll != NULL) {
		coll->users++;
	}
	pthread_mutex_unlock(&c->lock);
	return coll;
}

void catalog_put(struct catalog *c, struct collection *coll)
{
	if (coll != NULL) {
		pthread_mutex_lock(&c->lock);
		coll->users--;
		pthread_cond_broadcast(&c->idle);
		pthread_mutex_unlock(&c->lock);
	}
}

bool catalog_hold(struct catalog *c, struct collection *coll)
{
	pthread_mutex_lock(&c->lock);
	bool ok = !coll->claimed;
	coll->holds += ok;
	pthread_mutex_unlock(&c->lock);
	return ok;
}

void catalog_let_go(struct catalog *c, struct collection *coll)
{
	pthread_mutex_lock(&c->lock);
	coll->holds--;
	pthread_cond_broadcast(&c->idle);
	pthread_mutex_unlock(&c->lock);
}

struct collection *catalog_claim(struct catalog *c, const char *ns)
{
	struct collection *coll = NULL;
	unsigned i;

	pthread_mutex_lock(&c->lock);
	/* Transactions need others to go on, so these wait only once there is none. */
	while ((i = find_free(c, ns)) < c->count && c->all[i]->holds > 0) {
		pthread_cond_wait(&c->idle, &c->lock);
	}
	if (i < c->count) {
		coll = c->all[i];
		coll->claimed = true;
		while (coll->users > 0) {
			pthread_cond_wait(&c->idle, &c->lock);
		}
	}
	pthread_mutex_unlock(&c->lock);
	return coll;
}

void catalog_unclaim(struct catalog *c, struct collection *coll)
{
	pthread_mutex_lock(&c->lock);
	coll->claimed = false;
	pthread_cond_broadcast(&c->idle);
	pthread_mutex_unlock(&c->lock);
}

/* Removes the rows of a collection and its indexes, all or none. */
static int remove_rows(WT_SESSION *session, struct collection *coll)
{
	int ret = session->begin_transaction(session, NULL);

	if (ret != 0) {
		return ret;
	}
	ret = catalog_index_remove_rows(session, coll);
	if (ret == 0) {
		ret = write_row(session, coll, true);
	}
	if (ret == 0) {
		return session->commit_transaction(session, NULL);
	}
	session->rollback_transaction(session, NULL);
	return ret;
}

bool catalog_drop(struct catalog *c, WT_SESSION *session, const char *ns, struct fail *fail)
{
	struct collection *coll;

	pthread_mutex_lock(&c->lock);
	unsigned i = find_free(c, ns);
	if (i == c->count) {
		pthread_mutex_unlock(&c->lock);
		return fail_set(fail, FAIL_NAMESPACE_NOT_FOUND, "ns not found");
	}
	coll = c->all[i];
	int ret = remove_rows(session, coll);
	if (ret != 0) {
		pthread_mutex_unlock(&c->lock);
		return fail_engine(fail, ret, "dropping the collection");
	}
	c->all[i] = c->all[--c->count];
	while (coll->users > 0 || coll->holds > 0) {
		pthread_cond_wait(&c->idle, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	ret = drop_tables(session, coll);
	free_collection(coll);
	return ret == 0 ? true : fail_engine(fail, ret, "dropping the tables");
}

void catalog_each(struct catalog *c, const char *db,
	void (*visit)(const struct collection *coll, void *arg), void *arg)
{
	size_t len = db == NULL ? 0 : strlen(db);

	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < c->count; i++) {
		const char *ns = c->all[i]->ns;

		if (db == NULL || (strncmp(ns, db, len) == 0 && ns[len] == '.')) {
			visit(c->all[i], arg);
		}
	}
	pthread_mutex_unlock(&c->lock);
}
