/* The model: endpoints and their way from sample to frame, history, estimates and rules. */
#include "hotset/model.h"
#include "hotset/clock.h"
#include "hotset/rules.h"
#include "hotset/text.h"

#define STALE_INTERVALS 2.5
#define STALE_MIN_S     2.5

struct model *model_create(void)
{
	struct model *m = calloc(1, sizeof(*m));

	if (m)
		m->next_event_id = 1;
	return m;
}

static void destroy_endpoint(struct endpoint *ep)
{
	if (!ep)
		return;
	rules_forget(ep);
	frame_finish(&ep->frame);
	kept_finish(ep);
	sample_destroy(ep->last);
	derive_destroy(ep->derive);
	history_destroy(ep->history);
	free(ep);
}

void model_destroy(struct model *m)
{
	if (!m)
		return;
	for (unsigned i = 0; i < m->n; i++)
		destroy_endpoint(m->ep[i]);
	free(m->ep);
	free(m);
}

static struct endpoint *create_endpoint(enum kind kind, const char *id, const char *name,
	const char *address, unsigned history_steps)
{
	struct endpoint *ep = calloc(1, sizeof(*ep));

	if (!ep)
		return NULL;
	ep->kind = kind;
	ep->status = STATUS_WAITING;
	ep->interval_s = 1;
	text_sanitize(ep->id, sizeof(ep->id), id, strlen(id));
	text_sanitize(ep->name, sizeof(ep->name), name, strlen(name));
	text_sanitize(ep->address, sizeof(ep->address), address, strlen(address));
	frame_init(&ep->frame);
	ep->derive = derive_create(kind);
	ep->history = history_create(kind, history_steps);
	if (!ep->derive || !ep->history) {
		destroy_endpoint(ep);
		return NULL;
	}
	return ep;
}

struct endpoint *model_add(struct model *m, enum kind kind, const char *id, const char *name,
	const char *address, unsigned history_steps)
{
	if (m->n >= ENDPOINTS_MAX)
		return NULL;

	struct endpoint **list = realloc(m->ep, (m->n + 1) * sizeof(struct endpoint *));

	if (!list)
		return NULL;
	m->ep = list;

	struct endpoint *ep = create_endpoint(kind, id, name, address, history_steps);

	if (!ep)
		return NULL;
	ep->index = (uint16_t)m->n;
	m->ep[m->n++] = ep;
	return ep;
}

static void advance_clock(struct model *m, int64_t mono_ns, int64_t wall_ns)
{
	if (mono_ns < m->mono_ns)
		return;
	m->mono_ns = mono_ns;
	m->wall_ns = wall_ns;
}

/*
 * A server that is loading may answer with numbers, a proxy or a sentinel says what it is: both
 * are shown, but nothing follows from them.
 */
static bool tells_something(const struct sample *s, enum kind kind)
{
	enum metric_id first, end;

	if (status_has_data(s->status))
		return true;
	if (s->status != STATUS_LOADING && s->status != STATUS_UNSUPPORTED)
		return false;
	metric_range(kind, &first, &end);
	for (enum metric_id id = first; id < end; id++)
		if (sample_has(s, id))
			return true;
	return false;
}

/* What takes an endpoint out of service, or a writer away, deserves a look; the rest is news. */
static enum level role_level(const char *role, const char *was)
{
	static const char *const idle[] = {"RECOVERING", "ROLLBACK", "REMOVED", "OTHER", NULL};

	for (const char *const *r = idle; *r; r++)
		if (strcmp(role, *r) == 0)
			return LEVEL_WARN;
	return strcmp(was, "PRIMARY") == 0 || strcmp(was, "master") == 0 ? LEVEL_WARN : LEVEL_INFO;
}

/* A server that refuses to tell more may have said what it is, now or before. */
static void take_identity(struct endpoint *ep, const struct sample *s)
{
	if (s->product[0]) {
		memcpy(ep->product, s->product, sizeof(ep->product));
		memcpy(ep->version, s->version, sizeof(ep->version));
	}
	if (s->role[0] || s->product[0])
		memcpy(ep->role, s->role, sizeof(ep->role));
}

/* Primary, secondary, master, replica: who takes over is an event, and no restart. */
static void note_role(struct model *m, struct endpoint *ep, const char *was)
{
	struct data data = {0};
	char text[160];

	if (!was[0] || !ep->role[0] || strcmp(was, ep->role) == 0)
		return;
	snprintf(text, sizeof(text), "%s became %s (was %s)", ep->name, ep->role, was);
	data_text(&data, "role", ep->role);
	data_text(&data, "was", was);
	model_add_event(m, 0, ep->index, "endpoint.role", role_level(ep->role, was), EVENT_POINT,
		text, &data);
}

static void take_numbers(struct model *m, struct endpoint *ep, struct sample *s_take)
{
	struct sample *before = ep->last;

	derive_step(ep->derive, s_take, m->one_dump, &ep->frame);
	ep->last = s_take;
	ep->seen_mono_ns = s_take->mono_ns;
	ep->seen_wall_ns = s_take->wall_ns;
	ep->samples++;
	sample_destroy(before);
	history_put(ep->history, &ep->frame);
	estimate_step(ep->history, &ep->frame);
	if (ep->kind == KIND_REDIS && status_has_data(ep->last->status))
		stampede_step(m, ep);
	history_put(ep->history, &ep->frame); /* once more, with the estimates */
	kept_step(ep);
}

void model_push(struct model *m, struct sample *s_take)
{
	if (s_take->endpoint >= m->n) {
		sample_destroy(s_take);
		return;
	}

	struct endpoint *ep = m->ep[s_take->endpoint];
	bool usable = status_has_data(s_take->status);
	char was[sizeof(ep->role)];

	memcpy(was, ep->role, sizeof(was));
	advance_clock(m, s_take->mono_ns, s_take->wall_ns);
	ep->polls++;
	ep->status = s_take->status;
	ep->err = s_take->err;
	ep->asked_mono_ns = 0;
	take_identity(ep, s_take);
	note_role(m, ep, was);
	if (tells_something(s_take, ep->kind))
		take_numbers(m, ep, s_take);
	else
		sample_destroy(s_take);
	if (usable)
		rules_step(m, ep);
	rules_tick(m);
}

void model_tick(struct model *m, int64_t mono_ns, int64_t wall_ns)
{
	advance_clock(m, mono_ns, wall_ns);
	rules_tick(m);
}

double model_age_s(const struct model *m, const struct endpoint *ep)
{
	if (!ep->samples)
		return -1;

	int64_t age_ns = m->mono_ns - ep->seen_mono_ns;

	return age_ns > 0 ? (double)age_ns / (double)NS_PER_SEC : 0;
}

bool model_is_stale(const struct model *m, const struct endpoint *ep)
{
	double limit = STALE_INTERVALS * ep->interval_s;

	return model_age_s(m, ep) > (limit > STALE_MIN_S ? limit : STALE_MIN_S);
}
