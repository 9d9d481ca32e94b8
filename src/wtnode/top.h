/*
 * What each namespace is used for: time and number of operations by kind, for the command top.
 * Times are microseconds of the node's whole run.
 *
 * Functions may be called by any thread.
 */
#ifndef WTNODE_TOP_H
#define WTNODE_TOP_H

#include "ops.h"

#define TOP_MAX 1024 /* namespaces; later ones are not recorded */

enum top_event {
	TOP_TOTAL,
	TOP_READ_LOCK,
	TOP_WRITE_LOCK,
	TOP_QUERIES,
	TOP_GETMORE,
	TOP_INSERT,
	TOP_UPDATE,
	TOP_REMOVE,
	TOP_COMMANDS,
	TOP_EVENTS,
};

struct top_entry {
	char ns[OPS_NS_MAX + 1];
	int64_t time_us[TOP_EVENTS], count[TOP_EVENTS];
};

struct top {
	pthread_mutex_t lock;
	unsigned used;
	uint32_t hash[TOP_MAX]; /* of the names, to compare few of them */
	struct top_entry entries[TOP_MAX];
};

void top_init(struct top *top);
void top_finish(struct top *top);

/* Adds `count` operations of that kind (TOP_QUERIES or later) that took us in all. */
void top_record(struct top *top, const char *ns, enum top_event kind, bool write, int64_t count,
	int64_t us);

/* Forgets a collection that was dropped. */
void top_forget(struct top *top, const char *ns);

/* Appends NAMESPACE: {total: {time, count}, ...} of all. */
void top_append(struct top *top, bson_t *out);

#endif
