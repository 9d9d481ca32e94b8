/*
 * The eviction thresholds in force. The server does not tell them, so they are composed the way
 * WiredTiger composes them: defaults, then the start-up parameters and the start-up string (or,
 * from the log, the whole string that the engine was opened with, which contains both), then each
 * string set at run time in its order, each replacing what it names; then the clamps. A string that
 * WiredTiger would refuse changes nothing, as there.
 *
 * eviction_checkpoint_target is not among them: the engine raises it to the dirty target.
 */
#include "hotset/parse.h"

#include "hotset/num.h"

#include <math.h>

#define MEGABYTE 1048576.0 /* bytes */

enum threshold {
	TARGET,
	TRIGGER,
	DIRTY_TARGET,
	DIRTY_TRIGGER,
	UPDATES_TARGET,
	UPDATES_TRIGGER,
	THRESHOLDS,
};

static const struct {
	const char *key; /* in configuration strings */
	double value, least;
	enum metric_id id, source_id;
} specs[THRESHOLDS] = {
	[TARGET] = {"eviction_target", 80, 10, METRIC_MONGO_CACHE_TARGET,
		METRIC_MONGO_CACHE_TARGET_SOURCE},
	[TRIGGER] = {"eviction_trigger", 95, 10, METRIC_MONGO_CACHE_TRIGGER,
		METRIC_MONGO_CACHE_TRIGGER_SOURCE},
	[DIRTY_TARGET] = {"eviction_dirty_target", 5, 1, METRIC_MONGO_CACHE_DIRTY_TARGET,
		METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE},
	[DIRTY_TRIGGER] = {"eviction_dirty_trigger", 20, 1, METRIC_MONGO_CACHE_DIRTY_TRIGGER,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE},
	/* 0: half of the dirty ones */
	[UPDATES_TARGET] = {"eviction_updates_target", 0, 0, METRIC_MONGO_CACHE_UPDATES_TARGET,
		METRIC_MONGO_CACHE_UPDATES_TARGET_SOURCE},
	[UPDATES_TRIGGER] = {"eviction_updates_trigger", 0, 0, METRIC_MONGO_CACHE_UPDATES_TRIGGER,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE},
};

struct setting {
	double percent; /* of the cache */
	const char *source;
};

/* ---- WiredTiger's configuration strings: key=value,key=(key=value),"key"="value",flag ---- */

struct slice {
	const char *s;
	size_t len;
};

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* Behind the quote that ends the text begun at p, NULL if there is none. */
static const char *skip_quoted(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : NULL;
}

/* Behind the bracket that closes the one at p, NULL if there is none. */
static const char *skip_group(const char *p)
{
	unsigned depth = 0;

	do {
		if (*p == '"') {
			p = skip_quoted(p);
			if (!p)
				return NULL;
			continue;
		}
		if (!*p)
			return NULL;
		if (strchr("([{", *p))
			depth++;
		else if (strchr(")]}", *p))
			depth--;
		p++;
	} while (depth);
	return p;
}

/* One word, "quoted text" or (nested) group; NULL if it has no end. */
static const char *next_item(const char *p, struct slice *out)
{
	const char *end;

	if (*p == '"') {
		end = skip_quoted(p);
		if (end)
			*out = (struct slice){p + 1, (size_t)(end - p - 2)};
		return end;
	}
	end = *p && strchr("([{", *p) ? skip_group(p) : p + strcspn(p, ",=:()[]{}\" \t\r\n");
	if (end)
		*out = (struct slice){p, (size_t)(end - p)};
	return end;
}

/* The next "key=value", value empty for a flag; false at the end, or with `malformed` set. */
static bool next_pair(const char **at, struct slice *key, struct slice *value, bool *malformed)
{
	const char *p = *at;

	p += strspn(p, ", \t\r\n");
	if (!*p)
		return false;
	*malformed = true;
	p = next_item(p, key);
	if (!p || !key->len)
		return false;
	p = skip_blanks(p);
	*value = (struct slice){"", 0};
	if (*p == '=' || *p == ':') {
		p = next_item(skip_blanks(p + 1), value);
		if (!p)
			return false;
		p = skip_blanks(p);
	}
	if (*p && *p != ',')
		return false;
	*malformed = false;
	*at = p;
	return true;
}

/* ---- composition ---- */

/* Up to 100 a percentage, above it bytes, which may not exceed the cache; whole numbers only. */
static bool percent_of(struct slice value, double cache_max, double least, double *out)
{
	uint64_t n;
	double percent;

	if (memchr(value.s, '.', value.len) || !num_parse_size(value.s, value.len, &n))
		return false;
	percent = n > 100 ? (double)n * 100 / cache_max : (double)n;
	if (percent > 100 || (n <= 100 && percent < least))
		return false;
	*out = percent;
	return true;
}

static void clamp(struct setting *low, const struct setting *high)
{
	if (low->percent > high->percent)
		*low = *high;
}

