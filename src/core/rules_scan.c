/*
 * The course of a scan through the cache: a storm of clean pages begins, is proven to be a scan or
 * not, is promoted when the hot set suffers, ends, and the hot set comes back or does not.
 *
 *   QUIET --storm--> STORM --over--> RECOVERY --calm, or 120 s--> QUIET
 *     `--a scan in sight, and room--> FILLING --storm--^
 *
 * A storm is many pages read and clean pages evicted, against base lines (medians of the last
 * minute) that are frozen when it begins; or when a scan begins to fill free cache, since by the
 * time it evicts, its own reads would be the usual. A scan counts as over with the first poll whose
 * $currentOp does not show it, unless it is one of many small ones or read in batches; pages read
 * after that are the hot set coming back.
 */
#include "rules_scan.h"

#include <math.h>

#include "hotset/clock.h"

#define SUFFER_PAGES   50.0 /* pages read again that count as the hot set suffering */
#define CALM_TIMES     1.5  /* reads up to this many times the base line, plus CALM_PAGES, */
#define CALM_PAGES     5.0  /* pages per second, in CALM_FRAMES frames in a row: it is over */
#define CALM_FRAMES    3u
#define CALM_S         1.5 /* and this long from the first to the last of them */
#define DIP_S          0.9 /* a storm that pauses for less goes on */
#define LULL_S         3.0 /* without a storm this long, a scan not seen to end is over */
#define BATCHES_S      5.0 /* without a batch in sight this long, a cursor's scan is over */
#define MANY_SCANS     3.0 /* collection scans between two polls: $currentOp need not show one */
#define RECOVERY_MAX_S 120.0
#define SHOWN_S        10.0  /* how long a harmless scan that is over stays on the screen */
#define UNPROVEN_MAX_S 120.0 /* a read storm longer than this is the new normal */
#define AFTER_S        5u    /* of the median latency when the hot set is back */

static void go_quiet(struct scan *sc)
{
	*sc = (struct scan){.first_mono_ns = sc->first_mono_ns,
		.last_mono_ns = sc->last_mono_ns,
		.seen = sc->seen,
		.cursor = sc->cursor};
}

static void add_event(struct model *m, const struct endpoint *ep, struct scan *sc,
	enum event_state state, const struct finding *f)
{
	sc->id = model_add_event(m, sc->id, ep->index, f->code, f->level, state, f->text, &f->data);
}

/* ---- what every frame of a course adds ---- */

static void add_pages(struct scan *sc, const struct look *l)
{
	sc->sum.pages_in += l->read * l->span_s;
	sc->sum.clean_out += l->clean * l->span_s;
}

static void add_latency(struct scan *sc, const struct look *l)
{
	if (scan_latency_counts(sc, l))
		sc->sum.p50_worst = fmax(sc->sum.p50_worst, l->p50); /* fmax takes no NAN */
}

static void add_counts(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	double scans = scan_extra_scans(&sc->base, l), docs = scan_extra_unindexed(&sc->base, l);

	if (isnan(l->unindexed))
		return;
	sc->sum.unindexed += docs;
	if (isnan(scans))
		return;
	sc->sum.scans_grew |= l->scans > 0;
	sc->sum.scans = scans + (isnan(sc->sum.scans) ? 0 : sc->sum.scans);
	sc->sum.scans_s += l->counts_span_s;
	sc->sum.counted_mono_ns = ep->seen_mono_ns;
	sc->sum.many = docs >= l->read * l->span_s &&
		       scans / l->counts_span_s * ep->frame.interval_s >= MANY_SCANS;
}

static void take_sighting(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	struct culprit c;

	scan_note_culprit(&c, l->suspect, ep->seen_mono_ns);
	if (!sc->culprit.known || !scan_same_op(&sc->culprit, l->suspect))
		sc->sum.seen++;
	if (sc->culprit.known &&
		(strcmp(c.ns, sc->culprit.ns) != 0 || strcmp(c.app, sc->culprit.app) != 0))
		sc->sum.elsewhere = true;
	if (!sc->culprit.known || c.secs >= sc->culprit.secs)
		sc->culprit = c;
	else if (scan_same_op(&sc->culprit, l->suspect))
		sc->culprit.seen_mono_ns = c.seen_mono_ns;
}

