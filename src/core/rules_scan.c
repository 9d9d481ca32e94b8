/*
 * The course of a scan through the cache: a storm of clean pages begins, is proven to be a scan or
 * not, is promoted when the hot set suffers, ends, and the hot set comes back or does not.
 *
 *   QUIET --storm--> STORM --over--> RECOVERY --calm, or 120 s--> QUIET
 *
 * A storm is many pages read and clean pages evicted, against base lines (medians of the last
 * minute) that are frozen when it begins. Proof is a COLLSCAN in $currentOp, or documents examined
 * beyond the usual, at least as many as pages came in. A scan counts as over with the first poll
 * whose $currentOp does not show it; pages read after that are the hot set coming back.
 */
#include "rules_scan.h"
#include "hotset/clock.h"
#include "hotset/text.h"

#include <math.h>

#define BASE_S         60u   /* window of the base lines */
#define BASE_MIN_S     8u    /* seconds of it that must be known */
#define STORM_TIMES    5.0   /* times the base line */
#define STORM_MIN      200.0 /* pages per second */
#define DIRTY_TIMES    2.0   /* modified evictions are flat up to this many times normal, */
#define DIRTY_SHARE    0.1   /* and so are those below this share of the clean ones */
#define SEEN_S         5.0   /* a scan seen this long before a storm is its cause */
#define SUFFER_PAGES   50.0  /* pages read again that count as the hot set suffering */
#define SUFFER_TIMES   1.5   /* median read latency against that before */
#define SUFFER_READS   100.0 /* reads in an interval below which its median says little */
#define CALM_TIMES     1.5   /* reads up to this many times the base line, plus CALM_PAGES, */
#define CALM_PAGES     5.0   /* pages per second, in CALM_FRAMES frames in a row: it is over */
#define CALM_FRAMES    3u
#define RECOVERY_MAX_S 120.0
#define SHOWN_S        10.0  /* how long a harmless scan that is over stays on the screen */
#define UNPROVEN_MAX_S 120.0 /* a read storm longer than this is the new normal */

/* What one frame says. */
struct look {
	double read, clean, dirty; /* per second */
	double docs, p50;          /* above; NAN if unknown in this frame */
	double docs_span_s;        /* seconds that docs covers */
	double span_s;
	double reads;        /* in the interval, as far as known */
	bool collscans_grew; /* or not told by this server */
	bool op_now, ops_asked;
};

/* ---- looking at a frame ---- */

static double value_or_nan(struct value v)
{
	return value_ok(v) ? v.v : (double)NAN;
}

