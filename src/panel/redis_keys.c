/* How many keys there are, how long one stays, and whether eviction keeps up. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"keys", METRIC_REDIS_KEYS},
	{"with TTL", METRIC_REDIS_EXPIRES},
	{"evicted", METRIC_REDIS_EVICTED},
	{"expired", METRIC_REDIS_EXPIRED},
	{"stays", METRIC_REDIS_RESIDENCE},
	{"over", METRIC_REDIS_EVICT_EXCEEDED},
};

static const struct sheet sheet = {
	.title = "keys",
	.fields = fields,
	.nfields = 6,
	.graph = METRIC_REDIS_EVICTED,
	.role = ROLE_GRAPH_2,
};

const struct panel_ops panel_redis_keys = {.name = "keys", .sheet = &sheet};
