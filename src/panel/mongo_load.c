/* What the node is doing: operations, their latency, tickets and connections. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"query", METRIC_MONGO_OPS_QUERY},
	{"insert", METRIC_MONGO_OPS_INSERT},
	{"update", METRIC_MONGO_OPS_UPDATE},
	{"delete", METRIC_MONGO_OPS_DELETE},
	{"getmore", METRIC_MONGO_OPS_GETMORE},
	{"command", METRIC_MONGO_OPS_COMMAND},
	{"read p50", METRIC_MONGO_LAT_READS_P50},
	{"read p95", METRIC_MONGO_LAT_READS_P95},
	{"write p95", METRIC_MONGO_LAT_WRITES_P95},
	{"r ticket", METRIC_MONGO_TICKETS_READ_OUT},
	{"w ticket", METRIC_MONGO_TICKETS_WRITE_OUT},
	{"conns", METRIC_MONGO_CONN_CURRENT},
	{"resident", METRIC_MONGO_MEM_RESIDENT},
	{"collscan", METRIC_MONGO_SCAN_COLLSCANS},
	{"docs", METRIC_MONGO_SCAN_DOCS_EXAMINED},
	{"uptime", METRIC_MONGO_UPTIME},
};

static const struct sheet sheet = {
	.title = "load",
	.fields = fields,
	.nfields = 16,
	.graph = METRIC_MONGO_OPS_TOTAL,
	.role = ROLE_GRAPH,
};

const struct panel_ops panel_mongo_load = {.name = "load", .sheet = &sheet};
