/* Memory against its limit, and how much of the slabs' memory is rounding. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"fill", METRIC_MEMCACHED_MEM_FILL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};

static const struct field fields[] = {
	{"items", METRIC_MEMCACHED_ITEMS},
	{"classes", METRIC_MEMCACHED_SLABS_ACTIVE},
	{"malloced", METRIC_MEMCACHED_SLABS_MALLOCED},
	{"waste", METRIC_MEMCACHED_SLABS_WASTE},
};

static const char *note(const struct panel_ctx *x, char buf[NOTE_MAX], bool ascii)
{
	return note_of(buf, frame_value(&x->ep->frame, METRIC_MEMCACHED_MEM_USED),
		frame_value(&x->ep->frame, METRIC_MEMCACHED_MEM_MAX), ascii);
}

static const struct sheet sheet = {
	.title = "memory",
	.note = note,
	.bars = bars,
	.nbars = 1,
	.fields = fields,
	.nfields = 4,
	.graph = METRIC_MEMCACHED_MEM_USED,
	.role = ROLE_BAR,
};

const struct panel_ops panel_memcached_memory = {.name = "memory", .sheet = &sheet};
