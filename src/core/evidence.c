/*
 * Do the thresholds that were composed fit what the engine does? Its eviction state has a flag for
 * each: CLEAN above the target of fill, CLEAN_HARD above its trigger, likewise DIRTY and UPDATES.
 * The state is that of the last pass of the eviction server, up to a second old, and the levels
 * swing by ten points within a second, so a sample proves nothing. Over minutes:
 *
 *   contradicted  the flag was set in several samples spread over more time than a change of the
 *                 configuration needs to be read, and in all that time no sample came near the
 *                 threshold: the real one is lower.
 *   confirmed     the flag was set above the threshold at least twice, the lowest time not far
 *                 above it, and never clearly below.
 *
 * A flag that is not set proves nothing: a real server at 88 % showed none for twenty seconds.
 */
#include "hotset/evidence.h"

#include <math.h>
#include <stdio.h>

#define WINDOW_S      300u
#define SAMPLES_MIN   20u  /* of a contradiction */
#define SET_MIN       5u   /* samples with the flag, likewise */
#define SPREAD_S      40u  /* between their first and last; parameters are read every 30 s */
#define SEEN_MIN      2u   /* samples with the flag above the threshold: confirmed */
#define FILL_MARGIN   5.0  /* points: fill between samples is higher than in them */
#define SHARE_MARGIN  0.3  /* of a threshold of the dirty or updates share, likewise */
#define REACH         0.5  /* of the way from target to trigger: not far above a target */
#define TRIGGER_REACH 0.5  /* of a trigger: not far above it */
#define SAME          0.01 /* points: the threshold was the same then */

static const struct flag {
	const char *name;
	enum metric_id level, threshold, trigger; /* trigger: METRIC_COUNT for one itself */
	enum metric_id source;
	bool of_dirty; /* background writing, which checkpoints and engines in memory ask for too */
} flags[EVIDENCE_FLAGS] = {
	{"CLEAN", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TRIGGER,
		METRIC_MONGO_CACHE_TARGET_SOURCE, false},
	{"CLEAN_HARD", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TRIGGER, METRIC_COUNT,
		METRIC_MONGO_CACHE_TRIGGER_SOURCE, false},
	{"DIRTY", METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TARGET,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER, METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE, true},
	{"DIRTY_HARD", METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TRIGGER,
		METRIC_COUNT, METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE, true},
	{"UPDATES", METRIC_MONGO_CACHE_UPDATES_FILL, METRIC_MONGO_CACHE_UPDATES_TARGET,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER, METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE, true},
	{"UPDATES_HARD", METRIC_MONGO_CACHE_UPDATES_FILL, METRIC_MONGO_CACHE_UPDATES_TRIGGER,
		METRIC_COUNT, METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE, true},
};

/* ---- the state's words as numbers ---- */

static bool flag_of_word(const char *word, size_t len, unsigned *bit)
{
	for (unsigned i = 0; i < EVIDENCE_FLAGS; i++) {
		if (strlen(flags[i].name) == len && memcmp(flags[i].name, word, len) == 0) {
			*bit = 1u << i;
			return true;
		}
	}
	return false;
}

struct value evidence_bits(const char *state)
{
	unsigned bits = 0, bit;

	if (strstr(state, "0x")) /* bits outside the layout, or no layout */
		return value_none(REASON_UNKNOWN_LAYOUT);
	while (*state) {
		size_t len = strcspn(state, " ");

		if (flag_of_word(state, len, &bit))
			bits |= bit;
		state += len;
		state += strspn(state, " ");
	}
	return value_of(bits);
}

/* ---- the window ---- */

struct window {
	unsigned any; /* flag set in some sample */
	float bits[WINDOW_S], fill[WINDOW_S], ckpt[WINDOW_S];
	float level[WINDOW_S], threshold[WINDOW_S]; /* of one flag */
};

static void read_state(const struct history *h, const struct frame *f, struct window *w)
{
	int64_t now = f->sample->mono_ns;

	w->any = 0;
	history_window(h, METRIC_MONGO_CACHE_STATE_BITS, now, WINDOW_S, w->bits);
	history_window(h, METRIC_MONGO_CACHE_FILL, now, WINDOW_S, w->fill);
	history_window(h, METRIC_MONGO_CKPT_RUNNING, now, WINDOW_S, w->ckpt);
	for (unsigned i = 0; i < WINDOW_S; i++)
		if (!isnan(w->bits[i]))
			w->any |= (unsigned)w->bits[i];
}

/* Samples with the same threshold as now; levels in percent. */
struct seen {
	unsigned n, set, above, below;   /* below: the flag was set, clearly below */
	unsigned oldest_set, newest_set; /* seconds ago */
	double top, lowest_set, lowest_above;
	double top_fill;
	bool clean; /* CLEAN was set: the engine evicts clean pages, so it is none in memory */
};

static double margin_of(const struct flag *g, double threshold)
{
	return g->of_dirty ? SHARE_MARGIN * threshold : FILL_MARGIN;
}

