/* Pressure stall information, and what reclaim does. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"mem some", METRIC_HOST_PSI_MEM_SOME, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"mem full", METRIC_HOST_PSI_MEM_FULL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"io some", METRIC_HOST_PSI_IO_SOME, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"io full", METRIC_HOST_PSI_IO_FULL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};

static const struct field fields[] = {
	{"refaults", METRIC_HOST_VM_REFAULT},
	{"majfaults", METRIC_HOST_VM_MAJFAULT},
	{"scanned", METRIC_HOST_VM_SCAN},
	{"reclaimed", METRIC_HOST_VM_STEAL},
	{"swap in", METRIC_HOST_SWAP_IN},
	{"swap out", METRIC_HOST_SWAP_OUT},
	{"oom kills", METRIC_HOST_VM_OOM_KILL},
};

static const struct sheet sheet = {
	.title = "pressure: share of time stalled",
	.bars = bars,
	.nbars = 4,
	.fields = fields,
	.nfields = 7,
	.graph = METRIC_HOST_VM_REFAULT,
	.role = ROLE_GRAPH_2,
};

const struct panel_ops panel_host_pressure = {.name = "pressure", .sheet = &sheet};
