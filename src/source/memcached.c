/*
 * memcached by its ASCII `stats` over one persistent connection, so that the watcher takes one slot
 * of the server's connection limit and no more. Each reply is read up to its END under one bound;
 * the texts go to the parser together or not at all.
 */
#include "kinds.h"
#include "memcached_probe.h"
#include "place.h"
#include "stamp.h"
#include "tls_probe.h"

#include "hotset/clock.h"
#include "hotset/log.h"
#include "hotset/parse.h"
#include "hotset/strbuf.h"
#include "hotset/transport.h"

#define REPLY_MAX     (4ul * 1024 * 1024) /* bytes of all replies of one poll */
#define STAT_LINE_MAX (64ul * 1024)       /* bytes of one line */
#define CHUNK         8192                /* bytes read at once */

#define SETTINGS_EVERY_NS (60 * NS_PER_SEC)

struct memcached {
	const struct target *target;
	struct transport *conn;
	struct strbuf text;     /* the replies of this poll */
	struct strbuf settings; /* `stats settings` of this connection; empty: not asked yet */
	int64_t settings_ns;    /* when they were asked for */
	struct server_run run;
	struct place place;
	bool probes; /* times gets of its own */
	struct memcached_probe probe;
};

/* ---- one reply ---- */

/* What a reply's text, which begins at `begin` of the buffer, has come to. */
enum progress { MORE, END, OTHER };

static enum progress judge(const struct strbuf *b, size_t begin)
{
	const char *text = b->data + begin;
	size_t len = b->len - begin;
	const char *first = memchr(text, '\n', len);

	if (!first)
		return MORE;
	if (strncmp(text, "STAT ", 5) != 0 && strncmp(text, "END\r\n", 5) != 0 &&
		strncmp(text, "END\n", 4) != 0)
		return OTHER;
	if (text[len - 1] != '\n')
		return MORE;
	if (len >= 5 && strcmp(text + len - 5, "END\r\n") == 0 &&
		(len == 5 || text[len - 6] == '\n'))
		return END;
	if (len >= 4 && strcmp(text + len - 4, "END\n") == 0 && (len == 4 || text[len - 5] == '\n'))
		return END;
	return MORE;
}

static bool no_answer(const struct memcached *m, const struct err *cause, int64_t deadline_ns,
	struct err *err)
{
	const struct target *t = m->target;

	if (cause->code == ERR_TIMEOUT)
		return err_set(
			err, ERR_TIMEOUT, "connected, no answer to ASCII stats (SASL/binary?)");
	if (cause->code == ERR_REFUSED && !t->tls && t->host[0] && tls_is_spoken(t, deadline_ns))
		return err_set(err, ERR_TLS, "%s needs TLS: use memcacheds://", t->address);
	if (cause->code == ERR_REFUSED)
		return err_set(err, ERR_UNSUPPORTED, "%s closed without an answer: a proxy?",
			t->address);
	*err = *cause;
	return false;
}

/* Appends what comes until `judge` has an opinion; *is_error: it is no list of STAT lines. */
static bool read_reply(struct memcached *m, bool *is_error, int64_t deadline_ns, struct err *err)
{
	size_t begin = m->text.len, line = begin, got;
	enum progress p = MORE;
	char buf[CHUNK];

	while (p == MORE) {
		struct err cause;
		const char *nl;
		bool ok = transport_recv(m->conn, buf, sizeof(buf), &got, deadline_ns, &cause);

		if (ok && got == 0)
			ok = err_set(&cause, ERR_REFUSED, "closed");
		if (!ok && m->text.len == 0 && m->settings.len == 0)
			return no_answer(m, &cause, deadline_ns, err);
		if (!ok && cause.code == ERR_REFUSED)
			return err_set(
				err, ERR_PROTOCOL, "connection closed in the middle of a reply");
		if (!ok) {
			*err = cause;
			return false;
		}
		strbuf_add(&m->text, buf, got);
		nl = memrchr(m->text.data + line, '\n', m->text.len - line);
		line = nl ? (size_t)(nl - m->text.data) + 1 : line;
		if (m->text.full || m->text.len - line > STAT_LINE_MAX)
			return err_set(err, ERR_PROTOCOL, "the reply to stats is too long");
		p = judge(&m->text, begin);
	}
	*is_error = p == OTHER;
	return true;
}

static bool ask(struct memcached *m, const char *command, bool *is_error, int64_t deadline_ns,
	struct err *err)
{
	return transport_send(m->conn, command, strlen(command), deadline_ns, err) &&
	       read_reply(m, is_error, deadline_ns, err);
}

/* ---- logging in ---- */

/*
 * A server with -Y takes "user password" as the value of any set. One without would store it: the
 * negative expiry time makes it expired before anybody can read it.
 */
static enum status authenticate(struct memcached *m, int64_t deadline_ns, struct err *err)
{
	const struct target *t = m->target;
	char cmd[sizeof(t->user) + sizeof(t->password) + 64], reply[256] = "";
	size_t len = strlen(t->user) + 1 + strlen(t->password), got = 0, n = 0;
	bool ok;

	if (!t->password[0])
		return STATUS_OK;
	snprintf(cmd, sizeof(cmd), "set hotset 0 -1 %zu\r\n%s %s\r\n", len, t->user, t->password);
	ok = transport_send(m->conn, cmd, strlen(cmd), deadline_ns, err);
	explicit_bzero(cmd, sizeof(cmd));
	while (ok && n < sizeof(reply) - 1 && !memchr(reply, '\n', n)) {
		ok = transport_recv(
			m->conn, reply + n, sizeof(reply) - 1 - n, &got, deadline_ns, err);
		if (ok && got == 0)
			ok = err_set(err, ERR_REFUSED, "%s closed while logging in", t->address);
		n += ok ? got : 0;
	}
	if (!ok)
		return status_from_err(err->code);
	reply[n] = '\0';
	if (strncmp(reply, "STORED", 6) == 0)
		return STATUS_OK;
	if (strncmp(reply, "CLIENT_ERROR", 12) != 0)
		return parse_memcached_error(reply, strcspn(reply, "\r\n"), err);
	err_set(err, ERR_AUTH, "wrong user or password");
	return STATUS_AUTH;
}

