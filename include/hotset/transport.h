/*
 * One byte stream for Redis and memcached: TCP, unix socket or TLS, over libcurl's CONNECT_ONLY,
 * with name resolution off the calling thread and one total deadline per call. Any failure closes
 * the connection, so that a late reply is never paired with a newer request. One thread.
 */
#ifndef HOTSET_TRANSPORT_H
#define HOTSET_TRANSPORT_H

#include "hotset/err.h"
#include "hotset/source.h"

struct transport;

struct transport *transport_create(
	const struct target *t);             /* NULL without memory; does not connect */
void transport_destroy(struct transport *c); /* NULL is fine */
bool transport_is_open(const struct transport *c);
/* Open, and the peer has not sent a byte yet: log in, forget what the one before was told. */
bool transport_is_fresh(const struct transport *c);
void transport_close(struct transport *c);
/* Connects if not open, or if the peer has closed meanwhile; resolves the name anew each time. */
MUST_CHECK bool transport_open(struct transport *c, int64_t deadline_ns, struct err *err);
MUST_CHECK bool transport_send(
	struct transport *c, const void *data, size_t len, int64_t deadline_ns, struct err *err);
/* Reads at least one byte; *got 0 means that the peer closed (and the transport is closed). */
MUST_CHECK bool transport_recv(struct transport *c, void *buf, size_t cap, size_t *got,
	int64_t deadline_ns, struct err *err);

#endif