/* The longest one is to blame; what was seen just before a storm may be, once it is proven. */
static void blame(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	if (l->bystander)
		scan_note_culprit(&sc->elder, l->bystander, ep->seen_mono_ns);
	if (l->suspects > sc->sum.at_once)
		sc->sum.at_once = l->suspects;
	if (l->suspect) {
		take_sighting(sc, ep, l);
	} else if (sc->proven && !sc->culprit.known) {
		if (scan_seen_lately(&sc->seen, ep))
			sc->culprit = sc->seen;
		else if (sc->elder.known && l->ops_told && (!l->bystander || sc->elder.batches))
			sc->culprit = sc->elder; /* the proof came with its end, or a batch's */
	}
}

static void update_proof(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	if (scan_sight_proves(sc, ep, l) || scan_counters_prove(&sc->sum, l))
		sc->proven = true;
	blame(sc, ep, l);
}

static void count_calm(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	if (l->read > CALM_TIMES * sc->base.read + CALM_PAGES) {
		sc->calm = 0;
		return;
	}
	if (sc->calm++ == 0)
		sc->calm_mono_ns = ep->seen_mono_ns;
}

static void note_gone(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	if (l->suspects)
		sc->gone_mono_ns = 0;
	else if (l->ops_told && !sc->gone_mono_ns)
		sc->gone_mono_ns = ep->seen_mono_ns;
}

static void sum_recovery(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	count_calm(sc, ep, l);
	if (!l->suspects) /* else a scan reads, too */
		sc->sum.reread += fmax(l->read - sc->base.read, 0) * l->span_s;
}

static bool is_calm(const struct scan *sc, const struct endpoint *ep)
{
	return sc->calm >= CALM_FRAMES && scan_seconds_since(ep, sc->calm_mono_ns) >= CALM_S;
}

/* ---- quiet, and filling ---- */

static void begin_recovery(struct scan *sc)
{
	sc->phase = SCAN_RECOVERY;
	sc->calm = 0;
}

static void begin_storm(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct base *base, const struct look *l, struct finding *out)
{
	double in = sc->rising_in, gone = sc->rising_out;

	go_quiet(sc);
	sc->phase = SCAN_STORM;
	sc->base = *base;
	sc->sum.scans = sc->sum.p50_worst = NAN;
	sc->begin_mono_ns = sc->end_mono_ns = ep->seen_mono_ns;
	note_gone(sc, ep, l);
	add_counts(sc, ep, l);
	add_pages(sc, l);
	sc->sum.pages_in = fmax(sc->sum.pages_in, in); /* with those before this frame */
	sc->sum.clean_out = fmax(sc->sum.clean_out, gone);
	add_latency(sc, l);
	update_proof(sc, ep, l);
	sc->promoted = sc->proven && scan_reads_are_slow(sc);
	if (sc->proven && l->ops_told && !l->suspects && !sc->sum.many) {
		scan_describe_past(out, sc, "", l->read); /* it came and went between two polls */
		add_event(m, ep, sc, EVENT_POINT, out);
		begin_recovery(sc);
	} else {
		scan_describe_storm(out, sc, l);
		add_event(m, ep, sc, EVENT_BEGIN, out);
	}
}

static void begin_filling(struct scan *sc, const struct endpoint *ep, const struct base *base,
	const struct look *l, struct finding *out)
{
	go_quiet(sc);
	sc->phase = SCAN_FILLING;
	sc->base = *base;
	sc->sum.scans = sc->sum.p50_worst = NAN;
	sc->begin_mono_ns = ep->seen_mono_ns;
	add_pages(sc, l);
	blame(sc, ep, l);
	scan_describe_filling(out, sc, l);
}

static void run_quiet(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	struct base base;
	bool known = scan_read_base(sc, ep, l, &base);
	bool storm = known && scan_is_storm(&base, l);

	if (!known)
		finding_skip(out, "needs a base line of %u s", SCAN_BASE_MIN);
	sc->rising_in = storm ? sc->rising_in + l->read * l->span_s : 0;
	sc->rising_out = storm ? sc->rising_out + l->clean * l->span_s : 0;
	if (storm && scan_is_large(sc))
		begin_storm(m, ep, sc, &base, l, out);
	else if (known && l->suspects && scan_fills_room(&base, l))
		begin_filling(sc, ep, &base, l, out);
	else if (scan_note_earlier(sc, ep, l) && scan_churns(l))
		scan_describe_earlier(out, sc, l);
}

