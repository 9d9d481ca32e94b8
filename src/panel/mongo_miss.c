/* Where a miss is served: by the page cache of the host, or by its device. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"device", METRIC_MONGO_READ_DEVICE_SHARE, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};

static const struct field fields[] = {
	{"per page", METRIC_MONGO_READ_LATENCY},
	{"block rd", METRIC_MONGO_BLOCK_BYTES_READ},
	{"pg cache", METRIC_HOST_MEM_FILE_CACHE},
	{"disk rd", METRIC_HOST_DISK_READ},
	{"refaults", METRIC_HOST_VM_REFAULT},
	{"PSI io", METRIC_HOST_PSI_IO_SOME},
};
#define FIELDS_OF_MONGO 2
#define FIELDS_ALL      6

static unsigned count_fields(const struct panel_ctx *x)
{
	return model_of_kind(x->m, KIND_HOST, 0) ? FIELDS_ALL : FIELDS_OF_MONGO;
}

static void draw_storage(struct pane *p)
{
	const char *storage = pane_info(p, METRIC_HOST_STORAGE),
		   *virt = pane_info(p, METRIC_HOST_VIRT);

	if (!model_of_kind(p->x->m, KIND_HOST, 0))
		pane_text(p, ROLE_DIM, "no host is watched: add proc: to the targets");
	else
		pane_printf(p, ROLE_DIM, "storage %s, virtual %s", *storage ? storage : "n/a",
			*virt ? virt : "n/a");
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = 2 + fields_lines(fields, count_fields(x), w);

	return (struct extent){4, lines + 2, lines + 16};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "where a miss is served", NULL);
	pane_bar(&p, &bars[0]);
	pane_fields(&p, fields, count_fields(x), pane_left(&p));
	draw_storage(&p);
	pane_graph(&p, METRIC_MONGO_READ_LATENCY, ROLE_GRAPH, CAPTION_LINE, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_mongo_miss = {
	.name = "miss",
	.wants = WANT_NODE_HOST,
	.measure = measure,
	.draw = draw,
};
