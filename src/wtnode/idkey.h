/*
 * The key of the _id index: the value of _id as bytes such that values that are equal in MongoDB
 * (1, 1.0 and NumberLong(1)) have the same bytes and all others differ. Numbers and strings sort
 * as they compare.
 */
#ifndef WTNODE_IDKEY_H
#define WTNODE_IDKEY_H

#include "fail.h"

#include <bson/bson.h>

#define IDKEY_MAX 1024 /* bytes of a value, as mongod's old limit for index keys */

struct idkey {
	size_t len;
	uint8_t bytes[IDKEY_MAX + 2];
};

/* False when the type cannot be an _id (array, regex, undefined, ...) or the value is too long. */
bool idkey_encode(struct idkey *key, const bson_iter_t *id, struct fail *fail);

#endif