static enum status connect_and_log_in(struct memcached *m, int64_t deadline_ns, struct err *err)
{
	if (!transport_open(m->conn, deadline_ns, err))
		return status_from_err(err->code);
	if (!transport_is_fresh(m->conn))
		return STATUS_OK;
	strbuf_clear(&m->settings);
	return authenticate(m, deadline_ns, err);
}

/* ---- a poll ---- */

/* A list that a server may not have: what is not a list is taken back, and the sample is partial.
 */
static bool ask_more(struct memcached *m, const char *command, const char *name, struct sample *out,
	int64_t deadline_ns, struct err *err)
{
	size_t begin = m->text.len;
	bool is_error = false;

	if (!ask(m, command, &is_error, deadline_ns, err))
		return false;
	if (!is_error)
		return true;
	m->text.len = begin;
	m->text.data[begin] = '\0';
	out->status = STATUS_PARTIAL;
	err_set(&out->err, ERR_UNSUPPORTED, "the server does not answer to %s", name);
	return true;
}

static bool ask_settings(
	struct memcached *m, struct sample *out, int64_t deadline_ns, struct err *err)
{
	size_t begin = m->text.len;

	if (clock_mono_ns() - m->settings_ns > SETTINGS_EVERY_NS)
		strbuf_clear(&m->settings); /* some can be changed while it runs */
	if (m->settings.len) {
		strbuf_add(&m->text, m->settings.data, m->settings.len);
		return true;
	}
	if (!ask_more(m, "stats settings\r\n", "stats settings", out, deadline_ns, err))
		return false;
	strbuf_add(&m->settings, m->text.data + begin, m->text.len - begin);
	m->settings_ns = clock_mono_ns();
	if (m->settings.len)
		parse_memcached_settings(m->settings.data, m->settings.len, out);
	return true;
}

static enum status take_stats(
	struct memcached *m, int64_t deadline_ns, struct sample *out, struct err *err)
{
	struct stamp begin = stamp_begin();
	bool is_error = false;

	if (!ask(m, "stats\r\n", &is_error, deadline_ns, err))
		return status_from_err(err->code);
	stamp_end(begin, out);
	if (is_error)
		return parse_memcached_error(m->text.data, strcspn(m->text.data, "\r\n"), err);
	out->status = STATUS_OK;
	if (!ask_settings(m, out, deadline_ns, err) ||
		!ask_more(m, "stats items\r\n", "stats items", out, deadline_ns, err) ||
		!ask_more(m, "stats slabs\r\n", "stats slabs", out, deadline_ns, err))
		return status_from_err(err->code);
	if (!parse_memcached_stats(m->text.data, m->text.len, out, err))
		return status_from_err(err->code);
	parse_settle_epoch(&m->run, out);
	place_find(&m->place, m->target, out);
	place_take(&m->place, METRIC_MEMCACHED_CGROUP_MAX, METRIC_MEMCACHED_CGROUP_USED, out);
	if (m->probes) {
		memcached_probe_settle(&m->probe, out);
		memcached_probe_run(&m->probe, m->conn, deadline_ns, out);
	}
	return out->status;
}

static void memcached_destroy(struct source *s)
{
	struct memcached *m = (struct memcached *)s;

	if (!m)
		return;
	transport_destroy(m->conn);
	strbuf_finish(&m->text);
	strbuf_finish(&m->settings);
	free(m);
}

static struct source *memcached_create(const struct target *t, const struct source_options *o)
{
	struct memcached *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->target = t;
	m->probes = o->probe;
	if (o->probe_key)
		snprintf(m->probe.key, sizeof(m->probe.key), "%s", o->probe_key);
	strbuf_init(&m->text, REPLY_MAX);
	strbuf_init(&m->settings, REPLY_MAX);
	m->conn = transport_create(t);
	return (struct source *)m;
}

static void memcached_poll(struct source *s, const struct poll_request *req, struct sample *out)
{
	struct memcached *m = (struct memcached *)s;
	struct stamp begin = stamp_begin();
	struct err err = {.code = ERR_NONE};
	enum status st;

	if (!m || !m->conn) {
		err_set(&err, ERR_SYSTEM, "no memory for a connection");
		sample_fail(out, STATUS_ERROR, &err);
		return;
	}
	strbuf_clear(&m->text);
	st = connect_and_log_in(m, req->deadline_ns, &err);
	if (st == STATUS_OK)
		st = take_stats(m, req->deadline_ns, out, &err);
	if (status_has_data(st))
		return;
	if (out->rtt_ns < 0)
		stamp_failed(begin, out);
	if (st != out->status || err.code != ERR_NONE)
		sample_fail(out, st, &err);
	if (st != STATUS_UNSUPPORTED) /* a proxy has said all that it will, and may say it again */
		transport_close(m->conn);
}

static const char *const schemes[] = {"memcached", "memcacheds", "memcached+unix", NULL};

const struct source_ops source_memcached = {
	.name = "memcached",
	.schemes = schemes,
	.kind = KIND_MEMCACHED,
	.port = 11211,
	.create = memcached_create,
	.poll = memcached_poll,
	.destroy = memcached_destroy,
};
