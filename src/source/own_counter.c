#include "own_counter.h"

void own_counter_settle(struct own_counter *c, struct sample *out, enum metric_id id)
{
	uint64_t now;

	if (out->raw[id].type != RAW_U64)
		return;
	now = out->raw[id].u;
	if (now < c->last) /* another run, or a reset: it counts none of the earlier ones */
		c->own = 0;
	c->last = now;
	sample_set_u64(out, id, now >= c->own ? now - c->own : 0);
}
