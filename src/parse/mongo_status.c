/*
 * serverStatus. Each section is walked once, its keys looked up in a small table: what a table
 * does not name is not looked at, so unknown, doubled or absurd keys do no harm. Names change
 * between versions (and are back-ported within them), so all of a concept's names stand in the
 * tables and the field that is present decides. A name marked ELSE counts only while nothing better
 * has been seen.
 */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/fields.h"
#include "hotset/text.h"
#include "mongo_status.h"

#define PINNED_MAX_SEC (UINT64_C(10) * 366 * 86400) /* a longer range is an unset timestamp */

enum how {
	COUNT,
	PINNED, /* a range of timestamps */
	STAMP,  /* a timestamp, 0 when there is none */
	FLAG,
	ELSE = 8, /* in addition: only while the metric has no value */
};

struct entry {
	const char *name;
	enum metric_id id;
	unsigned how;
};

static const struct entry cache_fields[] = {
	{"bytes currently in the cache", METRIC_MONGO_CACHE_USED, COUNT},
	{"maximum bytes configured", METRIC_MONGO_CACHE_MAX, COUNT},
	{"tracked dirty leaf page bytes in the cache", METRIC_MONGO_CACHE_DIRTY, COUNT},
	{"tracked dirty bytes in the cache", METRIC_MONGO_CACHE_DIRTY, COUNT | ELSE},
	{"bytes allocated for updates", METRIC_MONGO_CACHE_UPDATES, COUNT},
	{"pages read into cache", METRIC_MONGO_CACHE_PAGES_READ_TOTAL, COUNT},
	{"pages written from cache", METRIC_MONGO_CACHE_PAGES_WRITTEN_TOTAL, COUNT},
	{"pages requested from the cache", METRIC_MONGO_CACHE_PAGES_REQUESTED_TOTAL, COUNT},
	{"bytes read into cache", METRIC_MONGO_CACHE_BYTES_READ_TOTAL, COUNT},
	{"bytes written from cache", METRIC_MONGO_CACHE_BYTES_WRITTEN_TOTAL, COUNT},
	{"unmodified pages evicted", METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, COUNT},
	{"modified pages evicted", METRIC_MONGO_CACHE_EVICTED_DIRTY_TOTAL, COUNT},
	/* 8.1 and late 8.0; the older name counted attempts as well */
	{"page evict attempts by application threads", METRIC_MONGO_CACHE_EVICTED_APP_TOTAL, COUNT},
	{"pages evicted by application threads", METRIC_MONGO_CACHE_EVICTED_APP_TOTAL,
		COUNT | ELSE},
	/* 8.0 moved it here from thread-yield */
	{"application thread time evicting (usecs)", METRIC_MONGO_CACHE_APP_EVICT_TOTAL, COUNT},
	{"application threads page read from disk to cache count", METRIC_MONGO_READ_COUNT, COUNT},
	{"application threads page read from disk to cache time (usecs)", METRIC_MONGO_READ_TIME,
		COUNT},
	{"eviction currently operating in aggressive mode", METRIC_MONGO_CACHE_AGGRESSIVE, COUNT},
	{"history store table on-disk size", METRIC_MONGO_HS_SIZE, COUNT | ELSE},
	{"history store table insert calls", METRIC_MONGO_HS_INSERTS_TOTAL, COUNT},
	{"history store table reads", METRIC_MONGO_HS_READS_TOTAL, COUNT},
	/* before 4.4, and before 4.0.3 */
	{"cache overflow table on-disk size", METRIC_MONGO_HS_SIZE, COUNT | ELSE},
	{"cache overflow table insert calls", METRIC_MONGO_HS_INSERTS_TOTAL, COUNT | ELSE},
	{"lookaside table insert calls", METRIC_MONGO_HS_INSERTS_TOTAL, COUNT | ELSE},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry yield_fields[] = {
	{"application thread time evicting (usecs)", METRIC_MONGO_CACHE_APP_EVICT_TOTAL,
		COUNT | ELSE},
	{"application thread time waiting for cache (usecs)", METRIC_MONGO_CACHE_APP_WAIT_TOTAL,
		COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry transaction_fields[] = {
	{"transaction range of timestamps currently pinned", METRIC_MONGO_PINNED_LAG, PINNED},
	{"transaction range of timestamps pinned by the oldest active read timestamp",
		METRIC_MONGO_PINNED_READER, PINNED},
	{"transaction range of timestamps pinned by a checkpoint", METRIC_MONGO_PINNED_CHECKPOINT,
		PINNED},
	{"transaction range of timestamps pinned by the oldest timestamp",
		METRIC_MONGO_PINNED_OLDEST, PINNED},
	{"transaction read timestamp of the oldest active reader", METRIC_MONGO_PINNED_READER_TS,
		STAMP},
	/* up to 7.0 */
	{"transaction checkpoint most recent time (msecs)", METRIC_MONGO_CKPT_LAST, COUNT | ELSE},
	{"transaction checkpoint currently running", METRIC_MONGO_CKPT_RUNNING, FLAG | ELSE},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry checkpoint_fields[] = {
	{"most recent time (msecs)", METRIC_MONGO_CKPT_LAST, COUNT},
	{"progress state", METRIC_MONGO_CKPT_RUNNING, FLAG}, /* 0: none in progress */
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry block_fields[] = {
	{"bytes read", METRIC_MONGO_BLOCK_BYTES_READ_TOTAL, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

/* statistics of WiredTigerHS.wt itself */
static const struct entry hs_file_fields[] = {
	{"file size in bytes", METRIC_MONGO_HS_SIZE, COUNT},
	{"file bytes available for reuse", METRIC_MONGO_HS_REUSABLE, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

/*
 * The fixed minimum of 5.0 and later is minSnapshotHistoryWindowInSeconds. 4.4 has an adaptive
 * window, spelled "snapshots".
 */
static const struct entry window_fields[] = {
	{"minimum target snapshot window size in seconds", METRIC_MONGO_PINNED_WINDOW, COUNT},
	{"current available snapshot window size in seconds", METRIC_MONGO_PINNED_WINDOW,
		COUNT | ELSE},
	{"current available snapshots window size in seconds", METRIC_MONGO_PINNED_WINDOW,
		COUNT | ELSE},
	{NULL, METRIC_COUNT, COUNT},
};

/* The same window as what can be read of it at present, and what keeps it from moving on. */
static const struct entry available_fields[] = {
	{"current available snapshot window size in seconds", METRIC_MONGO_PINNED_AVAILABLE, COUNT},
	{"current available snapshots window size in seconds", METRIC_MONGO_PINNED_AVAILABLE,
		COUNT},
	{"pinned timestamp requests", METRIC_MONGO_PINNED_REQUESTS, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry engine_fields[] = {
	{"backupCursorOpen", METRIC_MONGO_PINNED_BACKUP, FLAG},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry connection_fields[] = {
	{"current", METRIC_MONGO_CONN_CURRENT, COUNT},
	{"available", METRIC_MONGO_CONN_AVAILABLE, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry opcounter_fields[] = {
	{"query", METRIC_MONGO_OPS_QUERY_TOTAL, COUNT},
	{"insert", METRIC_MONGO_OPS_INSERT_TOTAL, COUNT},
	{"update", METRIC_MONGO_OPS_UPDATE_TOTAL, COUNT},
	{"delete", METRIC_MONGO_OPS_DELETE_TOTAL, COUNT},
	{"getmore", METRIC_MONGO_OPS_GETMORE_TOTAL, COUNT},
	{"command", METRIC_MONGO_OPS_COMMAND_TOTAL, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry executor_fields[] = {
	{"scanned", METRIC_MONGO_SCAN_KEYS_EXAMINED_TOTAL, COUNT},
	{"scannedObjects", METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry collscan_fields[] = {
	{"nonTailable", METRIC_MONGO_SCAN_COLLSCANS_TOTAL, COUNT},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct entry flow_fields[] = {
	{"isLagged", METRIC_MONGO_FLOW_LIMITED, FLAG},
	{NULL, METRIC_COUNT, COUNT},
};

static const struct {
	const char *path;
	const struct entry *fields;
} sections[] = {
	{"wiredTiger.cache", cache_fields},
	{"wiredTiger.thread-yield", yield_fields},
	{"wiredTiger.transaction", transaction_fields},
	{"wiredTiger.checkpoint", checkpoint_fields},
	{"wiredTiger.block-manager", block_fields},
	{"wiredTiger.historyStorageStats.block-manager", hs_file_fields},
	{"wiredTiger.snapshot-window-settings", window_fields},
	{"wiredTiger.snapshot-window-settings", available_fields},
	{"storageEngine", engine_fields},
	{"connections", connection_fields},
	{"opcounters", opcounter_fields},
	{"metrics.queryExecutor", executor_fields},
	{"metrics.queryExecutor.collectionScans", collscan_fields},
	{"flowControl", flow_fields},
};

/* MongoDB's timestamps are seconds << 32 | increment, and so are ranges of them. */
static void set_pinned(struct sample *s, enum metric_id id, const bson_iter_t *it)
{
	int64_t range;

	if (!bdoc_i64(it, &range) || range < 0)
		sample_set_missing(s, id, REASON_IMPLAUSIBLE);
	else if ((uint64_t)range >> 32 > PINNED_MAX_SEC)
		sample_set_missing(s, id, REASON_NOT_SET);
	else
		sample_set_u64(s, id, (uint64_t)range >> 32);
}

/* Its second; 0 is none, and so is the largest number, which stands for one above all. */
static void set_stamp(struct sample *s, enum metric_id id, const bson_iter_t *it)
{
	int64_t stamp;

	if (!bdoc_i64(it, &stamp))
		sample_set_missing(s, id, REASON_IMPLAUSIBLE);
	else if (stamp <= 0 || stamp == INT64_MAX)
		sample_set_missing(s, id, REASON_NOT_SET);
	else
		sample_set_u64(s, id, (uint64_t)stamp >> 32);
}

static void set_flag(struct sample *s, enum metric_id id, const bson_iter_t *it)
{
	double v;

	if (bdoc_f64(it, &v))
		sample_set_u64(s, id, v != 0);
	else
		sample_set_missing(s, id, REASON_IMPLAUSIBLE);
}

static void take_field(struct sample *s, const struct entry *f, const bson_iter_t *it)
{
	switch (f->how & ~(unsigned)ELSE) {
	case PINNED:
		set_pinned(s, f->id, it);
		break;
	case STAMP:
		set_stamp(s, f->id, it);
		break;
	case FLAG:
		set_flag(s, f->id, it);
		break;
	default:
		bdoc_set_count(s, f->id, it);
	}
}

static void take_section(
	struct sample *s, const bson_t *doc, const char *path, const struct entry *fields)
{
	bson_iter_t found, it;

	if (!bdoc_find(doc, path, &found) || !BSON_ITER_HOLDS_DOCUMENT(&found) ||
		!bson_iter_recurse(&found, &it))
		return;
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		for (const struct entry *f = fields; f->name; f++) {
			if (strcmp(key, f->name) == 0) {
				if (!(f->how & ELSE) || !sample_has(s, f->id))
					take_field(s, f, &it);
				break;
			}
		}
	}
}

static void take_ops_total(struct sample *s)
{
	uint64_t sum = 0;

	for (const struct entry *f = opcounter_fields; f->name; f++) {
		if (!sample_has(s, f->id))
			return;
		sum += s->raw[f->id].u;
	}
	sample_set_u64(s, METRIC_MONGO_OPS_TOTAL_TOTAL, sum);
}

/* Whole seconds: that is what identifies a run, and all that servers before 4.0 agree on. */
static void take_uptime(struct sample *s, const bson_t *doc)
{
	bson_iter_t it;
	uint64_t ms;

	if (bdoc_find(doc, "uptimeMillis", &it) && bdoc_count(&it, &ms))
		sample_set_u64(s, METRIC_MONGO_UPTIME, ms / 1000);
	else if (bdoc_find(doc, "uptime", &it))
		bdoc_set_count(s, METRIC_MONGO_UPTIME, &it);
}

static void take_memory(struct sample *s, const bson_t *doc)
{
	bson_iter_t it;
	uint64_t mib;

	if (!bdoc_find(doc, "mem.resident", &it))
		return;
	if (bdoc_count(&it, &mib) && mib < UINT64_C(1) << 40)
		sample_set_u64(s, METRIC_MONGO_MEM_RESIDENT, mib << 20);
	else
		sample_set_missing(s, METRIC_MONGO_MEM_RESIDENT, REASON_IMPLAUSIBLE);
}

/* Says why a value was not sent; one that was sent, and refused, keeps its own reason. */
static void explain(struct sample *s, enum metric_id id, enum reason why)
{
	if (s->raw[id].type == RAW_NONE && s->raw[id].why == REASON_NOT_SENT)
		sample_set_missing(s, id, why);
}

/* `metrics` is half of the cost of serverStatus and left out of most polls; `mem` lies in it. */
static void explain_metrics(struct sample *s, const bson_t *doc)
{
	static const enum metric_id ids[] = {METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL,
		METRIC_MONGO_SCAN_KEYS_EXAMINED_TOTAL, METRIC_MONGO_SCAN_COLLSCANS_TOTAL,
		METRIC_MONGO_MEM_RESIDENT};

	if (bson_has_field(doc, "metrics"))
		return;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		explain(s, ids[i], REASON_NOT_ASKED);
}

/* A cache of a process without data: explained, not shown. */
static void explain_cache(struct sample *s, enum reason why)
{
	for (unsigned id = METRIC_MONGO_CACHE_USED; id <= METRIC_MONGO_TICKETS_WRITE_QUEUED; id++)
		explain(s, (enum metric_id)id, why);
}

/* "mongod" of "/usr/bin/mongod" and "C:\\mongod.exe". */
static void take_product(struct sample *s, const bson_t *doc)
{
	size_t len, start = 0;
	const char *p = bdoc_find_text(doc, "process", &len);

	if (bson_has_field(doc, "ferretdb")) {
		snprintf(s->product, sizeof(s->product), "ferretdb");
		return;
	}
	if (!p)
		return;
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '/' || p[i] == '\\')
			start = i + 1;
	}
	p += start;
	len -= start;
	if (len > 4 && memcmp(p + len - 4, ".exe", 4) == 0)
		len -= 4;
	text_sanitize(s->product, sizeof(s->product), p, len);
}

static void take_identity(struct sample *s, const bson_t *doc)
{
	size_t len;
	const char *p;

	take_product(s, doc);
	p = bdoc_find_text(doc, "version", &len);
	if (p)
		text_sanitize(s->version, sizeof(s->version), p, len);
	p = bdoc_find_text(doc, "storageEngine.name", &len);
	if (p)
		sample_set_text(s, METRIC_MONGO_STORAGE_ENGINE, p, len);
	mongo_take_run(s, doc);
}

static void explain_in_memory(struct sample *s)
{
	static const enum metric_id ids[] = {METRIC_MONGO_HS_SIZE, METRIC_MONGO_HS_REUSABLE,
		METRIC_MONGO_CKPT_LAST, METRIC_MONGO_CKPT_RUNNING};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		explain(s, ids[i], REASON_IN_MEMORY);
}

static void take_document(struct sample *out, const bson_t *doc)
{
	bool arbiter;

	take_identity(out, doc);
	if (strcmp(out->product, "mongos") == 0)
		mongo_set_role(out, "mongos");
	else if (bson_has_field(doc, "repl"))
		mongo_take_role(out, doc, "repl");
	arbiter = strcmp(out->role, "ARBITER") == 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (!arbiter || strncmp(sections[i].path, "wiredTiger", 10) != 0)
			take_section(out, doc, sections[i].path, sections[i].fields);
	}
	take_ops_total(out);
	take_uptime(out, doc);
	take_memory(out, doc);
	mongo_take_latencies(out, doc);
	if (arbiter) {
		explain_cache(out, REASON_ARBITER);
	} else {
		mongo_take_tickets(out, doc);
		mongo_take_eviction_state(out, doc);
	}
	if (strcmp(out->role, "mongos") == 0)
		explain_cache(out, REASON_ROUTER);
	explain_metrics(out, doc);
	if (mongo_is_in_memory(out))
		explain_in_memory(out);
	mongo_judge_status(out, doc);
}

bool parse_mongo_status(const bson_t *doc, struct sample *out, struct err *err)
{
	bson_t *renamed;

	if (!mongo_reply_ok(doc, err))
		return false;
	renamed = mongo_in_memory_as_wiredtiger(doc);
	take_document(out, renamed ? renamed : doc);
	if (renamed)
		bson_destroy(renamed);
	return true;
}
