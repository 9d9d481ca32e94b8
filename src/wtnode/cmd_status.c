/*
 * serverStatus in the shape of mongod 5.0, with the sections that are true of this node. A section
 * is left out with {serverStatus: 1, NAME: 0}.
 */
#include "commands.h"

#include "clockx.h"
#include "wtstat.h"

#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t counter(const struct command *cmd, enum ops_counter which)
{
	return atomic_load(&cmd->conn->node->ops.counters[which]);
}

static bool section_connections(struct command *cmd, bson_t *doc)
{
	struct ops *ops = &cmd->conn->node->ops;
	int32_t current = atomic_load(&ops->connected);

	BSON_APPEND_INT32(doc, "current", current);
	BSON_APPEND_INT32(doc, "available", OPS_SLOTS - current);
	BSON_APPEND_INT32(doc, "totalCreated", atomic_load(&ops->next_connection));
	return true;
}

static bool section_extra_info(struct command *cmd, bson_t *doc)
{
	struct rusage ru;

	(void)cmd;
	if (getrusage(RUSAGE_SELF, &ru) != 0) {
		return true;
	}
	BSON_APPEND_INT64(
		doc, "user_time_us", (int64_t)ru.ru_utime.tv_sec * 1000000 + ru.ru_utime.tv_usec);
	BSON_APPEND_INT64(
		doc, "system_time_us", (int64_t)ru.ru_stime.tv_sec * 1000000 + ru.ru_stime.tv_usec);
	BSON_APPEND_INT64(doc, "maximum_resident_set_kb", ru.ru_maxrss);
	BSON_APPEND_INT64(doc, "input_blocks", ru.ru_inblock);
	BSON_APPEND_INT64(doc, "output_blocks", ru.ru_oublock);
	BSON_APPEND_INT64(doc, "page_reclaims", ru.ru_minflt);
	BSON_APPEND_INT64(doc, "page_faults", ru.ru_majflt);
	return true;
}

static bool section_network(struct command *cmd, bson_t *doc)
{
	BSON_APPEND_INT64(doc, "bytesIn", counter(cmd, OPS_BYTES_IN));
	BSON_APPEND_INT64(doc, "bytesOut", counter(cmd, OPS_BYTES_OUT));
	BSON_APPEND_INT64(doc, "numRequests", counter(cmd, OPS_REQUESTS));
	return true;
}

static void append_buckets(bson_t *doc, struct ops_histogram *h)
{
	bson_t array, bucket;
	char buf[16];
	const char *key;
	uint32_t n = 0;

	bson_append_array_begin(doc, "histogram", -1, &array);
	for (unsigned i = 0; i < OPS_BUCKETS; i++) {
		int64_t count = atomic_load(&h->buckets[i]);

		if (count > 0) {
			bson_uint32_to_string(n++, &key, buf, sizeof(buf));
			BSON_APPEND_DOCUMENT_BEGIN(&array, key, &bucket);
			BSON_APPEND_INT64(&bucket, "micros", ops_bucket_us(i));
			BSON_APPEND_INT64(&bucket, "count", count);
			bson_append_document_end(&array, &bucket);
		}
	}
	bson_append_array_end(doc, &array);
}

static bool section_op_latencies(struct command *cmd, bson_t *doc)
{
	static const char *const names[OPS_CLASSES] = {
		"reads", "writes", "commands", "transactions"};
	bson_iter_t it;
	bson_t asked, one;
	bool histograms;

	histograms = bson_iter_init_find(&it, &cmd->req->body, "opLatencies") &&
		     bsonx_iter_view(&it, &asked) && bsonx_flag(&asked, "histograms", false);
	for (int i = 0; i < OPS_CLASSES; i++) {
		struct ops_histogram *h = &cmd->conn->node->ops.latency[i];

		BSON_APPEND_DOCUMENT_BEGIN(doc, names[i], &one);
		if (histograms) {
			append_buckets(&one, h);
		}
		BSON_APPEND_INT64(&one, "latency", atomic_load(&h->latency_us));
		BSON_APPEND_INT64(&one, "ops", atomic_load(&h->ops));
		bson_append_document_end(doc, &one);
	}
	return true;
}

