/*
 * Updates of one document: $set and $inc on top-level fields, or a replacement. Pure functions on
 * BSON.
 */
#ifndef WTNODE_UPDATE_H
#define WTNODE_UPDATE_H

#include "fail.h"

#include <bson/bson.h>

/*
 * Writes to out, an empty document of the caller, what old becomes under spec, an update document
 * that passed bsonx_check. _id stays what it is in old. On failure out holds rubbish and is still
 * the caller's to destroy.
 */
bool update_apply(bson_t *out, const bson_t *old, const bson_t *spec, struct fail *fail);

#endif
