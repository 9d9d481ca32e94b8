/*
 * Replies of a real mongod, one sample a second, from tests/fixtures/captures: a gzip stream of
 * BSON documents {t, mark, serverStatus, currentOp: [...]}.
 */
#ifndef TESTS_CAPTURE_H
#define TESTS_CAPTURE_H

#include <bson/bson.h>

#include "hotset/sample.h"

struct capture;

/* "tests/fixtures/captures/idle.bson.gz"; NULL if it cannot be opened. */
struct capture *capture_open(const char *path);
/* The next document, valid until the next call; NULL at the end. Damage fails the test. */
const bson_t *capture_next(struct capture *c);
void capture_close(struct capture *c);

/* Seconds since the capture began. */
double capture_time(const bson_t *doc);
/*
 * What a poll at that time gave: serverStatus, $currentOp, collStats of l21a.items where it was asked
 * for, and thresholds of a server without any configuration (these had none). Times are base + t. Endpoint 0. Fails the test if it cannot be
 * parsed. The caller destroys it.
 */
struct sample *capture_sample(const bson_t *doc, int64_t base_mono_ns, int64_t base_wall_ns);
/*
 * What the server's parameters and replSetGetStatus said besides, for captures of servers that had
 * any: minSnapshotHistoryWindowInSeconds, transactionLifetimeLimitSeconds, and the member's role
 * with its majority lag (of a replica set of one member: "PRIMARY", 0).
 */
struct capture_params {
	uint64_t window_s, limit_s;
	const char *role; /* NULL: standalone */
	uint64_t majority_lag_s;
};
void capture_apply(struct sample *s, const struct capture_params *p);
/* As if this poll had left $currentOp out, as most do. */
void capture_drop_ops(struct sample *s);

#endif
