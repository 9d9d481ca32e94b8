/* Commands, clients, network and replication. */
#include "hotset/panels.h"
#include "hotset/widgets.h"

static const struct field fields[] = {
	{"ops", METRIC_REDIS_OPS},
	{"clients", METRIC_REDIS_CLIENTS},
	{"blocked", METRIC_REDIS_BLOCKED},
	{"rejected", METRIC_REDIS_REJECTED},
	{"net in", METRIC_REDIS_NET_IN},
	{"net out", METRIC_REDIS_NET_OUT},
	{"cpu user", METRIC_REDIS_CPU_USER},
	{"cpu sys", METRIC_REDIS_CPU_SYS},
	{"repl. lag", METRIC_REDIS_REPL_LAG},
	{"uptime", METRIC_REDIS_UPTIME},
};

static const struct sheet sheet = {
	.title = "load",
	.fields = fields,
	.nfields = 10,
	.graph = METRIC_REDIS_OPS,
	.role = ROLE_GRAPH,
};

const struct panel_ops panel_redis_load = {.name = "load", .sheet = &sheet};
