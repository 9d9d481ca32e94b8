/* A burst of misses: how many requests reached the origin. Shown once one was seen. */
#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/widgets.h"

#include <math.h>

#include "panels.h"

static const struct field fields[] = {
	{"R", METRIC_REDIS_STAMPEDE_RATE},
	{"D", METRIC_REDIS_STAMPEDE_ORIGIN},
	{"R × D", METRIC_REDIS_STAMPEDE_PREDICTED},
	{"observed", METRIC_REDIS_STAMPEDE_OBSERVED},
};

static bool is_running(const struct stampede *s)
{
	return s->phase == STAMPEDE_BURST || s->phase == STAMPEDE_SETTLING;
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = fields_lines(fields, 4, w) + 3;

	if (!x->ep || (x->ep->stampede.done == 0 && !is_running(&x->ep->stampede)))
		return (struct extent){0};
	return (struct extent){lines, lines, lines};
}

/* The answer: what came, and what one refill for each key would have been. */
static void draw_answer(struct pane *p, const struct stampede *s)
{
	const struct stampede_result *r = &s->result;
	char missed[NUM_MAX], keys[NUM_MAX];

	if (is_running(s))
		pane_printf(p, ROLE_WARN, "now: %s requests so far", num_short(missed, s->missed));
	else
		pane_printf(p, p->stale ? ROLE_DIM : ROLE_DEFAULT,
			"%s to the origin, %s would do%s", num_short(missed, round(r->missed)),
			num_short(keys, r->keys),
			r->rate_is_max ? "; R is that of all requests, at most" : "");
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	const struct stampede *s = &x->ep->stampede;
	char note[NUM_MAX + 8] = "", age[NUM_MAX];
	struct pane p;

	if (s->done > 0 && !is_running(s))
		snprintf(note, sizeof(note), "%s ago",
			num_duration(age,
				(double)(x->m->mono_ns - s->result.end_ns) / (double)NS_PER_SEC));
	pane_open(&p, x, c, r, "stampede", note[0] ? note : NULL);
	draw_answer(&p, s);
	pane_fields(&p, fields, 4, pane_left(&p));
	pane_close(&p);
}

const struct panel_ops panel_redis_stampede = {
	.name = "stampede", .measure = measure, .draw = draw};
