/* Block reads and writes of the host. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"pg in", METRIC_HOST_VM_PGIN},
	{"pg out", METRIC_HOST_VM_PGOUT},
	{"disk", METRIC_HOST_DISK_READ},
	{"cgroup", METRIC_HOST_CGROUP_RBYTES},
};

static const struct sheet sheet = {
	.title = "input and output",
	.fields = fields,
	.nfields = 4,
	.graph = METRIC_HOST_DISK_READ,
	.role = ROLE_GRAPH,
};

const struct panel_ops panel_host_io = {.name = "io", .sheet = &sheet};
