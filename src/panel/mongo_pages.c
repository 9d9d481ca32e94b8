/* Pages read into the cache over time: every one is a miss that somebody waited for. */
#include "hotset/widgets.h"

#include "panels.h"

static struct extent measure(const struct panel_ctx *x, int w)
{
	(void)x;
	(void)w;
	return (struct extent){4, 9, 30};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "pages read into cache", NULL);
	pane_graph(&p, METRIC_MONGO_CACHE_PAGES_READ, ROLE_GRAPH, CAPTION_BORDER, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_mongo_pages = {.name = "pages read", .measure = measure, .draw = draw};
