/* MongoDB: WiredTiger's cache against its thresholds, the working set; the list of all rules. */
#include "hotset/evidence.h"
#include "rules_limit.h"
#include "rules_mongo.h"
#include "rules_nodes.h"
#include "rules_scan.h"

#include <math.h>

#define SOON_S      60.0 /* a trigger nearer than this is worth a warning */

/* ---- the three shares and their thresholds ---- */

struct share {
	const char *what;
	enum metric_id level, mean, target, trigger, target_source, trigger_source, time_to_trigger;
	const char *next_target, *next_trigger;
};

static const struct share fill = {
	.what = "the cache is %s full",
	.level = METRIC_MONGO_CACHE_FILL,
	.mean = METRIC_MONGO_CACHE_FILL_MEAN,
	.target = METRIC_MONGO_CACHE_TARGET,
	.trigger = METRIC_MONGO_CACHE_TRIGGER,
	.target_source = METRIC_MONGO_CACHE_TARGET_SOURCE,
	.trigger_source = METRIC_MONGO_CACHE_TRIGGER_SOURCE,
	.time_to_trigger = METRIC_MONGO_CACHE_TIME_TO_TRIGGER,
	.next_target = "Nothing to do: a cache that is in use stays here.",
	.next_trigger =
		"See who reads (view 6); a larger cache or more eviction threads help only if "
		"eviction cannot keep up for long.",
};

static const struct share dirty = {
	.what = "dirty pages fill %s of the cache",
	.level = METRIC_MONGO_CACHE_DIRTY_FILL,
	.mean = METRIC_MONGO_CACHE_DIRTY_FILL_MEAN,
	.target = METRIC_MONGO_CACHE_DIRTY_TARGET,
	.trigger = METRIC_MONGO_CACHE_DIRTY_TRIGGER,
	.target_source = METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE,
	.trigger_source = METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE,
	.time_to_trigger = METRIC_MONGO_CACHE_DIRTY_TIME_TO_TRIGGER,
	.next_target = "Watch whether it rises: writes come faster than the disk takes them.",
	.next_trigger = "Slow the writers down or batch them; see the disk and the checkpoint.",
};

static const struct share updates = {
	.what = "updates fill %s of the cache",
	.level = METRIC_MONGO_CACHE_UPDATES_FILL,
	.mean = METRIC_MONGO_CACHE_UPDATES_FILL_MEAN,
	.target = METRIC_MONGO_CACHE_UPDATES_TARGET,
	.trigger = METRIC_MONGO_CACHE_UPDATES_TRIGGER,
	.target_source = METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE,
	.trigger_source = METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE,
	.time_to_trigger = METRIC_MONGO_CACHE_UPDATES_TIME_TO_TRIGGER,
	.next_target = "Watch whether it rises; a pinned timestamp keeps old updates in the cache.",
	.next_trigger = "Look for a pinned timestamp (view 2) and for the writers (view 6).",
};

static const char *source_of(const struct frame *f, enum metric_id source)
{
	const char *text = frame_info(f, source);

	return text ? text : "source unknown";
}

/* "dirty pages fill 12.2 % of the cache" */
static void say_level(char *out, size_t cap, const struct share *s, double percent)
{
	const char *gap = strstr(s->what, "%s");
	char num[NUM_MAX];

	snprintf(out, cap, "%.*s%s%s", (int)(gap - s->what), s->what,
		num_format(num, UNIT_PERCENT, percent, false), gap + 2);
}

/* Without files there is nothing to evict to, and nobody is made to. */
static bool is_in_memory(const struct frame *f)
{
	const char *engine = frame_info(f, METRIC_MONGO_STORAGE_ENGINE);

	return engine && strcmp(engine, "inMemory") == 0;
}

