/*
 * INFO is lines of key:value under "# Section" headers. Sections, keys and their order differ
 * between versions and relatives, so nothing depends on them: a line is looked up by its key, and
 * one that nobody knows costs a few look-ups. Keys that need more than a table have a function of
 * their own (take_); what follows from several lines is settled in finish().
 */
#include "hotset/fields.h"
#include "hotset/num.h"
#include "hotset/parse.h"
#include "hotset/text.h"

#include <inttypes.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define TTL_PLAUSIBLE_MS (UINT64_C(1000) * 365 * 86400 * 1000) /* 1000 years */

static const struct field fields[] = {
	{"used_memory", METRIC_REDIS_MEM_USED, FIELD_COUNT},
	{"maxmemory", METRIC_REDIS_MEM_MAX, FIELD_COUNT},
	{"used_memory_rss", METRIC_REDIS_MEM_RSS, FIELD_COUNT},
	{"used_memory_peak", METRIC_REDIS_MEM_PEAK, FIELD_COUNT},
	{"mem_not_counted_for_evict", METRIC_REDIS_MEM_NOT_COUNTED, FIELD_COUNT},
	{"total_system_memory", METRIC_REDIS_MEM_SYSTEM, FIELD_COUNT},
	{"allocator_frag_ratio", METRIC_REDIS_MEM_FRAG, FIELD_REAL},
	{"mem_fragmentation_ratio", METRIC_REDIS_MEM_FRAG_RSS, FIELD_REAL},
	{"mem_fragmentation_bytes", METRIC_REDIS_MEM_FRAG_BYTES, FIELD_SIGNED},
	{"used_memory_dataset", METRIC_REDIS_MEM_DATASET, FIELD_SIGNED},
	{"rss_overhead_bytes", METRIC_REDIS_MEM_RSS_OVERHEAD, FIELD_SIGNED},
	{"keyspace_hits", METRIC_REDIS_HITS_TOTAL, FIELD_COUNT},
	{"keyspace_misses", METRIC_REDIS_MISSES_TOTAL, FIELD_COUNT},
	{"evicted_keys", METRIC_REDIS_EVICTED_TOTAL, FIELD_COUNT},
	{"expired_keys", METRIC_REDIS_EXPIRED_TOTAL, FIELD_COUNT},
	{"evicted_clients", METRIC_REDIS_EVICTED_CLIENTS_TOTAL, FIELD_COUNT},
	{"total_eviction_exceeded_time", METRIC_REDIS_EVICT_EXCEEDED_TOTAL, FIELD_COUNT},
	{"total_commands_processed", METRIC_REDIS_OPS_TOTAL, FIELD_COUNT},
	{"instantaneous_ops_per_sec", METRIC_REDIS_OPS_REPORTED, FIELD_REAL},
	{"connected_clients", METRIC_REDIS_CLIENTS, FIELD_COUNT},
	{"blocked_clients", METRIC_REDIS_BLOCKED, FIELD_COUNT},
	{"maxclients", METRIC_REDIS_MAX_CLIENTS, FIELD_COUNT},
	{"max_clients", METRIC_REDIS_MAX_CLIENTS, FIELD_COUNT}, /* Dragonfly */
	{"rejected_connections", METRIC_REDIS_REJECTED_TOTAL, FIELD_COUNT},
	{"total_net_input_bytes", METRIC_REDIS_NET_IN_TOTAL, FIELD_COUNT},
	{"total_net_output_bytes", METRIC_REDIS_NET_OUT_TOTAL, FIELD_COUNT},
	{"instantaneous_input_kbps", METRIC_REDIS_NET_IN_REPORTED, FIELD_REAL},
	{"used_cpu_sys", METRIC_REDIS_CPU_SYS_TOTAL, FIELD_REAL},
	{"used_cpu_user", METRIC_REDIS_CPU_USER_TOTAL, FIELD_REAL},
	{"master_link_down_since_seconds", METRIC_REDIS_REPL_DOWN, FIELD_COUNT},
	{"total_error_replies", METRIC_REDIS_ERRORS_TOTAL, FIELD_COUNT},
	{"uptime_in_seconds", METRIC_REDIS_UPTIME, FIELD_COUNT},
	{"maxmemory_policy", METRIC_REDIS_MEM_POLICY, FIELD_TEXT},
	{"role", METRIC_REDIS_ROLE, FIELD_TEXT},
	{"redis_mode", METRIC_REDIS_MODE, FIELD_TEXT},
	{"server_mode", METRIC_REDIS_MODE, FIELD_TEXT}, /* Valkey */
};

