/*
 * Who else there is: the members of a replica set, and what is behind a router. hello names the
 * members without login; replSetGetStatus adds their states, the hidden ones and who is behind.
 */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/fields.h"
#include "hotset/text.h"
#include "mongo_status.h"

#include <ctype.h>

#define MEMBERS_MAX 64  /* more than a set may have */
#define HOST_MAX    272 /* bytes of "host:port" */

/* how replSetGetStatus fails on a member without a set */
enum {
	CODE_UNAUTHORIZED = 13,
	CODE_SHUTTING_DOWN = 91,
	CODE_INVALID_CONFIG = 93,
	CODE_NOT_INITIALIZED = 94
};

/* ---- replSetGetStatus ---- */

static int64_t seconds_at(const bson_t *doc, const char *path)
{
	uint32_t secs, inc;
	bson_iter_t it;

	if (!bdoc_find(doc, path, &it) || !BSON_ITER_HOLDS_TIMESTAMP(&it))
		return -1;
	bson_iter_timestamp(&it, &secs, &inc);
	return secs ? (int64_t)secs : -1;
}

static int64_t difference(int64_t later, int64_t earlier)
{
	if (later < 0 || earlier < 0)
		return -1;
	return later > earlier ? later - earlier : 0;
}

struct walk {
	bson_iter_t it;
	unsigned n;
};

static bool walk_array(const bson_t *doc, const char *path, struct walk *w)
{
	bson_iter_t array;

	w->n = 0;
	return bdoc_find(doc, path, &array) && BSON_ITER_HOLDS_ARRAY(&array) &&
	       bson_iter_recurse(&array, &w->it);
}

static bool next_document(struct walk *w, bson_t *doc)
{
	while (w->n++ < MEMBERS_MAX && bson_iter_next(&w->it))
		if (bdoc_view(&w->it, doc))
			return true;
	return false;
}

static int64_t optime_of_primary(const bson_t *status)
{
	struct walk w;
	bson_t member;
	int64_t state;

	if (!walk_array(status, "members", &w))
		return -1;
	while (next_document(&w, &member))
		if (bdoc_find_i64(&member, "state", &state) && state == 1)
			return seconds_at(&member, "optime.ts");
	return -1;
}

static void set_text(struct sample *s, struct raw *cell, const bson_t *doc, const char *path)
{
	size_t len;
	const char *text = bdoc_find_text(doc, path, &len);

	if (text && len)
		raw_set_text(s, cell, text, len);
}

static void set_count(struct raw *cell, const bson_t *doc, const char *path)
{
	bson_iter_t it;
	uint64_t v;

	if (bdoc_find(doc, path, &it) && bdoc_count(&it, &v))
		raw_set_u64(cell, v);
}

static void add_member(struct sample *s, const bson_t *member, int64_t primary)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_MEMBER);
	int64_t lag = difference(primary, seconds_at(member, "optime.ts"));

	if (!row)
		return;
	set_text(s, &row[COL_MONGO_MEMBER_HOST], member, "name");
	set_text(s, &row[COL_MONGO_MEMBER_STATE], member, "stateStr");
	raw_set_u64(&row[COL_MONGO_MEMBER_SELF], bdoc_find_true(member, "self"));
	set_count(&row[COL_MONGO_MEMBER_HEALTH], member, "health");
	set_count(&row[COL_MONGO_MEMBER_PING], member, "pingMs");
	set_text(s, &row[COL_MONGO_MEMBER_SYNC], member, "syncSourceHost");
	if (row[COL_MONGO_MEMBER_SYNC].type == RAW_NONE) /* before 4.4 */
		set_text(s, &row[COL_MONGO_MEMBER_SYNC], member, "syncingTo");
	if (lag >= 0)
		raw_set_u64(&row[COL_MONGO_MEMBER_LAG], (uint64_t)lag);
}

