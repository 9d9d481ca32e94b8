/* The model as CSV (RFC 4180), and the list of metrics as text and as Markdown. */
#include "hotset/clock.h"
#include "hotset/export.h"
#include "export_value.h"

static void put_field(struct strbuf *out, const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		strbuf_puts(out, s);
		return;
	}
	strbuf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			strbuf_putc(out, '"');
		strbuf_putc(out, *s);
	}
	strbuf_putc(out, '"');
}

void export_csv_header(struct strbuf *out)
{
	strbuf_puts(out, "time,endpoint,metric,value,unit\n");
}

void export_csv(struct strbuf *out, const struct model *m)
{
	char now[CLOCK_TEXT_MAX];

	clock_format_utc(now, m->wall_ns);
	for (unsigned i = 0; i < m->n; i++) {
		const struct endpoint *ep = m->ep[i];
		enum metric_id id, end;

		for (metric_range(ep->kind, &id, &end); id < end; id++) {
			const struct metric_desc *d = metric_desc(id);
			struct export_value v = export_metric(m, ep, id);

			strbuf_puts(out, now);
			strbuf_putc(out, ',');
			put_field(out, ep->id);
			strbuf_putc(out, ',');
			put_field(out, d->name);
			strbuf_putc(out, ',');
			if (v.why == REASON_OK)
				put_field(out, v.text ? v.text : v.num);
			strbuf_putc(out, ',');
			strbuf_puts(out, d->sem == SEM_INFO ? "text" : unit_name(d->unit));
			strbuf_putc(out, '\n');
		}
	}
}

/* ---- hotset metrics ---- */

static const char *sem_word(enum metric_sem sem)
{
	static const char *const words[] = {
		[SEM_GAUGE] = "gauge",
		[SEM_RATE] = "rate",
		[SEM_CALC] = "calculated",
		[SEM_COUNTER] = "counter",
		[SEM_INFO] = "text",
	};
	return words[sem];
}

void export_metrics_text(struct strbuf *out)
{
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct metric_desc *d = metric_desc(id);

		strbuf_printf(out, "%s  (%s, %s)\n    %s\n", d->name, sem_word(d->sem),
			d->sem == SEM_INFO ? "text" : unit_name(d->unit), d->help);
	}
}

/* A cell of a Markdown table: '|' would end it. */
static void put_markdown(struct strbuf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '|' || *s == '<')
			strbuf_putc(out, '\\');
		strbuf_putc(out, *s);
	}
}

static void put_markdown_table(struct strbuf *out, const struct table_desc *t)
{
	strbuf_printf(out, "\n### Table `%s`\n\n| column | unit |\n|---|---|\n", t->name);
	for (unsigned c = 0; c < t->ncols; c++)
		strbuf_printf(out, "| `%s` | %s |\n", t->cols[c].name, unit_name(t->cols[c].unit));
}

void export_metrics_markdown(struct strbuf *out)
{
	strbuf_puts(out, "# Metrics\n\nMade by `hotset metrics --markdown`; names are a contract.\n"
			 "A value that cannot be known is null, with its reason.\n");
	for (enum kind k = 0; k < KIND_COUNT; k++) {
		enum metric_id id, end;

		strbuf_printf(out, "\n## %s\n\n| name | unit | kind | what it is |\n",
			kind_name(k));
		strbuf_puts(out, "|---|---|---|---|\n");
		for (metric_range(k, &id, &end); id < end; id++) {
			const struct metric_desc *d = metric_desc(id);

			strbuf_printf(out, "| `%s` | %s | %s | ", d->name,
				d->sem == SEM_INFO ? "text" : unit_name(d->unit), sem_word(d->sem));
			put_markdown(out, d->help);
			strbuf_puts(out, " |\n");
		}
		for (enum table_id t = 0; t < TABLE_COUNT; t++)
			if (table_table[t].kind == k)
				put_markdown_table(out, &table_table[t]);
	}
}
