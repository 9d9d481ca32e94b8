#include "mongo_tls.h"

#include "hotset/clock.h"
#include "hotset/log.h"
#include "tls_probe.h"

#define ASK_MAX_NS (2 * NS_PER_SEC)

/* isMaster as every MongoDB knows it, in the oldest form (OP_QUERY on admin.$cmd), request 1. */
static const unsigned char plain_hello[] = "\x3a\0\0\0\1\0\0\0\0\0\0\0\xd4\x07\0\0\0\0\0\0"
					   "admin.$cmd\0\0\0\0\0\1\0\0\0"
					   "\x13\0\0\0\x10isMaster\0\1\0\0\0\0";

/* The header of OP_REPLY to request 1. */
static bool is_mongodb(const unsigned char *reply)
{
	static const unsigned char to_one[] = {1, 0, 0, 0, 1, 0, 0, 0};

	return memcmp(reply + 8, to_one, sizeof(to_one)) == 0;
}

static bool speaks_plainly(const struct target *t, int64_t deadline_ns)
{
	unsigned char reply[16];

	return tls_ask_plainly(t, plain_hello, sizeof(plain_hello) - 1, reply, sizeof(reply),
		       deadline_ns) &&
	       is_mongodb(reply);
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
		int64_t end = now + ASK_MAX_NS < poll_end ? now + ASK_MAX_NS : poll_end;
		bool other = m->conn.tls ? speaks_plainly(m->conn.target, end)
					 : tls_is_spoken(m->conn.target, end);

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