/* A relative names itself by its own version line; redis_version is then the one it imitates. */
static const struct {
	const char *key, *product;
} relatives[] = {
	{"valkey_version", "valkey"},
	{"dragonfly_version", "dragonfly"},
	{"redict_version", "redict"},
	{"garnet_version", "garnet"},
};
/* KeyDB does not: these keys are only its own. */
static const char *const keydb_keys[] = {"mvcc_depth", "storage_provider", "long_lock_waits"};

/* One link to a master while its lines come in. */
struct link {
	struct span number, host, port, status;
};

struct info {
	struct sample *out;
	unsigned       known;    /* lines that mean something to us */
	bool           keyspace; /* the section was there */
	struct raw     keys, expires;
	struct span    redis_version, version, run_id, loading, loaded_perc;
	const char    *product;
	struct link    link;
	struct span    worst; /* state of a link or of a sentinel's master */
	struct raw     offset, slowest; /* replication: ours, and of the slowest replica */
};

static const struct link no_link = {{"", 0}, {"", 0}, {"", 0}, {"", 0}};

static int state_rank(struct span state)
{
	if (span_is(state, "ok") || span_is(state, "up"))
		return 0;
	if (span_is(state, "sdown"))
		return 2;
	if (span_is(state, "odown") || span_is(state, "down"))
		return 3;
	return 1;
}

static void add_master(struct info *in, struct span name, struct span state, struct span address)
{
	if (in->worst.len == 0 || state_rank(state) > state_rank(in->worst))
		in->worst = state;
	struct raw *row = sample_add_row(in->out, TABLE_REDIS_MASTER);
	if (!row)
		return;
	raw_set_text(in->out, &row[COL_REDIS_MASTER_NAME], name.s, name.len);
	raw_set_text(in->out, &row[COL_REDIS_MASTER_STATE], state.s, state.len);
	raw_set_text(in->out, &row[COL_REDIS_MASTER_ADDRESS], address.s, address.len);
}

static void finish_link(struct info *in)
{
	struct link l = in->link;
	in->link = no_link;
	if (l.status.len == 0)
		return;
	char name[16], address[SAMPLE_TEXT_MAX];
	bool v6 = l.host.len && memchr(l.host.s, ':', l.host.len);
	int host = l.host.len < 256 ? (int)l.host.len : 256;
	int port = l.port.len < 8 ? (int)l.port.len : 8;
	(void)snprintf(name, sizeof(name), "%u", in->out->tables[TABLE_REDIS_MASTER].n);
	(void)snprintf(address, sizeof(address), v6 ? "[%.*s]:%.*s" : "%.*s:%.*s", host, l.host.s,
		port, l.port.s);
	add_master(in, span_of(name), l.status, span_of(address));
}

/* A part that is there already, or another number: the next master's lines begin. */
static void set_link_part(struct info *in, struct span *part, struct span number, struct span value)
{
	bool other = in->link.number.len != number.len ||
		(number.len && memcmp(in->link.number.s, number.s, number.len) != 0);
	if (part->len || other)
		finish_link(in);
	in->link.number = number;
	*part = value;
}

/*
 * Replicas say master_host, master_port, master_link_status. With several masters KeyDB repeats
 * these under "Master 0:" headers or, in later versions, numbers them: master_1_host.
 */
