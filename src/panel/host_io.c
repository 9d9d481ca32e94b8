/* Block reads and writes of the host. */
#include "hotset/panels.h"
#include "hotset/widgets.h"

static const struct field fields[] = {
	{"page in", METRIC_HOST_VM_PGIN},
	{"page out", METRIC_HOST_VM_PGOUT},
	{"disk reads", METRIC_HOST_DISK_READ},
	{"cgroup rd", METRIC_HOST_CGROUP_RBYTES},
};

static const struct sheet sheet = {
	.title = "input and output",
	.fields = fields,
	.nfields = 4,
	.graph = METRIC_HOST_DISK_READ,
	.role = ROLE_GRAPH,
};

const struct panel_ops panel_host_io = {.name = "io", .sheet = &sheet};
