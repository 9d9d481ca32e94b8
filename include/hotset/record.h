/*
 * Recordings hold samples and nothing derived: text, a sample per line, each line ended by its
 * CRC (docs/hotset-rec.5). Names ending in .gz go through zlib. Unknown metrics are ignored; a line
 * without its CRC or newline never happened. No secrets: endpoints are written by id and address.
 */
#ifndef HOTSET_RECORD_H
#define HOTSET_RECORD_H

#include "hotset/model.h"

struct recorder;
/* Creates the file with mode 0600; refuses one that exists. NULL on failure. */
struct recorder *recorder_open(const char *path, struct err *err);
MUST_CHECK bool recorder_endpoint(struct recorder *r, const struct endpoint *ep, struct err *err);
/* A full disk is an error once; the recorder then writes nothing more. */
MUST_CHECK bool recorder_sample(struct recorder *r, const struct sample *s, struct err *err);
MUST_CHECK bool recorder_close(struct recorder *r, struct err *err); /* frees r in any case */

/*
 * History per endpoint, in steps, for the live screen and for replay alike (the same recording must
 * draw the same graphs): an hour for a few endpoints, less for fleets, whose memory is bounded so.
 */
static inline unsigned record_history_steps(unsigned endpoints)
{
	return endpoints <= 16 ? HISTORY_STEPS : endpoints <= 64 ? 600u : 120u;
}

struct recording;
/*
 * Loads the index of a recording (bounded: 512 MiB unpacked) and its endpoints. Lines that are
 * damaged are skipped and counted. NULL when it is no recording or holds no sample.
 */
struct recording *recording_open(const char *path, struct err *err);
void     recording_close(struct recording *r);
/* Adds its endpoints to the model. */
MUST_CHECK bool recording_endpoints(const struct recording *r, struct model *m, struct err *err);
unsigned recording_count(const struct recording *r);
unsigned recording_damaged(const struct recording *r);
int64_t  recording_mono(const struct recording *r, unsigned i); /* time of the i-th sample */
int64_t  recording_wall(const struct recording *r, unsigned i);
uint16_t recording_endpoint_of(const struct recording *r, unsigned i);
/* The i-th sample in file order, new for each call; the caller owns it. NULL: it does not parse. */
struct sample *recording_sample(const struct recording *r, unsigned i);

#endif