static bool take_link(struct info *in, struct span key, struct span value)
{
	if (span_numbered(key, "Master ", NULL)) {
		finish_link(in);
		return true;
	}
	if (!span_starts(key, "master_"))
		return false;
	struct span rest = span_skip(key, strlen("master_")), number = {"", 0}, head, tail;
	if (span_split(rest, '_', &head, &tail) && span_numbered(head, "", NULL)) {
		number = head;
		rest = tail;
	}
	if (span_is(rest, "host"))
		set_link_part(in, &in->link.host, number, value);
	else if (span_is(rest, "port"))
		set_link_part(in, &in->link.port, number, value);
	else if (span_is(rest, "link_status"))
		set_link_part(in, &in->link.status, number, value);
	else
		return false;
	return true;
}

static void add_up(struct raw *sum, struct raw v)
{
	if (v.type != RAW_U64 || (sum->type == RAW_U64 && sum->u > UINT64_MAX - v.u))
		*sum = field_none(v.type == RAW_NONE ? (enum reason)v.why : REASON_IMPLAUSIBLE);
	else if (sum->type == RAW_U64)
		sum->u += v.u;
}

/* db0:keys=25000,expires=24000,avg_ttl=590000123,subexpiry=3 */
static bool take_db(struct info *in, struct span key, struct span value)
{
	struct span v = {"", 0};
	if (!span_numbered(key, "db", NULL) || !span_pair(value, "keys", &v))
		return false;
	in->keyspace = true;
	struct raw keys = field_read(v, FIELD_COUNT);
	v = (struct span){"", 0};
	(void)span_pair(value, "expires", &v);
	struct raw expires = field_read(v, FIELD_COUNT);
	v = (struct span){"", 0};
	(void)span_pair(value, "avg_ttl", &v);
	struct raw ttl = field_read(v, FIELD_COUNT);
	if (ttl.type == RAW_U64 && ttl.u > TTL_PLAUSIBLE_MS)
		ttl = field_none(REASON_IMPLAUSIBLE);
	add_up(&in->keys, keys);
	add_up(&in->expires, expires);
	struct raw *row = sample_add_row(in->out, TABLE_REDIS_DB);
	if (row) {
		raw_set_text(in->out, &row[COL_REDIS_DB_DB], key.s, key.len);
		row[COL_REDIS_DB_KEYS] = keys;
		row[COL_REDIS_DB_EXPIRES] = expires;
		row[COL_REDIS_DB_AVG_TTL] = ttl;
	}
	return true;
}

/*
 * cmdstat_get:calls=500,usec=1500,... The command may hold a colon itself ("host:"), so the name
 * ends at the colon before "calls=", and the line as a whole is looked at.
 */
static bool take_command(struct info *in, struct span line)
{
	static const char prefix[] = "cmdstat_", first[] = ":calls=";
	if (!span_starts(line, prefix))
		return false;
	struct span rest = span_skip(line, strlen(prefix));
	const char *colon = memmem(rest.s, rest.len, first, strlen(first));
	if (!colon)
		return true;
	size_t n = (size_t)(colon - rest.s);
	struct span values = span_skip(rest, n + 1);
	struct raw *row = sample_add_row(in->out, TABLE_REDIS_CMD);
	if (!row)
		return true;
	raw_set_text(in->out, &row[COL_REDIS_CMD_COMMAND], rest.s, n);
	static const struct {
		const char *name;
		unsigned    col;
	} cells[] = {
		{"calls", COL_REDIS_CMD_CALLS},
		{"calls", COL_REDIS_CMD_CALLS_TOTAL},
		{"usec", COL_REDIS_CMD_USEC},
		{"failed_calls", COL_REDIS_CMD_FAILED},
		{"rejected_calls", COL_REDIS_CMD_REJECTED},
	};
	struct span v;
	for (size_t i = 0; i < ARRAY_LEN(cells); i++)
		if (span_pair(values, cells[i].name, &v))
			row[cells[i].col] = field_read(v, FIELD_COUNT);
	return true;
}

