/* How full the cache is, against the thresholds at which eviction acts and where they come from. */
#include <stdio.h>
#include <string.h>

#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"fill", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TRIGGER,
		100, METRIC_COUNT},
	{"dirty", METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TARGET,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER, 0, METRIC_COUNT},
	{"updates", METRIC_MONGO_CACHE_UPDATES_FILL, METRIC_MONGO_CACHE_UPDATES_TARGET,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER, 0, METRIC_COUNT},
};

static const struct field fields[] = {
	{"10 s mean", METRIC_MONGO_CACHE_FILL_MEAN},
	{"to trigger", METRIC_MONGO_CACHE_TIME_TO_TRIGGER},
};

struct threshold {
	enum metric_id value, source;
};

static const struct threshold targets[] = {
	{METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TARGET_SOURCE},
	{METRIC_MONGO_CACHE_DIRTY_TARGET, METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE},
	{METRIC_MONGO_CACHE_UPDATES_TARGET, METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE},
};

static const struct threshold triggers[] = {
	{METRIC_MONGO_CACHE_TRIGGER, METRIC_MONGO_CACHE_TRIGGER_SOURCE},
	{METRIC_MONGO_CACHE_DIRTY_TRIGGER, METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE},
	{METRIC_MONGO_CACHE_UPDATES_TRIGGER, METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE},
};

/* The next threshold after i that the server has; 3 where there is none. */
static unsigned next_present(const struct pane *p, const struct threshold *t, unsigned i)
{
	for (i++; i < 3; i++)
		if (value_ok(pane_value(p, t[i].value)))
			return i;
	return 3;
}

/* "80/5/2.5 default", or "80 runtime/5/2.5 default": a source is said where the next differs. */
static void thresholds_text(
	const struct pane *p, const struct threshold *t, bool sources, char *buf, size_t cap)
{
	size_t at = 0;

	(void)snprintf(buf, cap, "n/a");
	for (unsigned i = next_present(p, t, (unsigned)-1); i < 3 && at < cap;) {
		unsigned next = next_present(p, t, i);
		const char *source = pane_info(p, t[i].source);
		bool same = next < 3 && strcmp(source, pane_info(p, t[next].source)) == 0;
		const char *gap = sources && !same && *source ? " " : "";
		int n = snprintf(buf + at, cap - at, "%.3g%s%s%s", pane_value(p, t[i].value).v, gap,
			*gap ? source : "", next < 3 ? "/" : "");

		at += n > 0 ? (size_t)n : 0;
		i = next;
	}
}

static bool one_source(const struct pane *p)
{
	const char *first = pane_info(p, targets[0].source);

	for (unsigned i = 0; i < 3; i++)
		if (strcmp(first, pane_info(p, targets[i].source)) != 0 ||
			strcmp(first, pane_info(p, triggers[i].source)) != 0)
			return false;
	return true;
}

/* Where it is narrow and all come from one source, that is said once, at the end. */
static void draw_thresholds(struct pane *p)
{
	bool wide = p->in.w >= 54;
	int x = p->in.x, end = p->in.x + p->in.w;
	char text[96];

	thresholds_text(p, targets, wide || !one_source(p), text, sizeof(text));
	x += canvas_text(p->c, x, p->y, "▲ ", ROLE_MARK_TARGET, 0);
	if (wide)
		x += canvas_text(p->c, x, p->y, "target ", ROLE_DIM, 0);
	x += canvas_text_fit(p->c, x, p->y, end - x, text, ROLE_DIM, 0) + 2;
	thresholds_text(p, triggers, true, text, sizeof(text));
	if (x + 2 < end)
		x += canvas_text(p->c, x, p->y, "┃ ", ROLE_MARK_TRIGGER, 0);
	if (wide)
		x += canvas_text(p->c, x, p->y, "trigger ", ROLE_DIM, 0);
	(void)canvas_text_fit(p->c, x, p->y, end - x, text, ROLE_DIM, 0);
	p->y++;
}

static const char *note(const struct panel_ctx *x, char buf[NOTE_MAX], bool ascii)
{
	return note_of(buf, frame_value(&x->ep->frame, METRIC_MONGO_CACHE_USED),
		frame_value(&x->ep->frame, METRIC_MONGO_CACHE_MAX), ascii);
}

static const struct sheet sheet = {
	.title = "cache fill",
	.note = note,
	.bars = bars,
	.nbars = 3,
	.text = draw_thresholds,
	.text_lines = 1,
	.fields = fields,
	.nfields = 2,
	.graph = METRIC_MONGO_CACHE_FILL,
	.role = ROLE_BAR,
};

const struct panel_ops panel_mongo_cache = {.name = "cache", .sheet = &sheet};
