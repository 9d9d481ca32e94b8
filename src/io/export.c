/*
 * The model as JSON. One walk over the descriptor tables writes every endpoint, so that a new
 * metric needs no line here. A number that does not belong to the present state of the endpoint
 * (it answers no more, or the newest answer is late) is null with the reason "no answer": a script
 * must not take a minute-old figure for a fresh one. Counters are written from the sample, since a
 * double loses whole units above 2^53.
 */
#include "hotset/clock.h"
#include "hotset/export.h"
#include "hotset/num.h"
#include "hotset/text.h"
#include "export_value.h"

#include <inttypes.h>
#include <math.h>

/* ---- values, shared with the CSV writer ---- */

bool export_is_fresh(const struct model *m, const struct endpoint *ep)
{
	if (!ep->last || model_is_stale(m, ep))
		return false;
	return status_has_data(ep->status) || ep->status == ep->last->status;
}

enum status export_status(const struct model *m, const struct endpoint *ep)
{
	return status_has_data(ep->status) && model_is_stale(m, ep) ? STATUS_WAITING : ep->status;
}

static struct export_value from_raw(const struct raw *r)
{
	struct export_value v = {.why = REASON_OK};

	switch ((enum raw_type)r->type) {
	case RAW_U64:
		snprintf(v.num, sizeof v.num, "%" PRIu64, r->u);
		return v;
	case RAW_I64:
		snprintf(v.num, sizeof v.num, "%" PRId64, r->i);
		return v;
	case RAW_F64:
		num_json(v.num, r->f);
		return v;
	case RAW_TEXT:
		v.text = r->s;
		return v;
	case RAW_NONE:
		break;
	}
	v.why = r->why == REASON_OK ? REASON_NOT_SENT : (enum reason)r->why;
	return v;
}

static struct export_value from_value(struct value d)
{
	struct export_value v = {.why = (enum reason)d.why};

	if (value_ok(d) && !isfinite(d.v))
		v.why = REASON_IMPLAUSIBLE;
	if (v.why == REASON_OK) {
		num_json(v.num, d.v);
		v.age_s = (double)d.age_s;
	}
	return v;
}

struct export_value export_metric(const struct model *m, const struct endpoint *ep,
	enum metric_id id)
{
	const struct frame *f = &ep->frame;
	struct export_value v = {.why = REASON_NO_ANSWER};

	if (!f->sample || !export_is_fresh(m, ep))
		return v;
	switch (metric_desc(id)->sem) {
	case SEM_INFO:
		v = from_raw(&f->sample->raw[id]);
		if (frame_info(f, id))
			v = (struct export_value){.why = REASON_OK, .text = frame_info(f, id)};
		else if (v.why != REASON_OK) /* what was concluded about it says more */
			v.why = (enum reason)frame_value(f, id).why;
		return v;
	case SEM_COUNTER:
		return from_raw(&f->sample->raw[id]);
	case SEM_GAUGE:
		/* exact for integers; what derive decided about it comes first */
		if (value_ok(frame_value(f, id)) && f->sample->raw[id].type == RAW_U64)
			return from_raw(&f->sample->raw[id]);
		return from_value(frame_value(f, id));
	case SEM_RATE:
	case SEM_CALC:
		break;
	}
	return from_value(frame_value(f, id));
}

/* ---- JSON ---- */

static void put_key(struct strbuf *out, bool *first, const char *key)
{
	if (!*first)
		strbuf_putc(out, ',');
	*first = false;
	text_json(out, key);
	strbuf_putc(out, ':');
}

static void put_num(struct strbuf *out, double v)
{
	char buf[32];

	strbuf_puts(out, num_json(buf, v));
}

static void put_text_or_null(struct strbuf *out, const char *s)
{
	if (s && *s)
		text_json(out, s);
	else
		strbuf_puts(out, "null");
}

static void put_time(struct strbuf *out, int64_t wall_ns)
{
	char buf[CLOCK_TEXT_MAX];

	text_json(out, clock_format_utc(buf, wall_ns));
}