static void run_filling(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	struct base base = sc->base;

	count_calm(sc, ep, l);
	if (scan_is_storm(&base, l)) {
		begin_storm(m, ep, sc, &base, l, out);
		return;
	}
	if ((l->ops_told && !l->suspects) || is_calm(sc, ep)) {
		go_quiet(sc);
		return;
	}
	add_pages(sc, l);
	blame(sc, ep, l);
	if (scan_fills_room(&base, l))
		scan_describe_filling(out, sc, l);
}

/* ---- the storm ---- */

static void note_lull(struct scan *sc, const struct endpoint *ep, bool storm)
{
	if (storm)
		sc->lull_mono_ns = 0;
	else if (!sc->lull_mono_ns)
		sc->lull_mono_ns = ep->seen_mono_ns;
}

/* How long it has been no storm, this frame included. */
static double lull_of(const struct scan *sc, const struct endpoint *ep)
{
	return sc->lull_mono_ns ? scan_seconds_since(ep, sc->lull_mono_ns) + ep->frame.interval_s
				: 0;
}

/* Where $currentOp tells, it tells the end; else the reads falling back do. */
static bool is_over(const struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	double lull_s = lull_of(sc, ep);
	bool fell = lull_s >= DIP_S;

	if (!sc->proven)
		return fell || scan_seconds_since(ep, sc->begin_mono_ns) > UNPROVEN_MAX_S;
	if (l->suspects)
		return is_calm(sc, ep);
	if (l->ops_told && sc->culprit.batches) /* perhaps between two of them */
		return fell || scan_seconds_since(ep, sc->culprit.seen_mono_ns) > BATCHES_S;
	if (l->ops_told)
		return fell || !sc->sum.many;
	return sc->culprit.known ? lull_s > LULL_S : fell;
}

/* What a frame reads that began when the scan was gone is read again. */
static bool was_gone_before(const struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	return !scan_is_storm(&sc->base, l) && sc->gone_mono_ns &&
	       sc->gone_mono_ns < ep->seen_mono_ns;
}

static void end_storm(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	bool gone = was_gone_before(sc, ep, l);

	if (gone)
		sc->end_mono_ns = sc->gone_mono_ns;
	scan_describe_past(out, sc, "", l->read);
	add_event(m, ep, sc, EVENT_END, out);
	if (sc->proven) {
		begin_recovery(sc);
		if (gone)
			sum_recovery(sc, ep, l);
	} else {
		*out = (struct finding){0};
		go_quiet(sc);
	}
}

static void run_storm(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	bool was_proven = sc->proven, was_promoted = sc->promoted;
	bool storm = scan_is_storm(&sc->base, l);

	sc->end_mono_ns = ep->seen_mono_ns;
	count_calm(sc, ep, l);
	note_lull(sc, ep, storm);
	note_gone(sc, ep, l);
	add_counts(sc, ep, l);
	if (storm || l->suspects)
		add_pages(sc, l);
	if (storm)
		add_latency(sc, l);
	update_proof(sc, ep, l);
	if (sc->proven && scan_reads_are_slow(sc))
		sc->promoted = true;
	if (is_over(sc, ep, l)) {
		end_storm(m, ep, sc, l, out);
		return;
	}
	scan_describe_storm(out, sc, l);
	if (sc->proven != was_proven || sc->promoted != was_promoted)
		add_event(m, ep, sc, EVENT_BEGIN, out);
}

/* ---- the recovery ---- */

static void report_recovery(struct model *m, const struct endpoint *ep, struct scan *sc,
	double recovery_s, const char *why_not)
{
	struct finding f = {0};
	double after;

	if (why_not || !history_median(ep->history, METRIC_MONGO_LAT_READS_P50, ep->seen_mono_ns,
			       AFTER_S, 1, &after))
		after = NAN;
	scan_describe_recovery(&f, sc, recovery_s, after, why_not);
	add_event(m, ep, sc, EVENT_POINT, &f);
}

/*
 * Reading again looks like a storm itself; only a scan that began since, or the same one going on,
 * ends the recovery of the one before. Documents counted over a longer time are still the old ones.
 */
