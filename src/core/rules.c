/*
 * The engine of the rules. Per endpoint and rule it keeps a slot: the level that holds, since when,
 * the finding that led to it and the event that it began. A level rises at once and falls when it
 * has not held for hold_s; then the text of the last frame on which it held stays. Courses write
 * their own events, the engine only shows their findings.
 */
#include "hotset/rules.h"
#include "hotset/clock.h"
#include "hotset/num.h"
#include "hotset/text.h"

#include <math.h>

#define RESTARTED_HOLD_S 30.0 /* how long the verdict "restarted" stays */
#define STALE_REFRESH_S  1.0  /* how often the age in its sentence is renewed */
#define FORGET_S         60.0 /* verdicts about data older than this are dropped */

struct slot {
	enum level level;    /* LEVEL_OK: nothing holds */
	enum level reported; /* the highest level that has an event */
	int64_t since_wall_ns, since_mono_ns, held_mono_ns;
	uint64_t event_id;
	struct finding *held; /* what led to it, while a level holds */
	void *course;
};

struct rule_state {
	unsigned n;
	struct slot slots[];
};

/* ---- rules of every kind ---- */

static void eval_stale(const struct model *m, const struct endpoint *ep, struct finding *out);
static void eval_restarted(const struct model *m, const struct endpoint *ep, struct finding *out);

static const struct rule rule_stale = {.code = "endpoint.stale", .eval = eval_stale};
static const struct rule rule_restarted = {.code = "endpoint.restarted",
	.hold_s = RESTARTED_HOLD_S,
	.quiet = true,
	.eval = eval_restarted};

enum { SLOT_STALE, SLOT_RESTARTED, SLOT_FIRST };

static void eval_stale(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	char age[NUM_MAX];
	double age_s = model_age_s(m, ep);
	const char *why = ep->err.msg[0] ? ep->err.msg : status_word(ep->status);
	bool late = status_has_data(ep->status) || ep->status == STATUS_WAITING;

	if (age_s < 0 && !late)
		finding_say(out, LEVEL_WARN, "%s gave no data: %s", ep->name, why);
	else if (age_s >= 0 && model_is_stale(m, ep))
		finding_say(out, LEVEL_WARN, "%s has given no data for %s: %s", ep->name,
			num_duration(age, age_s), late ? "no answer" : why);
	else
		return;
	finding_next(
		out, "Older numbers stay, dimmed. See whether the server answers its own client.");
	data_num(&out->data, "age_s", age_s < 0 ? (double)NAN : age_s);
	data_text(&out->data, "status", status_word(ep->status));
}

static void eval_restarted(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	if (!ep->frame.restarted)
		return;
	finding_say(out, LEVEL_INFO,
		"%s is another server run than before: its counters began anew", ep->name);
	finding_next(out, "Look into the server's log for the reason.");
}

static const struct rule *rules_of(enum kind kind)
{
	static const struct rule *const tables[KIND_COUNT] = {
		[KIND_MONGO] = rules_mongo,
		[KIND_REDIS] = rules_redis,
		[KIND_MEMCACHED] = rules_memcached,
		[KIND_HOST] = rules_host,
	};
	return tables[kind];
}

static const struct rule *rule_at(enum kind kind, unsigned i)
{
	if (i == SLOT_STALE)
		return &rule_stale;
	if (i == SLOT_RESTARTED)
		return &rule_restarted;
	return &rules_of(kind)[i - SLOT_FIRST];
}

/* ---- state ---- */

static struct rule_state *state_of(struct endpoint *ep)
{
	if (ep->rule_state)
		return ep->rule_state;

	const struct rule *rules = rules_of(ep->kind);
	unsigned n = 0;

	while (rules[n].code)
		n++;

	struct rule_state *st = calloc(1, sizeof(*st) + (SLOT_FIRST + n) * sizeof(st->slots[0]));

	if (st)
		st->n = SLOT_FIRST + n;
	ep->rule_state = st;
	return st;
}

