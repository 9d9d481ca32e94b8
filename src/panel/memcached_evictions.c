/* What is evicted, how young it was, and whether anybody had read it. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"evicted", METRIC_MEMCACHED_EVICTIONS},
	{"reclaim.", METRIC_MEMCACHED_RECLAIMED},
	{"unread", METRIC_MEMCACHED_EVICTED_UNFETCHED_SHARE},
	{"active", METRIC_MEMCACHED_EVICTED_ACTIVE_SHARE},
	{"after", METRIC_MEMCACHED_EVICTED_TIME},
	{"tail age", METRIC_MEMCACHED_TAIL_AGE},
	{"direct", METRIC_MEMCACHED_DIRECT_RECLAIMS},
};

static const struct sheet sheet = {
	.title = "evictions",
	.fields = fields,
	.nfields = 7,
	.graph = METRIC_MEMCACHED_EVICTIONS,
	.role = ROLE_GRAPH_2,
};

const struct panel_ops panel_memcached_evictions = {.name = "evictions", .sheet = &sheet};
