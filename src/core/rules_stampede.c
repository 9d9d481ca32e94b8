/* What a stampede is called, and its begin and end as events. */
#include "rules_redis.h"

#include <math.h>

#include "hotset/clock.h"

#define CODE     "redis.stampede"
#define TOGETHER 10.0 /* keys in one burst: they were given their TTL together */
#define PHRASE   96

static void fill_data(struct data *d, const struct stampede_result *r)
{
	data_num(d, "rate", r->rate);
	data_num(d, "origin_us", r->origin_us);
	data_num(d, "predicted", r->predicted);
	data_num(d, "observed", r->observed);
	data_num(d, "missed", round(r->missed));
	data_num(d, "keys", r->keys);
	/* the event is told some seconds later, when the origin's polls are in */
	data_num(d, "lasted_s", (double)(r->end_ns - r->begin_ns) / (double)NS_PER_SEC);
	data_num(d, "period_s", r->period_s > 0 ? r->period_s : (double)NAN);
}

/* ", R x D = at most 210/s x 0.2 s = 42", or "" where the origin is not known */
static void say_law(char out[PHRASE], const struct stampede_result *r)
{
	char rate[NUM_MAX], time[NUM_MAX], product[NUM_MAX];

	out[0] = '\0';
	if (isnan(r->predicted))
		return;
	snprintf(out, PHRASE, "; R x D = %s%s/s x %s = %s", r->rate_is_max ? "at most " : "",
		num_short(rate, r->rate), num_format(time, UNIT_USEC, r->origin_us, true),
		num_short(product, r->predicted));
}

static void say_observed(char out[PHRASE], const struct model *m, const struct stampede_result *r)
{
	char n[NUM_MAX];

	out[0] = '\0';
	if (r->origin >= 0 && (unsigned)r->origin < m->n)
		snprintf(out, PHRASE, "; %.32s got %s queries more than usual",
			m->ep[r->origin]->name, num_short(n, r->observed));
}

static void say_period(char out[PHRASE], const struct stampede_result *r)
{
	char period[NUM_MAX];

	out[0] = '\0';
	if (r->period_s > 0)
		snprintf(out, PHRASE, ", again after %s each time: a TTL that expires in step",
			num_duration(period, r->period_s));
	else if (r->keys >= TOGETHER)
		snprintf(out, PHRASE, ", together: synchronised expiry");
}

static void say_result(struct finding *f, const struct model *m, const struct stampede_result *r)
{
	char law[PHRASE], observed[PHRASE], period[PHRASE], missed[NUM_MAX], keys[NUM_MAX];

	say_law(law, r);
	say_observed(observed, m, r);
	say_period(period, r);
	finding_say(f, LEVEL_WARN,
		"stampede: %s requests missed and went to the origin when %s key%s went%s; %s "
		"would "
		"have been enough%s%s",
		num_short(missed, round(r->missed)), num_short(keys, r->keys),
		r->keys < 1.5 ? "" : "s", period, keys, law, observed);
	finding_next(f, "Let one request refill for all (single flight in a process, SET NX across "
			"them); renew before the TTL ends, with TTLs spread at random.");
	fill_data(&f->data, r);
}

static void say_burst(struct finding *f, const struct stampede *s)
{
	char from[NUM_MAX], to[NUM_MAX], requests[NUM_MAX], keys[NUM_MAX];

	finding_say(f, LEVEL_WARN,
		"stampede: misses rose from %s/s to %s/s at a steady %s requests/s after %s keys "
		"expired or were evicted",
		num_short(from, s->base_misses), num_short(to, s->base_misses + s->last_rate),
		num_short(requests, s->base_misses + s->base_hits),
		num_short(keys, fmax(round(s->removed), 1)));
	finding_next(f, "How many reached the origin is told when it is over.");
}

void rules_stampede_cut(struct model *m, const struct endpoint *ep, void *state)
{
	struct stampede_course *c = state;

	if (c->event_id)
		model_add_event(m, c->event_id, ep->index, CODE, LEVEL_WARN, EVENT_END,
			"the burst of misses was not seen to its end: no figures", NULL);
	c->event_id = 0;
}

void rules_stampede(struct model *m, const struct endpoint *ep, void *state, struct finding *out)
{
	const struct stampede *s = &ep->stampede;
	struct stampede_course *c = state;

	if (!c->known)
		*c = (struct stampede_course){.known = true, .done = s->done, .broken = s->broken};
	if (s->phase == STAMPEDE_NO_BASE)
		finding_skip(out, "needs a base line of 60 s");
	if (s->broken != c->broken)
		rules_stampede_cut(m, ep, c);
	c->broken = s->broken;
	if (s->done != c->done) {
		say_result(out, m, &s->result);
		model_add_event(m, c->event_id, ep->index, CODE, LEVEL_WARN, EVENT_END, out->text,
			&out->data);
		c->event_id = 0;
		c->done = s->done;
		return;
	}
	if (s->phase != STAMPEDE_BURST && s->phase != STAMPEDE_SETTLING)
		return;
	if (s->phase == STAMPEDE_SETTLING && c->event_id)
		return; /* what was said of it holds on */
	say_burst(out, s);
	if (!c->event_id)
		c->event_id = model_add_event(
			m, 0, ep->index, CODE, LEVEL_WARN, EVENT_BEGIN, out->text, NULL);
	out->event_id = c->event_id;
}
