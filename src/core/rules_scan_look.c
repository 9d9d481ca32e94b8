/*
 * What one frame says about a scan, and what was usual before it. Of the collection scans that
 * $currentOp shows, only those can be the cause of a storm that began with it: one that had run for
 * minutes before is a bystander, whatever it does, until the counters at its end say otherwise.
 */
#include "rules_scan.h"

#include <math.h>

#include "hotset/clock.h"
#include "hotset/text.h"

#define SLACK_S  10.0  /* a scan may read cached pages this long before it floods the cache */
#define ROUND_S  1.0   /* servers that tell whole seconds only */
#define CURSOR_S 30.0  /* a cursor whose next batch is not in sight this long is another one */
#define WARMUP_S 600.0 /* a server that young still fills its cache */

static double value_or_nan(struct value v)
{
	return value_ok(v) ? v.v : (double)NAN;
}

static double span_of(const struct frame *f, struct value v)
{
	return v.age_s > 0 ? (double)v.age_s : f->interval_s;
}

double scan_seconds_since(const struct endpoint *ep, int64_t mono_ns)
{
	return (double)(ep->seen_mono_ns - mono_ns) / (double)NS_PER_SEC;
}

static double reads_in_interval(const struct frame *f)
{
	double per_s = 0;

	for (unsigned i = 0; i < f->tables[TABLE_MONGO_LATENCY].n; i++) {
		struct value v = frame_row(f, TABLE_MONGO_LATENCY, i)[COL_MONGO_LATENCY_READS].num;

		per_s += value_ok(v) ? v.v : 0;
	}
	return per_s * f->interval_s;
}

/* ---- operations in sight ---- */

static double secs_of(const struct cell_value *op)
{
	return value_ok(op[COL_MONGO_OP_SECS].num) ? op[COL_MONGO_OP_SECS].num.v : 0;
}

/* Cut to fit, which shows. */
static void copy_cell(char out[SCAN_TEXT_MAX], const struct cell_value *cell)
{
	const char *text = cell->text ? cell->text : "";
	size_t len = strlen(text);

	if (len < SCAN_TEXT_MAX) {
		text_sanitize(out, SCAN_TEXT_MAX, text, len);
	} else {
		text_sanitize(out, SCAN_TEXT_MAX - 3, text, len);
		memcpy(out + strlen(out), "...", 4);
	}
}

static void copy_opid(char out[SCAN_OPID_MAX], const struct cell_value *cell)
{
	if (cell->text)
		text_sanitize(out, SCAN_OPID_MAX, cell->text, strlen(cell->text));
	else
		snprintf(out, SCAN_OPID_MAX, "%.0f", value_ok(cell->num) ? cell->num.v : -1);
}

static bool is_batch(const struct cell_value *op)
{
	const char *what = op[COL_MONGO_OP_OP].text;

	return what && strcmp(what, "getmore") == 0;
}

void scan_note_culprit(struct culprit *out, const struct cell_value *op, int64_t mono_ns)
{
	*out = (struct culprit){.known = true,
		.seen_mono_ns = mono_ns,
		.first_mono_ns = mono_ns,
		.batches = is_batch(op),
		.secs = secs_of(op)};
	copy_opid(out->opid, &op[COL_MONGO_OP_OPID]);
	copy_cell(out->ns, &op[COL_MONGO_OP_NS]);
	copy_cell(out->app, &op[COL_MONGO_OP_APP]);
	copy_cell(out->client, &op[COL_MONGO_OP_CLIENT]);
	copy_cell(out->command, &op[COL_MONGO_OP_SHAPE]);
}

bool scan_same_op(const struct culprit *c, const struct cell_value *op)
{
	struct culprit other;

	scan_note_culprit(&other, op, 0);
	if (!c->known)
		return false;
	return strcmp(c->opid, other.opid) == 0 ||
	       (other.batches && strcmp(c->ns, other.ns) == 0 && strcmp(c->app, other.app) == 0 &&
		       strcmp(c->client, other.client) == 0);
}

void scan_note_cursor(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	const struct cell_value *op = l->suspect ? l->suspect : l->bystander;
	bool same = op && scan_same_op(&sc->cursor, op) &&
		    scan_seconds_since(ep, sc->cursor.seen_mono_ns) <= CURSOR_S;
	int64_t first = sc->cursor.first_mono_ns;

	if (!op || !is_batch(op))
		return;
	scan_note_culprit(&sc->cursor, op, ep->seen_mono_ns);
	if (same)
		sc->cursor.first_mono_ns = first;
}

/* How long it has run, as far as known. */
static double age_of(const struct scan *sc, const struct endpoint *ep, const struct cell_value *op)
{
	double age = secs_of(op);

	if (is_batch(op) && scan_same_op(&sc->cursor, op))
		age = fmax(age, scan_seconds_since(ep, sc->cursor.first_mono_ns));
	return age;
}

/* How long a scan may have run to be the cause of the storm, or of the next one. */
static double oldest_suspect_s(const struct scan *sc, const struct endpoint *ep)
{
	double interval = ep->frame.interval_s;

	switch (sc->phase) {
	case SCAN_RECOVERY:
		return scan_seconds_since(ep, sc->end_mono_ns) + interval + ROUND_S;
	case SCAN_FILLING:
	case SCAN_STORM:
		return scan_seconds_since(ep, sc->begin_mono_ns) + interval + SLACK_S;
	case SCAN_QUIET:
		break;
	}
	return interval + SLACK_S;
}

static void keep_longest(const struct cell_value **longest, const struct cell_value *op)
{
	if (!*longest || secs_of(op) > secs_of(*longest))
		*longest = op;
}