/* Numbers of the kind with info false, texts with info true. */
static void put_metrics(struct strbuf *out, const struct model *m, const struct endpoint *ep,
	bool info)
{
	enum metric_id id, end;
	bool first = true;

	for (metric_range(ep->kind, &id, &end); id < end; id++) {
		const struct metric_desc *d = metric_desc(id);

		if ((d->sem == SEM_INFO) != info)
			continue;
		struct export_value v = export_metric(m, ep, id);
		put_key(out, &first, d->name);
		if (v.why == REASON_OK && info && v.text)
			text_json(out, v.text);
		else if (v.why == REASON_OK && !info && !v.text)
			strbuf_puts(out, v.num);
		else
			strbuf_puts(out, "null");
	}
}

static void put_reasons(struct strbuf *out, const struct model *m, const struct endpoint *ep)
{
	enum metric_id id, end;
	bool first = true;

	for (metric_range(ep->kind, &id, &end); id < end; id++) {
		struct export_value v = export_metric(m, ep, id);

		if (v.why == REASON_OK && v.text && metric_desc(id)->sem != SEM_INFO)
			v.why = REASON_TEXT;
		if (v.why == REASON_OK)
			continue;
		put_key(out, &first, metric_desc(id)->name);
		text_json(out, reason_text(v.why));
	}
}

static void put_ages(struct strbuf *out, const struct model *m, const struct endpoint *ep)
{
	enum metric_id id, end;
	bool first = true;

	for (metric_range(ep->kind, &id, &end); id < end; id++) {
		struct export_value v = export_metric(m, ep, id);

		if (v.why != REASON_OK || v.age_s <= 0)
			continue;
		put_key(out, &first, metric_desc(id)->name);
		put_num(out, v.age_s);
	}
}

static void put_row(struct strbuf *out, const struct table_desc *d, const struct cell_value *cells)
{
	bool first = true;

	strbuf_putc(out, '{');
	for (unsigned c = 0; c < d->ncols; c++) {
		put_key(out, &first, d->cols[c].name);
		if (cells[c].text)
			text_json(out, cells[c].text);
		else
			put_num(out, value_ok(cells[c].num) ? cells[c].num.v : NAN);
	}
	strbuf_putc(out, '}');
}

static void put_tables(struct strbuf *out, const struct endpoint *ep)
{
	bool first = true;

	for (enum table_id t = 0; t < TABLE_COUNT; t++) {
		const struct table_desc *d = &table_table[t];
		const struct frame_rows *rows = &ep->frame.tables[t];

		if (d->kind != ep->kind || !rows->asked)
			continue;
		put_key(out, &first, d->name);
		strbuf_putc(out, '[');
		for (unsigned r = 0; r < rows->n; r++) {
			if (r)
				strbuf_putc(out, ',');
			put_row(out, d, frame_row(&ep->frame, t, r));
		}
		strbuf_putc(out, ']');
	}
}

static void put_endpoint(struct strbuf *out, const struct model *m, const struct endpoint *ep)
{
	const struct sample *s = ep->last;
	bool fresh = export_is_fresh(m, ep);

	strbuf_puts(out, "{\"id\":");
	text_json(out, ep->id);
	strbuf_puts(out, ",\"kind\":");
	text_json(out, kind_name(ep->kind));
	strbuf_puts(out, ",\"status\":");
	text_json(out, status_word(export_status(m, ep)));
	strbuf_puts(out, ",\"error\":");
	put_text_or_null(out, ep->err.msg);
	strbuf_puts(out, ",\"server\":{\"product\":");
	put_text_or_null(out, ep->product);
	strbuf_puts(out, ",\"version\":");
	put_text_or_null(out, ep->version);
	strbuf_puts(out, ",\"role\":");
	put_text_or_null(out, ep->role);
	strbuf_puts(out, "},\"rtt_ms\":");
	put_num(out, fresh && s->rtt_ns >= 0 ? (double)s->rtt_ns / (double)NS_PER_MS : NAN);
	strbuf_puts(out, ",\"interval_s\":");
	put_num(out, fresh && ep->frame.interval_s > 0 ? ep->frame.interval_s : NAN);
	strbuf_puts(out, ",\"metrics\":{");
	put_metrics(out, m, ep, false);
	strbuf_puts(out, "},\"why\":{");
	put_reasons(out, m, ep);
	strbuf_puts(out, "},\"age_s\":{");
	put_ages(out, m, ep);
	strbuf_puts(out, "},\"info\":{");
	put_metrics(out, m, ep, true);
	strbuf_puts(out, "},\"tables\":{");
	if (fresh)
		put_tables(out, ep);
	strbuf_puts(out, "}}");
}