/* Of a sentinel: master0:name=shop,status=ok,address=192.0.2.1:6379,slaves=2,sentinels=3 */
static bool take_sentinel_master(struct info *in, struct span key, struct span value)
{
	struct span name, state, address;
	if (!span_numbered(key, "master", NULL) || !span_pair(value, "name", &name) ||
		!span_pair(value, "status", &state))
		return false;
	if (!span_pair(value, "address", &address))
		address = (struct span){"", 0};
	add_master(in, name, state, address);
	return true;
}

static struct raw *add_replica(struct info *in, struct span value)
{
	char address[SAMPLE_TEXT_MAX];
	struct span ip, port = {"", 0};
	if (!span_pair(value, "ip", &ip))
		return NULL;
	(void)span_pair(value, "port", &port);
	struct raw *row = sample_add_row(in->out, TABLE_REDIS_REPLICA);
	if (!row)
		return NULL;
	(void)snprintf(address, sizeof(address),
		memchr(ip.s, ':', ip.len) ? "[%.*s]:%.*s" : "%.*s:%.*s",
		ip.len < 256 ? (int)ip.len : 256, ip.s, port.len < 8 ? (int)port.len : 8, port.s);
	raw_set_text(in->out, &row[COL_REDIS_REPLICA_ADDRESS], address, strlen(address));
	return row;
}

/*
 * slave0:ip=192.0.2.2,port=6379,state=online,offset=123,lag=0
 * A replica that still gets its first copy is not online and its offset means nothing.
 */
static bool take_replica(struct info *in, struct span key, struct span value)
{
	struct span state, offset, lag;
	if (!span_numbered(key, "slave", NULL))
		return false;
	struct raw *row = add_replica(in, value);
	bool online = span_pair(value, "state", &state) && span_is(state, "online");
	if (row && span_pair(value, "state", &state))
		raw_set_text(in->out, &row[COL_REDIS_REPLICA_STATE], state.s, state.len);
	if (row && online && span_pair(value, "lag", &lag))
		row[COL_REDIS_REPLICA_LAG] = field_read(lag, FIELD_COUNT);
	if (!online || !span_pair(value, "offset", &offset))
		return true;
	struct raw o = field_read(offset, FIELD_COUNT);
	if (row)
		row[COL_REDIS_REPLICA_BEHIND] = o; /* finish_replication() knows ours */
	if (o.type == RAW_U64 && (in->slowest.type == RAW_NONE || o.u < in->slowest.u))
		in->slowest = o;
	return true;
}

static void take_pid(struct sample *out, struct span value)
{
	struct raw pid = field_read(value, FIELD_COUNT);
	if (pid.type == RAW_U64)
		out->pid = pid.u;
}

/* What is needed in finish() only: remembered as it is. */
static bool take_remembered(struct info *in, struct span key, struct span value)
{
	for (size_t i = 0; i < ARRAY_LEN(relatives); i++)
		if (span_is(key, relatives[i].key)) {
			in->product = relatives[i].product;
			in->version = value;
			return true;
		}
	for (size_t i = 0; i < ARRAY_LEN(keydb_keys); i++)
		if (span_is(key, keydb_keys[i])) {
			if (!in->product)
				in->product = "keydb";
			return true;
		}
	if (span_is(key, "redis_version"))
		in->redis_version = value;
	else if (span_is(key, "process_id"))
		take_pid(in->out, value);
	else if (span_is(key, "run_id"))
		in->run_id = value;
	else if (span_is(key, "loading"))
		in->loading = value;
	else if (span_is(key, "loading_loaded_perc"))
		in->loaded_perc = value;
	else if (span_is(key, "master_repl_offset"))
		in->offset = field_read(value, FIELD_COUNT);
	else
		return false;
	return true;
}

