/* Flash behind the memory (extstore). Left out where the server has none. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"reads", METRIC_MEMCACHED_EXT_READS},
	{"hits", METRIC_MEMCACHED_EXT_HITS},
	{"misses", METRIC_MEMCACHED_EXT_MISSES},
	{"io queue", METRIC_MEMCACHED_EXT_IO_QUEUE},
	{"used", METRIC_MEMCACHED_EXT_USED},
	{"max", METRIC_MEMCACHED_EXT_MAX},
	{"fragm.", METRIC_MEMCACHED_EXT_FRAG},
	{"pages free", METRIC_MEMCACHED_EXT_PAGES_FREE},
	{"evictions", METRIC_MEMCACHED_EXT_PAGE_EVICTIONS},
	{"lifetime", METRIC_MEMCACHED_EXT_LIFETIME},
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = fields_lines(fields, 10, w) + 2;

	if (!x->ep || !value_ok(frame_value(&x->ep->frame, METRIC_MEMCACHED_EXT_MAX)))
		return (struct extent){0};
	return (struct extent){4, lines + 4, lines + 10};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "flash", NULL);
	pane_fields(&p, fields, 10, pane_left(&p));
	pane_graph(&p, METRIC_MEMCACHED_EXT_IO_QUEUE, ROLE_GRAPH_2, CAPTION_LINE, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_memcached_ext = {.name = "flash", .measure = measure, .draw = draw};