static void put_data(struct strbuf *out, const struct data *d)
{
	bool first = true;

	strbuf_putc(out, '{');
	for (unsigned i = 0; i < d->n && i < DATA_MAX; i++) {
		const struct datum *x = &d->d[i];

		put_key(out, &first, x->key);
		if (x->null)
			strbuf_puts(out, "null");
		else if (x->is_text)
			text_json(out, x->text);
		else
			put_num(out, x->num);
	}
	strbuf_putc(out, '}');
}

static void put_endpoint_id(struct strbuf *out, const struct model *m, uint16_t endpoint)
{
	put_text_or_null(out, endpoint < m->n ? m->ep[endpoint]->id : NULL);
}

static void put_verdict(struct strbuf *out, const struct model *m, const struct verdict *v)
{
	strbuf_puts(out, "{\"level\":");
	text_json(out, level_word(v->level));
	strbuf_puts(out, ",\"code\":");
	text_json(out, v->code);
	strbuf_puts(out, ",\"endpoint\":");
	put_endpoint_id(out, m, v->endpoint);
	strbuf_puts(out, ",\"since\":");
	put_time(out, v->since_wall_ns);
	strbuf_puts(out, ",\"text\":");
	text_json(out, v->text);
	strbuf_puts(out, ",\"next\":");
	text_json(out, v->next);
	strbuf_puts(out, ",\"data\":");
	put_data(out, &v->data);
	strbuf_putc(out, '}');
}

static void put_event(struct strbuf *out, const struct model *m, const struct event *e)
{
	strbuf_printf(out, "{\"id\":%" PRIu64 ",\"time\":", e->id);
	put_time(out, e->wall_ns);
	strbuf_puts(out, ",\"endpoint\":");
	put_endpoint_id(out, m, e->endpoint);
	strbuf_puts(out, ",\"code\":");
	text_json(out, e->code);
	strbuf_puts(out, ",\"level\":");
	text_json(out, level_word(e->level));
	strbuf_puts(out, ",\"state\":");
	text_json(out, event_state_word(e->state));
	strbuf_puts(out, ",\"text\":");
	text_json(out, e->text);
	strbuf_puts(out, ",\"data\":");
	put_data(out, &e->data);
	strbuf_putc(out, '}');
}

static void put_events(struct strbuf *out, const struct model *m, int64_t since_mono_ns)
{
	unsigned n = 0;
	bool first = true;

	while (model_event(m, n))
		n++;
	while (n-- > 0) { /* oldest first */
		const struct event *e = model_event(m, n);

		if (e->mono_ns < since_mono_ns)
			continue;
		if (!first)
			strbuf_putc(out, ',');
		first = false;
		put_event(out, m, e);
	}
}

void export_json(struct strbuf *out, const struct model *m, int64_t events_since_mono_ns)
{
	strbuf_puts(out, "{\"hotset\":1,\"time\":");
	put_time(out, m->wall_ns);
	strbuf_puts(out, ",\"endpoints\":[");
	for (unsigned i = 0; i < m->n; i++) {
		if (i)
			strbuf_putc(out, ',');
		put_endpoint(out, m, m->ep[i]);
	}
	strbuf_puts(out, "],\"verdicts\":[");
	for (unsigned i = 0; i < m->nverdicts; i++) {
		if (i)
			strbuf_putc(out, ',');
		put_verdict(out, m, &m->verdicts[i]);
	}
	strbuf_puts(out, "],\"skipped\":[");
	for (unsigned i = 0; i < m->nskipped; i++) {
		strbuf_puts(out, i ? ",{\"code\":" : "{\"code\":");
		text_json(out, m->skipped[i].code);
		strbuf_puts(out, ",\"endpoint\":");
		put_endpoint_id(out, m, m->skipped[i].endpoint);
		strbuf_puts(out, ",\"reason\":");
		text_json(out, m->skipped[i].reason);
		strbuf_putc(out, '}');
	}
	strbuf_puts(out, "],\"events\":[");
	put_events(out, m, events_since_mono_ns);
	strbuf_puts(out, "]}");
}
