/*
 * MongoDB's diagnostic data (FTDC): what a mongod sampled of itself every second, in the files of
 * its diagnostic.data. A file is a row of BSON documents; those of type 1 hold a chunk of samples:
 * the first one whole, of the others the differences of every number, column by column. Numbers are
 * told apart by their position, not by name: names may occur twice.
 *
 * Nothing of a file is trusted: sizes and counts are bounded, a chunk that is damaged is refused as
 * a whole.
 */
#ifndef HOTSET_FTDC_H
#define HOTSET_FTDC_H

#include <bson/bson.h>

#include "hotset/sample.h"

#define FTDC_UNPACKED_MAX (16u * 1024 * 1024) /* bytes of a chunk; real ones have about 100 KiB */
#define FTDC_METRICS_MAX  65536u
#define FTDC_SAMPLES_MAX  4096u               /* of a chunk; real ones have 300 */
#define FTDC_VALUES_MAX   (8u * 1024 * 1024)  /* of both together: 64 MiB */

struct ftdc_chunk {
	bson_t   *reference; /* the first sample; owned */
	unsigned  metrics, samples;
	uint64_t *values;          /* metrics x samples, metric by metric; owned */
};

/* Unpacks the `data` of a document of type 1. Fills out on success only. */
MUST_CHECK bool ftdc_unpack(
	const uint8_t *data, size_t len, struct ftdc_chunk *out, struct err *err);
void ftdc_finish(struct ftdc_chunk *c);
/* The i-th sample as the document that it was; the caller destroys it. NULL: no memory. */
bson_t *ftdc_sample(const struct ftdc_chunk *c, unsigned i);

/*
 * A sample's document into a sample, as if the server had been polled then: serverStatus,
 * replSetGetStatus and systemMetrics. `metadata` is the newest document of type 0 before it, for
 * the thresholds, or NULL. There are no operations in it. Settle the epoch afterwards (parse.h).
 */
MUST_CHECK bool parse_ftdc(const bson_t *doc, const bson_t *metadata,
	struct sample *out, struct err *err);

#endif
