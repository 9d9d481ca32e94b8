/* A burst of misses for one key: how many requests reach the origin. Shown once one was seen. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"R: requests", METRIC_REDIS_STAMPEDE_RATE},
	{"D: origin", METRIC_REDIS_STAMPEDE_ORIGIN},
	{"R × D", METRIC_REDIS_STAMPEDE_PREDICTED},
	{"observed", METRIC_REDIS_STAMPEDE_OBSERVED},
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = fields_lines(fields, 4, w) + 2;

	if (!x->ep || !value_ok(frame_value(&x->ep->frame, METRIC_REDIS_STAMPEDE_RATE)))
		return (struct extent){0};
	return (struct extent){lines, lines, lines};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "stampede", NULL);
	pane_fields(&p, fields, 4, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_redis_stampede = {
	.name = "stampede", .measure = measure, .draw = draw};
