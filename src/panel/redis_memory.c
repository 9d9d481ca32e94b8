/* Memory against maxmemory, and what the allocator adds to it. */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"fill", METRIC_REDIS_MEM_FILL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"of RAM", METRIC_REDIS_MEM_OF_RAM, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};

static const struct field fields[] = {
	{"used", METRIC_REDIS_MEM_USED},
	{"rss", METRIC_REDIS_MEM_RSS},
	{"peak", METRIC_REDIS_MEM_PEAK},
	{"dataset", METRIC_REDIS_MEM_DATASET},
	{"fragm.", METRIC_REDIS_MEM_FRAG},
	{"rss/used", METRIC_REDIS_MEM_FRAG_RSS},
};

static void draw_policy(struct pane *p)
{
	const char *policy = pane_info(p, METRIC_REDIS_MEM_POLICY);

	pane_printf(p, ROLE_DIM, "policy %s", *policy ? policy : "n/a");
}

static const char *note(const struct panel_ctx *x, char buf[NOTE_MAX], bool ascii)
{
	return note_of(buf, frame_value(&x->ep->frame, METRIC_REDIS_MEM_USED),
		frame_value(&x->ep->frame, METRIC_REDIS_MEM_MAX), ascii);
}

static const struct sheet sheet = {
	.title = "memory",
	.note = note,
	.bars = bars,
	.nbars = 2,
	.text = draw_policy,
	.text_lines = 1,
	.fields = fields,
	.nfields = 6,
	.graph = METRIC_REDIS_MEM_USED,
	.role = ROLE_BAR,
};

const struct panel_ops panel_redis_memory = {.name = "memory", .sheet = &sheet};
