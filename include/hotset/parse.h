/*
 * Bytes in, sample out. Parsers are pure: they do not block, read files or know a clock. All of
 * them return false and fill err when the input as a whole is not what it should be; a bad field
 * spoils only itself (its metric is missing, with a reason). They set product, version, role,
 * epoch (where it follows from the input), scalars and tables; sources set times and, before they
 * call the parser, the status, which a parser changes only downwards (UNSUPPORTED, LOADING,
 * PARTIAL, each with sample.err). On failure status_from_err(err->code) is the status to show.
 */
#ifndef HOTSET_PARSE_H
#define HOTSET_PARSE_H

#include "hotset/sample.h"

/*
 * A server that names no run of its own (memcached, MongoDB before 4.4, a host) is the same as
 * before while pid is and the start by its own clock moved by at most 5 s: that start wanders by a
 * second within one run. Keeps the epoch of `last` in this case, then makes `s` the last one. Call
 * it after the parser for every sample of one endpoint, with a zeroed `last` first; a sample
 * without start_s keeps its epoch.
 */
struct server_run {
	uint64_t pid;
	int64_t  start_s;
	uint64_t epoch;
};
void parse_settle_epoch(struct server_run *last, struct sample *s);

/*
 * ---- redis: the payload of INFO (any sections) ----
 * Also takes a raw capture: "$N" in the first line must be the payload's length, and an error line
 * ("-NOAUTH ...") gives false with its status' code. In a file (the sample has no rtt_ns; a source
 * knows by its length that a reply is complete) a last line without newline, where the others end
 * in CR LF, was cut off: it is not believed and the status becomes PARTIAL. A sentinel:
 * UNSUPPORTED, redis.mode "sentinel", redis.state the worst of its masters, which are the rows of
 * redis.master.
 */
MUST_CHECK bool parse_redis_info(const char *buf, size_t len, struct sample *out, struct err *err);
/* A RESP error line without '-' ("NOAUTH Authentication required.") as a status. */
enum status parse_redis_error(const char *line, size_t len, struct err *err);

/*
 * ---- memcached: one or several replies to `stats`, `stats settings`, `items`, `slabs` and
 * `extstore`, one after another ("STAT name value\r\n" ... "END\r\n") ----
 * A last line without newline (other than END) was cut off: false, or, where lines do not end in
 * CR LF (pasted by hand), it is ignored. Without a final END the status becomes PARTIAL. A proxy:
 * UNSUPPORTED, memcached.kind "proxy". Sets pid and start_s: see parse_settle_epoch().
 */
MUST_CHECK bool parse_memcached_stats(
	const char *buf, size_t len, struct sample *out, struct err *err);
/* The first line of a reply that is not a STAT line, as a status. */
enum status parse_memcached_error(const char *line, size_t len, struct err *err);

/* ---- host ---- */
MUST_CHECK bool parse_meminfo(const char *buf, size_t len, struct sample *out, struct err *err);
MUST_CHECK bool parse_vmstat(const char *buf, size_t len, struct sample *out, struct err *err);
/* /proc/stat */
MUST_CHECK bool parse_stat(const char *buf, size_t len, struct sample *out, struct err *err);
MUST_CHECK bool parse_diskstats(const char *buf, size_t len, struct sample *out, struct err *err);
enum psi_what { PSI_MEMORY, PSI_IO };
MUST_CHECK bool parse_psi(
	const char *buf, size_t len, enum psi_what what, struct sample *out, struct err *err);
/*
 * The memory files of one cgroup as texts, NULL for one that is absent. version 1 or 2. For v1
 * `max` is memory.limit_in_bytes, `current` usage_in_bytes, swap_* the memsw files. host_total in
 * bytes (0 unknown) makes limits above it "no limit".
 */
struct cgroup_texts {
	int         version;
	const char *current, *max, *stat, *swap_current, *swap_max, *io_stat;
	uint64_t    host_total;
};
void parse_cgroup(const struct cgroup_texts *t, struct sample *out);
/* Bytes read, the sum over the devices of io.stat (version 2) or blkio's io_service_bytes (1). */
struct raw parse_cgroup_reads(const char *text, int version);

/*
 * ---- a metrics scrape (Prometheus text 0.0.4, OpenMetrics 1.0) of a node_exporter, into host.*
 * What is no metrics text, or none of a node_exporter, is false with ERR_UNSUPPORTED.
 */
MUST_CHECK bool parse_node_metrics(
	const char *buf, size_t len, struct sample *out, struct err *err);

/* ---- mongo ---- */
struct _bson_t; /* bson_t of libbson, whose name it is: NOLINT(cert-dcl51-cpp,cert-dcl37-c) */
/*
 * serverStatus. Decides by presence of fields, never by version. Parse hello first where there is
 * one: it knows arbiters and, from 4.4, the run; else settle the epoch as above.
 */
MUST_CHECK bool parse_mongo_status(const struct _bson_t *doc, struct sample *out, struct err *err);
/*
 * After serverStatus: where it had no cache, services that emulate MongoDB are named by the host
 * that was asked.
 */
void parse_mongo_service(const char *host, struct sample *out);
/* hello/isMaster: role (mongo.repl.state), set name, epoch by topologyVersion.processId. */
MUST_CHECK bool parse_mongo_hello(const struct _bson_t *doc, struct sample *out, struct err *err);
/*
 * replSetGetStatus: how far the member is behind the primary, and the majority behind it. `status`
 * NULL: both are missing for the reason given.
 */
