#include "mongo_tls.h"

#include "hotset/clock.h"
#include "hotset/log.h"
#include "hotset/transport.h"

#define ASK_MAX_NS (2 * NS_PER_SEC)

/* A TLS 1.2 ClientHello without extensions. Its random is fixed: no secret ever comes of it. */
static const unsigned char client_hello[] = "\x16\x03\x01\x00\x31\x01\x00\x00\x2d\x03\x03"
					    "hotset asks for TLS and hangs up"
					    "\x00\x00\x06\xc0\x2f\xc0\x30\x00\x9c\x01\x00";

/* isMaster as every MongoDB knows it, in the oldest form (OP_QUERY on admin.$cmd), request 1. */
static const unsigned char plain_hello[] = "\x3a\0\0\0\1\0\0\0\0\0\0\0\xd4\x07\0\0\0\0\0\0"
					   "admin.$cmd\0\0\0\0\0\1\0\0\0"
					   "\x13\0\0\0\x10isMaster\0\1\0\0\0\0";

/* A handshake record of TLS 1.x. */
static bool is_tls(const unsigned char *reply)
{
	return reply[0] == 0x16 && reply[1] == 0x03;
}

/* The header of OP_REPLY to request 1. */
static bool is_mongodb(const unsigned char *reply)
{
	static const unsigned char to_one[] = {1, 0, 0, 0, 1, 0, 0, 0};

	return memcmp(reply + 8, to_one, sizeof(to_one)) == 0;
}

/*
 * Sends the question; true if all of `want` bytes of an answer came in time. An alert of TLS is an
 * error of the transport.
 */
static bool ask(struct transport *t, const unsigned char *question, size_t len,
	unsigned char *reply, size_t want, int64_t deadline_ns, struct err *err)
{
	size_t have = 0, got = 1;

	if (!transport_open(t, deadline_ns, err) ||
		!transport_send(t, question, len, deadline_ns, err))
		return false;
	while (have < want && got > 0) {
		if (!transport_recv(t, reply + have, want - have, &got, deadline_ns, err))
			return false;
		have += got;
	}
	return have == want;
}

static bool speaks_other(const struct mongo *m, int64_t deadline_ns)
{
	const struct target *t = m->conn.target;
	struct target plain = {.ops = t->ops, .port = t->port};
	struct err err = {.code = ERR_NONE};
	unsigned char reply[16];
	struct transport *line;
	bool found;

	snprintf(plain.host, sizeof(plain.host), "%s", t->host);
	line = transport_create(&plain);
	if (!line)
		return false;
	if (m->conn.tls)
		found = ask(line, plain_hello, sizeof(plain_hello) - 1, reply, 16, deadline_ns,
				&err) &&
			is_mongodb(reply);
	else if (ask(line, client_hello, sizeof(client_hello) - 1, reply, 2, deadline_ns, &err))
		found = is_tls(reply);
	else
		found = err.code == ERR_TLS;
	transport_destroy(line);
	return found;
}

static bool may_be_tls(const struct mongo *m, const struct mongo_failure *f)
{
	if (f->code != 0 || !m->conn.target->host[0] || m->conn.srv)
		return false;
	return f->status == STATUS_REFUSED || f->status == STATUS_TIMEOUT ||
	       f->status == STATUS_PROTOCOL || (f->status == STATUS_TLS && m->conn.tls);
}

void mongo_tls_explain(struct mongo *m, struct mongo_failure *f)
{
	int64_t now = clock_mono_ns(), poll_end = m->poll_begin_ns + m->poll_ns;

	if (!may_be_tls(m, f))
		return;
	if (m->tls_asked == TLS_NOT_ASKED && now < poll_end) {
		bool other =
			speaks_other(m, now + ASK_MAX_NS < poll_end ? now + ASK_MAX_NS : poll_end);

		m->tls_asked = other ? TLS_IS_THE_REASON : TLS_IS_NOT;
		log_write("%s: asked for TLS, %s", m->conn.target->id,
			other ? "which is the reason" : "which is not the reason");
	}
	if (m->tls_asked != TLS_IS_THE_REASON)
		return;
	f->status = STATUS_TLS;
	err_set(&f->err, ERR_TLS,
		m->conn.tls ? "%s speaks no TLS: leave out tls=true"
			    : "%s needs TLS: add tls=true (and tlsCAFile= of its authority)",
		m->conn.target->address);
}
