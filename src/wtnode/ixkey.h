/*
 * The key of a secondary index: the values of its fields, one after another, as bytes that sort as
 * match.h compares the values, and the record id behind them. No value's bytes are the beginning of
 * another's, so the bytes of the first fields are the range of all keys that have these values.
 *
 * Long strings and documents are cut: a range may then hold more than it should, never less, and
 * who reads it checks the documents anyway.
 */
#ifndef WTNODE_IXKEY_H
#define WTNODE_IXKEY_H

#include <bson/bson.h>
#include <stdbool.h>

#define IXKEY_FIELDS_MAX 8
#define IXKEY_VALUE_MAX  1024                      /* bytes of a value that are kept */
#define IXKEY_FIELD_MAX  (2 * IXKEY_VALUE_MAX + 4) /* what these become: escaped, class, subtype */
#define IXKEY_RECORD_LEN 8
#define IXKEY_MAX        (IXKEY_FIELDS_MAX * IXKEY_FIELD_MAX + IXKEY_RECORD_LEN + 1)

struct ixkey {
	size_t len;
	uint8_t bytes[IXKEY_MAX];
};

/* Appends a value; NULL is a missing field, which is as null. False when it was cut. */
bool ixkey_append(struct ixkey *key, const bson_iter_t *value);

/* Appends what all values begin with that compare with this one. False when it compares with none:
 * not a number, or a type that has no order here. */
bool ixkey_append_class(struct ixkey *key, const bson_iter_t *value);

void ixkey_append_record(struct ixkey *key, int64_t record);

/* Appends what is greater than any continuation of the key. */
void ixkey_append_end(struct ixkey *key);

/* The record id at the end of a key from a table; 0 when it is too short to have one. */
int64_t ixkey_record(const uint8_t *bytes, size_t len);

#endif
