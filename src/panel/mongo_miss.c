/*
 * Where a miss is served: by the page cache of the node's host, or by its device. Figures of a
 * watched host stand here only when the node is proven to be on it.
 */
#include <stdio.h>

#include "hotset/num.h"
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
#define ANSWER_W        46 /* cells of the answer with the time, which a field repeats */
#define FIELDS_OF_MONGO 2
#define FIELDS_ALL      6

/* of a node elsewhere, as it sees its own host */
static const struct field remote_fields[] = {
	{"per page", METRIC_MONGO_READ_LATENCY},
	{"block rd", METRIC_MONGO_BLOCK_BYTES_READ},
	{"pg cache", METRIC_MONGO_HOST_FILE_CACHE},
	{"disk rd", METRIC_MONGO_HOST_DISK_READ},
	{"avail.", METRIC_MONGO_HOST_AVAILABLE},
	{"PSI io", METRIC_MONGO_HOST_PSI_IO},
};

static bool is_proven(const struct panel_ctx *x)
{
	return frame_info(&x->ep->frame, METRIC_MONGO_READ_DEVICE_SOURCE) != NULL;
}

static bool has_host(const struct panel_ctx *x)
{
	return is_proven(x) && model_of_kind(x->m, KIND_HOST, 0);
}

/* The node told of its host. */
static bool is_remote(const struct panel_ctx *x)
{
	return !is_proven(x) && value_ok(x->ep->frame.v[METRIC_MONGO_HOST_FILE_CACHE]);
}

static const struct field *choose_fields(const struct panel_ctx *x)
{
	return is_remote(x) ? remote_fields : fields;
}

static unsigned count_fields(const struct panel_ctx *x)
{
	return has_host(x) || is_remote(x) ? FIELDS_ALL : FIELDS_OF_MONGO;
}

/* The answer: who serves, and for how long somebody waits. */
static void draw_answer(struct pane *p)
{
	struct value share = pane_value(p, METRIC_MONGO_READ_DEVICE_SHARE);
	struct value page = pane_value(p, METRIC_MONGO_READ_LATENCY);
	char time[NUM_MAX] = "";

	if (!value_ok(share)) {
		pane_printf(p, ROLE_DIM, "%s",
			share.why == REASON_NO_TRAFFIC      ? "no misses"
			: share.why == REASON_NOT_SAME_HOST ? "not known: not provably this host"
							    : reason_text((enum reason)share.why));
		return;
	}
	if (value_ok(page) && p->in.w >= ANSWER_W)
		num_format(time, UNIT_USEC, page.v, p->c->ascii);
	pane_printf(p, p->stale ? ROLE_DIM : ROLE_DEFAULT,
		"page cache %.0f %%   device %.0f %%%s%s%s", share.v < 100 ? 100 - share.v : 0.0,
		share.v, *time ? "   " : "", time, *time ? " a page" : "");
}

/* What the times measure: a disk, or a layer in front of one. */
static void draw_storage(struct pane *p)
{
	const char *storage = pane_info(p, METRIC_HOST_STORAGE),
		   *virt = pane_info(p, METRIC_HOST_VIRT);
	bool guest = *virt && strcmp(virt, "none") != 0;

	if (!has_host(p->x))
		pane_text(p, ROLE_DIM,
			is_remote(p->x)   ? "host figures: the node's own, of its whole host"
			: is_proven(p->x) ? "add proc: to the targets to see its host"
					  : "watch its host through a node_exporter (http://)");
	else
		pane_printf(p, guest ? ROLE_WARN : ROLE_DIM, "storage %s%s%s%s",
			*storage ? storage : "n/a", guest ? " in a virtual machine (" : "",
			guest ? virt : "", guest ? "): reads measure that" : "");
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = 3 + fields_lines(choose_fields(x), count_fields(x), w);

	return (struct extent){4, lines + 2, lines + 16};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "where a miss is served", NULL);
	draw_answer(&p);
	if (pane_left(&p) > 2 && value_ok(pane_value(&p, METRIC_MONGO_READ_DEVICE_SHARE)))
		pane_bar(&p, &bars[0]);
	pane_fields(&p, choose_fields(x), count_fields(x), pane_left(&p));
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
