/*
 * The eviction thresholds in force. The server does not tell them, so they are composed the way
 * WiredTiger composes them: defaults, then the start-up parameters, the start-up string and the
 * run-time string, each replacing what it names; then the clamps. A string that WiredTiger would
 * refuse changes nothing, as there.
 */
#include "hotset/parse.h"

#include "hotset/num.h"

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

/* One word, "quoted text" or (nested) group; NULL if it has no end. */
static const char *next_item(const char *p, struct slice *out)
{
	if (*p == '"') {
		const char *end = strchr(p + 1, '"');

		if (!end)
			return NULL;
		*out = (struct slice){p + 1, (size_t)(end - p - 1)};
		return end + 1;
	}
	out->s = p;
	if (strchr("([{", *p) && *p) {
		unsigned depth = 0;

		do {
			if (!*p)
				return NULL;
			if (strchr("([{", *p))
				depth++;
			else if (strchr(")]}", *p))
				depth--;
			p++;
		} while (depth);
	} else {
		p += strcspn(p, ",=:()[]{}\" \t\r\n");
	}
	out->len = (size_t)(p - out->s);
	return p;
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

/* Up to 100 a percentage, above it bytes, which may not exceed the cache. */
static bool percent_of(struct slice value, double cache_max, double least, double *out)
{
	uint64_t n;
	double percent;

	if (!num_parse_size(value.s, value.len, &n))
		return false;
	percent = n > 100 ? (double)n * 100 / cache_max : (double)n;
	if (percent > 100 || (n <= 100 && percent < least))
		return false;
	*out = percent;
	return true;
}

static bool is_consistent(const struct setting set[THRESHOLDS])
{
	return set[TARGET].percent < set[TRIGGER].percent &&
	       set[DIRTY_TARGET].percent < set[DIRTY_TRIGGER].percent;
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

static void apply_gb(struct setting *set, double gb, double cache_max)
{
	double percent = gb * 1024 * 1024 * 1024 * 100 / cache_max;

	if (percent > 0 && percent <= 100)
		*set = (struct setting){percent, "startup"};
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

static void complete(struct setting set[THRESHOLDS])
{
	clamp(&set[DIRTY_TARGET], &set[TARGET]);
	clamp(&set[DIRTY_TRIGGER], &set[TRIGGER]);
	halve_unless_set(&set[UPDATES_TARGET], &set[DIRTY_TARGET]);
	halve_unless_set(&set[UPDATES_TRIGGER], &set[DIRTY_TRIGGER]);
	clamp(&set[UPDATES_TARGET], &set[TARGET]);
	clamp(&set[UPDATES_TRIGGER], &set[TRIGGER]);
}

void parse_mongo_thresholds(const struct mongo_thresholds_in *in, struct sample *out)
{
	double cache_max = sample_f64(out, METRIC_MONGO_CACHE_MAX);
	/* A default holds only if nothing that could have changed it is hidden. */
	bool known = in->readable && in->startup_config && in->runtime_config;
	struct setting set[THRESHOLDS];
	unsigned count = THRESHOLDS;

	if (cache_max <= 0)
		return;
	for (unsigned i = 0; i < THRESHOLDS; i++)
		set[i] = (struct setting){specs[i].value, known ? "default" : "assumed"};
	apply_gb(&set[DIRTY_TARGET], in->dirty_target_gb, cache_max);
	apply_gb(&set[DIRTY_TRIGGER], in->dirty_max_gb, cache_max);
	if (in->startup_config)
		apply_string(set, in->startup_config, cache_max, "startup");
	if (in->runtime_config)
		apply_string(set, in->runtime_config, cache_max, "runtime");
	complete(set);

	if (!sample_has(out, METRIC_MONGO_CACHE_UPDATES)) /* before 4.4 */
		count = UPDATES_TARGET;
	for (unsigned i = 0; i < count; i++) {
		sample_set_f64(out, specs[i].id, set[i].percent);
		sample_set_text(out, specs[i].source_id, set[i].source, strlen(set[i].source));
	}
}
