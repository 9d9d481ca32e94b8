/*
 * Do the thresholds that were composed fit what the engine does? Its eviction state has a flag for
 * each: CLEAN above the target of fill, CLEAN_HARD above its trigger, NOKEEP half way between them,
 * likewise DIRTY and UPDATES. The state is that of the last pass of the eviction server, up to a
 * second old, and the levels swing by ten points within a second, so a sample proves nothing. Over
 * minutes:
 *
 *   contradicted  the flag was set several times clearly below the threshold, spread over more time
 *                 than a change of the configuration needs to be read, and hardly ever near it: the
 *                 real one is lower.
 *   confirmed     the flag was set above the threshold at least twice, the lowest time not far
 *                 above it, and hardly ever clearly below.
 *
 * A flag that is not set proves nothing: a real server at 88 % showed none for twenty seconds.
 */
#include "hotset/evidence.h"

#include <math.h>
#include <stdio.h>

#define WINDOW_S     300u
#define SET_MIN      5u   /* samples with the flag clearly below: contradicted */
#define SPREAD_S     40u  /* between their first and last; parameters are read every 30 s */
#define BELOW_SHARE  4u   /* times as many of them as of all others with the flag */
#define SEEN_MIN     2u   /* samples with the flag above the threshold: confirmed */
#define STRAY_SHARE  10u  /* at most one in as many of those with the flag is clearly below */
#define FILL_MARGIN  5.0  /* points: fill between samples is higher than in them */
#define SHARE_MARGIN 0.3  /* of a threshold of the dirty or updates share, likewise */
#define REACH        0.5  /* of the way to the trigger, of a trigger itself: not far above */
#define SAME         0.01 /* points: the threshold was the same then */

static const struct flag {
	const char *name, *of;
	enum metric_id level, threshold;
	enum metric_id half_way; /* to this one lies the threshold; METRIC_COUNT: it is itself */
	enum metric_id trigger;  /* METRIC_COUNT for one itself */
	enum metric_id source;
	bool of_dirty; /* background writing, which checkpoints and engines in memory ask for too */
} flags[EVIDENCE_FLAGS] = {
	{"CLEAN", "the target", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TARGET, METRIC_COUNT,
		METRIC_MONGO_CACHE_TRIGGER, METRIC_MONGO_CACHE_TARGET_SOURCE, false},
	{"CLEAN_HARD", "the trigger", METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TRIGGER,
		METRIC_COUNT, METRIC_COUNT, METRIC_MONGO_CACHE_TRIGGER_SOURCE, false},
	{"DIRTY", "the dirty target", METRIC_MONGO_CACHE_DIRTY_FILL,
		METRIC_MONGO_CACHE_DIRTY_TARGET, METRIC_COUNT, METRIC_MONGO_CACHE_DIRTY_TRIGGER,
		METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE, true},
	{"DIRTY_HARD", "the dirty trigger", METRIC_MONGO_CACHE_DIRTY_FILL,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER, METRIC_COUNT, METRIC_COUNT,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE, true},
	{"UPDATES", "the updates target", METRIC_MONGO_CACHE_UPDATES_FILL,
		METRIC_MONGO_CACHE_UPDATES_TARGET, METRIC_COUNT, METRIC_MONGO_CACHE_UPDATES_TRIGGER,
		METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE, true},
	{"UPDATES_HARD", "the updates trigger", METRIC_MONGO_CACHE_UPDATES_FILL,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER, METRIC_COUNT, METRIC_COUNT,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE, true},
	{"NOKEEP", "half way from target to trigger", METRIC_MONGO_CACHE_FILL,
		METRIC_MONGO_CACHE_TARGET, METRIC_MONGO_CACHE_TRIGGER, METRIC_MONGO_CACHE_TRIGGER,
		METRIC_MONGO_CACHE_TARGET_SOURCE, false},
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
	float level[WINDOW_S], threshold[WINDOW_S], half_way[WINDOW_S]; /* of one flag */
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
	unsigned set, above, stray;      /* with the flag; stray: clearly below */
	unsigned below;                  /* stray, and the sample before was below as well */
	unsigned oldest, newest;         /* of those, seconds ago */
	double lowest_below, lowest_above;
	double top_fill;
	bool clean; /* CLEAN was set: the engine evicts clean pages, so it is none in memory */
};

