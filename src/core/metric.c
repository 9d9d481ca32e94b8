#include "hotset/metric.h"
#include "hotset/value.h"

#include <string.h>

static const char *const kind_names[KIND_COUNT] = {"mongo", "redis", "memcached", "host"};

const char *kind_name(enum kind k)
{
	return kind_names[k];
}

const char *unit_name(enum metric_unit u)
{
	static const char *const names[] = {
		[UNIT_NONE] = "",
		[UNIT_BYTES] = "bytes",
		[UNIT_COUNT] = "count",
		[UNIT_PAGES] = "pages",
		[UNIT_PER_SEC] = "per_second",
		[UNIT_BYTES_PER_SEC] = "bytes_per_second",
		[UNIT_MSEC_PER_SEC] = "msec_per_second",
		[UNIT_PERCENT] = "percent",
		[UNIT_RATIO] = "ratio",
		[UNIT_TIMES] = "times",
		[UNIT_USEC] = "usec",
		[UNIT_MSEC] = "msec",
		[UNIT_SEC] = "seconds",
		[UNIT_SCORE] = "score",
	};
	return names[u];
}

/* The kind follows from the list's prefix; ids are MONGO_..., REDIS_... in that order. */
#define KIND_OF(id)                                                                                \
	(METRIC_##id < METRIC_REDIS_MEM_USED      ? KIND_MONGO                                     \
		: METRIC_##id < METRIC_MEMCACHED_HITS ? KIND_REDIS                                 \
		: METRIC_##id < METRIC_HOST_MEM_TOTAL ? KIND_MEMCACHED                             \
						      : KIND_HOST)

const struct metric_desc metric_table[METRIC_COUNT] = {
#define GAUGE(id, name, label, unit, good, help)                                                   \
	[METRIC_##id] = {name, label, help, SEM_GAUGE, UNIT_##unit, GOOD_##good, KIND_OF(id), 1},
#define RATE(id, name, label, unit, scale, good, help)                                             \
	[METRIC_##id] = {name, label, help, SEM_RATE, UNIT_##unit, GOOD_##good, KIND_OF(id),       \
		scale},                                                                            \
	[METRIC_##id##_TOTAL] = {name "_total", label, "Raw counter of " name ".", SEM_COUNTER,    \
		UNIT_COUNT, GOOD_NEITHER, KIND_OF(id), 1},
#define CALC(id, name, label, unit, good, help)                                                    \
	[METRIC_##id] = {name, label, help, SEM_CALC, UNIT_##unit, GOOD_##good, KIND_OF(id), 1},
#define COUNTER(id, name, label, unit, help)                                                       \
	[METRIC_##id] = {name, label, help, SEM_COUNTER, UNIT_##unit, GOOD_NEITHER, KIND_OF(id), 1},
#define INFO(id, name, label, help)                                                                \
	[METRIC_##id] = {name, label, help, SEM_INFO, UNIT_NONE, GOOD_NEITHER, KIND_OF(id), 1},
#include "hotset/metrics.def"
#undef GAUGE
#undef RATE
#undef CALC
#undef COUNTER
#undef INFO
};

const struct metric_desc *metric_desc(enum metric_id id)
{
	return &metric_table[id];
}

bool metric_find(const char *name, enum metric_id *out)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		if (strcmp(metric_table[i].name, name) == 0) {
			*out = (enum metric_id)i;
			return true;
		}
	return false;
}

void metric_range(enum kind k, enum metric_id *first, enum metric_id *end)
{
	static const enum metric_id starts[KIND_COUNT + 1] = {METRIC_MONGO_CACHE_USED,
		METRIC_REDIS_MEM_USED, METRIC_MEMCACHED_HITS, METRIC_HOST_MEM_TOTAL, METRIC_COUNT};
	*first = starts[k];
	*end = starts[k + 1];
}

#define TABLE(id, name) static const struct col_desc cols_##id[] = {
#define COL(table, id, name, sem, unit, label) {name, label, COL_##sem, UNIT_##unit},
#define TABLE_END(id) };
#include "hotset/tables.def"
#undef TABLE
#undef COL
#undef TABLE_END

#define TABLE_KIND(id)                                                                             \
	(TABLE_##id < TABLE_REDIS_CMD             ? KIND_MONGO                                     \
		: TABLE_##id < TABLE_MEMCACHED_SLAB ? KIND_REDIS                                   \
		: TABLE_##id < TABLE_HOST_DISK    ? KIND_MEMCACHED                                 \
						  : KIND_HOST)

const struct table_desc table_table[TABLE_COUNT] = {
#define TABLE(id, name) [TABLE_##id] = {name, TABLE_KIND(id), cols_##id, COL_##id##_COUNT},
#define COL(...)
#define TABLE_END(id)
#include "hotset/tables.def"
#undef TABLE
#undef COL
#undef TABLE_END
};

bool table_find(const char *name, enum table_id *out)
{
	for (unsigned i = 0; i < TABLE_COUNT; i++)
		if (strcmp(table_table[i].name, name) == 0) {
			*out = (enum table_id)i;
			return true;
		}
	return false;
}

static const struct {
	const char *name, *text;
} reasons[REASON_COUNT] = {
#define X(name, text) [REASON_##name] = {#name, text},
	REASON_LIST(X)
#undef X
};

const char *reason_text(enum reason r)
{
	return reasons[r].text;
}

const char *reason_name(enum reason r)
{
	return reasons[r].name;
}

bool reason_find(const char *name, enum reason *out)
{
	for (unsigned i = 0; i < REASON_COUNT; i++)
		if (strcmp(reasons[i].name, name) == 0) {
			*out = (enum reason)i;
			return true;
		}
	return false;
}