void parse_mongo_lags(const struct _bson_t *status, enum reason without, struct sample *out);
/*
 * Rows of mongo.member, from hello and the reply to replSetGetStatus (NULL: not readable, then
 * hidden members and lags are not known).
 */
void parse_mongo_members(
	const struct _bson_t *hello, const struct _bson_t *status, struct sample *out);
/*
 * The state of the member that sent this replSetGetStatus, also as an error: role, and, while it
 * recovers or starts up, LOADING with its reason. For members that by hello are neither primary
 * nor secondary: it does not tell these states apart.
 */
void parse_mongo_member_state(const struct _bson_t *status, struct sample *out);
/* listShards as rows of mongo.shard. */
void parse_mongo_shards(const struct _bson_t *reply, struct sample *out);
/* `stats settings` as rows of memcached.setting: those that decide what the cache does. */
void parse_memcached_settings(const char *text, size_t len, struct sample *out);
/* CLUSTER NODES as rows of redis.node; lines of another form add none. */
void parse_redis_nodes(const char *text, size_t len, struct sample *out);
/* One document of $currentOp as a row of mongo.op; documents of no interest add no row. */
void parse_mongo_current_op(const struct _bson_t *doc, struct sample *out);
/*
 * The whole reply to $currentOp (also through $facet, whose fields begin with "hotset") or to
 * currentOp: at most MONGO_OPS_MAX rows, the longest of collection scans, of open transactions and
 * of the others in turn. False if the reply has no such list. No ownership is kept.
 */
#define MONGO_OPS_MAX 100
bool parse_mongo_op_list(const struct _bson_t *reply, struct sample *out);
/* The same without counters: of a collection whose levels of an earlier time are repeated. */
void parse_mongo_coll_levels(const struct _bson_t *doc, const char *ns, struct sample *out);
/* systemMetrics of getDiagnosticData or of diagnostic.data, into mongo.host.*. */
void parse_mongo_system(const struct _bson_t *doc, struct sample *out);
/*
 * The whole reply to getDiagnosticData; false where it has none (mongos, not on Linux). *taken_ms
 * is when the server took the figures of the reply before, 0 at first; a reply of that very time
 * is the same one again (its sampling is off or hangs) and gives no values.
 */
MUST_CHECK bool parse_mongo_diagnostic(
	const struct _bson_t *doc, int64_t *taken_ms, struct sample *out, struct err *err);
/* A failed command's reply or code as a status; text is the server's message. */
enum status parse_mongo_error(int code, const char *text, struct err *err);

/* true if a code says that the server does not know an option: ask again in the plain form. */
bool parse_mongo_rejects_option(int code);
/* Whether an entry of listCollections (name and type, "" before 3.4) has statistics of its own. */
bool parse_mongo_has_stats(const char *name, const char *type);

/*
 * A reply of collStats, or the storageStats of $collStats, as rows of mongo.coll: the collection's
 * records (index "") and each index. ns is the collection's name. Without statistics of the engine
 * (a view, no such collection) there is no row.
 */
void parse_mongo_coll_stats(const struct _bson_t *doc, const char *ns, struct sample *out);

/*
 * What the log of a server says of the engine's configuration, line by line, oldest first. Starts
 * zeroed; the strings are allocated, mongo_log_finish() frees them. `whole`: the log reaches back
 * to the opening of the engine, so that `runtime` is all that was set since.
 */
#define MONGO_LOG_CONFIGS 32
struct mongo_log {
	char    *opened; /* the string that the engine was opened with, NULL unknown */
	unsigned n;
	char    *runtime[MONGO_LOG_CONFIGS]; /* set at run time, in their order */
	bool     whole;
};
/* One line of the log, JSON (4.4 and later) or plain; lines of other matters change nothing. */
void parse_mongo_log_line(const char *line, struct mongo_log *log);
/* A string set at run time that is newer than all of them. */
void mongo_log_add(struct mongo_log *log, const char *config);
void mongo_log_finish(struct mongo_log *log);

/* Effective eviction thresholds, composed: later wins, each with a source. */
struct mongo_thresholds_in {
	const char *startup_config;  /* ...wiredTiger.engineConfig.configString, NULL unknown */
	const char *runtime_config;  /* wiredTigerEngineRuntimeConfig, NULL unknown, "" never set */
	double      dirty_target_gb, dirty_max_gb; /* start-up parameters of 8.0, 0 off */
	bool        readable;        /* false: none could be read (sources say "assumed") */
	const char *why_unreadable;  /* "no privilege", ... where one is NULL; NULL unknown */
	const struct mongo_log *log; /* NULL: not read */
};
/* Needs MONGO_CACHE_MAX in the sample; sets the six thresholds, their sources, and why any
 * is assumed. */
void parse_mongo_thresholds(const struct mongo_thresholds_in *in, struct sample *out);

/*
 * Extended JSON (canonical and relaxed) and the mongo shell's notation (NumberLong(1), ISODate(""),
 * Timestamp(1, 2), ObjectId(""), unquoted keys, single quotes, trailing commas, comments) to BSON.
 * A wrapper such as {"$numberLong": "5"} is one only if it has exactly that shape: operatorCounters
 * holds real keys named "$regex". The result is allocated; free it with bson_destroy(). NULL and
 * err on bad input (with line and column). A top-level array becomes a document "0", "1", ... and
 * sets *is_array.
 */
struct _bson_t *parse_ejson(const char *buf, size_t len, bool *is_array, struct err *err);

#endif