static double margin_of(const struct flag *g, double threshold)
{
	return g->of_dirty ? SHARE_MARGIN * threshold : FILL_MARGIN;
}

/* The threshold of a flag now, in percent. */
static struct value threshold_of(const struct frame *f, const struct flag *g)
{
	struct value at = f->v[g->threshold];

	if (g->half_way < METRIC_COUNT) {
		at = value_add(at, f->v[g->half_way]);
		at.v /= 2;
	}
	return at;
}

static double threshold_then(const struct window *w, const struct flag *g, long i)
{
	return g->half_way < METRIC_COUNT ? (double)(w->threshold[i] + w->half_way[i]) / 2
					  : (double)w->threshold[i];
}

/* before: the level of the sample before, NaN if there was none. */
static void look_at(const struct window *w, long i, unsigned bit, double before, double threshold,
	double margin, struct seen *s)
{
	double level = (double)w->level[i];
	unsigned bits = (unsigned)w->bits[i], ago = (unsigned)(WINDOW_S - 1 - i);

	s->top_fill = fmax(s->top_fill, (double)w->fill[i]);
	s->clean |= (bits & 1u) != 0;
	if (!(bits & bit))
		return;
	s->set++;
	if (level >= threshold) {
		s->above++;
		s->lowest_above = fmin(s->lowest_above, level);
	}
	if (level >= threshold - margin)
		return;
	s->stray++;
	if (!(before < threshold - margin))
		return; /* it may just have fallen */
	if (s->below++ == 0)
		s->newest = ago;
	s->oldest = ago;
	s->lowest_below = fmin(s->lowest_below, level);
}

/* From the newest sample to the oldest; a slow poll fills several seconds of history. */
static void look_back(const struct history *h, const struct frame *f, const struct flag *g,
	unsigned bit, struct window *w, struct seen *s)
{
	double threshold = threshold_of(f, g).v, margin = margin_of(g, threshold);
	long stride = f->interval_s > 1 ? lround(f->interval_s) : 1;
	int64_t now = f->sample->mono_ns;

	*s = (struct seen){.lowest_below = INFINITY, .lowest_above = INFINITY};
	history_window(h, g->level, now, WINDOW_S, w->level);
	history_window(h, g->threshold, now, WINDOW_S, w->threshold);
	if (g->half_way < METRIC_COUNT)
		history_window(h, g->half_way, now, WINDOW_S, w->half_way);
	for (long i = WINDOW_S - 1; i >= 0; i -= stride) {
		bool checkpoint = !isnan(w->ckpt[i]) && w->ckpt[i] > 0;
		double before = i >= stride ? (double)w->level[i - stride] : (double)NAN;

		if (isnan(w->bits[i]) || isnan(w->level[i]) ||
			!(fabs(threshold_then(w, g, i) - threshold) < SAME) ||
			(g->of_dirty && checkpoint))
			continue;
		look_at(w, i, bit, before, threshold, margin, s);
	}
}

/* ---- conclusions ---- */

static bool contradicts(const struct frame *f, const struct flag *g, const struct seen *s)
{
	/* An engine in memory turns CLEAN into the flags of writing. */
	bool own = !g->of_dirty || s->clean || s->top_fill < f->v[METRIC_MONGO_CACHE_TARGET].v;

	return own && s->below >= SET_MIN && s->oldest - s->newest >= SPREAD_S &&
	       s->below >= BELOW_SHARE * (s->set - s->below);
}

static bool confirms(const struct frame *f, const struct flag *g, const struct seen *s)
{
	double threshold = threshold_of(f, g).v, reach = REACH * threshold;

	if (g->trigger < METRIC_COUNT && value_ok(f->v[g->trigger]))
		reach = REACH * (f->v[g->trigger].v - threshold);
	return s->above >= SEEN_MIN && s->stray * STRAY_SHARE <= s->set &&
	       s->lowest_above <= threshold + reach;
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

		if (!(w.any & (1u << i)) || !value_ok(threshold_of(f, g)) ||
			!value_ok(f->v[g->level]))
			continue;
		look_back(h, f, g, 1u << i, &w, &s);
		if (confirms(f, g, &s))
			out->confirmed |= 1u << i;
		if (out->contradicted || !contradicts(f, g, &s))
			continue;
		out->contradicted = g->name;
		out->level = s.lowest_below;
		out->of = g->of;
		out->threshold = threshold_of(f, g).v;
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
