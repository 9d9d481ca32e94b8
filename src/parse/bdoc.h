/*
 * Numbers and texts out of BSON documents. Servers send the same field as int32, int64, double,
 * decimal128 or bool, by version or even by value, so every reader of a number goes through here.
 */
#ifndef HOTSET_BDOC_H
#define HOTSET_BDOC_H

#include <bson/bson.h>

#include "hotset/sample.h"

/* false if the field is no number. The result may be NaN or infinite. */
bool bdoc_f64(const bson_iter_t *it, double *out);
/* false if the field is no number or none that an int64 can hold; fractions are cut off. */
bool bdoc_i64(const bson_iter_t *it, int64_t *out);

/* Positions `it` on a field of doc by its dotted path; false if there is none. */
bool bdoc_find(const bson_t *doc, const char *path, bson_iter_t *it);
/* The number at a path; false if it is absent or no number. */
bool bdoc_find_i64(const bson_t *doc, const char *path, int64_t *out);
/* The text at a path, NULL if it is absent or no text; borrowed from doc, *len bytes long. */
const char *bdoc_find_text(const bson_t *doc, const char *path, size_t *len);
/* true if the field at a path is true or a number other than 0. */
bool bdoc_find_true(const bson_t *doc, const char *path);
/* Makes `out` a view of the document or array under `it`; false if it is neither. */
bool bdoc_view(const bson_iter_t *it, bson_t *out);

/*
 * A count or a number of bytes into a metric or cell: negative figures and those of 2^63 - 1 and
 * above (a difference that went below zero inside the server) are IMPLAUSIBLE, like anything that
 * is no number.
 */
void bdoc_set_count(struct sample *s, enum metric_id id, const bson_iter_t *it);
/* The rule itself. */
bool bdoc_count(const bson_iter_t *it, uint64_t *out);

#endif
