/*
 * The few things about BSON that libbson leaves to its user: a check of untrusted bytes that is
 * bounded in depth, numbers whatever their width, and names that are safe to keep.
 */
#ifndef WTNODE_BSONX_H
#define WTNODE_BSONX_H

#include <bson/bson.h>
#include <stdbool.h>

#define BSONX_DEPTH_MAX 100 /* levels of nesting, as mongod's limit */

/*
 * Whether the bytes are one complete BSON document of exactly len bytes whose every nested value
 * lies inside its parent, at most BSONX_DEPTH_MAX levels deep. Nothing received is handed to
 * libbson's recursive functions before it passed here.
 */
bool bsonx_check(const uint8_t *data, size_t len);

/* A view of bytes that passed bsonx_check; it borrows them. False when they are no document. */
bool bsonx_view(bson_t *doc, const uint8_t *data, size_t len);

/* A view of the document or array that the iterator stands on; false when it is neither. */
bool bsonx_iter_view(const bson_iter_t *it, bson_t *doc);

/* int32, int64 and double are numbers; the value is clamped to int64 (NaN is 0). */
bool bsonx_is_number(const bson_iter_t *it);
int64_t bsonx_int64(const bson_iter_t *it);

/* What mongod takes as true: anything but false, 0, null and undefined. */
bool bsonx_truthy(const bson_iter_t *it);

/* The field as a flag; otherwise when it is absent. */
bool bsonx_flag(const bson_t *doc, const char *key, bool otherwise);

/* The field as a number; otherwise when it is absent or no number. */
int64_t bsonx_number(const bson_t *doc, const char *key, int64_t otherwise);

/*
 * The string that the iterator stands on when it is valid UTF-8 of 1 to max bytes without a NUL,
 * else NULL. It borrows the document's bytes.
 */
const char *bsonx_name(const bson_iter_t *it, size_t max);

/* Appends an integer as mongod does: int32 where it fits, else int64. */
void bsonx_append_int(bson_t *doc, const char *key, int64_t value);

#endif
