/*
 * The model as OpenMetrics text, for a scraper's file or a push: one exposition per interval, each
 * ended by "# EOF". Units are the base units of that format (seconds, bytes, ratios), a value that
 * is not known has no line, and tables are left out: their rows have no lasting identity.
 */
#include "hotset/export.h"
#include "hotset/num.h"
#include "export_value.h"

#include <math.h>
#include <stdlib.h>

#define FAMILY_MAX 128

/* What a unit of ours is there: its suffix, whether it is a unit to declare, and the factor. */
static const struct base_unit {
	const char *suffix;
	bool        declared;
	double      factor;
} base_units[] = {
	[UNIT_NONE] = {"", false, 1},
	[UNIT_BYTES] = {"bytes", true, 1},
	[UNIT_COUNT] = {"", false, 1},
	[UNIT_PAGES] = {"pages", true, 1},
	[UNIT_PER_SEC] = {"per_second", false, 1},
	[UNIT_BYTES_PER_SEC] = {"bytes_per_second", false, 1},
	[UNIT_MSEC_PER_SEC] = {"seconds_per_second", false, 1e-3},
	[UNIT_PERCENT] = {"ratio", true, 1e-2},
	[UNIT_RATIO] = {"ratio", true, 1},
	[UNIT_TIMES] = {"ratio", true, 1},
	[UNIT_USEC] = {"seconds", true, 1e-6},
	[UNIT_MSEC] = {"seconds", true, 1e-3},
	[UNIT_SEC] = {"seconds", true, 1},
	[UNIT_SCORE] = {"", false, 1},
};

static bool ends_with(const char *s, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len > n && s[len - n - 1] == '_' && strncmp(s + len - n, word, n) == 0;
}

/* The family's name: "mongo.lat.reads" in microseconds is "hotset_mongo_lat_reads_seconds". */
static void family_name(char out[FAMILY_MAX], const struct metric_desc *d)
{
	const char *unit = base_units[d->unit].suffix;
	size_t len = (size_t)snprintf(out, FAMILY_MAX, "hotset_%s", d->name);

	if (len >= FAMILY_MAX)
		len = FAMILY_MAX - 1;
	for (char *p = out; *p; p++)
		if (*p == '.')
			*p = '_';
	if (d->sem == SEM_COUNTER && ends_with(out, len, "total")) {
		len -= strlen("_total");
		out[len] = '\0';
	}
	if (d->sem != SEM_INFO && *unit && !ends_with(out, len, unit))
		snprintf(out + len, FAMILY_MAX - len, "_%s", unit);
}

/* Within quotes, or in a line of HELP: a new line would end it. */
static void put_escaped(struct strbuf *out, const char *s)
{
	for (; s && *s; s++) {
		if (*s == '\n')
			strbuf_puts(out, "\\n");
		else if (*s == '\\' || *s == '"')
			strbuf_printf(out, "\\%c", *s);
		else
			strbuf_putc(out, *s);
	}
}

static void put_label(struct strbuf *out, const char *key, const char *value)
{
	strbuf_printf(out, "%s=\"", key);
	put_escaped(out, value);
	strbuf_putc(out, '"');
}

static void put_head(struct strbuf *out, const char *family, const char *type, const char *unit,
	const char *help)
{
	strbuf_printf(out, "# TYPE %s %s\n", family, type);
	if (*unit)
		strbuf_printf(out, "# UNIT %s %s\n", family, unit);
	strbuf_printf(out, "# HELP %s ", family);
	put_escaped(out, help);
	strbuf_putc(out, '\n');
}

static void put_metric_head(struct strbuf *out, const char *family, const struct metric_desc *d)
{
	const struct base_unit *u = &base_units[d->unit];

	if (d->sem == SEM_INFO)
		put_head(out, family, "info", "", d->help);
	else
		put_head(out, family, d->sem == SEM_COUNTER ? "counter" : "gauge",
			u->declared ? u->suffix : "", d->help);
}

static void put_number(struct strbuf *out, const char *num, double factor)
{
	char buf[32];

	strbuf_puts(out, factor == 1.0 ? num : num_json(buf, strtod(num, NULL) * factor));
	strbuf_putc(out, '\n');
}