static void take_line(struct info *in, struct span line)
{
	struct span key, value;
	if (span_starts(line, "# ")) {
		struct span section = span_trim(span_skip(line, 2));
		if (span_is(section, "Keyspace"))
			in->keyspace = in->out->tables[TABLE_REDIS_DB].asked = true;
		if (span_is(section, "Commandstats"))
			in->out->tables[TABLE_REDIS_CMD].asked = true;
		return;
	}
	if (take_command(in, line)) {
		in->known++;
		return;
	}
	if (!span_split(line, ':', &key, &value))
		return;
	value = span_trim(value);
	const struct field *f = field_find(fields, ARRAY_LEN(fields), key);
	if (f)
		field_store(in->out, f, value);
	if (f || take_remembered(in, key, value) || take_db(in, key, value) ||
		take_link(in, key, value) || take_replica(in, key, value) ||
		take_sentinel_master(in, key, value))
		in->known++;
}

static void finish_identity(struct info *in)
{
	struct sample *out = in->out;
	const char *role = sample_text(out, METRIC_REDIS_ROLE);
	if (!in->product)
		in->product = role && strcmp(role, "active-replica") == 0 ? "keydb" : "redis";
	struct span version = in->version.len ? in->version : in->redis_version;
	(void)snprintf(out->product, sizeof(out->product), "%s", in->product);
	text_sanitize(out->version, sizeof(out->version), version.s, version.len);
	if (role)
		(void)text_sanitize(out->role, sizeof(out->role), role, strlen(role));
	if (in->run_id.len)
		out->epoch = text_hash(TEXT_HASH_INIT, in->run_id.s, in->run_id.len);
}

static void finish_memory(struct sample *out)
{
	struct raw *max = &out->raw[METRIC_REDIS_MEM_MAX];
	struct raw *ratio = &out->raw[METRIC_REDIS_MEM_FRAG_RSS];
	if (max->type == RAW_U64 && max->u == 0)
		*max = field_none(REASON_NO_LIMIT);
	double used = sample_f64(out, METRIC_REDIS_MEM_USED);
	if (ratio->type == RAW_NONE && used > 0 && sample_has(out, METRIC_REDIS_MEM_RSS))
		sample_set_f64(out, METRIC_REDIS_MEM_FRAG_RSS,
			sample_f64(out, METRIC_REDIS_MEM_RSS) / used);
	if (sample_f64(out, METRIC_REDIS_UPTIME) > (double)FIELD_UPTIME_PLAUSIBLE)
		sample_set_missing(out, METRIC_REDIS_UPTIME, REASON_IMPLAUSIBLE);
}

static void finish_replication(struct info *in)
{
	struct sample *out = in->out;
	finish_link(in);
	unsigned links = out->tables[TABLE_REDIS_MASTER].n;
	if (links) {
		sample_set_u64(out, METRIC_REDIS_REPL_LINKS, links);
		sample_set_text(out, METRIC_REDIS_REPL_LINK, in->worst.s, in->worst.len);
	}
	if (in->slowest.type == RAW_U64)
		out->raw[METRIC_REDIS_REPL_LAG] = field_minus(in->offset, in->slowest);
	for (unsigned i = 0; i < out->tables[TABLE_REDIS_REPLICA].n; i++) {
		struct raw *row = out->tables[TABLE_REDIS_REPLICA].cells +
			(size_t)i * COL_REDIS_REPLICA_COUNT;
		if (row[COL_REDIS_REPLICA_BEHIND].type == RAW_U64)
			row[COL_REDIS_REPLICA_BEHIND] =
				field_minus(in->offset, row[COL_REDIS_REPLICA_BEHIND]);
	}
}

/* A sentinel has clients and commands of its own, but no cache: all but a few lines say nothing. */
static void finish_sentinel(struct info *in)
{
	struct sample *out = in->out;
	enum metric_id first, end;
	metric_range(KIND_REDIS, &first, &end);
	for (enum metric_id i = first; i < end; i++)
		if (i != METRIC_REDIS_MODE && i != METRIC_REDIS_UPTIME)
			sample_set_missing(out, i, REASON_SENTINEL);
	sample_set_text(out, METRIC_REDIS_STATE, in->worst.s, in->worst.len);
	(void)snprintf(out->role, sizeof(out->role), "sentinel");
	struct err err;
	err_set(&err, ERR_UNSUPPORTED, "a sentinel holds no data: watch the masters that it lists");
	field_lower_status(out, STATUS_UNSUPPORTED, &err);
}

