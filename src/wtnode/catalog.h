/*
 * The collections: which exist, in which two tables each lives, and how many documents and bytes
 * it holds. Kept in the table _catalog and in memory. As in mongod a collection is a record store
 * (record id -> document) and an _id index (key -> record id), two trees, and one more for each
 * secondary index (catalog_index.h).
 *
 * Counts are exact while the node runs; after a crash they are those of the last save, as mongod's
 * fast count.
 */
#ifndef WTNODE_CATALOG_H
#define WTNODE_CATALOG_H

#include "engine.h"
#include "index.h"

#define CATALOG_MAX     1024 /* collections */
#define CATALOG_URI_MAX 48   /* bytes */

struct collection {
	char ns[OPS_NS_MAX + 1];
	char records[CATALOG_URI_MAX], index[CATALOG_URI_MAX];
	int64_t id;
	atomic_llong next_record, count, bytes, collscans;
	struct index *indexes[INDEX_MAX]; /* the secondary ones; changed by who claimed it */
	unsigned index_count;
	/* under the catalog's lock */
	unsigned users, holds;
	bool claimed;
};

struct catalog {
	struct engine *engine;
	pthread_mutex_t lock;
	pthread_cond_t idle; /* a collection lost a user */
	struct collection *all[CATALOG_MAX];
	unsigned count;
	int64_t next_id, next_index_id;
};

/* Loads the catalog and removes what a drop cut off by a crash left; the engine outlives it. */
bool catalog_open(struct catalog *c, struct engine *engine, WT_SESSION *session, struct fail *fail);

/* Frees the memory; call catalog_save before. Nobody may use it any more. */
void catalog_finish(struct catalog *c);

/* Writes the counts to the table. */
bool catalog_save(struct catalog *c, WT_SESSION *session, struct fail *fail);

/*
 * The collection of that name, which stays until catalog_put; NULL when there is none. With create
 * it is made when it is missing, and NULL means that fail says why not.
 */
struct collection *catalog_get(struct catalog *c, const char *ns);
struct collection *catalog_create(
	struct catalog *c, WT_SESSION *session, const char *ns, struct fail *fail);
void catalog_put(struct catalog *c, struct collection *coll);

/*
 * Keeps a collection that the caller has got beyond its catalog_put, for an open transaction. False
 * when somebody waits for having it alone.
 */
bool catalog_hold(struct catalog *c, struct collection *coll);
void catalog_let_go(struct catalog *c, struct collection *coll);

/*
 * Gives the collection to the caller alone, until catalog_unclaim: waits for the end of the
 * transactions and the operations on it, and then lets others wait. NULL when there is none.
 */
struct collection *catalog_claim(struct catalog *c, const char *ns);
void catalog_unclaim(struct catalog *c, struct collection *coll);

/*
 * Removes the collection: at once from sight, its tables when the last operation and the last
 * transaction on it have ended, for which it waits. The caller must not have got it.
 */
bool catalog_drop(struct catalog *c, WT_SESSION *session, const char *ns, struct fail *fail);

/*
 * Calls visit for every collection of the database (of all with NULL), in no order and with the
 * catalog locked: visit must not call the catalog.
 */
void catalog_each(struct catalog *c, const char *db,
	void (*visit)(const struct collection *coll, void *arg), void *arg);

#endif
