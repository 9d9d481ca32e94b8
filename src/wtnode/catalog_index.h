/*
 * Secondary indexes in the catalog: their rows in the table _indexes (collection, name -> number,
 * key), and making and removing one.
 *
 * The caller of add and remove has claimed the collection, so nobody else sees its list of indexes
 * change. Build reads the whole collection and may be cut off by *stopping; a crash meanwhile
 * leaves a table without a row, which the next start removes.
 */
#ifndef WTNODE_CATALOG_INDEX_H
#define WTNODE_CATALOG_INDEX_H

#include "catalog.h"

/* Creates the table of rows, and hands the indexes to their collections. 0 or WiredTiger's error.
 */
int catalog_index_load(struct catalog *c, WT_SESSION *session);

/* Builds the index and adds it to the collection, which takes it; on failure the caller keeps it.
 */
bool catalog_index_add(struct catalog *c, WT_SESSION *session, unsigned slot,
	struct collection *coll, struct index *ix, const atomic_bool *stopping, struct fail *fail);

/* Removes the index at that place of the collection's list, and frees it. */
bool catalog_index_remove(
	WT_SESSION *session, struct collection *coll, unsigned at, struct fail *fail);

/* Removes the rows of all of a collection's indexes, in the session's transaction. */
int catalog_index_remove_rows(WT_SESSION *session, const struct collection *coll);

/* A number for a new index. */
int64_t catalog_index_next_id(struct catalog *c);

#endif