static void add_from_status(struct sample *s, const bson_t *status)
{
	int64_t primary = optime_of_primary(status);
	struct walk w;
	bson_t member;

	if (!walk_array(status, "members", &w))
		return;
	while (next_document(&w, &member))
		add_member(s, &member, primary);
}

/* ---- hello ---- */

static bool is_text(const bson_t *doc, const char *path, const char *text, size_t len)
{
	size_t n;
	const char *other = bdoc_find_text(doc, path, &n);

	return other && n == len && memcmp(other, text, len) == 0;
}

static bool is_listed(const struct sample *s, const char *host)
{
	for (unsigned i = 0; i < s->tables[TABLE_MONGO_MEMBER].n; i++) {
		const struct raw *cell =
			&sample_row(s, TABLE_MONGO_MEMBER, i)[COL_MONGO_MEMBER_HOST];

		if (cell->type == RAW_TEXT && strcmp(cell->s, host) == 0)
			return true;
	}
	return false;
}

static void add_named(
	struct sample *s, const bson_t *hello, const char *host, size_t len, bool arbiter)
{
	bool self = is_text(hello, "me", host, len);
	const char *state = arbiter                                 ? "ARBITER"
			    : is_text(hello, "primary", host, len) ? "PRIMARY"
			    : self                                 ? s->role
								   : "";
	struct raw *row = sample_add_row(s, TABLE_MONGO_MEMBER);

	if (!row)
		return;
	raw_set_text(s, &row[COL_MONGO_MEMBER_HOST], host, len);
	raw_set_u64(&row[COL_MONGO_MEMBER_SELF], self);
	if (*state)
		raw_set_text(s, &row[COL_MONGO_MEMBER_STATE], state, strlen(state));
}

static void add_from_hello(struct sample *s, const bson_t *hello)
{
	static const char *const lists[] = {"hosts", "passives", "arbiters"};
	struct walk w;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		if (!walk_array(hello, lists[i], &w))
			continue;
		while (w.n++ < MEMBERS_MAX && bson_iter_next(&w.it)) {
			char host[HOST_MAX];
			uint32_t len;
			const char *text;

			if (!BSON_ITER_HOLDS_UTF8(&w.it))
				continue;
			text = bson_iter_utf8(&w.it, &len);
			text_sanitize(host, sizeof(host), text, len);
			if (host[0] && !is_listed(s, host))
				add_named(s, hello, text, len, i == 2);
		}
	}
}

void parse_mongo_members(const bson_t *hello, const bson_t *status, struct sample *out)
{
	out->tables[TABLE_MONGO_MEMBER].asked = true;
	if (status)
		add_from_status(out, status);
	add_from_hello(out, hello);
}

/* ---- lags ---- */

/* How far the member that answers is behind the primary. */
static int64_t lag_of_self(const bson_t *status)
{
	struct walk w;
	bson_t member;

	if (!walk_array(status, "members", &w))
		return -1;
	while (next_document(&w, &member))
		if (bdoc_find_true(&member, "self"))
			return difference(
				optime_of_primary(status), seconds_at(&member, "optime.ts"));
	return -1;
}

static void set_lag(struct sample *out, enum metric_id id, int64_t lag_s, enum reason why)
{
	if (lag_s >= 0)
		sample_set_u64(out, id, (uint64_t)lag_s);
	else
		sample_set_missing(out, id, why);
}

void parse_mongo_lags(const bson_t *status, enum reason without, struct sample *out)
{
	int64_t majority = -1, own = -1;

	if (status) {
		majority = difference(seconds_at(status, "optimes.appliedOpTime.ts"),
			seconds_at(status, "optimes.lastCommittedOpTime.ts"));
		own = lag_of_self(status);
	}
	set_lag(out, METRIC_MONGO_REPL_MAJORITY_LAG, majority, without);
	set_lag(out, METRIC_MONGO_REPL_LAG, own, without);
}

/* ---- the state of one member ---- */

struct member_state {
	int64_t state;
	const char *name;
	enum status to;  /* what the status can be at best */
	const char *why;
};

