/*
 * Fields of a text reply to metrics. A bad field spoils only itself: what cannot be read, or cannot
 * be true, becomes a missing value with its reason, never a number.
 */
#ifndef HOTSET_FIELDS_H
#define HOTSET_FIELDS_H

#include "hotset/lines.h"
#include "hotset/sample.h"

enum field_type {
	FIELD_COUNT, /* not negative: below 0, and from 2^63 (a wrapped negative) on, implausible */
	FIELD_SIGNED, /* from 2^63 on a wrapped negative, which is what it is stored as */
	FIELD_REAL,   /* a number with a fraction, not negative */
	FIELD_TEXT,
};

struct field {
	const char    *key;
	enum metric_id id;
	enum field_type type;
};

#define FIELD_BYTES_PLAUSIBLE (UINT64_C(1) << 56) /* 64 PiB: no memory of one machine is larger */
#define FIELD_UPTIME_PLAUSIBLE (UINT64_C(30) * 365 * 86400) /* seconds: older than the servers */

#define FIELD_TLS_ALERT "\x15\x03" /* how a TLS server begins its answer to plain text */

/* The field named key, NULL if the table of n has none. */
const struct field *field_find(const struct field *table, size_t n, struct span key);
/*
 * A number with an optional "%" or K, M, G unit behind it. The result has type RAW_NONE and a
 * reason when there is none: NOT_SENT for an empty value, TEXT, or IMPLAUSIBLE.
 */
struct raw field_read(struct span value, enum field_type type);
/* Stores the value; an empty one, and one for a metric that has a value already, changes nothing.
 */
void field_store(struct sample *out, const struct field *f, struct span value);
struct raw field_none(enum reason why);
/* a - b of two raws, where b must not be above a; the reason of the one that is missing. */
struct raw field_minus(struct raw a, struct raw b);

/* The run's identity by pid and start (0 unknown): see parse_settle_epoch(). */
void field_set_run(struct sample *out, uint64_t pid, int64_t start_s);
/* Lowers the status and says why; does nothing when it is as low already. */
void field_lower_status(struct sample *out, enum status to, const struct err *err);

#endif
