/*
 * Redis and its relatives, by INFO alone: a user with `+info +ping` suffices. `INFO all` adds the
 * command statistics for about 50 microseconds of the server's time; servers that do not know it
 * are asked for the plain form from then on. Everything else (name, slow log) is best effort and
 * given up where it is not allowed.
 */
#include "kinds.h"
#include "place.h"
#include "redis_extra.h"
#include "redis_hotkeys.h"
#include "stamp.h"

#include "hotset/log.h"
#include "hotset/parse.h"

#define SLOW_EVERY_NS  (5 * NS_PER_SEC) /* the slow log is asked for this often */
#define SLOW_ENTRIES   "32"
#define SLOW_WORDS_MAX 4u /* words of a command's shape */

struct redis {
	const struct target *target;
	struct source_options opts;
	struct transport *conn;
	bool plain_info;  /* this server knows no `INFO all` */
	bool named;       /* CLIENT SETNAME was sent on this connection */
	struct redis_extra extra;
	struct place place;
	struct redis_hotkeys hotkeys;
	int64_t slow_asked_ns;
	int64_t slow_seen; /* highest id shown so far, -1 none */
};

/* A command with its arguments; NULL-terminated list of words. */
static redisReply *call(
	struct redis *r, const char *const *words, int64_t deadline_ns, struct err *err)
{
	int argc = 0;

	while (words[argc])
		argc++;
	return resp_call(r->conn, argc, words, deadline_ns, err);
}
#define CALL(r, deadline_ns, err, ...)                                                             \
	call((r), (const char *const[]){__VA_ARGS__, NULL}, (deadline_ns), (err))

static enum status error_status(const redisReply *reply, struct err *err)
{
	return parse_redis_error(reply->str, reply->len, err);
}

/* The server wants no password where the URI has one: it can be read all the same. */
static bool needs_no_password(const redisReply *reply)
{
	return strstr(reply->str, "no password is set") ||
	       strstr(reply->str, "without any password");
}

static enum status authenticate(struct redis *r, int64_t deadline_ns, struct err *err)
{
	const struct target *t = r->target;
	enum status st = STATUS_OK;
	redisReply *reply;

	if (!t->password[0])
		return STATUS_OK;
	reply = t->user[0] ? CALL(r, deadline_ns, err, "AUTH", t->user, t->password)
			   : CALL(r, deadline_ns, err, "AUTH", t->password);
	if (!reply)
		return status_from_err(err->code);
	if (reply->type == REDIS_REPLY_ERROR && needs_no_password(reply)) {
		log_write("%s: a password is given, but the server wants none", t->id);
	} else if (reply->type == REDIS_REPLY_ERROR) {
		st = error_status(reply, err);
		if (st == STATUS_ERROR) { /* "wrong number of arguments" before 6.0 */
			st = STATUS_AUTH;
			err->code = ERR_AUTH;
		}
	}
	freeReplyObject(reply);
	return st;
}

static void select_db(struct redis *r, int64_t deadline_ns)
{
	char db[16];
	struct err err;
	redisReply *reply;

	if (r->target->db == 0)
		return;
	snprintf(db, sizeof(db), "%u", r->target->db);
	reply = CALL(r, deadline_ns, &err, "SELECT", db);
	if (reply && reply->type == REDIS_REPLY_ERROR)
		log_write("%s: SELECT %s: %s", r->target->id, db, reply->str);
	freeReplyObject(reply);
}

static enum status connect_and_log_in(struct redis *r, int64_t deadline_ns, struct err *err)
{
	enum status st;

	if (!transport_open(r->conn, deadline_ns, err))
		return status_from_err(err->code);
	if (!transport_is_fresh(r->conn))
		return STATUS_OK;
	r->named = false;
	redis_extra_reset(&r->extra);
	st = authenticate(r, deadline_ns, err);
	if (st == STATUS_OK)
		select_db(r, deadline_ns);
	return st;
}

