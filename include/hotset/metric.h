/*
 * The descriptor tables: every metric and every table of hotset, made from metrics.def and
 * tables.def. Parsers, derive, panels, JSON, CSV, docs and recordings all read these.
 */
#ifndef HOTSET_METRIC_H
#define HOTSET_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { KIND_MONGO, KIND_REDIS, KIND_MEMCACHED, KIND_HOST, KIND_COUNT };
const char *kind_name(enum kind k); /* "mongo", the first word of its metrics' names */

enum metric_sem { SEM_GAUGE, SEM_RATE, SEM_CALC, SEM_COUNTER, SEM_INFO };
enum metric_good { GOOD_HIGHER, GOOD_LOWER, GOOD_NEITHER };
enum metric_unit {
	UNIT_NONE,
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_PAGES,
	UNIT_PER_SEC,
	UNIT_BYTES_PER_SEC,
	UNIT_MSEC_PER_SEC,
	UNIT_PERCENT, /* 0 to 100 */
	UNIT_RATIO,
	UNIT_TIMES, /* multiples of the cache */
	UNIT_USEC,
	UNIT_MSEC,
	UNIT_SEC,
	UNIT_SCORE, /* 0 to 100 */
};
const char *unit_name(enum metric_unit u); /* "bytes", "percent", "usec", ... as CSV prints it */

/* METRIC_REDIS_HITS and, for each RATE, METRIC_REDIS_HITS_TOTAL right after it. */
enum metric_id {
#define GAUGE(id, ...) METRIC_##id,
#define RATE(id, ...) METRIC_##id, METRIC_##id##_TOTAL,
#define CALC(id, ...) METRIC_##id,
#define COUNTER(id, ...) METRIC_##id,
#define INFO(id, ...) METRIC_##id,
#include "hotset/metrics.def"
#undef GAUGE
#undef RATE
#undef CALC
#undef COUNTER
#undef INFO
	METRIC_COUNT
};

struct metric_desc {
	const char      *name;  /* stable id used in files, JSON and configuration */
	const char      *label; /* short, for panels */
	const char      *help;  /* what it is, formula, source field */
	enum metric_sem  sem;
	enum metric_unit unit;
	enum metric_good good;
	enum kind        kind;
	double           scale; /* RATE: multiplies the difference per second */
};

extern const struct metric_desc metric_table[METRIC_COUNT];

const struct metric_desc *metric_desc(enum metric_id id);
bool metric_find(const char *name, enum metric_id *out);
/* The metrics of one kind are contiguous: [first, end). */
void metric_range(enum kind k, enum metric_id *first, enum metric_id *end);

enum col_sem { COL_KEY, COL_TEXT, COL_GAUGE, COL_RATE, COL_CALC };

struct col_desc {
	const char      *name;
	const char      *label;
	enum col_sem     sem;
	enum metric_unit unit;
};

enum table_id {
#define TABLE(id, name) TABLE_##id,
#define COL(...)
#define TABLE_END(id)
#include "hotset/tables.def"
#undef TABLE
#undef COL
#undef TABLE_END
	TABLE_COUNT
};

/* COL_REDIS_CMD_CALLS and so on; COL_REDIS_CMD_COUNT is the number of columns. */
#define TABLE(id, name) enum col_of_##id {
#define COL(table, id, ...) COL_##table##_##id,
#define TABLE_END(id) COL_##id##_COUNT };
#include "hotset/tables.def"
#undef TABLE
#undef COL
#undef TABLE_END

#define TABLE_COLS_MAX 16

struct table_desc {
	const char            *name;
	enum kind              kind;
	const struct col_desc *cols;
	unsigned               ncols;
};

extern const struct table_desc table_table[TABLE_COUNT];
bool table_find(const char *name, enum table_id *out);

#endif
