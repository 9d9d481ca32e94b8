/*
 * $currentOp: a row for each operation that runs, and for each idle session that holds a
 * transaction open. A command is kept as its shape, names of fields without any value: what people
 * search for is nobody's business and would end up in recordings.
 */
#include "hotset/parse.h"

#include "bdoc.h"
#include "ejson_text.h"
#include "hotset/strbuf.h"

#define SHAPE_MAX   240u /* bytes */
#define SHAPE_DEPTH 8
#define OWN_APP     "hotset"

/* ---- shapes ---- */

static void shape_value(struct strbuf *out, const bson_iter_t *it, int depth);

/* What every driver adds to every command says nothing about the operation. */
static bool is_envelope(const char *key)
{
	static const char *const keys[] = {"lsid", "txnNumber", "autocommit", "startTransaction",
		"cursor", "apiVersion", "apiStrict", "mayBypassWriteBlocking"};

	if (key[0] == '$')
		return strcmp(key, "$truncated") != 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static void shape_document(struct strbuf *out, bson_iter_t *it, int depth)
{
	bool first = true;

	strbuf_putc(out, '{');
	while (!out->full && bson_iter_next(it)) {
		if (depth == 0 && is_envelope(bson_iter_key(it)))
			continue;
		strbuf_printf(out, "%s%s: ", first ? "" : ", ", bson_iter_key(it));
		shape_value(out, it, depth + 1);
		first = false;
	}
	strbuf_putc(out, '}');
}

/* Neighbours of the same shape appear once: {$in: [1, 2, 3]} is {$in: [?]}. */
static void shape_array(struct strbuf *out, bson_iter_t *it, int depth)
{
	size_t last = 0, last_len = 0;

	strbuf_putc(out, '[');
	while (!out->full && bson_iter_next(it)) {
		size_t start = out->len, from, len;

		if (last_len)
			strbuf_puts(out, ", ");
		from = out->len;
		shape_value(out, it, depth + 1);
		len = out->len - from;
		if (len == last_len && memcmp(out->data + last, out->data + from, len) == 0) {
			out->len = start;
			out->data[start] = '\0';
		} else {
			last = from;
			last_len = len;
		}
	}
	strbuf_putc(out, ']');
}

static void shape_value(struct strbuf *out, const bson_iter_t *it, int depth)
{
	bson_iter_t sub;
	bool document = BSON_ITER_HOLDS_DOCUMENT(it);

	if ((!document && !BSON_ITER_HOLDS_ARRAY(it)) || depth >= SHAPE_DEPTH ||
		!bson_iter_recurse(it, &sub))
		strbuf_putc(out, '?');
	else if (document)
		shape_document(out, &sub, depth);
	else
		shape_array(out, &sub, depth);
}

/*
 * Stops at SHAPE_MAX. A key is appended whole or not at all, and once the buffer is full nothing
 * follows, so what was cut ends in "..." and never in the middle of a character.
 */
static void set_shape(struct sample *s, struct raw *cell, const bson_iter_t *command)
{
	struct strbuf text;
	char copy[SHAPE_MAX + 4];

	strbuf_init(&text, SHAPE_MAX);
	shape_value(&text, command, 0);
	snprintf(copy, sizeof(copy), "%s%s", text.data, text.full ? "..." : "");
	raw_set_text(s, cell, copy, strlen(copy));
	strbuf_finish(&text);
}

/* ---- which documents are rows ---- */

static bool is_own(const bson_t *doc)
{
	size_t len;
	const char *app = bdoc_find_text(doc, "appName", &len);

	return app && len >= strlen(OWN_APP) && memcmp(app, OWN_APP, strlen(OWN_APP)) == 0;
}

/* Drivers keep a hello waiting on each connection: as many as clients, and all doing nothing. */
static bool is_waiting_hello(const bson_t *doc)
{
	return bson_has_field(doc, "command.maxAwaitTimeMS") &&
	       (bson_has_field(doc, "command.hello") || bson_has_field(doc, "command.ismaster") ||
		       bson_has_field(doc, "command.isMaster"));
}

static bool is_row(const bson_t *doc)
{
	size_t len;
	const char *op;

	if (is_own(doc))
		return false;
	if (bson_has_field(doc, "transaction"))
		return true;
	if (!bdoc_find_true(doc, "active") || is_waiting_hello(doc))
		return false;
	/* the server's own threads between two pieces of work */
	op = bdoc_find_text(doc, "op", &len);
	return bson_has_field(doc, "planSummary") || !op || len != 4 || memcmp(op, "none", 4) != 0;
}

/* ---- cells ---- */

static void set_text_at(struct sample *s, struct raw *cell, const bson_t *doc, const char *path)
{
	size_t len;
	const char *text = bdoc_find_text(doc, path, &len);

	if (text)
		raw_set_text(s, cell, text, len);
}

static void set_seconds_at(struct raw *cell, const bson_t *doc, const char *path, double per_sec)
{
	bson_iter_t it;
	uint64_t n;

	if (bdoc_find(doc, path, &it) && bdoc_count(&it, &n))
		raw_set_f64(cell, (double)n / per_sec);
}

/*
 * opid is a number (below zero after 2^31 operations), on mongos "shard:number"; an idle session
 * has none, so its id stands in.
 */
static void set_key(struct sample *s, struct raw *cell, const bson_t *doc)
{
	char text[24];
	bson_iter_t it;
	int64_t n;
	bson_subtype_t subtype;
	uint32_t len;
	const uint8_t *id;

	if (bdoc_find(doc, "opid", &it)) {
		if (!bdoc_i64(&it, &n)) {
			set_text_at(s, cell, doc, "opid");
		} else if (n >= 0) {
			raw_set_u64(cell, (uint64_t)n);
		} else {
			snprintf(text, sizeof(text), "%lld", (long long)n);
			raw_set_text(s, cell, text, strlen(text));
		}
		return;
	}
	if (!bdoc_find(doc, "lsid.id", &it) || !BSON_ITER_HOLDS_BINARY(&it))
		return;
	bson_iter_binary(&it, &subtype, &len, &id);
	if (len < 4)
		return;
	snprintf(text, sizeof(text), "lsid:%02x%02x%02x%02x", id[0], id[1], id[2], id[3]);
	raw_set_text(s, cell, text, strlen(text));
}

/* The second that a transaction, or a read outside of one, sees the data of. */
static void set_read_ts(struct raw *cell, const bson_t *doc)
{
	bson_iter_t it;
	uint32_t secs, inc;

	if (!bdoc_find(doc, "transaction.readTimestamp", &it) &&
		!bdoc_find(doc, "command.readConcern.atClusterTime", &it))
		return;
	if (!BSON_ITER_HOLDS_TIMESTAMP(&it))
		return;
	bson_iter_timestamp(&it, &secs, &inc);
	if (secs)
		raw_set_u64(cell, secs);
	else
		cell->why = REASON_NOT_SET;
}

/* An inactive one waits for its client; the server's reaper leaves a prepared one alone. */
static const char *transaction_state(const bson_t *doc)
{
	if (bson_has_field(doc, "transaction.timePreparedMicros"))
		return "prepared";
	return bdoc_find_true(doc, "active") ? "active" : "idle";
}

static bool date_at(const bson_t *doc, const char *path, int64_t *ms)
{
	bson_iter_t it;
	size_t len;
	const char *text;

	if (bdoc_find(doc, path, &it) && BSON_ITER_HOLDS_DATE_TIME(&it)) {
		*ms = bson_iter_date_time(&it);
		return true;
	}
	text = bdoc_find_text(doc, path, &len);
	return text && ejson_parse_date(text, len, ms);
}

/*
 * How long until it expires: its lifetime is the difference of two times of the server's clock, so
 * that the clock here does not matter. What changes the limit does so for later transactions only.
 */
static void set_txn_left(struct raw *cell, const bson_t *doc)
{
	int64_t begin_ms, end_ms;
	bson_iter_t it;
	uint64_t open_us;

	if (date_at(doc, "transaction.startWallClockTime", &begin_ms) &&
		date_at(doc, "transaction.expiryTime", &end_ms) && end_ms > begin_ms &&
		bdoc_find(doc, "transaction.timeOpenMicros", &it) && bdoc_count(&it, &open_us))
		raw_set_f64(cell, (double)(end_ms - begin_ms) / 1e3 - (double)open_us / 1e6);
}

static void set_transaction(struct sample *s, struct raw *row, const bson_t *doc)
{
	const char *state = transaction_state(doc);

	if (!bson_has_field(doc, "transaction"))
		return;
	raw_set_text(s, &row[COL_MONGO_OP_TXN], state, strlen(state));
	set_seconds_at(&row[COL_MONGO_OP_TXN_OPEN], doc, "transaction.timeOpenMicros", 1e6);
	if (strcmp(state, "prepared") != 0)
		set_txn_left(&row[COL_MONGO_OP_TXN_LEFT], doc);
}

void parse_mongo_current_op(const bson_t *doc, struct sample *out)
{
	struct raw *row;
	bson_iter_t it;
	uint64_t n;

	if (!is_row(doc))
		return;
	row = sample_add_row(out, TABLE_MONGO_OP);
	if (!row)
		return;
	set_key(out, &row[COL_MONGO_OP_OPID], doc);
	set_seconds_at(&row[COL_MONGO_OP_SECS], doc, "secs_running", 1);
	set_seconds_at(&row[COL_MONGO_OP_SECS], doc, "microsecs_running", 1e6);
	set_text_at(out, &row[COL_MONGO_OP_PLAN], doc, "planSummary");
	set_text_at(out, &row[COL_MONGO_OP_NS], doc, "ns");
	set_text_at(out, &row[COL_MONGO_OP_OP], doc, "op");
	if (bdoc_find(doc, "docsExamined", &it) && bdoc_count(&it, &n))
		raw_set_u64(&row[COL_MONGO_OP_DOCS], n);
	set_text_at(out, &row[COL_MONGO_OP_APP], doc, "appName");
	set_text_at(out, &row[COL_MONGO_OP_CLIENT], doc, "client_s"); /* mongos */
	set_text_at(out, &row[COL_MONGO_OP_CLIENT], doc, "client");
	set_transaction(out, row, doc);
	set_read_ts(&row[COL_MONGO_OP_READ_TS], doc);
	/* a getMore says nothing itself; older servers call the command `query` */
	if (bdoc_find(doc, "cursor.originatingCommand", &it) ||
		bdoc_find(doc, "originatingCommand", &it) || bdoc_find(doc, "command", &it) ||
		bdoc_find(doc, "query", &it))
		set_shape(out, &row[COL_MONGO_OP_SHAPE], &it);
}
