/* How full the cache is, against the thresholds at which eviction acts and where they come from. */
#include <stdio.h>
#include <string.h>

#include "hotset/text.h"
#include "hotset/widgets.h"

#include "panels.h"

#define WIDE     54 /* inner width from which the thresholds have their names */
#define LINE_MAX 96
#define NFIELDS  2

static const struct bar bars[] = {
	{"fill", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TRIGGER,
		100, METRIC_COUNT},
	{"dirty", METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TARGET,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER, 0, METRIC_COUNT},
	{"updates", METRIC_MONGO_CACHE_UPDATES_FILL, METRIC_MONGO_CACHE_UPDATES_TARGET,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER, 0, METRIC_COUNT},
};

static const struct field fields[NFIELDS] = {
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

static int draw_row(struct pane *p, int x, const char *mark, enum role role, const char *word,
	const char *text)
{
	int end = p->in.x + p->in.w;

	x += canvas_text(p->c, x, p->y, mark, role, 0);
	x += canvas_text(p->c, x, p->y, word, ROLE_DIM, 0);
	return x + canvas_text_fit(p->c, x, p->y, end - x, text, ROLE_DIM, 0) + 2;
}

/*
 * Beside each other where they fit, else below each other. Where it is narrow and all come from one
 * source, that is said once, at the end.
 */
static void draw_thresholds(struct pane *p)
{
	bool wide = p->in.w >= WIDE;
	const char *target = wide ? "target " : "", *trigger = wide ? "trigger " : "";
	char low[LINE_MAX], high[LINE_MAX];
	int x = p->in.x;

	thresholds_text(p, targets, wide || !one_source(p), low, sizeof(low));
	thresholds_text(p, triggers, true, high, sizeof(high));
	x = draw_row(p, x, "▲ ", ROLE_MARK_TARGET, target, low);
	if (x + 2 + text_width(trigger) + text_width(high) > p->in.x + p->in.w &&
		pane_left(p) > 1) {
		x = p->in.x;
		p->y++;
	}
	if (x + 2 < p->in.x + p->in.w)
		(void)draw_row(p, x, "┃ ", ROLE_MARK_TRIGGER, trigger, high);
	p->y++;
}

static bool any_assumed(const struct pane *p)
{
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(pane_info(p, targets[i].source), "assumed") == 0 ||
			strcmp(pane_info(p, triggers[i].source), "assumed") == 0)
			return true;
	return false;
}

/* "confirmed by eviction state: CLEAN" without what beside another text is too long. */
static void short_evidence(const char *evidence, char *buf, size_t cap)
{
	static const char by[] = " by eviction state";
	const char *at = strstr(evidence, by);

	(void)snprintf(buf, cap, "%.*s%s", (int)(at ? (size_t)(at - evidence) : strlen(evidence)),
		evidence, at ? at + sizeof(by) - 1 : "");
}

/*
 * Why thresholds are assumed and what the eviction state says of them, the worse first. Where there
 * is little room only what casts doubt on them is worth a line.
 */
static void draw_doubts(struct pane *p)
{
	const char *why = pane_info(p, METRIC_MONGO_CACHE_ASSUMED);
	const char *evidence = pane_info(p, METRIC_MONGO_CACHE_THRESHOLDS);
	bool assumed = *why && any_assumed(p);
	bool contradicted = strncmp(evidence, "contradicted", 12) == 0;
	bool room = pane_left(p) > fields_lines(fields, NFIELDS, p->in.w + 4);
	char brief[LINE_MAX];

	if (!(room || assumed || contradicted))
		return;
	short_evidence(evidence, brief, sizeof(brief));
	if (contradicted)
		pane_printf(p, ROLE_WARN, "%s%s%s", evidence, assumed ? " · assumed: " : "",
			assumed ? why : "");
	else if (assumed)
		pane_printf(p, ROLE_DIM, "assumed: %s%s%s", why, *brief ? " · " : "", brief);
	else if (*evidence)
		pane_text(p, ROLE_DIM, evidence);
}

static void draw_text(struct pane *p)
{
	draw_thresholds(p);
	draw_doubts(p);
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
	.text = draw_text,
	.text_lines = 2,
	.fields = fields,
	.nfields = NFIELDS,
	.graph = METRIC_MONGO_CACHE_FILL,
	.role = ROLE_BAR,
};

const struct panel_ops panel_mongo_cache = {.name = "cache", .sheet = &sheet};
