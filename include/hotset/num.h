/*
 * Numbers in and out, independent of the locale. Formatting keeps widths steady: a value that
 * changes does not make its column jump.
 */
#ifndef HOTSET_NUM_H
#define HOTSET_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "hotset/metric.h"

/* The whole of s must be the number; no blanks, no partial result. */
bool num_parse_u64(const char *s, size_t len, uint64_t *out);
bool num_parse_i64(const char *s, size_t len, int64_t *out);
/* Decimal with optional sign, fraction and exponent; "nan", "inf" and hexadecimal are refused. */
bool num_parse_f64(const char *s, size_t len, double *out);
/* "64", "64MB", "1.5G", "512k", "1GiB" (all powers of 1024) to bytes. */
bool num_parse_size(const char *s, size_t len, uint64_t *out);

#define NUM_MAX 24 /* bytes that any of the formatters below needs at most */

/*
 * A value with its unit, for people: bytes "423 MiB", rates "21.4k/s", percent "82.6 %",
 * microseconds "11 µs", "1.2 ms", seconds "312 s", "5.2 min", ratio "0.79", times "2.1×".
 * ascii replaces µ and × by u and x. Never more than three significant digits beyond what the
 * unit needs. NaN and infinities print "n/a". Returns buf.
 */
const char *num_format(char buf[NUM_MAX], enum metric_unit unit, double v, bool ascii);
/* Without the unit's suffix of the rate: "21.4k", for columns whose head names the unit. */
const char *num_short(char buf[NUM_MAX], double v);
/* A duration in seconds for people: "9 s", "5:12", "3 h 07". */
const char *num_duration(char buf[NUM_MAX], double seconds);
/*
 * JSON: shortest of 15 to 17 digits that reads back the same; integers without a point; null for
 * NaN.
 */
const char *num_json(char buf[32], double v);

#endif
