#include "tls_probe.h"

#include "hotset/transport.h"

/* A TLS 1.2 ClientHello without extensions. Its random is fixed: no secret ever comes of it. */
static const unsigned char client_hello[] = "\x16\x03\x01\x00\x31\x01\x00\x00\x2d\x03\x03"
					    "hotset asks for TLS and hangs up"
					    "\x00\x00\x06\xc0\x2f\xc0\x30\x00\x9c\x01\x00";

/* A handshake record of TLS 1.x. */
static bool is_tls(const unsigned char *reply)
{
	return reply[0] == 0x16 && reply[1] == 0x03;
}

/* An alert of TLS is an error of the transport. */
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

static bool ask_on_new_line(const struct target *t, const unsigned char *question, size_t len,
	unsigned char *reply, size_t want, int64_t deadline_ns, struct err *err)
{
	struct target plain = {.ops = t->ops, .port = t->port};
	struct transport *line;
	bool ok;

	snprintf(plain.host, sizeof(plain.host), "%s", t->host);
	line = transport_create(&plain);
	ok = line && ask(line, question, len, reply, want, deadline_ns, err);
	transport_destroy(line);
	return ok;
}

bool tls_is_spoken(const struct target *t, int64_t deadline_ns)
{
	struct err err = {.code = ERR_NONE};
	unsigned char reply[2];

	if (ask_on_new_line(t, client_hello, sizeof(client_hello) - 1, reply, sizeof(reply),
		    deadline_ns, &err))
		return is_tls(reply);
	return err.code == ERR_TLS;
}

bool tls_ask_plainly(const struct target *t, const unsigned char *question, size_t len,
	unsigned char *reply, size_t want, int64_t deadline_ns)
{
	struct err err;

	return ask_on_new_line(t, question, len, reply, want, deadline_ns, &err);
}
