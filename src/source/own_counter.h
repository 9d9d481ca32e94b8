/*
 * A counter of the server in which our own requests are counted as well: what others made of it.
 */
#ifndef HOTSET_SOURCE_OWN_COUNTER_H
#define HOTSET_SOURCE_OWN_COUNTER_H

#include "hotset/sample.h"

struct own_counter {
	uint64_t own;  /* requests of ours since the server's counter began: added by who sends them
			*/
	uint64_t last; /* what the server had counted at the poll before */
};

/* Takes ours out of the sample's counter, which was read before any further one is sent. */
void own_counter_settle(struct own_counter *c, struct sample *out, enum metric_id id);

#endif
