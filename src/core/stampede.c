/*
 * What tells a stampede from other bursts of misses: hits become misses while the number of
 * requests stays (a scan over absent keys or more load adds requests), something was expired or
 * evicted just before (DEL and FLUSHALL remove keys silently), and there are many misses for each
 * key that went (keys that are read once each miss once each, as they must).
 */
#include "hotset/stampede.h"

#include "hotset/clock.h"
#include "hotset/model.h"

#include <math.h>
#include <string.h>

#define BASE_S        60u
#define BASE_MIN_S    55u  /* of them with values */
#define REQUESTS_MIN  20.0 /* per second: below, everything is a burst */
#define RISE_TIMES    5.0
#define RISE_MIN      20.0 /* misses per second above the base line */
#define MISSED_MIN    10.0 /* requests in the first interval */
#define PER_KEY_MIN   5.0  /* misses for each key that went */
#define FROM_HITS     0.5  /* of the new misses that must be missing among the hits */
#define OVER_TIMES    2.0  /* a burst is over below this many times the base line */
#define OVER_MIN      5.0
#define BURST_MAX_S   30.0 /* longer is no burst, but another level */
#define SETTLE_NS     (5 * NS_PER_SEC / 2)
#define SAME_PERIOD   0.1 /* by which gaps between bursts may differ */
#define PERIOD_BURSTS 3u

#define LOST_SHARE 0.05 /* of all keys: more that go without a word were deleted */

struct look {
	double hits, misses, removed, dt;
	double keys; /* NaN: not known */
	int64_t now_ns, from_ns;
};

/* False where this interval says nothing: the first one, a restart, a reset of the counters. */
static bool look_at(const struct endpoint *ep, struct look *l)
{
	const struct frame *f = &ep->frame;
	struct value hits = f->v[METRIC_REDIS_HITS], misses = f->v[METRIC_REDIS_MISSES],
		     expired = f->v[METRIC_REDIS_EXPIRED], evicted = f->v[METRIC_REDIS_EVICTED];

	if (!value_ok(hits) || !value_ok(misses) || !value_ok(expired) || f->interval_s <= 0)
		return false;
	l->hits = hits.v;
	l->misses = misses.v;
	l->removed = expired.v + (value_ok(evicted) ? evicted.v : 0);
	l->dt = f->interval_s;
	l->keys = value_ok(f->v[METRIC_REDIS_KEYS]) ? f->v[METRIC_REDIS_KEYS].v : NAN;
	l->now_ns = ep->seen_mono_ns;
	l->from_ns = l->now_ns - (int64_t)(l->dt * (double)NS_PER_SEC);
	return true;
}

/* A cache that was just started misses much, and has no base line of its own yet. */
static bool base_line(struct stampede *s, const struct endpoint *ep, int64_t before_ns)
{
	const struct history *h = ep->history;
	struct value uptime = ep->frame.v[METRIC_REDIS_UPTIME];
	double expired, evicted;

	if ((value_ok(uptime) && uptime.v < BASE_S) ||
		!history_median(
			h, METRIC_REDIS_MISSES, before_ns, BASE_S, BASE_MIN_S, &s->base_misses) ||
		!history_median(
			h, METRIC_REDIS_HITS, before_ns, BASE_S, BASE_MIN_S, &s->base_hits) ||
		!history_median(h, METRIC_REDIS_EXPIRED, before_ns, BASE_S, BASE_MIN_S, &expired))
		return false;
	if (!history_median(h, METRIC_REDIS_EVICTED, before_ns, BASE_S, BASE_MIN_S, &evicted))
		evicted = 0;
	s->base_removed = expired + evicted;
	return true;
}

/* ---- the course of one burst ---- */

static double keys_of(const struct stampede *s)
{
	return s->removed > 1 ? s->removed : 1;
}

