/* Sections of serverStatus that are more than named numbers: latencies, tickets, eviction state. */
#include "bdoc.h"
#include "hotset/num.h"
#include "hotset/strbuf.h"
#include "mongo_status.h"

/* ---- opLatencies: totals, and histograms as rows of mongo.latency ---- */

static const struct lane {
	const char *path, *histogram;
	enum metric_id time, ops;
	unsigned col;
} lanes[] = {
	{"opLatencies.reads", "opLatencies.reads.histogram", METRIC_MONGO_LAT_READS_TIME,
		METRIC_MONGO_LAT_READS_OPS, COL_MONGO_LATENCY_READS},
	{"opLatencies.writes", "opLatencies.writes.histogram", METRIC_MONGO_LAT_WRITES_TIME,
		METRIC_MONGO_LAT_WRITES_OPS, COL_MONGO_LATENCY_WRITES},
	{"opLatencies.commands", "opLatencies.commands.histogram", METRIC_MONGO_LAT_COMMANDS_TIME,
		METRIC_MONGO_LAT_COMMANDS_OPS, COL_MONGO_LATENCY_COMMANDS},
};
#define LANES (sizeof(lanes) / sizeof(lanes[0]))

static bool read_bucket(const bson_iter_t *it, uint64_t *micros, uint64_t *count)
{
	bson_iter_t m, c;
	bson_t bucket;

	return bdoc_view(it, &bucket) && bdoc_find(&bucket, "micros", &m) &&
	       bdoc_count(&m, micros) && bdoc_find(&bucket, "count", &c) && bdoc_count(&c, count);
}

/* The cells of the bucket from `micros`; a new row starts with 0 in every lane that was sent. */
static struct raw *bucket_row(struct sample *s, uint64_t micros, const bool sent[LANES])
{
	struct rows *t = &s->tables[TABLE_MONGO_LATENCY];
	struct raw *row;

	for (unsigned i = 0; i < t->n; i++) {
		row = &t->cells[(size_t)i * COL_MONGO_LATENCY_COUNT];
		if (row[COL_MONGO_LATENCY_MICROS].u == micros)
			return row;
	}
	row = sample_add_row(s, TABLE_MONGO_LATENCY);
	if (!row)
		return NULL;
	raw_set_u64(&row[COL_MONGO_LATENCY_MICROS], micros);
	for (size_t i = 0; i < LANES; i++) {
		if (sent[i])
			raw_set_u64(&row[lanes[i].col], 0);
	}
	return row;
}

#define BUCKETS_MAX 128 /* the server has about 50 */

static void take_histogram(struct sample *s, const bson_t *doc, size_t lane, const bool sent[LANES])
{
	bson_iter_t found, it;
	uint64_t micros, count;

	if (!sent[lane] || !bdoc_find(doc, lanes[lane].histogram, &found) ||
		!bson_iter_recurse(&found, &it))
		return;
	for (unsigned n = 0; n < BUCKETS_MAX && bson_iter_next(&it); n++) {
		struct raw *row;

		if (!read_bucket(&it, &micros, &count))
			continue;
		row = bucket_row(s, micros, sent);
		if (row)
			raw_set_u64(&row[lanes[lane].col], count);
	}
}

static void take_total(struct sample *s, const bson_t *doc, const char *name, enum metric_id id)
{
	bson_iter_t it;

	if (bdoc_find(doc, name, &it))
		bdoc_set_count(s, id, &it);
}

void mongo_take_latencies(struct sample *s, const bson_t *doc)
{
	bool sent[LANES];
	bson_iter_t it;
	bson_t lane;

	for (size_t i = 0; i < LANES; i++) {
		sent[i] = bdoc_find(doc, lanes[i].histogram, &it) && BSON_ITER_HOLDS_ARRAY(&it);
		if (sent[i])
			s->tables[TABLE_MONGO_LATENCY].asked = true;
		if (!bdoc_find(doc, lanes[i].path, &it) || !bdoc_view(&it, &lane))
			continue;
		take_total(s, &lane, "latency", lanes[i].time);
		take_total(s, &lane, "ops", lanes[i].ops);
	}
	for (size_t i = 0; i < LANES; i++)
		take_histogram(s, doc, i, sent);
}

/* ---- tickets: wiredTiger.concurrentTransactions, from 8.0 queues.execution ---- */

/*
 * Waiting operations are counted per priority, in sub-documents whose names vary. Servers that
 * count none of them have no such figure.
 */
static void take_queued(struct sample *s, const bson_t *side, enum metric_id id)
{
	bson_iter_t it, len;
	bson_t sub;
	uint64_t n, sum = 0;
	bool seen = false;

	if (!bson_iter_init(&it, side))
		return;
	while (bson_iter_next(&it)) {
		if (!BSON_ITER_HOLDS_DOCUMENT(&it) || !bdoc_view(&it, &sub) ||
			!bdoc_find(&sub, "queueLength", &len))
			continue;
		if (!bdoc_count(&len, &n)) {
			sample_set_missing(s, id, REASON_IMPLAUSIBLE);
			return;
		}
		sum += n;
		seen = true;
	}
	if (seen)
		sample_set_u64(s, id, sum);
}

