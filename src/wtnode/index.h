/*
 * A secondary index: ascending, on one field or several, not unique. It is a table of its own whose
 * keys are ixkey.h's and whose values are empty.
 */
#ifndef WTNODE_INDEX_H
#define WTNODE_INDEX_H

#include "ixkey.h"
#include "match.h"

#include <stdint.h>

#define INDEX_MAX         8    /* of one collection, beside _id */
#define INDEX_NAME_MAX    127  /* bytes */
#define INDEX_PATTERN_MAX 1024 /* bytes of the key document */
#define INDEX_URI_MAX     48   /* bytes */
#define INDEX_PLAN_MAX    255  /* bytes */

struct index {
	int64_t id;
	char name[INDEX_NAME_MAX + 1];
	char uri[INDEX_URI_MAX];
	char plan[INDEX_PLAN_MAX + 1]; /* "IXSCAN { a: 1 }" */
	uint64_t since;                /* what reads at an earlier timestamp must not use it */
	unsigned fields;
	char paths[IXKEY_FIELDS_MAX][MATCH_PATH_MAX + 1];
	uint32_t pattern_len;
	uint8_t pattern[INDEX_PATTERN_MAX]; /* {a: 1} as it was given */
};

/* The part of an index that a filter needs: keys from low, to those that begin with high. */
struct index_range {
	struct ixkey low, high;
	bool without_high; /* up to them only */
};

/* Makes an index, which the caller frees; NULL after filling fail. */
struct index *index_create(int64_t id, const char *name, const bson_t *pattern, struct fail *fail);

/* The key of a document in it. */
void index_key(const struct index *ix, const bson_t *doc, int64_t record, struct ixkey *key);

/*
 * How many of the index's first fields the filter restricts, 0: it is of no use; and the range that
 * holds every document which matches.
 */
unsigned index_bounds(const struct index *ix, const struct match *m, struct index_range *range);

/* Whether a key of the table is behind the range. */
bool index_is_behind(const struct index_range *range, const uint8_t *key, size_t len);

#endif