/* Keys went that were neither expired nor evicted. */
static bool were_deleted(const struct stampede *s, const struct look *l, double removed)
{
	double lost = s->keys_before - l->keys;

	return !isnan(lost) && lost > removed + LOST_SHARE * s->keys_before;
}

static bool begins(const struct stampede *s, const struct look *l, double removed)
{
	double rise = l->misses - s->base_misses;

	return s->base_hits + s->base_misses >= REQUESTS_MIN &&
	       l->misses >= RISE_TIMES * s->base_misses && rise >= RISE_MIN &&
	       rise * l->dt >= MISSED_MIN && s->base_hits - l->hits >= FROM_HITS * rise &&
	       removed >= 1 && rise * l->dt >= PER_KEY_MIN * removed &&
	       !were_deleted(s, l, removed);
}

static bool is_over(const struct stampede *s, const struct look *l)
{
	double limit = OVER_TIMES * s->base_misses;

	return l->misses <= (limit > OVER_MIN ? limit : OVER_MIN);
}

static void add_interval(struct stampede *s, const struct look *l)
{
	double rate = l->misses - s->base_misses;

	if (rate > 0)
		s->missed += rate * l->dt;
	if (l->removed > s->base_removed)
		s->removed += (l->removed - s->base_removed) * l->dt;
	/* neither the first nor the last interval is covered whole, those between are */
	if (s->intervals >= 2 && !is_over(s, l) && !(s->plateau >= s->last_rate))
		s->plateau = s->last_rate;
	s->last_rate = rate;
	s->intervals++;
}

static void begin(struct stampede *s, const struct look *l)
{
	s->phase = STAMPEDE_BURST;
	s->missed = s->missed_before;
	s->plateau = NAN;
	s->intervals = 0;
	s->begin_ns = l->from_ns;
	s->removed = s->removed_before;
	add_interval(s, l);
	memmove(&s->begins[1], &s->begins[0], sizeof(s->begins) - sizeof(s->begins[0]));
	s->begins[0] = l->from_ns;
	if (s->nbegins < STAMPEDE_BURSTS)
		s->nbegins++;
}

/* ---- what it came to ---- */

static double regular_period_s(const struct stampede *s)
{
	double least = INFINITY, most = 0;

	if (s->nbegins < PERIOD_BURSTS)
		return 0;
	for (unsigned i = 1; i < PERIOD_BURSTS; i++) {
		double gap = (double)(s->begins[i - 1] - s->begins[i]) / (double)NS_PER_SEC;

		least = fmin(least, gap);
		most = fmax(most, gap);
	}
	/* a begin is known to an interval, so two gaps may differ by two seconds */
	return most - least <= fmax(SAME_PERIOD * most, 2) ? (least + most) / 2 : 0;
}

/* Queries above their base line in the seconds of the burst, and in the one after. */
static bool count_queries(const struct endpoint *db, const struct stampede_result *r, double *out)
{
	double base, sum = 0;

	if (!history_median(
		    db->history, METRIC_MONGO_OPS_QUERY, r->begin_ns, BASE_S, BASE_S / 2, &base))
		return false;
	for (int64_t t = r->begin_ns; t <= r->end_ns + NS_PER_SEC; t += HISTORY_STEP_NS) {
		double v = (double)history_at(db->history, METRIC_MONGO_OPS_QUERY, t);

		if (isnan(v))
			return false;
		sum += v - base;
	}
	*out = sum > 0 ? sum : 0;
	return true;
}

/* Of several databases the one that got the most: that of this cache, if any is. */
static void find_origin(const struct model *m, struct stampede_result *r)
{
	double got;

	r->origin = -1;
	r->observed = NAN;
	for (unsigned i = 0; i < m->n; i++)
		if (m->ep[i]->kind == KIND_MONGO && count_queries(m->ep[i], r, &got) &&
			(r->origin < 0 || got > r->observed)) {
			r->origin = (int)i;
			r->observed = got;
		}
}

