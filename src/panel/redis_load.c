/* Commands, clients, network and replication. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"ops", METRIC_REDIS_OPS},
	{"net in", METRIC_REDIS_NET_IN},
	{"clients", METRIC_REDIS_CLIENTS},
	{"net out", METRIC_REDIS_NET_OUT},
	{"blocked", METRIC_REDIS_BLOCKED},
	{"user", METRIC_REDIS_CPU_USER},
	{"refused", METRIC_REDIS_REJECTED},
	{"system", METRIC_REDIS_CPU_SYS},
	{"lag", METRIC_REDIS_REPL_LAG},
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