static bool is_plain_needed(const redisReply *reply)
{
	if (reply->type == REDIS_REPLY_STRING)
		return reply->len == 0;
	return reply->type == REDIS_REPLY_ERROR && strncmp(reply->str, "ERR", 3) == 0 &&
	       !strstr(reply->str, "max number of clients");
}

static redisReply *ask_info(
	struct redis *r, struct stamp *begin, int64_t deadline_ns, struct err *err)
{
	redisReply *reply;

	*begin = stamp_begin();
	if (r->plain_info)
		return CALL(r, deadline_ns, err, "INFO");
	reply = CALL(r, deadline_ns, err, "INFO", "all");
	if (!reply || !is_plain_needed(reply))
		return reply;
	freeReplyObject(reply);
	*begin = stamp_begin();
	reply = CALL(r, deadline_ns, err, "INFO");
	r->plain_info = reply && reply->type == REDIS_REPLY_STRING;
	return reply;
}

static enum status take_info(
	struct redis *r, int64_t deadline_ns, struct sample *out, struct err *err)
{
	struct stamp begin;
	redisReply *reply = ask_info(r, &begin, deadline_ns, err);
	enum status st;

	if (!reply)
		return status_from_err(err->code);
	stamp_end(begin, out);
	if (reply->type == REDIS_REPLY_ERROR) {
		st = error_status(reply, err);
	} else if (reply->type != REDIS_REPLY_STRING) {
		err_set(err, ERR_PROTOCOL, "INFO gave no text");
		st = STATUS_PROTOCOL;
	} else {
		out->status = STATUS_OK;
		st = parse_redis_info(reply->str, reply->len, out, err)
			     ? out->status
			     : status_from_err(err->code);
	}
	freeReplyObject(reply);
	return st;
}

static void set_name(struct redis *r, int64_t deadline_ns)
{
	struct err err;

	/* Only now, so that a refusal ("max number of clients") is read as the answer to INFO. */
	if (!r->named && transport_is_open(r->conn))
		freeReplyObject(CALL(r, deadline_ns, &err, "CLIENT", "SETNAME", "hotset"));
	r->named = true;
}

/* ---- slow log ---- */

/* "SET ? ? ..": the name of the command and how many arguments, never what they are. */
static void shape(const redisReply *words, char *out, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < words->elements && i < SLOW_WORDS_MAX && n + 4 < cap; i++) {
		const redisReply *w = words->element[i];
		int len = i == 0 && w->type == REDIS_REPLY_STRING && w->len < 32 ? (int)w->len : 0;

		n += (size_t)snprintf(
			out + n, cap - n, "%s%.*s", i ? " ?" : "", len, len ? w->str : "");
	}
	if (words->elements > SLOW_WORDS_MAX)
		snprintf(out + n, cap - n, " ..");
}

/* An entry is {id, time, microseconds, {words}, client, name}; the last two from 4.0. */
static void take_slow_entry(struct redis *r, const redisReply *e, struct sample *out)
{
	char text[64] = "";
	struct raw *row;

	if (e->type != REDIS_REPLY_ARRAY || e->elements < 4 ||
		e->element[0]->type != REDIS_REPLY_INTEGER ||
		e->element[2]->type != REDIS_REPLY_INTEGER ||
		e->element[3]->type != REDIS_REPLY_ARRAY ||
		e->element[0]->integer <= r->slow_seen || e->element[2]->integer < 0)
		return;
	row = sample_add_row(out, TABLE_REDIS_SLOW);
	if (!row)
		return;
	shape(e->element[3], text, sizeof(text));
	raw_set_u64(&row[COL_REDIS_SLOW_ID], (uint64_t)e->element[0]->integer);
	raw_set_u64(&row[COL_REDIS_SLOW_USEC], (uint64_t)e->element[2]->integer);
	raw_set_text(out, &row[COL_REDIS_SLOW_COMMAND], text, strlen(text));
	if (e->elements > 4 && e->element[4]->type == REDIS_REPLY_STRING)
		raw_set_text(
			out, &row[COL_REDIS_SLOW_CLIENT], e->element[4]->str, e->element[4]->len);
}

