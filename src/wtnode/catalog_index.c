#include "catalog_index.h"

#include "bsonx.h"

#include <errno.h>

#define ROWS_URI    "table:_indexes"
#define ROWS_CONFIG "key_format=qS,value_format=qu"

/* mongod's configuration of its index tables; the values are empty. */
#define TABLE_CONFIG                                                                               \
	"type=file,key_format=u,value_format=u,internal_page_max=16k,leaf_page_max=16k,"           \
	"checksum=on,prefix_compression=true,app_metadata=(formatVersion=8)"

#define BUILD_BATCH 1000 /* documents in one transaction */

/* ---- rows -------------------------------------------------------------------------------------
 */

static struct collection *collection_of(const struct catalog *c, int64_t id)
{
	for (unsigned i = 0; i < c->count; i++) {
		if (c->all[i]->id == id) {
			return c->all[i];
		}
	}
	return NULL;
}

static int load_row(struct catalog *c, WT_CURSOR *cursor)
{
	int64_t coll_id = 0, id = 0;
	const char *name = NULL;
	struct collection *coll;
	struct fail ignored;
	WT_ITEM item = {0};
	bson_t pattern;
	int ret = cursor->get_key(cursor, &coll_id, &name);

	if (ret == 0) {
		ret = cursor->get_value(cursor, &id, &item);
	}
	if (ret != 0) {
		return ret;
	}
	coll = collection_of(c, coll_id);
	if (coll == NULL || coll->index_count == INDEX_MAX ||
		!bsonx_view(&pattern, item.data, item.size)) {
		return EINVAL;
	}
	struct index *ix = index_create(id, name, &pattern, &ignored);
	if (ix == NULL) {
		return EINVAL;
	}
	coll->indexes[coll->index_count++] = ix;
	c->next_index_id = id >= c->next_index_id ? id + 1 : c->next_index_id;
	return 0;
}

int catalog_index_load(struct catalog *c, WT_SESSION *session)
{
	WT_CURSOR *cursor;
	int ret = session->create(session, ROWS_URI, ROWS_CONFIG);

	c->next_index_id = 1;
	if (ret == 0) {
		ret = session->open_cursor(session, ROWS_URI, NULL, NULL, &cursor);
	}
	if (ret != 0) {
		return ret;
	}
	while ((ret = cursor->next(cursor)) == 0 && (ret = load_row(c, cursor)) == 0) {
	}
	cursor->close(cursor);
	return ret == WT_NOTFOUND ? 0 : ret;
}

static int write_row(
	WT_SESSION *session, const struct collection *coll, const struct index *ix, bool remove)
{
	WT_ITEM item = {.data = ix->pattern, .size = ix->pattern_len};
	WT_CURSOR *cursor;
	int ret = session->open_cursor(session, ROWS_URI, NULL, NULL, &cursor);

	if (ret != 0) {
		return ret;
	}
	cursor->set_key(cursor, coll->id, ix->name);
	cursor->set_value(cursor, ix->id, &item);
	ret = remove ? cursor->remove(cursor) : cursor->insert(cursor);
	cursor->close(cursor);
	return ret;
}

int catalog_index_remove_rows(WT_SESSION *session, const struct collection *coll)
{
	int ret = 0;

	for (unsigned i = 0; i < coll->index_count && ret == 0; i++) {
		ret = write_row(session, coll, coll->indexes[i], true);
	}
	return ret;
}

int64_t catalog_index_next_id(struct catalog *c)
{
	pthread_mutex_lock(&c->lock);
	int64_t id = c->next_index_id++;
	pthread_mutex_unlock(&c->lock);
	return id;
}

/* ---- build ------------------------------------------------------------------------------------
 */

struct build {
	const struct index *ix;
	WT_CURSOR *records, *entries;
	int64_t last; /* the record read last */
	struct ixkey key;
};