static bool section_opcounters(struct command *cmd, bson_t *doc)
{
	BSON_APPEND_INT64(doc, "insert", counter(cmd, OPS_INSERT));
	BSON_APPEND_INT64(doc, "query", counter(cmd, OPS_QUERY));
	BSON_APPEND_INT64(doc, "update", counter(cmd, OPS_UPDATE));
	BSON_APPEND_INT64(doc, "delete", counter(cmd, OPS_DELETE));
	BSON_APPEND_INT64(doc, "getmore", 0);
	BSON_APPEND_INT64(doc, "command", counter(cmd, OPS_COMMANDS));
	return true;
}

static bool section_storage_engine(struct command *cmd, bson_t *doc)
{
	(void)cmd;
	BSON_APPEND_UTF8(doc, "name", "wiredTiger");
	BSON_APPEND_BOOL(doc, "persistent", true);
	BSON_APPEND_BOOL(doc, "readOnly", false);
	return true;
}

static void append_tickets(bson_t *doc, struct ops *ops)
{
	static const struct {
		const char *name;
		enum ops_class class;
	} kinds[] = {{"write", OPS_WRITE}, {"read", OPS_READ}};
	bson_t all, one;

	BSON_APPEND_DOCUMENT_BEGIN(doc, "concurrentTransactions", &all);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		int available = 0;

		sem_getvalue(&ops->tickets[kinds[i].class], &available);
		BSON_APPEND_DOCUMENT_BEGIN(&all, kinds[i].name, &one);
		BSON_APPEND_INT32(&one, "out", OPS_TICKETS - available);
		BSON_APPEND_INT32(&one, "available", available);
		BSON_APPEND_INT32(&one, "totalTickets", OPS_TICKETS);
		bson_append_document_end(&all, &one);
	}
	bson_append_document_end(doc, &all);
}

/* "Nov 30 21:57:02:7": the time of a timestamp and its increment, as mongod prints it. */
static void append_stamp(bson_t *doc, const char *key, uint64_t stamp)
{
	time_t seconds = (time_t)(stamp >> 32);
	struct tm tm;
	char text[32] = "", full[48];

	if (localtime_r(&seconds, &tm) != NULL) {
		strftime(text, sizeof(text), "%b %e %H:%M:%S", &tm);
	}
	snprintf(full, sizeof(full), "%s:%" PRIx64, text, stamp & UINT32_MAX);
	BSON_APPEND_UTF8(doc, key, full);
}

static void append_window(bson_t *doc, struct engine *engine)
{
	uint64_t stable, oldest;
	bson_t window;

	engine_stamps(engine, &stable, &oldest);
	BSON_APPEND_DOCUMENT_BEGIN(doc, "snapshot-window-settings", &window);
	BSON_APPEND_INT64(
		&window, "total number of SnapshotTooOld errors", atomic_load(&engine->too_old));
	BSON_APPEND_INT32(&window, "minimum target snapshot window size in seconds",
		(int32_t)atomic_load(&engine->window_s));
	BSON_APPEND_INT32(&window, "current available snapshot window size in seconds",
		(int32_t)((stable >> 32) - (oldest >> 32)));
	append_stamp(&window, "latest majority snapshot timestamp available", stable);
	append_stamp(&window, "oldest majority snapshot timestamp available", oldest);
	BSON_APPEND_INT32(&window, "pinned timestamp requests", 0);
	BSON_APPEND_TIMESTAMP(&window, "min pinned timestamp", UINT32_MAX, UINT32_MAX);
	bson_append_document_end(doc, &window);
}

static bool section_wired_tiger(struct command *cmd, bson_t *doc)
{
	struct store_context ctx;

	if (!command_store(cmd, &ctx)) {
		return false;
	}
	BSON_APPEND_UTF8(doc, "uri", "statistics:");
	int ret = wtstat_append(ctx.session, "statistics:", doc);
	if (ret != 0) {
		return fail_engine(cmd->fail, ret, "reading the statistics");
	}
	append_tickets(doc, &cmd->conn->node->ops);
	append_window(doc, &cmd->conn->node->engine);
	return true;
}

