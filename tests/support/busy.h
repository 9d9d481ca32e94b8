/*
 * A MongoDB node with more operations and collections than a screen has lines. The server lists
 * its rows in another order each second; a collection scan ends at BUSY_SCAN_ENDS.
 */
#ifndef TESTS_BUSY_H
#define TESTS_BUSY_H

#include "hotset/model.h"

#define BUSY_POINTS    30 /* short operations: opid 100 to 129, each 0.2 s older than the one before */
#define BUSY_SCAN      8100
#define BUSY_SCAN_ENDS 12 /* seconds; it is in the samples before */
#define BUSY_IDLE      "lsid:0a1b2c3d" /* a transaction that waits for its client, past its limit */
#define BUSY_ACTIVE    8200 /* a transaction at work, open for 12 s at the beginning */
#define BUSY_COLLS     60 /* collections with an index each; the larger the number, the less cached */
#define BUSY_OPS(t)    (BUSY_POINTS + 2u + ((t) < BUSY_SCAN_ENDS))

/* What a poll at second t gives, to be destroyed or pushed. */
struct sample *busy_sample(const struct endpoint *ep, unsigned t);
/* A model with that node alone, after the samples of seconds [0, seconds). */
struct model *busy_model(unsigned seconds);

#endif