static double span_of(const struct frame *f, struct value v)
{
	return v.age_s > 0 ? (double)v.age_s : f->interval_s;
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

static bool look_at(const struct frame *f, struct look *out)
{
	struct value read = f->v[METRIC_MONGO_CACHE_PAGES_READ];
	struct value clean = f->v[METRIC_MONGO_CACHE_EVICTED_CLEAN];
	struct value dirty = f->v[METRIC_MONGO_CACHE_EVICTED_DIRTY];
	struct value docs = f->v[METRIC_MONGO_SCAN_DOCS_EXAMINED];
	struct value collscans = f->v[METRIC_MONGO_SCAN_COLLSCANS];

	if (!value_ok(read) || !value_ok(clean) || !value_ok(dirty))
		return false;
	*out = (struct look){
		.read = read.v,
		.clean = clean.v,
		.dirty = dirty.v,
		.docs = value_or_nan(docs),
		.p50 = value_or_nan(f->v[METRIC_MONGO_LAT_READS_P50]),
		.docs_span_s = span_of(f, docs),
		.span_s = span_of(f, read),
		.reads = reads_in_interval(f),
		.collscans_grew =
			value_ok(collscans) ? collscans.v > 0 : collscans.why == REASON_NOT_SENT,
		.op_now = derive_mongo_scan(f) != NULL,
		.ops_asked = f->tables[TABLE_MONGO_OP].asked,
	};
	return true;
}

static void copy_cell(char out[SCAN_TEXT_MAX], const struct cell_value *cell)
{
	const char *text = cell->text ? cell->text : "";

	text_sanitize(out, SCAN_TEXT_MAX, text, strlen(text));
}

static void note_culprit(struct scan *sc, const struct frame *f)
{
	const struct cell_value *row = derive_mongo_scan(f);

	if (!row)
		return;
	sc->seen = (struct culprit){.known = true, .seen_mono_ns = f->sample->mono_ns};
	if (value_ok(row[COL_MONGO_OP_SECS].num))
		sc->seen.secs = row[COL_MONGO_OP_SECS].num.v;
	copy_cell(sc->seen.ns, &row[COL_MONGO_OP_NS]);
	copy_cell(sc->seen.app, &row[COL_MONGO_OP_APP]);
	copy_cell(sc->seen.client, &row[COL_MONGO_OP_CLIENT]);
}

/* The base lines end before the frame that is judged. */
static bool read_base(const struct endpoint *ep, const struct look *l, struct base *out)
{
	const struct history *h = ep->history;
	int64_t until = ep->seen_mono_ns - (int64_t)(l->span_s * (double)NS_PER_SEC);
	struct base b = {.docs = NAN, .p50 = NAN};

	if (!history_median(h, METRIC_MONGO_CACHE_PAGES_READ, until, BASE_S, BASE_MIN_S, &b.read) ||
		!history_median(
			h, METRIC_MONGO_CACHE_EVICTED_CLEAN, until, BASE_S, BASE_MIN_S, &b.clean) ||
		!history_median(
			h, METRIC_MONGO_CACHE_EVICTED_DIRTY, until, BASE_S, BASE_MIN_S, &b.dirty))
		return false;
	(void)history_median(h, METRIC_MONGO_SCAN_DOCS_EXAMINED, until, BASE_S, 1, &b.docs);
	(void)history_median(h, METRIC_MONGO_LAT_READS_P50, until, BASE_S, BASE_MIN_S, &b.p50);
	*out = b;
	return true;
}

/* ---- judging it ---- */

static bool is_storm(const struct base *b, const struct look *l)
{
	return l->read > fmax(STORM_TIMES * b->read, STORM_MIN) &&
	       l->clean > fmax(STORM_TIMES * b->clean, STORM_MIN) &&
	       l->dirty <= fmax(DIRTY_TIMES * b->dirty, DIRTY_SHARE * l->clean);
}

/* Documents that were examined beyond the usual, within what the frame covers. */
static double extra_docs(const struct base *b, const struct look *l)
{
	double usual = isnan(b->docs) ? 0 : b->docs;

	return isnan(l->docs) || l->docs <= usual ? 0 : (l->docs - usual) * l->docs_span_s;
}

static bool docs_prove(const struct base *b, const struct look *l, double pages)
{
	double docs = extra_docs(b, l);

	return docs > 0 && docs >= pages && l->collscans_grew;
}

static bool was_seen_lately(const struct scan *sc, const struct endpoint *ep)
{
	double limit_s = fmax(SEEN_S, 2 * ep->frame.interval_s);

	return sc->seen.known &&
	       (double)(ep->seen_mono_ns - sc->seen.seen_mono_ns) <= limit_s * (double)NS_PER_SEC;
}

static bool is_proven(const struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	return was_seen_lately(sc, ep) || docs_prove(&sc->base, l, sc->pages_in);
}

static bool reads_are_slow(const struct scan *sc, const struct look *l)
{
	return l->reads >= SUFFER_READS && sc->base.p50 > 0 &&
	       l->p50 >= SUFFER_TIMES * sc->base.p50;
}

/* Where $currentOp can be read it tells; else the counters falling back do. */
static bool scan_is_over(const struct scan *sc, const struct look *l)
{
	if (l->op_now)
		return sc->calm >= CALM_FRAMES;
	if (l->ops_asked)
		return true;
	return !is_storm(&sc->base, l);
}

static double seconds_since(const struct endpoint *ep, int64_t mono_ns)
{
	return (double)(ep->seen_mono_ns - mono_ns) / (double)NS_PER_SEC;
}

/* ---- sentences ---- */

/* "COLLSCAN on l21a.items (app report-job, 9 s)", with what is known of it. */
static void name_scan(char out[256], const struct scan *sc)
{
	const struct culprit *c = &sc->culprit;
	const char *who = c->app[0] ? c->app : c->client;
	char age[NUM_MAX], tail[NUM_MAX + 4] = "";

	if (!c->known) {
		snprintf(out, 256, "A scan that $currentOp did not show");
		return;
	}
	if (c->secs >= 1)
		snprintf(
			tail, sizeof(tail), "%s%s", who[0] ? ", " : "", num_duration(age, c->secs));
	snprintf(out, 256, "COLLSCAN on %s%s%s%s%s%s", c->ns[0] ? c->ns : "?",
		who[0] || tail[0] ? " (" : "", c->app[0] ? "app " : "", who, tail,
		who[0] || tail[0] ? ")" : "");
}

static const char *text_or_null(const struct scan *sc, const char *text)
{
	return sc->culprit.known && text[0] ? text : NULL;
}

static void fill_data(struct data *d, const struct scan *sc)
{
	*d = (struct data){0};
	data_text(d, "ns", text_or_null(sc, sc->culprit.ns));
	data_text(d, "app", text_or_null(sc, sc->culprit.app));
	data_text(d, "client", text_or_null(sc, sc->culprit.client));
	data_num(d, "secs", sc->culprit.known ? sc->culprit.secs : (double)NAN);
	data_num(d, "pages_in", round(sc->pages_in));
	data_num(d, "clean_out", round(sc->clean_out));
}

static void say_next(struct finding *out)
{
	finding_next(out,
		"View 6 shows the operation. An index for its filter keeps it out of the cache, "
		"as does reading from another member.");
}

static void describe_storm(struct finding *out, const struct scan *sc, const struct look *l)
{
	char who[256], in[NUM_MAX], gone[NUM_MAX], before[NUM_MAX], now[NUM_MAX];
	bool latency = !isnan(sc->base.p50) && !isnan(l->p50);

	name_scan(who, sc);
	num_short(in, l->read);
	num_short(gone, l->clean);
	num_format(before, UNIT_USEC, sc->base.p50, false);
	num_format(now, UNIT_USEC, l->p50, false);
	fill_data(&out->data, sc);
	say_next(out);
	if (!sc->proven) {
		out->code = "mongo.scan.read_storm";
		finding_say(out, LEVEL_INFO,
			"%s pages/s read in, %s clean pages/s out: a read storm, not proven to be "
			"a scan",
			in, gone);
		finding_next(out, "Initial sync, an index build or a warm-up look like this, too; "
				  "see view 6.");
	} else if (sc->promoted) {
		out->code = "mongo.scan.evicting_hot_set";
		finding_say(out, LEVEL_CRIT,
			"%s is evicting the hot set: %s pages/s in, %s clean pages/s out%s%s%s%s",
			who, in, gone, latency ? ", reads " : "", latency ? before : "",
			latency ? " → " : "", latency ? now : "");
		data_num(&out->data, "p50_before_us", sc->base.p50);
		data_num(&out->data, "p50_us", l->p50);
	} else {
		out->code = "mongo.scan.storm";
		finding_say(out, LEVEL_WARN,
			"%s floods the cache: %s pages/s in, %s clean pages/s out", who, in, gone);
	}
}

/* Of a scan that is over: sums instead of rates. */
static void describe_past(struct finding *out, const struct scan *sc, double read_now)
{
	char who[256], in[NUM_MAX], gone[NUM_MAX], again[NUM_MAX], now[NUM_MAX];
	char tail[2 * NUM_MAX + 64] = "";

	name_scan(who, sc);
	num_short(in, round(sc->pages_in));
	num_short(gone, round(sc->clean_out));
	fill_data(&out->data, sc);
	say_next(out);
	if (!sc->promoted) {
		out->code = sc->proven ? "mongo.scan.storm" : "mongo.scan.read_storm";
		finding_say(out, sc->proven ? LEVEL_WARN : LEVEL_INFO,
			"%s flooded the cache: %s pages in, %s clean pages out",
			sc->proven ? who : "Something", in, gone);
		return;
	}
	out->code = "mongo.scan.evicting_hot_set";
	if (sc->reread > 0)
		snprintf(tail, sizeof(tail), "; since then %s pages read again, now %s/s",
			num_short(again, round(sc->reread)), num_short(now, read_now));
	finding_say(out, LEVEL_CRIT, "%s evicted the hot set: %s pages in, %s clean pages out%s",
		who, in, gone, tail);
	data_num(&out->data, "reread_pages", round(sc->reread));
}

static void add_event(struct model *m, const struct endpoint *ep, struct scan *sc,
	enum event_state state, const struct finding *f)
{
	sc->id = model_add_event(m, sc->id, ep->index, f->code, f->level, state, f->text, &f->data);
}

/* ---- the course ---- */

static void add_amounts(struct scan *sc, const struct look *l)
{
	sc->pages_in += l->read * l->span_s;
	sc->clean_out += l->clean * l->span_s;
}

static void go_quiet(struct scan *sc)
{
	struct culprit seen = sc->seen;

	*sc = (struct scan){.seen = seen};
}

static void count_calm(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	if (l->read > CALM_TIMES * sc->base.read + CALM_PAGES) {
		sc->calm = 0;
		return;
	}
	if (sc->calm++ == 0)
		sc->calm_mono_ns = ep->seen_mono_ns;
}

static void begin_recovery(struct scan *sc, const struct endpoint *ep)
{
	sc->phase = SCAN_RECOVERY;
	sc->end_mono_ns = ep->seen_mono_ns;
	sc->calm = 0;
}

static void update_proof(struct scan *sc, const struct endpoint *ep, const struct look *l)
{
	if (is_proven(sc, ep, l))
		sc->proven = true;
	if (!was_seen_lately(sc, ep))
		return;
	sc->culprit = sc->seen;
	/* several short scans in a row: the storm's age says more than the newest one's */
	sc->culprit.secs = fmax(sc->culprit.secs, seconds_since(ep, sc->begin_mono_ns));
}

static void begin_storm(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct base *base, const struct look *l, struct finding *out)
{
	go_quiet(sc);
	sc->phase = SCAN_STORM;
	sc->base = *base;
	sc->begin_mono_ns = ep->seen_mono_ns;
	add_amounts(sc, l);
	update_proof(sc, ep, l);
	sc->promoted = sc->proven && reads_are_slow(sc, l);
	if (sc->proven && l->ops_asked && !l->op_now) { /* it came and went between two polls */
		describe_past(out, sc, l->read);
		add_event(m, ep, sc, EVENT_POINT, out);
		begin_recovery(sc, ep);
	} else {
		describe_storm(out, sc, l);
		add_event(m, ep, sc, EVENT_BEGIN, out);
	}
}

static void run_quiet(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	struct base base;

	if (!read_base(ep, l, &base))
		finding_skip(out, "needs a base line of %u s", BASE_MIN_S);
	else if (is_storm(&base, l))
		begin_storm(m, ep, sc, &base, l, out);
}

static void run_storm(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	bool was_proven = sc->proven, was_promoted = sc->promoted;
	bool storm = is_storm(&sc->base, l);

	count_calm(sc, ep, l);
	if (storm || l->op_now)
		add_amounts(sc, l);
	update_proof(sc, ep, l);
	if (sc->proven && storm && reads_are_slow(sc, l))
		sc->promoted = true;
	if (sc->proven ? scan_is_over(sc, l)
		       : !storm || seconds_since(ep, sc->begin_mono_ns) > UNPROVEN_MAX_S) {
		describe_past(out, sc, l->read);
		add_event(m, ep, sc, EVENT_END, out);
		if (sc->proven) {
			begin_recovery(sc, ep);
		} else {
			*out = (struct finding){0};
			go_quiet(sc);
		}
		return;
	}
	describe_storm(out, sc, l);
	if (sc->proven != was_proven || sc->promoted != was_promoted)
		add_event(m, ep, sc, EVENT_BEGIN, out);
}

static void report_recovery(struct model *m, const struct endpoint *ep, struct scan *sc,
	double recovery_s, const char *why_not)
{
	struct finding f = {.code = "mongo.scan.recovered"};
	char pages[NUM_MAX], duration[NUM_MAX];

	num_short(pages, round(sc->reread));
	if (why_not)
		finding_say(&f, LEVEL_INFO,
			"the hot set was not back %s: %s pages read again so far", why_not, pages);
	else
		finding_say(&f, LEVEL_INFO,
			"the hot set is back %s after the scan: %s pages read again",
			num_duration(duration, recovery_s), pages);
	data_text(&f.data, "ns", text_or_null(sc, sc->culprit.ns));
	data_num(&f.data, "reread_pages", round(sc->reread));
	data_num(&f.data, "recovery_s", recovery_s);
	add_event(m, ep, sc, EVENT_POINT, &f);
}

/* Reading again looks like a storm itself; only a new scan ends the recovery of the one before. */
static bool is_new_scan(const struct scan *sc, const struct look *l, double since_end_s)
{
	/* documents counted over a longer time are still those of the scan before */
	bool fresh = l->docs_span_s <= since_end_s;

	return is_storm(&sc->base, l) &&
	       (l->op_now || (fresh && docs_prove(&sc->base, l, l->read * l->span_s)));
}

static void run_recovery(struct model *m, const struct endpoint *ep, struct scan *sc,
	const struct look *l, struct finding *out)
{
	double since_s = seconds_since(ep, sc->end_mono_ns);
	bool was_promoted = sc->promoted;

	if (is_new_scan(sc, l, since_s)) {
		struct base base = sc->base;

		if (sc->promoted)
			report_recovery(m, ep, sc, (double)NAN, "when another scan began");
		begin_storm(m, ep, sc, &base, l, out);
		return;
	}
	sc->reread += fmax(l->read - sc->base.read, 0) * l->span_s;
	count_calm(sc, ep, l);
	if (sc->reread >= SUFFER_PAGES)
		sc->promoted = true;
	if (sc->promoted && !was_promoted) {
		describe_past(out, sc, l->read);
		add_event(m, ep, sc, EVENT_POINT, out);
	}
	if ((sc->calm < CALM_FRAMES && since_s < RECOVERY_MAX_S) ||
		(!sc->promoted && since_s < SHOWN_S)) {
		describe_past(out, sc, l->read);
		return;
	}
	if (sc->promoted && sc->calm >= CALM_FRAMES)
		report_recovery(m, ep, sc,
			(double)(sc->calm_mono_ns - sc->end_mono_ns) / (double)NS_PER_SEC, NULL);
	else if (sc->promoted)
		report_recovery(m, ep, sc, (double)NAN, "120 s after the scan");
	*out = (struct finding){0};
	go_quiet(sc);
}

void rules_scan(struct model *m, const struct endpoint *ep, void *state, struct finding *out)
{
	struct scan *sc = state;
	struct look l;

	note_culprit(sc, &ep->frame);
	if (!look_at(&ep->frame, &l)) {
		if (sc->phase == SCAN_QUIET)
			finding_skip(out, "needs a base line of %u s", BASE_MIN_S);
		return;
	}
	switch (sc->phase) {
	case SCAN_QUIET:
		run_quiet(m, ep, sc, &l, out);
		break;
	case SCAN_STORM:
		run_storm(m, ep, sc, &l, out);
		break;
	case SCAN_RECOVERY:
		run_recovery(m, ep, sc, &l, out);
		break;
	}
	out->event_id = sc->id;
}