/* Megabytes of the process, total and resident, from /proc/self/statm (pages). */
static bool section_mem(struct command *cmd, bson_t *doc)
{
	FILE *f = fopen("/proc/self/statm", "re");
	char line[128] = "", *end = line;

	(void)cmd;
	if (f != NULL) {
		if (fgets(line, sizeof(line), f) == NULL) {
			line[0] = '\0';
		}
		fclose(f);
	}
	int64_t page = sysconf(_SC_PAGESIZE);
	int64_t total = strtoll(line, &end, 10), resident = strtoll(end, NULL, 10);
	BSON_APPEND_INT32(doc, "bits", 64);
	BSON_APPEND_INT32(doc, "resident", (int32_t)(resident * page >> 20));
	BSON_APPEND_INT32(doc, "virtual", (int32_t)(total * page >> 20));
	BSON_APPEND_BOOL(doc, "supported", true);
	return true;
}

static bool section_metrics(struct command *cmd, bson_t *doc)
{
	int64_t scans = counter(cmd, OPS_COLLSCANS);
	bson_t executor, collscans, operation;

	BSON_APPEND_DOCUMENT_BEGIN(doc, "operation", &operation);
	BSON_APPEND_INT64(&operation, "writeConflicts", counter(cmd, OPS_WRITE_CONFLICTS));
	bson_append_document_end(doc, &operation);
	BSON_APPEND_DOCUMENT_BEGIN(doc, "queryExecutor", &executor);
	BSON_APPEND_INT64(&executor, "scanned", counter(cmd, OPS_SCANNED_KEYS));
	BSON_APPEND_INT64(&executor, "scannedObjects", counter(cmd, OPS_SCANNED_DOCS));
	BSON_APPEND_DOCUMENT_BEGIN(&executor, "collectionScans", &collscans);
	BSON_APPEND_INT64(&collscans, "nonTailable", scans);
	BSON_APPEND_INT64(&collscans, "total", scans);
	bson_append_document_end(&executor, &collscans);
	bson_append_document_end(doc, &executor);
	return true;
}

static bool section_transactions(struct command *cmd, bson_t *doc)
{
	struct txn_counts counts;

	txns_count(&cmd->conn->node->txns, &counts);
	BSON_APPEND_INT64(doc, "currentActive", counts.active);
	BSON_APPEND_INT64(doc, "currentInactive", counts.open - counts.active);
	BSON_APPEND_INT64(doc, "currentOpen", counts.open);
	BSON_APPEND_INT64(doc, "totalAborted", counts.aborted);
	BSON_APPEND_INT64(doc, "totalCommitted", counts.committed);
	BSON_APPEND_INT64(doc, "totalStarted", counts.started);
	return true;
}

static const struct {
	const char *name;
	bool (*append)(struct command *cmd, bson_t *doc);
} sections[] = {
	{"connections", section_connections},
	{"extra_info", section_extra_info},
	{"network", section_network},
	{"opLatencies", section_op_latencies},
	{"opcounters", section_opcounters},
	{"storageEngine", section_storage_engine},
	{"transactions", section_transactions},
	{"wiredTiger", section_wired_tiger},
	{"mem", section_mem},
	{"metrics", section_metrics},
};

/* mem is a part of the metrics tree in mongod: leaving metrics out leaves it out too. */
static bool wanted(const bson_t *body, const char *name)
{
	return bsonx_flag(body, name, true) &&
	       (strcmp(name, "mem") != 0 || bsonx_flag(body, "metrics", true));
}

bool cmd_server_status(struct command *cmd)
{
	const struct node *node = cmd->conn->node;
	int64_t uptime_ms = (ops_now_ns() - node->start_ns) / 1000000;
	bson_t doc;

	BSON_APPEND_UTF8(cmd->out, "host", node->host);
	BSON_APPEND_UTF8(cmd->out, "version", node->version);
	BSON_APPEND_UTF8(cmd->out, "process", "wtnode");
	BSON_APPEND_INT64(cmd->out, "pid", getpid());
	BSON_APPEND_DOUBLE(cmd->out, "uptime", (double)(uptime_ms / 1000));
	BSON_APPEND_INT64(cmd->out, "uptimeMillis", uptime_ms);
	BSON_APPEND_INT64(cmd->out, "uptimeEstimate", uptime_ms / 1000);
	BSON_APPEND_DATE_TIME(cmd->out, "localTime", clockx_wall_ms());
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (!wanted(&cmd->req->body, sections[i].name)) {
			continue;
		}
		bson_append_document_begin(cmd->out, sections[i].name, -1, &doc);
		bool ok = sections[i].append(cmd, &doc);
		bson_append_document_end(cmd->out, &doc);
		if (!ok) {
			return false;
		}
	}
	return true;
}