/* D before the burst: what the user says, else the median read of the database. */
static double origin_us(const struct model *m, const struct stampede_result *r)
{
	double us;

	if (m->origin_us > 0)
		return m->origin_us;
	if (r->origin >= 0 && history_median(m->ep[r->origin]->history, METRIC_MONGO_LAT_READS_P50,
				      r->begin_ns, BASE_S, 1, &us))
		return us;
	return NAN;
}

static void conclude(struct stampede *s, const struct model *m)
{
	struct stampede_result *r = &s->result;

	*r = (struct stampede_result){.missed = s->missed,
		.keys = floor(keys_of(s) + 0.5),
		.begin_ns = s->begin_ns,
		.end_ns = s->end_ns};
	r->rate_is_max = isnan(s->plateau);
	r->rate = r->rate_is_max ? s->base_hits + s->base_misses : s->plateau;
	find_origin(m, r);
	r->origin_us = origin_us(m, r);
	r->predicted = r->rate * r->origin_us / 1e6;
	r->period_s = regular_period_s(s);
	s->phase = STAMPEDE_CALM;
	s->done++;
}

static void follow(struct stampede *s, const struct model *m, const struct look *l)
{
	if (s->phase == STAMPEDE_BURST) {
		add_interval(s, l);
		if ((double)(l->now_ns - s->begin_ns) > BURST_MAX_S * (double)NS_PER_SEC) {
			s->phase = STAMPEDE_CALM;
			s->broken++;
		} else if (is_over(s, l)) {
			s->phase = STAMPEDE_SETTLING;
			s->end_ns = l->now_ns;
		}
	} else if (s->phase == STAMPEDE_SETTLING && l->now_ns - s->end_ns >= SETTLE_NS) {
		conclude(s, m);
	}
}

/* ---- the frame ---- */

static struct value number(double v, enum reason why)
{
	return isnan(v) ? (struct value){.why = (uint8_t)why} : (struct value){.v = v};
}

static void show(const struct stampede *s, struct frame *f)
{
	const struct stampede_result *r = &s->result;

	for (enum metric_id id = METRIC_REDIS_STAMPEDE_RATE; id <= METRIC_REDIS_STAMPEDE_OBSERVED;
		id++)
		f->v[id] = (struct value){.why = REASON_NO_STAMPEDE};
	if (s->done == 0)
		return;
	f->v[METRIC_REDIS_STAMPEDE_RATE] = number(r->rate, REASON_NO_STAMPEDE);
	f->v[METRIC_REDIS_STAMPEDE_ORIGIN] = number(r->origin_us, REASON_NO_ORIGIN);
	f->v[METRIC_REDIS_STAMPEDE_PREDICTED] = number(r->predicted, REASON_NO_ORIGIN);
	f->v[METRIC_REDIS_STAMPEDE_OBSERVED] = number(r->observed, REASON_NO_DATABASE);
}

void stampede_step(struct model *m, struct endpoint *ep)
{
	struct stampede *s = &ep->stampede;
	struct look l;

	if (!look_at(ep, &l)) {
		s->broken += s->phase >= STAMPEDE_BURST;
		s->phase = STAMPEDE_NO_BASE;
		s->removed_before = s->missed_before = 0;
		s->keys_before = NAN;
		show(s, &ep->frame);
		return;
	}
	if (s->phase >= STAMPEDE_BURST)
		follow(s, m, &l);
	else if (!base_line(s, ep, l.from_ns))
		s->phase = STAMPEDE_NO_BASE;
	else
		s->phase = STAMPEDE_CALM;
	double removed = l.removed > s->base_removed ? (l.removed - s->base_removed) * l.dt : 0;
	if (s->phase == STAMPEDE_CALM && begins(s, &l, removed + s->removed_before))
		begin(s, &l);
	s->removed_before = removed;
	s->missed_before = l.misses > s->base_misses ? (l.misses - s->base_misses) * l.dt : 0;
	s->keys_before = l.keys;
	show(s, &ep->frame);
}
