/*
 * The sentences about a scan and the figures beside them. While it runs they tell rates, afterwards
 * sums; what is not known is left out of a sentence and null in the figures.
 */
#include "rules_scan.h"

#include <math.h>

#include "hotset/clock.h"
#include "hotset/text.h"

#define WHO_MAX     200 /* bytes: a subject, with what is known of it */
#define NS_SHOWN    48  /* bytes of a name in a sentence: the numbers must have room */
#define APP_SHOWN   28
#define LATENCY_MAX (3 * NUM_MAX + 40)

/* ---- who ---- */

struct subject {
	char text[WHO_MAX];
	bool plural;
};

static const char *shown(char *out, size_t cap, const char *text)
{
	size_t len = strlen(text);

	if (len < cap) {
		text_sanitize(out, cap, text, len);
	} else {
		text_sanitize(out, cap - 3, text, len);
		memcpy(out + strlen(out), "...", 4);
	}
	return out;
}

/* "l21a.items (app report-job, 9 s)", with what is known of it */
static void name_operation(char out[WHO_MAX], const struct culprit *c)
{
	const char *who = c->app[0] ? c->app : c->client;
	char ns[NS_SHOWN], app[APP_SHOWN], age[NUM_MAX], tail[NUM_MAX + 4] = "";
	bool more;

	if (c->secs >= 1)
		snprintf(
			tail, sizeof(tail), "%s%s", who[0] ? ", " : "", num_duration(age, c->secs));
	more = who[0] || tail[0];
	snprintf(out, WHO_MAX, "%s%s%s%s%s%s", c->ns[0] ? shown(ns, sizeof(ns), c->ns) : "?",
		more ? " (" : "", c->app[0] ? "app " : "", shown(app, sizeof(app), who), tail,
		more ? ")" : "");
}

/* Counters come late: until they cover the storm, they tell the least number. */
static bool all_counted(const struct scan *sc)
{
	return sc->sum.counted_mono_ns >= sc->end_mono_ns;
}

static const char *at_least(const struct scan *sc)
{
	return all_counted(sc) ? "" : "at least ";
}

/* Without one in sight the counters speak: a rate while they run, else a number. */
static void name_unseen(struct subject *out, const struct scan *sc, bool running)
{
	char num[NUM_MAX];
	bool rate = running && sc->sum.many;

	out->plural = sc->sum.scans >= 2;
	if (out->plural && rate)
		snprintf(out->text, sizeof(out->text), "%s collection scans/s (by the counter)",
			num_short(num, sc->sum.scans / sc->sum.scans_s));
	else if (out->plural)
		snprintf(out->text, sizeof(out->text), "%s%s collection scans (by the counter)",
			at_least(sc), num_short(num, round(sc->sum.scans)));
	else
		snprintf(out->text, sizeof(out->text), "A scan that $currentOp did not show");
}

static void name_scan(struct subject *out, const struct scan *sc, bool running)
{
	char op[WHO_MAX], num[NUM_MAX];

	*out = (struct subject){0};
	if (!sc->culprit.known) {
		name_unseen(out, sc, running);
		return;
	}
	name_operation(op, &sc->culprit);
	out->plural = sc->sum.at_once >= 2 || sc->sum.seen >= 2 ||
		      (sc->sum.scans >= 2 && !sc->culprit.batches); /* which are counted each */
	if (sc->sum.at_once >= 2)
		snprintf(out->text, sizeof(out->text), "%u COLLSCANs, the longest on %.160s",
			sc->sum.at_once, op);
	else if (sc->sum.seen >= 2)
		snprintf(out->text, sizeof(out->text), "COLLSCANs%s on %.160s",
			sc->sum.elsewhere ? ", the longest" : "", op);
	else if (out->plural)
		snprintf(out->text, sizeof(out->text), "%s%s COLLSCANs, one on %.150s",
			at_least(sc), num_short(num, round(sc->sum.scans)), op);
	else
		snprintf(out->text, sizeof(out->text), "COLLSCAN on %.180s", op);
}

/* ---- figures ---- */

static const char *text_or_null(const struct scan *sc, const char *text)
{
	return sc->culprit.known && text[0] ? text : NULL;
}

