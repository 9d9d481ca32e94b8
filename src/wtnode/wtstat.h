/*
 * WiredTiger's statistics as BSON, in the way of mongod: an entry described as "cache: bytes read
 * into cache" becomes cache."bytes read into cache".
 */
#ifndef WTNODE_WTSTAT_H
#define WTNODE_WTSTAT_H

#include <bson/bson.h>
#include <wiredtiger.h>

/*
 * Appends every section of the object's statistics to out; uri is "statistics:" for the connection
 * or "statistics:table:NAME". Section LSM is left out, as in mongod. Returns 0 or WiredTiger's
 * error, with some sections appended.
 */
int wtstat_append(WT_SESSION *session, const char *uri, bson_t *out);

/* One value by its WT_STAT_ key. */
int wtstat_get(WT_SESSION *session, const char *uri, int key, int64_t *value);

#endif