void rules_forget(struct endpoint *ep)
{
	struct rule_state *st = ep->rule_state;

	for (unsigned i = 0; st && i < st->n; i++) {
		free(st->slots[i].held);
		free(st->slots[i].course);
	}
	free(st);
	ep->rule_state = NULL;
}

/* ---- levels and their events ---- */

static const char *code_of(const struct rule *rule, const struct finding *f)
{
	return f->code ? f->code : rule->code;
}

static double seconds_between(int64_t from_ns, int64_t to_ns)
{
	return (double)(to_ns - from_ns) / (double)NS_PER_SEC;
}

static void report_begin(
	struct model *m, const struct endpoint *ep, const struct rule *rule, struct slot *s)
{
	if (rule->course || s->level <= s->reported || (rule->quiet && s->level < LEVEL_WARN))
		return;
	s->reported = s->level;
	s->event_id = model_add_event(m, s->event_id, ep->index, code_of(rule, s->held), s->level,
		EVENT_BEGIN, s->held->text, &s->held->data);
}

static void report_end(
	struct model *m, const struct endpoint *ep, const struct rule *rule, const struct slot *s)
{
	char text[sizeof(s->held->text) + NUM_MAX + 16], duration[NUM_MAX];
	double held_s = seconds_between(s->since_mono_ns, s->held_mono_ns);

	if (s->reported == LEVEL_OK)
		return;
	if (held_s >= 1)
		snprintf(text, sizeof(text), "over after %s: %s", num_duration(duration, held_s),
			s->held->text);
	else
		snprintf(text, sizeof(text), "over: %s", s->held->text);
	model_add_event(m, s->event_id, ep->index, code_of(rule, s->held), s->reported, EVENT_END,
		text, &s->held->data);
}

static void lower(
	struct model *m, const struct endpoint *ep, const struct rule *rule, struct slot *s)
{
	void *course = s->course;

	if (s->level != LEVEL_OK)
		report_end(m, ep, rule, s);
	free(s->held);
	*s = (struct slot){.course = course};
}

static void raise(struct model *m, const struct endpoint *ep, const struct rule *rule,
	struct slot *s, const struct finding *f)
{
	if (!s->held)
		s->held = malloc(sizeof(*s->held));
	if (!s->held)
		return;
	*s->held = *f;
	if (s->level == LEVEL_OK) {
		s->since_wall_ns = m->wall_ns;
		s->since_mono_ns = m->mono_ns;
	}
	s->level = f->level;
	s->held_mono_ns = m->mono_ns;
	if (f->event_id)
		s->event_id = f->event_id;
	report_begin(m, ep, rule, s);
}

static void apply(struct model *m, const struct endpoint *ep, const struct rule *rule,
	struct slot *s, const struct finding *f)
{
	bool holds_on =
		s->level > f->level && seconds_between(s->held_mono_ns, m->mono_ns) < rule->hold_s;

	if (holds_on)
		return;
	if (f->level == LEVEL_OK)
		lower(m, ep, rule, s);
	else
		raise(m, ep, rule, s, f);
}

static void drop_all(struct model *m, struct endpoint *ep, struct rule_state *st)
{
	for (unsigned i = SLOT_RESTARTED; i < st->n; i++) {
		const struct rule *rule = rule_at(ep->kind, i);

		if (rule->cut && st->slots[i].course)
			rule->cut(m, ep, st->slots[i].course);
		lower(m, ep, rule, &st->slots[i]);
		free(st->slots[i].course);
		st->slots[i].course = NULL;
	}
}

/* ---- the model's lists ---- */

static bool is_before(const struct verdict *a, const struct verdict *b)
{
	if (a->level != b->level)
		return a->level > b->level;
	if (a->standing != b->standing)
		return b->standing;
	if (a->since_wall_ns != b->since_wall_ns)
		return a->since_wall_ns < b->since_wall_ns;
	return a->endpoint < b->endpoint;
}

static void insert_verdict(struct model *m, const struct verdict *v)
{
	unsigned at = m->nverdicts;

	while (at > 0 && is_before(v, &m->verdicts[at - 1]))
		at--;
	if (at == VERDICTS_MAX)
		return;
	if (m->nverdicts < VERDICTS_MAX)
		m->nverdicts++;
	memmove(&m->verdicts[at + 1], &m->verdicts[at],
		(m->nverdicts - 1 - at) * sizeof(m->verdicts[0]));
	m->verdicts[at] = *v;
}