static void put_sample(struct strbuf *out, const char *family, const struct metric_desc *d,
	const struct endpoint *ep, const struct export_value *v)
{
	const char *suffix = d->sem == SEM_INFO ? "_info" : d->sem == SEM_COUNTER ? "_total" : "";

	strbuf_printf(out, "%s%s{", family, suffix);
	put_label(out, "endpoint", ep->id);
	if (d->sem == SEM_INFO) {
		strbuf_putc(out, ',');
		put_label(out, "value", v->text);
		strbuf_puts(out, "} 1\n");
		return;
	}
	strbuf_puts(out, "} ");
	put_number(out, v->num, base_units[d->unit].factor);
}

/* All samples of a family stand together: metrics outside, endpoints inside. */
static void put_metric(struct strbuf *out, const struct model *m, enum kind k, enum metric_id id)
{
	const struct metric_desc *d = metric_desc(id);
	char family[FAMILY_MAX];
	bool headed = false;

	family_name(family, d);
	for (unsigned i = 0; i < m->n; i++) {
		const struct endpoint *ep = m->ep[i];

		if (ep->kind != k)
			continue;
		struct export_value v = export_metric(m, ep, id);
		if (v.why != REASON_OK || (d->sem == SEM_INFO) != (v.text != NULL))
			continue;
		if (!headed)
			put_metric_head(out, family, d);
		headed = true;
		put_sample(out, family, d, ep, &v);
	}
}

static void put_endpoints(struct strbuf *out, const struct model *m)
{
	if (m->n == 0)
		return;
	put_head(out, "hotset_endpoint", "info", "", "What is watched.");
	for (unsigned i = 0; i < m->n; i++) {
		const struct endpoint *ep = m->ep[i];

		strbuf_puts(out, "hotset_endpoint_info{");
		put_label(out, "endpoint", ep->id);
		strbuf_putc(out, ',');
		put_label(out, "kind", kind_name(ep->kind));
		strbuf_putc(out, ',');
		put_label(out, "product", ep->product);
		strbuf_putc(out, ',');
		put_label(out, "version", ep->version);
		strbuf_putc(out, ',');
		put_label(out, "role", ep->role);
		strbuf_puts(out, "} 1\n");
	}
	put_head(out, "hotset_endpoint_status", "stateset", "", "Whether it answers, and how.");
	for (unsigned i = 0; i < m->n; i++)
		for (enum status s = 0; s < STATUS_COUNT; s++) {
			strbuf_puts(out, "hotset_endpoint_status{");
			put_label(out, "endpoint", m->ep[i]->id);
			strbuf_putc(out, ',');
			put_label(out, "hotset_endpoint_status", status_word(s));
			strbuf_printf(out, "} %d\n", export_status(m, m->ep[i]) == s);
		}
}

/* One sample per endpoint and code, the worst, which comes first. */
static bool is_repeated(const struct model *m, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (m->verdicts[i].endpoint == m->verdicts[n].endpoint &&
			strcmp(m->verdicts[i].code, m->verdicts[n].code) == 0)
			return true;
	return false;
}

static void put_verdicts(struct strbuf *out, const struct model *m)
{
	if (m->nverdicts == 0)
		return;
	put_head(out, "hotset_verdict", "gauge", "",
		"What holds now, by its code: 1 info, 2 warning, 3 critical.");
	for (unsigned i = 0; i < m->nverdicts; i++) {
		const struct verdict *v = &m->verdicts[i];

		if (is_repeated(m, i))
			continue;
		strbuf_puts(out, "hotset_verdict{");
		put_label(out, "endpoint", v->endpoint < m->n ? m->ep[v->endpoint]->id : "");
		strbuf_putc(out, ',');
		put_label(out, "code", v->code);
		strbuf_printf(out, "} %d\n",
			v->level == LEVEL_CRIT ? 3 : v->level == LEVEL_WARN ? 2 : 1);
	}
}

void export_openmetrics(struct strbuf *out, const struct model *m)
{
	put_endpoints(out, m);
	for (enum kind k = 0; k < KIND_COUNT; k++) {
		enum metric_id id, end;

		for (metric_range(k, &id, &end); id < end; id++)
			put_metric(out, m, k, id);
	}
	put_verdicts(out, m);
	strbuf_puts(out, "# EOF\n");
}