static void finish_state(struct info *in)
{
	struct sample *out = in->out;
	if (in->loading.len == 0)
		return;
	bool loading = !span_is(in->loading, "0");
	const char *state = loading ? "loading" : "ok";
	sample_set_text(out, METRIC_REDIS_STATE, state, strlen(state));
	if (!loading)
		return;
	struct err err;
	struct raw done = field_read(in->loaded_perc, FIELD_REAL);
	if (done.type == RAW_F64 && done.f <= 100)
		err_set(&err, ERR_LOADING, "the server is loading its data: %.0f %% done", done.f);
	else
		err_set(&err, ERR_LOADING, "the server is loading its data");
	field_lower_status(out, STATUS_LOADING, &err);
}

static void finish(struct info *in)
{
	finish_identity(in);
	finish_memory(in->out);
	if (in->keyspace) {
		in->out->raw[METRIC_REDIS_KEYS] = in->keys;
		in->out->raw[METRIC_REDIS_EXPIRES] = in->expires;
	}
	const char *mode = sample_text(in->out, METRIC_REDIS_MODE);
	if (mode && strcmp(mode, "sentinel") == 0) {
		finish_sentinel(in);
		return;
	}
	finish_replication(in);
	finish_state(in);
}

/* "$1434" before the payload of a raw capture: checks the length and skips it. */
static bool skip_bulk_header(struct span *text, struct err *err)
{
	struct span head, body, digits;
	uint64_t want;
	if (!span_split(*text, '\n', &head, &body) || !span_numbered(span_trim(head), "$", &digits))
		return true;
	if (!num_parse_u64(digits.s, digits.len, &want) || body.len < want)
		return err_set(err, ERR_PROTOCOL, "the reply is cut off: %zu of %.*s bytes of INFO",
			body.len, (int)(digits.len < 20 ? digits.len : 20), digits.s);
	*text = (struct span){body.s, (size_t)want};
	return true;
}

/* An error line, or another protocol's first words. */
static bool is_error(struct span text, struct span *line)
{
	struct span rest = text;
	if (!span_next(&rest, '\n', line))
		return false;
	if (span_starts(*line, "-")) {
		*line = span_skip(*line, 1);
		return true;
	}
	return span_starts(*line, "HTTP/") || span_starts(*line, FIELD_TLS_ALERT);
}

static void lower_to_partial(struct sample *out)
{
	struct err err;
	err_set(&err, ERR_PROTOCOL, "the text is cut off in its last line");
	field_lower_status(out, STATUS_PARTIAL, &err);
}

bool parse_redis_info(const char *buf, size_t len, struct sample *out, struct err *err)
{
	struct span text = {buf, len}, line;
	if (span_trim(text).len == 0)
		return err_set(err, ERR_PROTOCOL, "the INFO reply is empty");
	if (is_error(text, &line)) {
		(void)parse_redis_error(line.s, line.len, err);
		return false;
	}
	if (!skip_bulk_header(&text, err))
		return false;
	struct info in = {
		.out = out,
		.keys = {.type = RAW_U64},
		.expires = {.type = RAW_U64},
		.link = no_link,
		.worst = {"", 0},
	};
	struct lines l;
	lines_init(&l, text.s, text.len);
	bool cut = false;
	while (lines_next(&l, &line)) {
		cut = l.cut && l.crlf && out->rtt_ns < 0;
		if (!cut)
			take_line(&in, line);
	}
	if (in.known == 0)
		return err_set(err, ERR_PROTOCOL, "no INFO reply: no line of it is known");
	finish(&in);
	if (cut)
		lower_to_partial(out);
	return true;
}