static void remove_verdicts(struct model *m, uint16_t endpoint)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < m->nverdicts; i++) {
		if (m->verdicts[i].endpoint == endpoint)
			continue;
		if (kept != i)
			m->verdicts[kept] = m->verdicts[i];
		kept++;
	}
	m->nverdicts = kept;
}

static void list_verdicts(struct model *m, const struct endpoint *ep, const struct rule_state *st)
{
	remove_verdicts(m, ep->index);
	for (unsigned i = 0; i < st->n; i++) {
		const struct slot *s = &st->slots[i];

		if (s->level == LEVEL_OK)
			continue;

		const struct rule *rule = rule_at(ep->kind, i);
		struct verdict v = {
			.level = s->level,
			.code = code_of(rule, s->held),
			.standing = rule->standing,
			.endpoint = ep->index,
			.since_wall_ns = s->since_wall_ns,
			.event_id = s->event_id,
			.data = s->held->data,
		};

		text_sanitize(v.text, sizeof(v.text), s->held->text, strlen(s->held->text));
		text_sanitize(v.next, sizeof(v.next), s->held->next, strlen(s->held->next));
		insert_verdict(m, &v);
	}
}

static void remove_skipped(struct model *m, uint16_t endpoint)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < m->nskipped; i++)
		if (m->skipped[i].endpoint != endpoint)
			m->skipped[kept++] = m->skipped[i];
	m->nskipped = kept;
}

static void add_skipped(
	struct model *m, const struct endpoint *ep, const char *code, const char *why)
{
	if (m->nskipped >= SKIPPED_MAX)
		return;

	struct skipped *s = &m->skipped[m->nskipped++];

	*s = (struct skipped){.code = code, .endpoint = ep->index};
	text_sanitize(s->reason, sizeof(s->reason), why, strlen(why));
}

/* ---- steps ---- */

static void run_rule(struct model *m, struct endpoint *ep, const struct rule *rule, struct slot *s)
{
	struct finding f = {0};

	if (rule->course) {
		if (!s->course)
			s->course = calloc(1, rule->state_size);
		if (s->course)
			rule->course(m, ep, s->course, &f);
	} else {
		rule->eval(m, ep, &f);
	}
	if (f.skip[0])
		add_skipped(m, ep, rule->code, f.skip);
	apply(m, ep, rule, s, &f);
}

void rules_step(struct model *m, struct endpoint *ep)
{
	struct rule_state *st = state_of(ep);

	if (!st)
		return;
	remove_skipped(m, ep->index);
	if (ep->frame.restarted) {
		struct finding f = {0};

		drop_all(m, ep, st);
		eval_restarted(m, ep, &f);
		model_add_event(
			m, 0, ep->index, rule_restarted.code, f.level, EVENT_POINT, f.text, NULL);
	}
	for (unsigned i = SLOT_RESTARTED; i < st->n; i++)
		run_rule(m, ep, rule_at(ep->kind, i), &st->slots[i]);
	list_verdicts(m, ep, st);
}

static void tick_endpoint(struct model *m, struct endpoint *ep)
{
	struct rule_state *st = state_of(ep);
	struct slot *stale = st ? &st->slots[SLOT_STALE] : NULL;
	struct finding f = {0};

	if (!st)
		return;
	eval_stale(m, ep, &f);
	if (f.level == stale->level &&
		(f.level == LEVEL_OK ||
			seconds_between(stale->held_mono_ns, m->mono_ns) < STALE_REFRESH_S))
		return;
	apply(m, ep, &rule_stale, stale, &f);
	if (model_age_s(m, ep) > FORGET_S) {
		drop_all(m, ep, st);
		remove_skipped(m, ep->index);
	}
	list_verdicts(m, ep, st);
}

void rules_tick(struct model *m)
{
	for (unsigned i = 0; i < m->n; i++)
		tick_endpoint(m, m->ep[i]);
}
