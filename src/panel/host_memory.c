/* Memory of the host and of the cgroup: the page cache is the second cache below the database's. */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"used", METRIC_HOST_MEM_USED_SHARE, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"cgroup", METRIC_HOST_CGROUP_FILL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};

static const struct field fields[] = {
	{"avail.", METRIC_HOST_MEM_AVAILABLE},
	{"pg cache", METRIC_HOST_MEM_FILE_CACHE},
	{"dirty", METRIC_HOST_MEM_DIRTY},
	{"writeback", METRIC_HOST_MEM_WRITEBACK},
	{"cgroup", METRIC_HOST_CGROUP_USED},
	{"of max", METRIC_HOST_CGROUP_MAX},
	{"files", METRIC_HOST_CGROUP_FILE},
	{"swap used", METRIC_HOST_SWAP_USED},
};

static void draw_where(struct pane *p)
{
	const char *scope = pane_info(p, METRIC_HOST_SCOPE);
	const char *container = pane_info(p, METRIC_HOST_CONTAINER),
		   *virt = pane_info(p, METRIC_HOST_VIRT);
	const char *storage = pane_info(p, METRIC_HOST_STORAGE);

	pane_printf(p, ROLE_DIM, "virtual %s  container %s  storage %s%s%s", *virt ? virt : "n/a",
		*container ? container : "n/a", *storage ? storage : "n/a",
		*scope ? "  scope " : "", scope);
}

static const char *note(const struct panel_ctx *x, char buf[NOTE_MAX], bool ascii)
{
	return note_of(buf, frame_value(&x->ep->frame, METRIC_HOST_MEM_USED),
		frame_value(&x->ep->frame, METRIC_HOST_MEM_TOTAL), ascii);
}

static const struct sheet sheet = {
	.title = "memory",
	.note = note,
	.bars = bars,
	.nbars = 2,
	.text = draw_where,
	.text_lines = 1,
	.fields = fields,
	.nfields = 8,
	.graph = METRIC_HOST_MEM_FILE_CACHE,
	.role = ROLE_BAR,
};

const struct panel_ops panel_host_memory = {.name = "memory", .sheet = &sheet};