void mongo_take_tickets(struct sample *s, const bson_t *doc)
{
	static const struct {
		const char *before_8, *path;
		enum metric_id out, available, queued;
	} sides[] = {
		{"wiredTiger.concurrentTransactions.read", "queues.execution.read",
			METRIC_MONGO_TICKETS_READ_OUT, METRIC_MONGO_TICKETS_READ_AVAILABLE,
			METRIC_MONGO_TICKETS_READ_QUEUED},
		{"wiredTiger.concurrentTransactions.write", "queues.execution.write",
			METRIC_MONGO_TICKETS_WRITE_OUT, METRIC_MONGO_TICKETS_WRITE_AVAILABLE,
			METRIC_MONGO_TICKETS_WRITE_QUEUED},
	};

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
		bson_iter_t it;
		bson_t side;

		if (!bdoc_find(doc, sides[i].path, &it) && !bdoc_find(doc, sides[i].before_8, &it))
			continue;
		if (!bdoc_view(&it, &side))
			continue;
		take_total(s, &side, "out", sides[i].out);
		take_total(s, &side, "available", sides[i].available);
		take_queued(s, &side, sides[i].queued);
	}
}

/* ---- the eviction server's state mask ---- */

struct bit {
	uint32_t mask;
	const char *name;
};

static const struct bit bits_40[] = {{0x1, "CLEAN"}, {0x2, "CLEAN_HARD"}, {0x4, "DEBUG_MODE"},
	{0x8, "DIRTY"}, {0x10, "DIRTY_HARD"}, {0x20, "LOOKASIDE"}, {0x40, "NOKEEP"},
	{0x80, "SCRUB"}, {0x100, "URGENT"}, {0, NULL}};
static const struct bit bits_44[] = {{0x1, "CLEAN"}, {0x2, "CLEAN_HARD"}, {0x4, "DEBUG_MODE"},
	{0x8, "DIRTY"}, {0x10, "DIRTY_HARD"}, {0x20, "NOKEEP"}, {0x40, "SCRUB"}, {0x80, "UPDATES"},
	{0x100, "UPDATES_HARD"}, {0x200, "URGENT"}, {0, NULL}};
static const struct bit bits_70[] = {{0x1, "CLEAN"}, {0x2, "CLEAN_HARD"}, {0x4, "DIRTY"},
	{0x8, "DIRTY_HARD"}, {0x10, "NOKEEP"}, {0x20, "SCRUB"}, {0x40, "UPDATES"},
	{0x80, "UPDATES_HARD"}, {0x100, "URGENT"}, {0, NULL}};

/* Layouts by version, as far as they were read in the sources; none for the versions between. */
static const struct layout {
	unsigned from, to; /* major * 100 + minor, both included */
	const struct bit *bits;
} layouts[] = {
	{400, 400, bits_40},
	{402, 402, bits_40},
	{404, 404, bits_44},
	{500, 500, bits_44},
	{600, 600, bits_44},
	{700, 802, bits_70},
};

static bool parse_version(const char *s, unsigned *out)
{
	uint64_t major, minor;
	const char *dot = strchr(s, '.');
	size_t n;

	if (!dot || !num_parse_u64(s, (size_t)(dot - s), &major) || major > 99)
		return false;
	n = strspn(dot + 1, "0123456789");
	if (!num_parse_u64(dot + 1, n, &minor) || minor > 99)
		return false;
	*out = (unsigned)(major * 100 + minor);
	return true;
}

static const struct bit *layout_of(const char *version)
{
	unsigned v;

	if (strstr(version, "WiredTiger 3.2")) /* wtnode names its engine */
		return bits_40;
	if (!parse_version(version, &v))
		return NULL;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (v >= layouts[i].from && v <= layouts[i].to)
			return layouts[i].bits;
	}
	return NULL;
}

void mongo_take_eviction_state(struct sample *s, const bson_t *doc)
{
	const struct bit *bits = layout_of(s->version);
	struct strbuf text;
	bson_iter_t it;
	uint64_t state;

	if (!bdoc_find(doc, "wiredTiger.cache.eviction state", &it))
		return;
	if (!bdoc_count(&it, &state)) {
		sample_set_missing(s, METRIC_MONGO_CACHE_STATE, REASON_IMPLAUSIBLE);
		return;
	}
	strbuf_init(&text, 160);
	for (; bits && bits->name; bits++) {
		if (state & bits->mask)
			strbuf_printf(&text, "%s%s", text.len ? " " : "", bits->name);
		state &= ~(uint64_t)bits->mask;
	}
	if (state) /* no layout, or bits outside it */
		strbuf_printf(&text, "%s0x%llx", text.len ? " " : "", (unsigned long long)state);
	if (!text.len)
		strbuf_puts(&text, "idle");
	sample_set_text(s, METRIC_MONGO_CACHE_STATE, text.data, text.len);
	strbuf_finish(&text);
}
