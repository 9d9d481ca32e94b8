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
 * What a poll at that time gave: serverStatus, $currentOp, and thresholds of a server without any
 * configuration (these had none). Times are base + t. Endpoint 0. Fails the test if it cannot be
 * parsed. The caller destroys it.
 */
struct sample *capture_sample(const bson_t *doc, int64_t base_mono_ns, int64_t base_wall_ns);

#endif