static void fill_data(struct data *d, const struct scan *sc)
{
	const struct culprit *c = &sc->culprit;

	*d = (struct data){0};
	data_text(d, "ns", text_or_null(sc, c->ns));
	data_text(d, "app", text_or_null(sc, c->app));
	data_text(d, "client", text_or_null(sc, c->client));
	data_num(d, "secs", c->known ? c->secs : (double)NAN);
	data_text(d, "command", text_or_null(sc, c->command));
	data_num(d, "scans", all_counted(sc) ? round(sc->sum.scans) : (double)NAN);
	data_num(d, "at_once", sc->sum.at_once > 0 ? sc->sum.at_once : (double)NAN);
	data_num(d, "pages_in", round(sc->sum.pages_in));
	data_num(d, "clean_out", round(sc->sum.clean_out));
	data_num(d, "p50_before_us", sc->base.p50);
	data_num(d, "p50_during_us", sc->sum.p50_worst);
}

/* "0.31" of "0.31 ms" where the next one has the same unit */
static void drop_unit(char *num, const char *next)
{
	char *unit = strrchr(num, ' ');
	const char *other = strrchr(next, ' ');

	if (unit && other && strcmp(unit, other) == 0)
		*unit = '\0';
}

/* ", reads 0.31 → 0.62 ms"; nothing unless both are known */
static void say_latency(char out[LATENCY_MAX], double before, double during, double after)
{
	char a[NUM_MAX], b[NUM_MAX], c[NUM_MAX];
	bool back = !isnan(after);

	out[0] = '\0';
	if (isnan(before) || isnan(during))
		return;
	num_format(a, UNIT_USEC, before, false);
	num_format(b, UNIT_USEC, during, false);
	drop_unit(a, b);
	if (back)
		drop_unit(b, num_format(c, UNIT_USEC, after, false));
	snprintf(out, LATENCY_MAX, ", reads %s → %s%s%s", a, b, back ? " → " : "", back ? c : "");
}

static void say_next(struct finding *out, const struct scan *sc)
{
	if (sc->culprit.known && sc->culprit.command[0])
		finding_next(out,
			"An index for its filter, or reading from another member, spares the "
			"cache: %s",
			sc->culprit.command);
	else
		finding_next(out,
			"View 6 shows operations. An index for its filter keeps a scan out of the "
			"cache, as does reading from another member.");
}

/* ---- while it runs ---- */

static void describe_unproven(struct finding *out, const struct look *l)
{
	char in[NUM_MAX], gone[NUM_MAX], op[WHO_MAX], beside[WHO_MAX + 40] = "";
	struct culprit c;

	if (l->bystander) {
		scan_note_culprit(&c, l->bystander, 0);
		name_operation(op, &c);
		snprintf(beside, sizeof(beside), "; COLLSCAN on %.130s ran before it began", op);
	}
	out->code = "mongo.scan.read_storm";
	finding_say(out, LEVEL_INFO,
		"%s pages/s read in, %s clean pages/s out: a read storm, not proven to be a scan%s",
		num_short(in, l->read), num_short(gone, l->clean), beside);
	if (l->other_work)
		finding_next(out, "%s, which reads like this; see view 6.", l->other_work);
	else
		finding_next(out, "Initial sync, an index build or a warm-up look like this, too; "
				  "see view 6.");
}

void scan_describe_storm(struct finding *out, const struct scan *sc, const struct look *l)
{
	char in[NUM_MAX], gone[NUM_MAX], latency[LATENCY_MAX];
	double now = scan_latency_counts(sc, l) ? l->p50 : (double)NAN;
	struct subject who;

	fill_data(&out->data, sc);
	if (!sc->proven) {
		describe_unproven(out, l);
		return;
	}
	name_scan(&who, sc, true);
	say_next(out, sc);
	num_short(in, l->read);
	num_short(gone, l->clean);
	if (!sc->promoted) {
		out->code = "mongo.scan.storm";
		finding_say(out, LEVEL_WARN, "%s %s the cache: %s pages/s in, %s clean pages/s out",
			who.text, who.plural ? "flood" : "floods", in, gone);
		return;
	}
	say_latency(latency, sc->base.p50, now, NAN);
	out->code = "mongo.scan.evicting_hot_set";
	finding_say(out, LEVEL_CRIT,
		"%s %s evicting the hot set: %s pages/s in, %s clean pages/s out%s", who.text,
		who.plural ? "are" : "is", in, gone, latency);
	data_num(&out->data, "p50_us", now);
}

