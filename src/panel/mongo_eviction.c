/* Who evicts, how much of it, and whether users' threads have to help. */
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"clean", METRIC_MONGO_CACHE_EVICTED_CLEAN},
	{"dirty", METRIC_MONGO_CACHE_EVICTED_DIRTY},
	{"by apps", METRIC_MONGO_CACHE_EVICTED_APP},
	{"stalled", METRIC_MONGO_CACHE_APP_WAIT},
	{"evicting", METRIC_MONGO_CACHE_APP_EVICT},
	{"score", METRIC_MONGO_CACHE_AGGRESSIVE},
};

static const char *duration(char buf[NUM_MAX], struct value v)
{
	return value_ok(v) ? num_duration(buf, v.v) : "n/a";
}

/* The checkpoint, which pins what eviction may not touch. */
static void draw_state(struct pane *p)
{
	struct value running = pane_value(p, METRIC_MONGO_CKPT_RUNNING);
	struct value last = pane_value(p, METRIC_MONGO_CKPT_LAST);
	const char *state = pane_info(p, METRIC_MONGO_CACHE_STATE);
	char age[NUM_MAX], took[VALUE_TEXT_MAX];

	pane_printf(p, ROLE_DIM, "state %s", *state ? state : "n/a");
	if (value_ok(running) && running.v > 0)
		pane_text(p, ROLE_DIM, "checkpoint running");
	else
		pane_printf(p, ROLE_DIM, "checkpoint %s ago, took %s",
			duration(age, pane_value(p, METRIC_MONGO_CKPT_AGE)),
			value_text(took, UNIT_MSEC, last, p->c->ascii));
}

static const struct sheet sheet = {
	.title = "eviction",
	.fields = fields,
	.nfields = 6,
	.text = draw_state,
	.text_lines = 2,
	.text_last = true,
	.graph = METRIC_MONGO_CACHE_EVICTED_CLEAN,
	.role = ROLE_GRAPH_2,
};

const struct panel_ops panel_mongo_eviction = {.name = "eviction", .sheet = &sheet};