static void look_at_operations(const struct scan *sc, const struct endpoint *ep, struct look *out)
{
	const struct frame *f = &ep->frame;
	double limit_s = oldest_suspect_s(sc, ep);

	for (unsigned i = 0; i < f->tables[TABLE_MONGO_OP].n; i++) {
		const struct cell_value *op = frame_row(f, TABLE_MONGO_OP, i);

		if (!derive_mongo_is_scan(op))
			continue;
		if (age_of(sc, ep, op) > limit_s && !scan_same_op(&sc->culprit, op)) {
			keep_longest(&out->bystander, op);
		} else {
			out->suspects++;
			keep_longest(&out->suspect, op);
		}
	}
	/* without the privilege there are one's own operations only, which end like others */
	out->ops_told = f->tables[TABLE_MONGO_OP].asked &&
			(f->sample->status == STATUS_OK || sc->culprit.known || out->suspects > 0);
}

/* ---- what else reads like a scan ---- */

static bool builds_index(const struct cell_value *op)
{
	const char *shape = op[COL_MONGO_OP_SHAPE].text;

	return shape && strncmp(shape, "{createIndexes:", 15) == 0;
}

static const char *other_work(const struct endpoint *ep)
{
	const struct frame *f = &ep->frame;
	struct value uptime = f->v[METRIC_MONGO_UPTIME];

	if (strcmp(ep->role, "STARTUP2") == 0)
		return "This member is in initial sync";
	for (unsigned i = 0; i < f->tables[TABLE_MONGO_OP].n; i++)
		if (builds_index(frame_row(f, TABLE_MONGO_OP, i)))
			return "An index build is running";
	if (value_ok(uptime) && uptime.v < WARMUP_S)
		return "The server started minutes ago and warms up";
	return NULL;
}

/* ---- the frame ---- */

/* Keys count with the documents that they led to: what is beyond them was found by scanning. */
static double unindexed_docs(const struct frame *f)
{
	struct value docs = f->v[METRIC_MONGO_SCAN_DOCS_EXAMINED];
	struct value keys = f->v[METRIC_MONGO_SCAN_KEYS_EXAMINED];

	return value_or_nan(docs) - (value_ok(keys) ? keys.v : 0);
}

bool scan_look(const struct scan *sc, const struct endpoint *ep, struct look *out)
{
	const struct frame *f = &ep->frame;
	struct value read = f->v[METRIC_MONGO_CACHE_PAGES_READ];
	struct value clean = f->v[METRIC_MONGO_CACHE_EVICTED_CLEAN];
	struct value dirty = f->v[METRIC_MONGO_CACHE_EVICTED_DIRTY];
	struct value scans = f->v[METRIC_MONGO_SCAN_COLLSCANS];

	if (!value_ok(read) || !value_ok(clean) || !value_ok(dirty))
		return false;
	*out = (struct look){
		.span_s = span_of(f, read),
		.read = read.v,
		.clean = clean.v,
		.dirty = dirty.v,
		.unindexed = unindexed_docs(f),
		.scans = value_or_nan(scans),
		.counts_span_s = span_of(f, f->v[METRIC_MONGO_SCAN_DOCS_EXAMINED]),
		.scans_sent = scans.why != REASON_NOT_SENT,
		.p50 = value_or_nan(f->v[METRIC_MONGO_LAT_READS_P50]),
		.reads = reads_in_interval(f),
		.fill = value_or_nan(f->v[METRIC_MONGO_CACHE_FILL]),
		.target = value_or_nan(f->v[METRIC_MONGO_CACHE_TARGET]),
		.other_work = other_work(ep),
	};
	look_at_operations(sc, ep, out);
	return true;
}

/* ---- the base lines ---- */

static bool median(const struct endpoint *ep, enum metric_id id, int64_t until, unsigned window_s,
	unsigned min_s, double *out)
{
	return history_median(ep->history, id, until, window_s, min_s, out);
}

/* They end before the frame that is judged, and never reach back into an earlier run. */
bool scan_read_base(
	const struct scan *sc, const struct endpoint *ep, const struct look *l, struct base *out)
{
	int64_t until = ep->seen_mono_ns - (int64_t)(l->span_s * (double)NS_PER_SEC);
	double watched_s = scan_seconds_since(ep, sc->first_mono_ns) - l->span_s;
	unsigned window = watched_s < SCAN_BASE_S ? (unsigned)fmax(watched_s, 0) : SCAN_BASE_S;
	struct base b = {.unindexed = NAN, .scans = NAN, .p50 = NAN};
	double docs, keys;

	if (window < SCAN_BASE_MIN ||
		!median(ep, METRIC_MONGO_CACHE_PAGES_READ, until, window, SCAN_BASE_MIN, &b.read) ||
		!median(ep, METRIC_MONGO_CACHE_EVICTED_CLEAN, until, window, SCAN_BASE_MIN,
			&b.clean) ||
		!median(ep, METRIC_MONGO_CACHE_EVICTED_DIRTY, until, window, SCAN_BASE_MIN,
			&b.dirty))
		return false;
	if (median(ep, METRIC_MONGO_SCAN_DOCS_EXAMINED, until, window, 1, &docs))
		b.unindexed =
			docs - (median(ep, METRIC_MONGO_SCAN_KEYS_EXAMINED, until, window, 1, &keys)
					       ? keys
					       : 0);
	(void)median(ep, METRIC_MONGO_SCAN_COLLSCANS, until, window, 1, &b.scans);
	(void)median(ep, METRIC_MONGO_LAT_READS_P50, until, window, SCAN_BASE_MIN, &b.p50);
	*out = b;
	return true;
}