static void halve_unless_set(struct setting *updates, const struct setting *dirty)
{
	if (updates->percent == 0)
		*updates = (struct setting){dirty->percent / 2, dirty->source};
}

/* What the engine makes of the settings. A clamped value comes from where its limit comes from. */
static void complete(struct setting set[THRESHOLDS])
{
	clamp(&set[DIRTY_TARGET], &set[TARGET]);
	clamp(&set[DIRTY_TRIGGER], &set[TRIGGER]);
	halve_unless_set(&set[UPDATES_TARGET], &set[DIRTY_TARGET]);
	halve_unless_set(&set[UPDATES_TRIGGER], &set[DIRTY_TRIGGER]);
	clamp(&set[UPDATES_TARGET], &set[TARGET]);
	clamp(&set[UPDATES_TRIGGER], &set[TRIGGER]);
}

static bool is_consistent(const struct setting set[THRESHOLDS])
{
	struct setting done[THRESHOLDS];

	memcpy(done, set, sizeof(done));
	complete(done);
	return done[TARGET].percent < done[TRIGGER].percent &&
	       done[DIRTY_TARGET].percent < done[DIRTY_TRIGGER].percent &&
	       done[UPDATES_TARGET].percent < done[UPDATES_TRIGGER].percent;
}

static void apply_string(
	struct setting set[THRESHOLDS], const char *config, double cache_max, const char *source)
{
	struct setting next[THRESHOLDS];
	struct slice key, value;
	bool malformed = false;

	memcpy(next, set, sizeof(next));
	while (next_pair(&config, &key, &value, &malformed)) {
		for (unsigned i = 0; i < THRESHOLDS; i++) {
			if (strlen(specs[i].key) != key.len ||
				memcmp(specs[i].key, key.s, key.len) != 0)
				continue;
			if (!percent_of(value, cache_max, specs[i].least, &next[i].percent))
				return;
			next[i].source = source;
		}
	}
	if (!malformed && is_consistent(next))
		memcpy(set, next, sizeof(next));
}

/* The server hands them on in whole megabytes. */
static void apply_gb(struct setting *set, double gb, double cache_max)
{
	double percent = floor(gb * 1024) * MEGABYTE * 100 / cache_max;

	if (percent > 0 && percent <= 100)
		*set = (struct setting){percent, "startup"};
}

static void apply_startup(
	struct setting set[THRESHOLDS], const struct mongo_thresholds_in *in, double cache_max)
{
	if (in->log && in->log->opened) {
		apply_string(set, in->log->opened, cache_max, "startup");
		return;
	}
	apply_gb(&set[DIRTY_TARGET], in->dirty_target_gb, cache_max);
	apply_gb(&set[DIRTY_TRIGGER], in->dirty_max_gb, cache_max);
	if (in->startup_config)
		apply_string(set, in->startup_config, cache_max, "startup");
}

static void apply_runtime(
	struct setting set[THRESHOLDS], const struct mongo_thresholds_in *in, double cache_max)
{
	const char *last = "";

	for (unsigned i = 0; in->log && i < in->log->n; i++) {
		last = in->log->runtime[i];
		apply_string(set, last, cache_max, "runtime");
	}
	if (in->runtime_config && strcmp(in->runtime_config, last) != 0)
		apply_string(set, in->runtime_config, cache_max, "runtime");
}

/* A default holds only if nothing that could have changed it is hidden; NULL if nothing is. */
static const char *why_assumed(const struct mongo_thresholds_in *in)
{
	bool startup = in->startup_config || (in->log && in->log->opened);

	if (!in->readable || !startup || !in->runtime_config)
		return in->why_unreadable ? in->why_unreadable : "not readable";
	if (*in->runtime_config && !(in->log && in->log->whole))
		return "earlier run-time settings unknown";
	return NULL;
}

void parse_mongo_thresholds(const struct mongo_thresholds_in *in, struct sample *out)
{
	double cache_max = sample_f64(out, METRIC_MONGO_CACHE_MAX);
	const char *assumed = why_assumed(in);
	struct setting set[THRESHOLDS];
	unsigned count = THRESHOLDS;

	if (cache_max <= 0)
		return;
	for (unsigned i = 0; i < THRESHOLDS; i++)
		set[i] = (struct setting){specs[i].value, assumed ? "assumed" : "default"};
	apply_startup(set, in, cache_max);
	apply_runtime(set, in, cache_max);
	complete(set);

	if (!sample_has(out, METRIC_MONGO_CACHE_UPDATES)) /* before 4.4 */
		count = UPDATES_TARGET;
	for (unsigned i = 0; i < count; i++) {
		sample_set_f64(out, specs[i].id, set[i].percent);
		sample_set_text(out, specs[i].source_id, set[i].source, strlen(set[i].source));
	}
	if (assumed)
		sample_set_text(out, METRIC_MONGO_CACHE_ASSUMED, assumed, strlen(assumed));
}