static void take_slow_log(struct redis *r, int64_t deadline_ns, struct sample *out)
{
	int64_t now = clock_mono_ns(), newest;
	redisReply *reply;
	struct err err;

	if (r->extra.gone & 1u << PART_SLOW_LOG || !transport_is_open(r->conn) ||
		(!r->opts.all_parts && r->slow_asked_ns && now - r->slow_asked_ns < SLOW_EVERY_NS))
		return;
	r->slow_asked_ns = now;
	reply = CALL(r, deadline_ns, &err, "SLOWLOG", "GET", SLOW_ENTRIES);
	if (redis_extra_note(&r->extra, PART_SLOW_LOG, reply) &&
		reply->type == REDIS_REPLY_ARRAY) {
		out->tables[TABLE_REDIS_SLOW].asked = true;
		for (size_t i = 0; i < reply->elements; i++)
			take_slow_entry(r, reply->element[i], out);
		/* The newest is first; a restart begins again at 0. */
		newest = reply->elements && reply->element[0]->type == REDIS_REPLY_ARRAY &&
					 reply->element[0]->elements
				 ? reply->element[0]->element[0]->integer
				 : -1;
		r->slow_seen = newest;
	}
	freeReplyObject(reply);
}

/* ---- the source ---- */

static struct source *redis_create(const struct target *t, const struct source_options *o)
{
	struct redis *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->target = t;
	r->opts = *o;
	r->slow_seen = -1;
	r->conn = transport_create(t);
	return (struct source *)r;
}

static void redis_poll(struct source *s, const struct poll_request *req, struct sample *out)
{
	struct redis *r = (struct redis *)s;
	struct stamp begin = stamp_begin();
	struct err err = {.code = ERR_NONE};
	enum status st;

	if (!r || !r->conn) {
		err_set(&err, ERR_SYSTEM, "no memory for a connection");
		sample_fail(out, STATUS_ERROR, &err);
		return;
	}
	st = connect_and_log_in(r, req->deadline_ns, &err);
	if (st == STATUS_OK)
		st = take_info(r, req->deadline_ns, out, &err);
	if (status_has_data(st)) {
		redis_hotkeys_settle(&r->hotkeys, out);
		place_find(&r->place, r->target, out);
		place_take(&r->place, METRIC_REDIS_CGROUP_MAX, METRIC_REDIS_CGROUP_USED, out);
		set_name(r, req->deadline_ns);
		take_slow_log(r, req->deadline_ns, out);
		if (req->wants & WANT_REDIS_LATENCY)
			redis_take_latency(&r->extra, r->conn, req->deadline_ns, out);
		if (req->wants & WANT_REDIS_NODES)
			redis_take_nodes(
				&r->extra, r->conn, r->opts.all_parts, req->deadline_ns, out);
		if (req->wants & WANT_HOT_KEYS)
			redis_take_hotkeys(&r->hotkeys, r->conn, req->deadline_ns, out);
		else
			redis_hotkeys_end(&r->hotkeys);
		redis_say_denied(&r->extra, out);
		return;
	}
	if (out->rtt_ns < 0)
		stamp_failed(begin, out);
	if (st != out->status || err.code != ERR_NONE)
		sample_fail(out, st, &err);
	if (st != STATUS_LOADING && st != STATUS_UNSUPPORTED)
		transport_close(r->conn);
}

static void redis_destroy(struct source *s)
{
	struct redis *r = (struct redis *)s;

	if (!r)
		return;
	transport_destroy(r->conn);
	free(r);
}

static const char *const schemes[] = {"redis", "rediss", "redis+unix", NULL};

const struct source_ops source_redis = {
	.name = "redis",
	.schemes = schemes,
	.kind = KIND_REDIS,
	.port = 6379,
	.create = redis_create,
	.poll = redis_poll,
	.destroy = redis_destroy,
};
