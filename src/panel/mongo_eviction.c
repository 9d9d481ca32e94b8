/* Who evicts, how much of it, whether users' threads have to help, and what they feel of it. */
#include <stdio.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#include "panels.h"

static const struct field fields[] = {
	{"clean", METRIC_MONGO_CACHE_EVICTED_CLEAN},
	{"dirty", METRIC_MONGO_CACHE_EVICTED_DIRTY},
	{"by apps", METRIC_MONGO_CACHE_EVICTED_APP},
	{"stalled", METRIC_MONGO_CACHE_APP_WAIT},
	{"evicting", METRIC_MONGO_CACHE_APP_EVICT},
	{"score", METRIC_MONGO_CACHE_AGGRESSIVE},
};

#define LINE_MAX 160 /* bytes */

/* Servers before 8.0 do not count who waits for a ticket: then nothing is said about it. */
static void say_tickets(const struct pane *p, char *out, size_t cap)
{
	struct value reads = pane_value(p, METRIC_MONGO_TICKETS_READ_OUT);
	struct value writes = pane_value(p, METRIC_MONGO_TICKETS_WRITE_OUT);
	struct value queued = value_add(pane_value(p, METRIC_MONGO_TICKETS_READ_QUEUED),
		pane_value(p, METRIC_MONGO_TICKETS_WRITE_QUEUED));

	out[0] = '\0';
	if (!value_ok(reads) || !value_ok(writes))
		return;
	if (value_ok(queued))
		snprintf(out, cap, "  tickets r %.0f w %.0f, queued %.0f", reads.v, writes.v,
			queued.v);
	else
		snprintf(out, cap, "  tickets r %.0f w %.0f", reads.v, writes.v);
}

/* What users feel of it, and how many of them are inside. */
static void draw_cost(struct pane *p)
{
	char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX], tickets[64];

	say_tickets(p, tickets, sizeof(tickets));
	pane_printf(p, ROLE_DIM, "p95 reads %s writes %s%s",
		value_text(a, UNIT_USEC, pane_value(p, METRIC_MONGO_LAT_READS_P95), p->c->ascii),
		value_text(b, UNIT_USEC, pane_value(p, METRIC_MONGO_LAT_WRITES_P95), p->c->ascii),
		tickets);
}

/* The checkpoint pins what eviction may not touch. */
static void say_checkpoint(const struct pane *p, char *out, size_t cap)
{
	struct value running = pane_value(p, METRIC_MONGO_CKPT_RUNNING);
	struct value age = pane_value(p, METRIC_MONGO_CKPT_AGE);
	struct value last = pane_value(p, METRIC_MONGO_CKPT_LAST);
	char ago[NUM_MAX], took[VALUE_TEXT_MAX];

	value_text(took, UNIT_MSEC, last, p->c->ascii);
	if (value_ok(running) && running.v > 0)
		snprintf(out, cap, "checkpoint running, the last took %s", took);
	else if (value_ok(last) && last.v <= 0) /* it is told in whole milliseconds */
		snprintf(out, cap, "checkpoint none yet, or within 1 ms");
	else if (value_ok(age))
		snprintf(out, cap, "checkpoint %s ago, took %s", num_duration(ago, age.v), took);
	else
		snprintf(out, cap, "checkpoint took %s", took);
}

/* On one line where it fits. */
static void draw_rest(struct pane *p)
{
	const char *state = pane_info(p, METRIC_MONGO_CACHE_STATE);
	char first[LINE_MAX], second[LINE_MAX];

	draw_cost(p);
	snprintf(first, sizeof(first), "state %s", *state ? state : "n/a");
	say_checkpoint(p, second, sizeof(second));
	if (text_width(first) + 2 + text_width(second) <= p->in.w) {
		pane_printf(p, ROLE_DIM, "%s  %s", first, second);
		return;
	}
	pane_text(p, ROLE_DIM, first);
	pane_text(p, ROLE_DIM, second);
}

static const char *note(const struct panel_ctx *x, char buf[NOTE_MAX], bool ascii)
{
	(void)x;
	(void)ascii;
	snprintf(buf, NOTE_MAX, "stalled: %% of a thread");
	return buf;
}

static const struct sheet sheet = {
	.title = "eviction",
	.note = note,
	.fields = fields,
	.nfields = 6,
	.text = draw_rest,
	.text_lines = 2,
	.text_last = true,
	.graph = METRIC_MONGO_CACHE_EVICTED_CLEAN,
	.role = ROLE_GRAPH_2,
};

const struct panel_ops panel_mongo_eviction = {.name = "eviction", .sheet = &sheet};
