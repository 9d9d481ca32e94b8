/* The figures of verdicts and events, and the ring of what happened. */
#include "hotset/model.h"
#include "hotset/text.h"

#include <math.h>

const char *level_word(enum level l)
{
	static const char *const words[] = {"ok", "info", "warn", "crit"};

	return words[l];
}

const char *event_state_word(enum event_state s)
{
	static const char *const words[] = {"begin", "end", "point"};

	return words[s];
}

static struct datum *add_datum(struct data *d, const char *key)
{
	if (d->n >= DATA_MAX)
		return NULL;
	d->d[d->n] = (struct datum){.key = key};
	return &d->d[d->n++];
}

void data_num(struct data *d, const char *key, double v)
{
	struct datum *datum = add_datum(d, key);

	if (!datum)
		return;
	datum->null = !isfinite(v);
	datum->num = datum->null ? 0 : v;
}

void data_text(struct data *d, const char *key, const char *text)
{
	struct datum *datum = add_datum(d, key);

	if (!datum)
		return;
	datum->is_text = true;
	datum->null = !text;
	if (text)
		text_sanitize(datum->text, sizeof(datum->text), text, strlen(text));
}

const struct event *model_event(const struct model *m, unsigned i)
{
	if (i >= m->nevents)
		return NULL;
	return &m->events[(m->event_head + EVENTS_MAX - 1 - i) % EVENTS_MAX];
}

uint64_t model_add_event(struct model *m, uint64_t id, uint16_t endpoint, const char *code,
	enum level level, enum event_state state, const char *text, const struct data *data)
{
	struct event *e = &m->events[m->event_head];

	*e = (struct event){
		.id = id ? id : m->next_event_id++,
		.wall_ns = m->wall_ns,
		.mono_ns = m->mono_ns,
		.endpoint = endpoint,
		.code = code,
		.level = level,
		.state = state,
	};
	text_sanitize(e->text, sizeof(e->text), text, strlen(text));
	if (data)
		e->data = *data;
	m->event_head = (m->event_head + 1) % EVENTS_MAX;
	if (m->nevents < EVENTS_MAX)
		m->nevents++;
	return e->id;
}

enum level model_level(const struct model *m, int endpoint)
{
	enum level worst = LEVEL_OK;

	for (unsigned i = 0; i < m->nverdicts; i++)
		if ((endpoint < 0 || m->verdicts[i].endpoint == endpoint) &&
			!m->verdicts[i].standing && m->verdicts[i].level > worst)
			worst = m->verdicts[i].level;
	return worst;
}
