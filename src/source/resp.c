#include "resp.h"

#include "hotset/num.h"
#include "hotset/text.h"

#define CHUNK 16384 /* bytes read at once */

void resp_guard_init(struct resp_guard *g)
{
	*g = (struct resp_guard){.pending = {1}};
}

static bool bad(struct err *err, const char *what)
{
	return err_set(err, ERR_PROTOCOL, "not a Redis reply: %s", what);
}

/* One element is complete: so may be the arrays around it. */
static void complete(struct resp_guard *g)
{
	while (--g->pending[g->depth] == 0) {
		if (g->depth == 0) {
			g->done = true;
			return;
		}
		g->depth--;
	}
}

static bool begin_array(struct resp_guard *g, int64_t n, struct err *err)
{
	if (n < -1 || n > (int64_t)RESP_ITEMS_MAX ||
		g->items + (uint64_t)(n > 0 ? n : 0) > RESP_ITEMS_MAX)
		return bad(err, "array with too many elements");
	if (n <= 0) {
		complete(g);
		return true;
	}
	if (g->depth == RESP_DEPTH_MAX)
		return bad(err, "arrays nested too deeply");
	g->items += (unsigned)n;
	g->pending[++g->depth] = (unsigned)n;
	return true;
}

static bool begin_bulk(struct resp_guard *g, int64_t n, struct err *err)
{
	if (n < -1 || n > (int64_t)RESP_BULK_MAX)
		return bad(err, "string with an impossible length");
	if (n < 0)
		complete(g);
	else
		g->bulk = (size_t)n + 2;
	return true;
}

/* A line without its CRLF; only its first bytes are kept, which hold any valid number. */
static bool end_line(struct resp_guard *g, struct err *err)
{
	size_t len = g->line;
	int64_t n = 0;
	char type = g->head[0];

	g->line = 0;
	if (type == '+' || type == '-') {
		complete(g);
		return true;
	}
	if (len > sizeof(g->head) || !num_parse_i64(g->head + 1, len - 1, &n))
		return bad(err, "bad number in a header");
	if (type == '*')
		return begin_array(g, n, err);
	if (type == '$')
		return begin_bulk(g, n, err);
	complete(g);
	return true;
}

static bool feed_line(struct resp_guard *g, char c, struct err *err)
{
	if (g->line == 0 && !strchr("+-:$*", c))
		return bad(err, "unknown type");
	if (c == '\n') {
		if (g->line < 2 || g->last != '\r')
			return bad(err, "line does not end in CR LF");
		g->line--;
		return end_line(g, err);
	}
	if (g->line < sizeof(g->head))
		g->head[g->line] = c;
	g->last = c;
	if (++g->line > RESP_LINE_MAX)
		return bad(err, "line without an end");
	return true;
}

/* Skips what belongs to the string; its last two bytes must be CR LF. */
static bool feed_bulk(
	struct resp_guard *g, const char *buf, size_t len, size_t *used, struct err *err)
{
	size_t skip = g->bulk > 2 ? g->bulk - 2 : 0;

	if (skip) {
		*used = len < skip ? len : skip;
		g->bulk -= *used;
		return true;
	}
	if (buf[0] != (g->bulk == 2 ? '\r' : '\n'))
		return bad(err, "string longer than its length");
	*used = 1;
	if (--g->bulk == 0)
		complete(g);
	return true;
}

bool resp_guard_feed(struct resp_guard *g, const char *buf, size_t len, struct err *err)
{
	size_t used;

	g->total += len;
	if (g->total > RESP_BULK_MAX + RESP_LINE_MAX)
		return bad(err, "too long");
	for (size_t i = 0; i < len; i += used) {
		if (g->done)
			return bad(err, "more than was asked for");
		used = 1;
		if (g->bulk ? !feed_bulk(g, buf + i, len - i, &used, err)
			    : !feed_line(g, buf[i], err))
			return false;
	}
	return true;
}

static bool send_command(struct transport *c, int argc, const char *const *argv,
	int64_t deadline_ns, struct err *err)
{
	char *cmd = NULL;
	/* hiredis 0.14 declares `const char **`; it does not write. */
	int len = redisFormatCommandArgv(&cmd, argc, (const char **)(uintptr_t)argv, NULL);
	bool ok;

	if (len < 0)
		return err_set(err, ERR_SYSTEM, "no memory for a command");
	ok = transport_send(c, cmd, (size_t)len, deadline_ns, err);
	explicit_bzero(cmd, (size_t)len); /* AUTH passes here */
	redisFreeCommand(cmd);
	return ok;
}

/* The first bytes did not make sense: say what they look like. */
static bool not_redis(const char *buf, size_t len, struct err *err)
{
	char shown[64];
	size_t n = 0;

	while (n < len && n < 20 && buf[n] != '\r' && buf[n] != '\n')
		n++;
	text_sanitize(shown, sizeof(shown), buf, n);
	return err_set(err, ERR_PROTOCOL, "the port does not speak Redis: it says \"%s\"", shown);
}

static bool receive(struct transport *c, redisReader *r, int64_t deadline_ns, struct err *err)
{
	struct resp_guard g;
	char buf[CHUNK];
	size_t got;

	resp_guard_init(&g);
	while (!g.done) {
		if (!transport_recv(c, buf, sizeof(buf), &got, deadline_ns, err)) {
			if (err->code == ERR_REFUSED && g.total)
				return err_set(err, ERR_PROTOCOL,
					"connection cut in the middle of a reply");
			return false;
		}
		if (got == 0 && g.total == 0)
			return err_set(err, ERR_REFUSED, "the peer closed without an answer");
		if (got == 0)
			return err_set(
				err, ERR_PROTOCOL, "connection closed in the middle of a reply");
		if (g.total == 0 && !strchr("+-:$*", buf[0]))
			return not_redis(buf, got, err);
		if (!resp_guard_feed(&g, buf, got, err))
			return false;
		if (redisReaderFeed(r, buf, got) != REDIS_OK)
			return err_set(err, ERR_SYSTEM, "no memory for a reply");
	}
	return true;
}

redisReply *resp_call(struct transport *c, int argc, const char *const *argv, int64_t deadline_ns,
	struct err *err)
{
	redisReader *r = redisReaderCreate();
	void *reply = NULL;
	bool ok;

	if (!r) {
		err_set(err, ERR_SYSTEM, "no memory for a reply");
		return NULL;
	}
	ok = send_command(c, argc, argv, deadline_ns, err) && receive(c, r, deadline_ns, err);
	if (ok && (redisReaderGetReply(r, &reply) != REDIS_OK || !reply))
		err_set(err, ERR_PROTOCOL, "not a Redis reply: %s", r->errstr);
	redisReaderFree(r);
	if (!reply)
		transport_close(c);
	return reply;
}