void scan_describe_filling(struct finding *out, const struct scan *sc, const struct look *l)
{
	char in[NUM_MAX], gone[NUM_MAX], fill[NUM_MAX], target[NUM_MAX];
	struct subject who;

	name_scan(&who, sc, true);
	fill_data(&out->data, sc);
	out->code = "mongo.scan.filling";
	finding_say(out, LEVEL_INFO,
		"%s %s free cache: %s pages/s in, %s clean pages/s out, %s of %s before eviction "
		"begins",
		who.text, who.plural ? "fill" : "fills", num_short(in, l->read),
		num_short(gone, l->clean), num_format(fill, UNIT_PERCENT, l->fill, false),
		num_format(target, UNIT_PERCENT, l->target, false));
	finding_next(out, "It evicts nobody yet. If it is larger than the room that is left, the "
			  "hot set goes next.");
}

void scan_describe_earlier(struct finding *out, const struct scan *sc, const struct look *l)
{
	char in[NUM_MAX], gone[NUM_MAX], op[WHO_MAX];

	name_operation(op, &sc->elder);
	out->code = "mongo.scan.read_storm";
	finding_say(out, LEVEL_INFO,
		"COLLSCAN on %.130s began before this watch; %s pages/s come in, %s clean pages/s "
		"go out: how it was before is not known",
		op, num_short(in, l->read), num_short(gone, l->clean));
	finding_next(out, "See view 6. When it ends, these rates tell whether it was the cause.");
}

/* ---- when it is over ---- */

static void say_duration(char out[NUM_MAX + 8], const struct scan *sc)
{
	double s = (double)(sc->end_mono_ns - sc->begin_mono_ns) / (double)NS_PER_SEC;
	char num[NUM_MAX];

	out[0] = '\0';
	if (s >= 1)
		snprintf(out, NUM_MAX + 8, " in %s", num_duration(num, s));
}

void scan_describe_past(
	struct finding *out, const struct scan *sc, const char *until, double read_now)
{
	char in[NUM_MAX], gone[NUM_MAX], again[NUM_MAX], now[NUM_MAX], took[NUM_MAX + 8];
	char latency[LATENCY_MAX], tail[2 * NUM_MAX + 64] = "";
	struct subject who = {.text = "Something"};

	if (sc->proven)
		name_scan(&who, sc, false);
	say_duration(took, sc);
	say_latency(latency, sc->base.p50, sc->sum.p50_worst, NAN);
	fill_data(&out->data, sc);
	say_next(out, sc);
	if (sc->promoted && sc->sum.reread > 0)
		snprintf(tail, sizeof(tail), "; since then %s pages read again, now %s/s",
			num_short(again, round(sc->sum.reread)), num_short(now, read_now));
	out->code = sc->promoted ? "mongo.scan.evicting_hot_set"
		    : sc->proven ? "mongo.scan.storm"
				 : "mongo.scan.read_storm";
	finding_say(out,
		sc->promoted ? LEVEL_CRIT
		: sc->proven ? LEVEL_WARN
			     : LEVEL_INFO,
		"%s %s%s: %s pages in, %s clean pages out%s%s%s", who.text,
		sc->promoted ? "evicted the hot set" : "flooded the cache", until,
		num_short(in, round(sc->sum.pages_in)), num_short(gone, round(sc->sum.clean_out)),
		took, latency, tail);
	if (sc->promoted)
		data_num(&out->data, "reread_pages", round(sc->sum.reread));
}

void scan_describe_recovery(struct finding *out, const struct scan *sc, double recovery_s,
	double after, const char *why_not)
{
	char in[NUM_MAX], gone[NUM_MAX], again[NUM_MAX], when[NUM_MAX + 40];
	char duration[NUM_MAX], latency[LATENCY_MAX];
	struct subject who;

	name_scan(&who, sc, false);
	if (!sc->culprit.known && who.text[0] == 'A') /* "after a scan that ..." */
		who.text[0] = 'a';
	say_latency(latency, sc->base.p50, sc->sum.p50_worst, after);
	if (why_not)
		snprintf(when, sizeof(when), "was not back %s", why_not);
	else
		snprintf(
			when, sizeof(when), "is back %s after", num_duration(duration, recovery_s));
	out->code = "mongo.scan.recovered";
	finding_say(out, LEVEL_INFO,
		"the hot set %s %s: %s pages in, %s clean pages out, %s read again%s", when,
		who.text, num_short(in, round(sc->sum.pages_in)),
		num_short(gone, round(sc->sum.clean_out)), num_short(again, round(sc->sum.reread)),
		latency);
	fill_data(&out->data, sc);
	data_num(&out->data, "p50_after_us", after);
	data_num(&out->data, "reread_pages", round(sc->sum.reread));
	data_num(&out->data, "recovery_s", recovery_s);
}