static void say_above_trigger(
	const struct frame *f, const struct share *s, const char *by, struct finding *out)
{
	const char *consequence = "application threads must evict";
	enum level level = LEVEL_CRIT;
	char what[80];

	if (is_in_memory(f)) {
		level = s == &fill ? LEVEL_WARN : LEVEL_INFO;
		consequence = s == &fill ? "the in-memory engine holds all data here, and writes "
					   "fail when it is full"
					 : "no operation waits for it in the in-memory engine";
	}
	say_level(what, sizeof(what), s, f->v[s->level].v);
	finding_say(out, level, "%s, %s above the trigger of %.4g %% (%s): %s", what, by,
		f->v[s->trigger].v, source_of(f, s->trigger_source), consequence);
}

static void judge_trigger(const struct endpoint *ep, const struct share *s, struct finding *out)
{
	const struct frame *f = &ep->frame;
	struct value level = f->v[s->level], trigger = f->v[s->trigger];
	char by[32] = "just";

	if (!value_ok(level) || !value_ok(trigger) || level.v <= trigger.v)
		return;
	if (level.v - trigger.v >= 0.05)
		snprintf(by, sizeof(by), "%.1f points", level.v - trigger.v);
	say_above_trigger(f, s, by, out);
	finding_next(out, "%s", s->next_trigger);
	data_num(&out->data, "percent", level.v);
	data_num(&out->data, "trigger", trigger.v);
}

static void judge_target(
	const struct endpoint *ep, const struct share *s, bool may_warn, struct finding *out)
{
	const struct frame *f = &ep->frame;
	struct value mean = f->v[s->mean], target = f->v[s->target], trigger = f->v[s->trigger];
	struct value left = f->v[s->time_to_trigger];
	bool rising = value_ok(left) && left.v > 0 && value_ok(trigger);
	char what[80], when[NUM_MAX], tail[64] = "";

	if (!value_ok(mean) || !value_ok(target) || mean.v <= target.v)
		return;
	say_level(what, sizeof(what), s, mean.v);
	if (rising)
		snprintf(tail, sizeof(tail), "; %s to the trigger of %.4g %% at this slope",
			num_duration(when, left.v), trigger.v);
	finding_say(out, may_warn && rising && left.v < SOON_S ? LEVEL_WARN : LEVEL_INFO,
		"%s (mean of up to 10 s), above the target of %.4g %% (%s): "
		"background eviction at work%s",
		what, target.v, source_of(f, s->target_source), tail);
	finding_next(out, "%s", s->next_target);
	data_num(&out->data, "percent", mean.v);
	data_num(&out->data, "target", target.v);
	data_num(&out->data, "time_to_trigger_s", rising ? left.v : (double)NAN);
}

static void eval_above_trigger(
	const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	judge_trigger(ep, &fill, out);
}

static void eval_dirty_trigger(
	const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	judge_trigger(ep, &dirty, out);
}

static void eval_updates_trigger(
	const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	judge_trigger(ep, &updates, out);
}

static void eval_above_target(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	judge_target(ep, &fill, false, out);
}

static void eval_dirty_target(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	judge_target(ep, &dirty, true, out);
}

static void eval_updates_target(
	const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	judge_target(ep, &updates, true, out);
}

/* ---- thresholds that cannot be right ---- */

static void eval_thresholds(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct frame *f = &ep->frame;
	struct evidence e;

	(void)m;
	if (!frame_info(f, METRIC_MONGO_CACHE_THRESHOLDS) ||
		evidence_of(ep->history, f, &e) != REASON_OK || !e.contradicted)
		return;
	finding_say(out, LEVEL_INFO,
		"eviction state shows %s at %.3g %%, far below %s of %.4g %% (%s): other "
		"thresholds are in force",
		e.contradicted, e.level, e.of, e.threshold, source_of(f, e.source));
	finding_next(out,
		"Grant getParameter, getCmdLineOpts and getLog (clusterMonitor), or look for "
		"\"Reconfiguring WiredTiger\" in the server's log.");
	data_text(&out->data, "flag", e.contradicted);
	data_num(&out->data, "percent", e.level);
	data_num(&out->data, "threshold", e.threshold);
	data_text(&out->data, "source", source_of(f, e.source));
}

/* ---- the working set ---- */

