/* Connections, and the latency of our own gets where they are asked for. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"conns", METRIC_MEMCACHED_CONNS},
	{"max", METRIC_MEMCACHED_MAX_CONNS},
	{"refused", METRIC_MEMCACHED_REJECTED},
	{"uptime", METRIC_MEMCACHED_UPTIME},
	{"get p50", METRIC_MEMCACHED_PROBE_P50},
	{"get p99", METRIC_MEMCACHED_PROBE_P99},
};

static const struct sheet sheet = {
	.title = "load",
	.fields = fields,
	.nfields = 6,
	.graph = METRIC_MEMCACHED_HITS,
	.role = ROLE_GRAPH,
};

const struct panel_ops panel_memcached_load = {.name = "load", .sheet = &sheet};
