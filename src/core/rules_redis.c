/* Redis and its relatives: eviction under a memory limit. */
#include "rules_limit.h"
#include "rules_redis.h"

#include <math.h>

#define NEARLY_FULL 95.0 /* percent of maxmemory where refused writes are near */
#define FULL        99.0 /* a server that refuses writes stays just below its limit */
#define NOW_S       5u   /* what "now" means against the base line */
#define BASE_S      60u
#define BASE_MIN_S  20u
#define RISE_TIMES  1.5  /* misses above this many times their base line rise, */
#define RISE_MIN    10.0 /* if by at least this many per second */

static bool is_volatile(const char *policy)
{
	return strncmp(policy, "volatile-", 9) == 0;
}

/* Nothing can be evicted: writes will fail when the limit is reached. */
static void eval_noeviction(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct frame *f = &ep->frame;
	struct value fill = f->v[METRIC_REDIS_MEM_FILL], expires = f->v[METRIC_REDIS_EXPIRES];
	const char *policy = frame_info(f, METRIC_REDIS_MEM_POLICY);
	bool stuck;

	(void)m;
	if (!policy || !value_ok(fill) || fill.v < NEARLY_FULL)
		return;
	stuck = is_volatile(policy) && value_ok(expires) && expires.v == 0;
	if (strcmp(policy, "noeviction") != 0 && !stuck)
		return;
	finding_say(out, fill.v < FULL ? LEVEL_WARN : LEVEL_CRIT,
		"memory is %.1f %% full and the policy %s evicts nothing%s: writes %s", fill.v,
		policy, stuck ? " (no key has a TTL)" : "",
		fill.v < FULL ? "will soon fail" : "fail (OOM)");
	finding_next(out, "Raise maxmemory, delete keys, or choose a policy that may evict.");
	data_num(&out->data, "fill_percent", fill.v);
	data_text(&out->data, "policy", policy);
}

/* Evictions alone are the normal state of a cache; with misses rising they hit what is used. */
static void eval_evicting_hot(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct history *h = ep->history;
	int64_t now = ep->seen_mono_ns, before = now - (int64_t)NOW_S * HISTORY_STEP_NS;
	struct value ratio = ep->frame.v[METRIC_REDIS_HIT_RATIO];
	double evicted, misses, base;
	char rate[NUM_MAX], was[NUM_MAX], is[NUM_MAX], hit[NUM_MAX] = "n/a";

	(void)m;
	if (!history_median(h, METRIC_REDIS_MISSES, before, BASE_S, BASE_MIN_S, &base)) {
		finding_skip(out, "needs a base line of %u s", BASE_MIN_S + NOW_S);
		return;
	}
	if (!history_mean(h, METRIC_REDIS_EVICTED, now, NOW_S, 1, &evicted) ||
		!history_mean(h, METRIC_REDIS_MISSES, now, NOW_S, 1, &misses))
		return;
	if (evicted <= 0 || misses < RISE_TIMES * base || misses < base + RISE_MIN)
		return;
	if (value_ok(ratio))
		num_format(hit, UNIT_PERCENT, ratio.v, false);
	finding_say(out, LEVEL_WARN,
		"%s keys/s are evicted and misses rise from %s/s to %s/s (hit ratio %s): keys in "
		"use go",
		num_short(rate, evicted), num_short(was, base), num_short(is, misses), hit);
	finding_next(out, "See what fills the memory (view 3); more maxmemory, shorter TTLs or an "
			  "LFU policy.");
	data_num(&out->data, "evicted_per_s", evicted);
	data_num(&out->data, "misses_per_s", misses);
	data_num(&out->data, "misses_before_per_s", base);
}

static void eval_falling_behind(
	const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value over = ep->frame.v[METRIC_REDIS_EVICT_EXCEEDED];
	struct value fill = ep->frame.v[METRIC_REDIS_MEM_FILL];
	char full[NUM_MAX] = "n/a";

	(void)m;
	if (!value_ok(over) || over.v <= 0)
		return;
	if (value_ok(fill))
		num_format(full, UNIT_PERCENT, fill.v, false);
	finding_say(out, LEVEL_CRIT,
		"eviction cannot keep up: over maxmemory for %.0f ms of each second (memory %s "
		"full)",
		over.v, full);
	finding_next(
		out, "Writes come faster than keys can be evicted: slow them, or raise maxmemory.");
	data_num(&out->data, "exceeded_ms_per_s", over.v);
}