static void eval_working_set(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct value *v = ep->frame.v;
	struct value ratio = v[METRIC_MONGO_WS_RATIO], low = v[METRIC_MONGO_WS_LOW];
	struct value high = v[METRIC_MONGO_WS_HIGH], per_op = v[METRIC_MONGO_READ_PER_OP];
	struct value latency = v[METRIC_MONGO_READ_LATENCY],
		     cost = v[METRIC_MONGO_READ_COST_PER_OP];
	char page[NUM_MAX], op[NUM_MAX], price[96] = "";

	(void)m;
	if (ratio.why == REASON_NEEDS_HISTORY) {
		finding_skip(out, "needs 10 s of history");
		return;
	}
	if (!value_ok(ratio) || !value_ok(low) || !value_ok(high) || low.v <= 1)
		return;
	if (value_ok(per_op) && value_ok(latency) && value_ok(cost))
		snprintf(price, sizeof(price), ": %.2f pages read per operation × %s = %s",
			per_op.v, num_format(page, UNIT_USEC, latency.v, false),
			num_format(op, UNIT_USEC, cost.v, false));
	finding_say(out, LEVEL_WARN,
		"the working set is about %.1f× the cache (%.1f to %.1f, uniform-equivalent)%s",
		ratio.v, low.v, high.v, price);
	finding_next(out, "If that cost matters: a larger cache, or less data touched (indexes, "
			  "projections).");
	data_num(&out->data, "ratio", ratio.v);
	data_num(&out->data, "low", low.v);
	data_num(&out->data, "high", high.v);
	data_num(&out->data, "cost_per_op_us", value_ok(cost) ? cost.v : (double)NAN);
	data_text(&out->data, "basis", frame_info(&ep->frame, METRIC_MONGO_WS_BASIS));
}

const struct rule rules_mongo[] = {
	{.code = "mongo.cache.above_trigger",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.eval = eval_above_trigger},
	{.code = "mongo.cache.dirty_above_trigger",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.eval = eval_dirty_trigger},
	{.code = "mongo.cache.updates_above_trigger",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.eval = eval_updates_trigger},
	{.code = "mongo.cache.above_target",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.quiet = true,
		.eval = eval_above_target},
	{.code = "mongo.cache.dirty_above_target",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.quiet = true,
		.eval = eval_dirty_target},
	{.code = "mongo.cache.updates_above_target",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.quiet = true,
		.eval = eval_updates_target},
	{.code = "mongo.cache.app_stall",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.eval = rules_app_stall},
	{.code = "mongo.cache.thresholds",
		.kind = KIND_MONGO,
		.hold_s = 60,
		.quiet = true,
		.eval = eval_thresholds},
	{.code = "mongo.scan.storm",
		.kind = KIND_MONGO,
		.state_size = sizeof(struct scan),
		.course = rules_scan,
		.cut = rules_scan_cut},
	{.code = "mongo.ws.exceeds_cache",
		.kind = KIND_MONGO,
		.hold_s = 60,
		.eval = eval_working_set},
	{.code = "mongo.read.masked_by_page_cache",
		.kind = KIND_MONGO,
		.hold_s = 30,
		.quiet = true,
		.eval = rules_masked},
	{.code = LIMIT_CODE, .kind = KIND_MONGO, .hold_s = 10, .eval = rules_limit},
	{.code = "mongo.pinned.held", .kind = KIND_MONGO, .hold_s = 5, .eval = rules_held},
	{.code = "mongo.repl.majority_stuck",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.eval = rules_majority},
	{.code = "mongo.repl.no_primary",
		.kind = KIND_MONGO,
		.hold_s = 2,
		.eval = rules_no_primary},
	{.code = "mongo.router",
		.kind = KIND_MONGO,
		.hold_s = 60,
		.quiet = true,
		.standing = true,
		.eval = rules_router},
	{.code = "mongo.privileges",
		.kind = KIND_MONGO,
		.hold_s = 10,
		.quiet = true,
		.standing = true,
		.eval = rules_privileges},
	{0},
};