static void look_at(const struct window *w, unsigned i, unsigned bit, double threshold,
	double margin, struct seen *s)
{
	double level = (double)w->level[i];
	unsigned bits = (unsigned)w->bits[i], ago = WINDOW_S - 1 - i;

	s->n++;
	s->top = fmax(s->top, level);
	if (!isnan(w->fill[i]))
		s->top_fill = fmax(s->top_fill, (double)w->fill[i]);
	s->clean |= (bits & 1u) != 0;
	if (!(bits & bit))
		return;
	if (s->set++ == 0)
		s->newest_set = ago;
	s->oldest_set = ago;
	s->lowest_set = fmin(s->lowest_set, level);
	if (level >= threshold) {
		s->above++;
		s->lowest_above = fmin(s->lowest_above, level);
	} else if (level < threshold - margin) {
		s->below++;
	}
}

/* From the newest sample to the oldest; a slow poll fills several seconds of history. */
static void look_back(const struct history *h, const struct frame *f, const struct flag *g,
	unsigned bit, struct window *w, struct seen *s)
{
	double threshold = f->v[g->threshold].v, margin = margin_of(g, threshold);
	long stride = f->interval_s > 1 ? lround(f->interval_s) : 1;
	int64_t now = f->sample->mono_ns;

	*s = (struct seen){.lowest_set = INFINITY, .lowest_above = INFINITY};
	history_window(h, g->level, now, WINDOW_S, w->level);
	history_window(h, g->threshold, now, WINDOW_S, w->threshold);
	for (long i = WINDOW_S - 1; i >= 0; i -= stride) {
		bool checkpoint = !isnan(w->ckpt[i]) && w->ckpt[i] > 0;

		if (isnan(w->bits[i]) || isnan(w->level[i]) ||
			!(fabs((double)w->threshold[i] - threshold) < SAME) ||
			(g->of_dirty && checkpoint))
			continue;
		look_at(w, (unsigned)i, bit, threshold, margin, s);
	}
}

/* ---- conclusions ---- */

static bool contradicts(const struct frame *f, const struct flag *g, const struct seen *s)
{
	double threshold = f->v[g->threshold].v;
	/* An engine in memory turns CLEAN into the flags of writing. */
	bool own = !g->of_dirty || s->clean || s->top_fill < f->v[METRIC_MONGO_CACHE_TARGET].v;

	return own && s->n >= SAMPLES_MIN && s->set >= SET_MIN &&
	       s->oldest_set - s->newest_set >= SPREAD_S &&
	       s->top < threshold - margin_of(g, threshold);
}

static bool confirms(const struct frame *f, const struct flag *g, const struct seen *s)
{
	double threshold = f->v[g->threshold].v;
	double reach = g->trigger < METRIC_COUNT && value_ok(f->v[g->trigger])
			       ? REACH * (f->v[g->trigger].v - threshold)
			       : TRIGGER_REACH * threshold;

	return s->above >= SEEN_MIN && s->below == 0 && s->lowest_above <= threshold + reach;
}

enum reason evidence_of(const struct history *h, const struct frame *f, struct evidence *out)
{
	struct window w;

	*out = (struct evidence){0};
	if (!value_ok(f->v[METRIC_MONGO_CACHE_STATE_BITS]))
		return (enum reason)f->v[METRIC_MONGO_CACHE_STATE_BITS].why;
	read_state(h, f, &w);
	for (unsigned i = 0; i < EVIDENCE_FLAGS; i++) {
		const struct flag *g = &flags[i];
		struct seen s;

		if (!(w.any & (1u << i)) || !value_ok(f->v[g->threshold]) ||
			!value_ok(f->v[g->level]))
			continue;
		look_back(h, f, g, 1u << i, &w, &s);
		if (confirms(f, g, &s))
			out->confirmed |= 1u << i;
		if (out->contradicted || !contradicts(f, g, &s))
			continue;
		out->contradicted = g->name;
		out->level = s.lowest_set;
		out->threshold = g->threshold;
		out->source = g->source;
	}
	return out->confirmed || out->contradicted ? REASON_OK : REASON_NOT_SEEN;
}

static void say_confirmed(unsigned confirmed, char *out, size_t cap)
{
	size_t at = (size_t)snprintf(out, cap, "confirmed by eviction state");

	for (unsigned i = 0; i < EVIDENCE_FLAGS; i++)
		if (confirmed & (1u << i) && at < cap)
			at += (size_t)snprintf(out + at, cap - at, "%s%s",
				confirmed & ((1u << i) - 1) ? ", " : ": ", flags[i].name);
}

void evidence_step(const struct history *h, struct frame *f)
{
	struct evidence e;
	enum reason why = evidence_of(h, f, &e);

	if (why != REASON_OK) {
		f->v[METRIC_MONGO_CACHE_THRESHOLDS] = value_none(why);
		return;
	}
	if (e.contradicted)
		snprintf(f->evidence, sizeof(f->evidence), "contradicted: %s at %.3g %%",
			e.contradicted, e.level);
	else
		say_confirmed(e.confirmed, f->evidence, sizeof(f->evidence));
	f->v[METRIC_MONGO_CACHE_THRESHOLDS] = value_none(REASON_TEXT);
	f->info[METRIC_MONGO_CACHE_THRESHOLDS] = f->evidence;
}