static int add_entry(struct build *b)
{
	WT_ITEM value = {0}, item, empty = {.data = "", .size = 0};
	bson_t doc;
	int ret = b->records->get_key(b->records, &b->last);

	if (ret == 0) {
		ret = b->records->get_value(b->records, &value);
	}
	if (ret != 0 || !bsonx_view(&doc, value.data, value.size)) {
		return ret != 0 ? ret : WT_ERROR;
	}
	index_key(b->ix, &doc, b->last, &b->key);
	item = (WT_ITEM){.data = b->key.bytes, .size = b->key.len};
	b->entries->set_key(b->entries, &item);
	b->entries->set_value(b->entries, &empty);
	return b->entries->insert(b->entries);
}

/* Up to BUILD_BATCH entries; WT_NOTFOUND when there are no more documents. */
static int add_batch(struct build *b)
{
	int exact = 0, ret;

	b->records->set_key(b->records, b->last + 1);
	ret = b->records->search_near(b->records, &exact);
	if (ret == 0 && exact < 0) {
		ret = b->records->next(b->records);
	}
	for (int n = 0; ret == 0; n++) {
		ret = add_entry(b);
		if (n == BUILD_BATCH || ret != 0) {
			break;
		}
		ret = b->records->next(b->records);
	}
	b->records->reset(b->records);
	return ret;
}

static int build(struct catalog *c, WT_SESSION *session, unsigned slot, struct build *b,
	const atomic_bool *stopping)
{
	int ret = 0;

	while (ret == 0 && !atomic_load(stopping)) {
		ret = session->begin_transaction(session, NULL);
		if (ret != 0) {
			return ret;
		}
		ret = add_batch(b);
		if (ret == 0 || ret == WT_NOTFOUND) {
			int committed = engine_commit(c->engine, session, slot);

			ret = committed != 0 ? committed : ret;
		} else {
			session->rollback_transaction(session, NULL);
		}
		ret = ret == WT_ROLLBACK ? 0 : ret;
	}
	return ret == WT_NOTFOUND ? 0 : (ret == 0 ? EINTR : ret);
}

static int fill(struct catalog *c, WT_SESSION *session, unsigned slot,
	const struct collection *coll, const struct index *ix, const atomic_bool *stopping)
{
	struct build b = {.ix = ix};
	int ret = session->open_cursor(session, coll->records, NULL, NULL, &b.records);

	if (ret != 0) {
		return ret;
	}
	ret = session->open_cursor(session, ix->uri, NULL, NULL, &b.entries);
	if (ret == 0) {
		ret = build(c, session, slot, &b, stopping);
		b.entries->close(b.entries);
	}
	b.records->close(b.records);
	return ret;
}

bool catalog_index_add(struct catalog *c, WT_SESSION *session, unsigned slot,
	struct collection *coll, struct index *ix, const atomic_bool *stopping, struct fail *fail)
{
	int ret = session->create(session, ix->uri, TABLE_CONFIG);

	if (ret == 0) {
		ret = fill(c, session, slot, coll, ix, stopping);
		if (ret == 0) {
			ret = write_row(session, coll, ix, false);
		}
		if (ret != 0) {
			session->drop(session, ix->uri, "force=true");
		}
	}
	if (ret == EINTR) {
		return fail_set(fail, FAIL_SHUTTING_DOWN, "the node is shutting down");
	}
	if (ret != 0) {
		return fail_engine(fail, ret, "building the index");
	}
	ix->since = engine_tick(c->engine); /* who began before this may miss entries */
	coll->indexes[coll->index_count++] = ix;
	return true;
}

bool catalog_index_remove(
	WT_SESSION *session, struct collection *coll, unsigned at, struct fail *fail)
{
	struct index *ix = coll->indexes[at];
	int ret = write_row(session, coll, ix, true);

	if (ret != 0) {
		return fail_engine(fail, ret, "dropping the index");
	}
	coll->index_count--;
	memmove(&coll->indexes[at], &coll->indexes[at + 1],
		(coll->index_count - at) * sizeof(coll->indexes[0]));
	ret = session->drop(session, ix->uri, "force=true");
	free(ix);
	return ret == 0 ? true : fail_engine(fail, ret, "dropping the index's table");
}
