/*
 * The judgements of one frame. Proof that a storm is a scan is a suspect in $currentOp, or the
 * counters: documents found without keys beyond the usual, at least as many as pages came in, and a
 * collection scan counted. Where a server does not count scans, the documents alone must do.
 */
#include "rules_scan.h"

#include <math.h>

#include "hotset/clock.h"

#define STORM_TIMES  5.0   /* times the base line */
#define STORM_MIN    200.0 /* pages per second */
#define STORM_PAGES  200.0 /* and at least as many as that rate brings in a second */
#define DIRTY_TIMES  2.0   /* modified evictions are flat up to this many times normal, */
#define DIRTY_SHARE  0.1   /* and so are those below this share of the clean ones */
#define ROOM_SHARE   0.1   /* clean evictions below this share of the reads: the cache has room */
#define SEEN_S       5.0   /* a scan was seen lately: this long ago, or two polls */
#define NOISE_SIGMAS 3.0   /* counts vary by the square root of their number */
#define SUFFER_TIMES 1.5   /* median read latency against that before */
#define SUFFER_READS 100.0 /* reads in an interval below which its median says little */
#define SCANS_SHARE  0.1   /* of the reads; above it the median is that of the scans */

static bool is_flat(double dirty, const struct look *l)
{
	return l->dirty <= fmax(DIRTY_TIMES * dirty, DIRTY_SHARE * l->clean);
}

bool scan_is_storm(const struct base *b, const struct look *l)
{
	return l->read > fmax(STORM_TIMES * b->read, STORM_MIN) &&
	       l->clean > fmax(STORM_TIMES * b->clean, STORM_MIN) && is_flat(b->dirty, l);
}

bool scan_is_large(const struct scan *sc)
{
	return sc->rising_in > STORM_PAGES && sc->rising_out > STORM_PAGES;
}

bool scan_fills_room(const struct base *b, const struct look *l)
{
	return l->read > fmax(STORM_TIMES * b->read, STORM_MIN) &&
	       l->clean <= ROOM_SHARE * l->read && l->fill < l->target;
}

bool scan_churns(const struct look *l)
{
	return l->read > STORM_MIN && l->clean > STORM_MIN && is_flat(0, l);
}

bool scan_seen_lately(const struct culprit *c, const struct endpoint *ep)
{
	double limit_s = fmax(SEEN_S, 2 * ep->frame.interval_s);

	return c->known && scan_seconds_since(ep, c->seen_mono_ns) <= limit_s;
}

/* When $currentOp was not asked, what it showed shortly before still holds. */
static bool still_holds(const struct culprit *c, const struct endpoint *ep, const struct look *l)
{
	return !l->ops_told && scan_seen_lately(c, ep);
}

bool scan_note_earlier(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	const struct cell_value *op = l->bystander ? l->bystander : l->suspect;

	if (!op)
		return still_holds(&sc->elder, ep, l);
	if (!value_ok(op[COL_MONGO_OP_SECS].num) ||
		op[COL_MONGO_OP_SECS].num.v < scan_seconds_since(ep, sc->first_mono_ns))
		return false;
	scan_note_culprit(&sc->elder, op, ep->seen_mono_ns);
	return true;
}

/* ---- proof ---- */

double scan_extra_unindexed(const struct base *b, const struct look *l)
{
	double usual = isnan(b->unindexed) ? 0 : b->unindexed;

	return isnan(l->unindexed) ? 0 : fmax(l->unindexed - usual, 0) * l->counts_span_s;
}

double scan_extra_scans(const struct base *b, const struct look *l)
{
	double usual = isnan(b->scans) ? 0 : b->scans * l->counts_span_s;
	double extra = l->scans * l->counts_span_s - usual;

	if (isnan(extra))
		return (double)NAN;
	return extra > NOISE_SIGMAS * sqrt(usual) ? extra : 0;
}

bool scan_counters_prove(const struct tally *sum, const struct look *l)
{
	return sum->unindexed > 0 && sum->unindexed >= sum->pages_in &&
	       (sum->scans_grew || !l->scans_sent);
}

bool scan_sight_proves(const struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	return l->suspects > 0 || still_holds(&sc->seen, ep, l);
}

/* ---- suffering ---- */

bool scan_latency_counts(const struct scan *sc, const struct look *l)
{
	double per_s = l->scans;

	if (isnan(per_s))
		per_s = sc->sum.scans_s > 0 ? sc->sum.scans / sc->sum.scans_s : 0;
	return l->reads >= SUFFER_READS && !isnan(l->p50) && sc->base.p50 > 0 &&
	       per_s * l->span_s <= SCANS_SHARE * l->reads;
}

bool scan_reads_are_slow(const struct scan *sc)
{
	return sc->sum.p50_worst >= SUFFER_TIMES * sc->base.p50; /* not so if either is NAN */
}