static void eval_link(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const char *link = frame_info(&ep->frame, METRIC_REDIS_REPL_LINK);
	struct value down = ep->frame.v[METRIC_REDIS_REPL_DOWN];
	char since[NUM_MAX], tail[NUM_MAX + 8] = "";

	(void)m;
	if (!link || strcmp(link, "up") == 0 || strcmp(link, "ok") == 0)
		return;
	if (value_ok(down))
		snprintf(tail, sizeof(tail), " for %s", num_duration(since, down.v));
	finding_say(out, LEVEL_WARN,
		"the link to the master is %s%s: what this replica holds grows old", link, tail);
	finding_next(out, "See whether the master answers, and both logs for why it does not.");
	data_num(&out->data, "down_s", value_ok(down) ? down.v : (double)NAN);
}

static void eval_rejected(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	struct value rejected = ep->frame.v[METRIC_REDIS_REJECTED];
	struct value clients = ep->frame.v[METRIC_REDIS_CLIENTS],
		     max = ep->frame.v[METRIC_REDIS_MAX_CLIENTS];
	char rate[NUM_MAX], of[2 * NUM_MAX + 32] = "", n[NUM_MAX], most[NUM_MAX];

	(void)m;
	if (!value_ok(rejected) || rejected.v <= 0)
		return;
	if (value_ok(clients) && value_ok(max))
		snprintf(of, sizeof(of), " (%s of %s are connected)", num_short(n, clients.v),
			num_short(most, max.v));
	finding_say(out, LEVEL_WARN, "%s connections/s are refused at maxclients%s",
		num_short(rate, rejected.v), of);
	finding_next(out, "Raise maxclients, or find who opens connections without closing them.");
	data_num(&out->data, "rejected_per_s", rejected.v);
}

static void eval_privileges(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	(void)m;
	if (ep->status != STATUS_PARTIAL || ep->err.code != ERR_AUTH)
		return;
	finding_say(out, LEVEL_INFO, "%s", ep->err.msg);
	finding_next(
		out, "ACL SETUSER with this user's name and these rights; nothing else is needed.");
}

/* CONFIG RESETSTAT: within the same run, counters began anew. An event, and nothing that holds. */
static void note_reset(struct model *m, const struct endpoint *ep, void *state, struct finding *out)
{
	char text[160];

	(void)state;
	(void)out;
	if (ep->frame.v[METRIC_REDIS_OPS].why != REASON_RESET)
		return;
	snprintf(text, sizeof(text),
		"%s: counters began anew within the same run (CONFIG RESETSTAT)", ep->name);
	model_add_event(m, 0, ep->index, "redis.stats_reset", LEVEL_INFO, EVENT_POINT, text, NULL);
}

const struct rule rules_redis[] = {
	{.code = "redis.noeviction_full",
		.kind = KIND_REDIS,
		.hold_s = 10,
		.eval = eval_noeviction},
	{.code = "redis.evict_falling_behind",
		.kind = KIND_REDIS,
		.hold_s = 10,
		.eval = eval_falling_behind},
	{.code = "redis.evicting_hot", .kind = KIND_REDIS, .hold_s = 10, .eval = eval_evicting_hot},
	{.code = "redis.stampede",
		.kind = KIND_REDIS,
		.hold_s = 60,
		.state_size = sizeof(struct stampede_course),
		.course = rules_stampede,
		.cut = rules_stampede_cut},
	{.code = "redis.link_down", .kind = KIND_REDIS, .hold_s = 5, .eval = eval_link},
	{.code = "redis.rejected", .kind = KIND_REDIS, .hold_s = 10, .eval = eval_rejected},
	{.code = "redis.stats_reset", .kind = KIND_REDIS, .state_size = 1, .course = note_reset},
	{.code = "redis.privileges",
		.kind = KIND_REDIS,
		.hold_s = 60,
		.quiet = true,
		.standing = true,
		.eval = eval_privileges},
	{.code = LIMIT_CODE, .kind = KIND_REDIS, .hold_s = 10, .eval = rules_limit},
	{0},
};