static bool is_new_scan(const struct scan *sc, const struct look *l, double since_end_s)
{
	struct tally fresh = {.pages_in = l->read * l->span_s, .scans_grew = l->scans > 0};

	if (!scan_is_storm(&sc->base, l))
		return false;
	if (l->counts_span_s <= since_end_s)
		fresh.unindexed = scan_extra_unindexed(&sc->base, l);
	return l->suspects || scan_counters_prove(&fresh, l);
}

static void run_recovery(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	double since_s = scan_seconds_since(ep, sc->end_mono_ns);
	bool was_promoted = sc->promoted;

	if (is_new_scan(sc, l, since_s)) {
		struct base base = sc->base;

		if (sc->promoted)
			report_recovery(m, ep, sc, (double)NAN, "when another scan began after");
		if (!l->suspects)
			sc->seen.known = false; /* it was the scan before */
		begin_storm(m, ep, sc, &base, l, out);
		return;
	}
	sum_recovery(sc, ep, l);
	if (since_s < l->counts_span_s) /* those of the scan come late */
		add_counts(sc, ep, l);
	if (sc->sum.reread >= SUFFER_PAGES)
		sc->promoted = true;
	scan_describe_past(out, sc, "", l->read);
	if (sc->promoted && !was_promoted)
		add_event(m, ep, sc, EVENT_POINT, out);
	if ((!is_calm(sc, ep) && since_s < RECOVERY_MAX_S) || (!sc->promoted && since_s < SHOWN_S))
		return;
	if (sc->promoted && is_calm(sc, ep))
		report_recovery(m, ep, sc,
			(double)(sc->calm_mono_ns - sc->end_mono_ns) / (double)NS_PER_SEC, NULL);
	else if (sc->promoted)
		report_recovery(m, ep, sc, (double)NAN, "120 s after");
	*out = (struct finding){0};
	go_quiet(sc);
}

/* ---- the rule ---- */

static void cut(struct model *m, const struct endpoint *ep, struct scan *sc, const char *until)
{
	struct finding f = {0};

	if (sc->phase == SCAN_STORM) {
		scan_describe_past(&f, sc, until, 0);
		add_event(m, ep, sc, EVENT_END, &f);
	} else if (sc->phase == SCAN_RECOVERY && sc->promoted) {
		report_recovery(m, ep, sc, (double)NAN, "when the watch broke off after");
	}
	*sc = (struct scan){0};
}

void rules_scan_cut(struct model *m, const struct endpoint *ep, void *state)
{
	cut(m, ep, state,
		ep->frame.restarted ? " until the server restarted" : " until no more was heard");
}

/* A clock that goes back, as between two parts of a recording, begins another watch. */
static void note_time(struct model *m, const struct endpoint *ep, struct scan *sc)
{
	if (ep->frame.v[METRIC_MONGO_CACHE_PAGES_READ].why == REASON_RESET)
		cut(m, ep, sc, " until its counters began anew");
	else if (ep->seen_mono_ns < sc->last_mono_ns)
		cut(m, ep, sc, " until the clock went back");
	if (!sc->first_mono_ns)
		sc->first_mono_ns = ep->seen_mono_ns;
	sc->last_mono_ns = ep->seen_mono_ns;
}

void rules_scan(struct model *m, const struct endpoint *ep, void *state, struct finding *out)
{
	struct scan *sc = state;
	struct look l;

	note_time(m, ep, sc);
	if (!scan_look(sc, ep, &l)) {
		if (sc->phase == SCAN_QUIET)
			finding_skip(out, "needs a base line of %u s", SCAN_BASE_MIN);
		return;
	}
	if (l.suspect)
		scan_note_culprit(&sc->seen, l.suspect, ep->seen_mono_ns);
	scan_note_cursor(sc, ep, &l);
	switch (sc->phase) {
	case SCAN_QUIET:
		run_quiet(m, ep, sc, &l, out);
		break;
	case SCAN_FILLING:
		run_filling(m, ep, sc, &l, out);
		break;
	case SCAN_STORM:
		run_storm(m, ep, sc, &l, out);
		break;
	case SCAN_RECOVERY:
		run_recovery(m, ep, sc, &l, out);
		break;
	}
	out->event_id = sc->id;
}