/* Without those that hello tells, which may be newer. */
static const struct member_state states[] = {
	{0, "STARTUP", STATUS_LOADING,
		"the member is in STARTUP: it has not read its set's configuration yet"},
	{3, "RECOVERING", STATUS_LOADING,
		"the member is RECOVERING: it catches up or is under maintenance, and serves no "
		"reads"},
	{5, "STARTUP2", STATUS_LOADING,
		"the member is in STARTUP2: initial sync, it copies the data of another member"},
	{9, "ROLLBACK", STATUS_LOADING,
		"the member is in ROLLBACK: it undoes writes that the majority never had"},
	{10, "REMOVED", STATUS_PARTIAL,
		"the member is REMOVED: its set's configuration does not name it"},
};

/* "RSOther" among the drivers: hello says that it is neither, and nobody says what it is. */
static struct member_state unreadable(int64_t code)
{
	struct member_state st = {-1, "OTHER", STATUS_LOADING,
		"the member is neither primary nor secondary, and does not say what it is"};

	if (code == CODE_UNAUTHORIZED)
		st.why = "the member is neither primary nor secondary; replSetGetStatus "
			 "(clusterMonitor) would tell which state it is in";
	else if (code == CODE_SHUTTING_DOWN)
		st.why = "the member is shutting down";
	return st;
}

static void take_state(const struct member_state *st, struct sample *out)
{
	struct err err;

	mongo_set_role(out, st->name);
	err_set(&err, st->to == STATUS_LOADING ? ERR_LOADING : ERR_FORMAT, "%s", st->why);
	field_lower_status(out, st->to, &err);
}

void parse_mongo_member_state(const bson_t *status, struct sample *out)
{
	int64_t state = -1, code = 0;

	if (!bdoc_find_i64(status, "myState", &state) && bdoc_find_i64(status, "code", &code))
		state = code == CODE_INVALID_CONFIG    ? 10
			: code == CODE_NOT_INITIALIZED ? 0
						       : -1;
	if (state < 0) {
		struct member_state st = unreadable(code);

		take_state(&st, out);
		return;
	}
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].state == state)
			take_state(&states[i], out);
}

/* ---- shards ---- */

static const char *const plain_host_chars = "-._:[],";

/* "rs0/a:27018,b:27018", or a lone host before 3.6, as a target for this program. */
static void set_uri(struct sample *s, struct raw *cell, const char *host, size_t len)
{
	char text[SAMPLE_TEXT_MAX];
	const char *slash = memchr(host, '/', len);
	size_t set = slash ? (size_t)(slash - host) : 0, from = slash ? set + 1 : 0;
	int n;

	for (size_t i = 0; i < len; i++)
		if (i + 1 != from && !isalnum((unsigned char)host[i]) &&
			!strchr(plain_host_chars, host[i]))
			return;
	n = snprintf(text, sizeof(text), "mongodb://%.*s/%s%.*s", (int)(len - from), host + from,
		slash ? "?replicaSet=" : "", (int)set, host);
	if (n > 0 && (size_t)n < sizeof(text))
		raw_set_text(s, cell, text, (size_t)n);
}

void parse_mongo_shards(const bson_t *reply, struct sample *out)
{
	struct walk w;
	bson_t shard;

	if (!walk_array(reply, "shards", &w))
		return;
	out->tables[TABLE_MONGO_SHARD].asked = true;
	w.n = 0;
	while (bson_iter_next(&w.it)) {
		struct raw *row;
		size_t len;
		const char *host;

		if (!bdoc_view(&w.it, &shard))
			continue;
		row = sample_add_row(out, TABLE_MONGO_SHARD);
		if (!row)
			return;
		set_text(out, &row[COL_MONGO_SHARD_SHARD], &shard, "_id");
		host = bdoc_find_text(&shard, "host", &len);
		if (host)
			set_uri(out, &row[COL_MONGO_SHARD_URI], host, len);
	}
}
