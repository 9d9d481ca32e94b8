/*
 * Filters: a conjunction of comparisons of fields (dotted paths go through nested documents) with
 * $eq, $ne, $gt, $gte, $lt, $lte and $exists. As in MongoDB, values compare only with values of
 * their own kind, all numbers are one kind, and a comparison with null also finds what is missing.
 * Unlike there, an array is never searched for a matching element.
 */
#ifndef WTNODE_MATCH_H
#define WTNODE_MATCH_H

#include "fail.h"

#include <bson/bson.h>

#define MATCH_TERMS_MAX 16
#define MATCH_PATH_MAX  255 /* bytes */

enum match_op {
	MATCH_EQ,
	MATCH_NE,
	MATCH_GT,
	MATCH_GTE,
	MATCH_LT,
	MATCH_LTE,
	MATCH_EXISTS,
};

struct match_term {
	const char *path;
	bool dotted;
	enum match_op op;
	bson_iter_t want;
};

struct match {
	unsigned count;
	struct match_term terms[MATCH_TERMS_MAX];
};

/* Borrows the filter, which must outlive the match. False when it says something else. */
bool match_compile(struct match *m, const bson_t *filter, struct fail *fail);

/* Whether every term holds for the document. */
bool match_doc(const struct match *m, const bson_t *doc);

/* Whether a term asks for one value of _id; id then stands on that value. */
bool match_id(const struct match *m, bson_iter_t *id);

#endif
