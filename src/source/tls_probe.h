/*
 * Asks a port, on a connection of its own, whether it speaks TLS, or a plain question. For a server
 * that hangs up without a word, which says nothing of the reason.
 */
#ifndef HOTSET_SOURCE_TLS_PROBE_H
#define HOTSET_SOURCE_TLS_PROBE_H

#include "hotset/source.h"

/* It answers the first message of a TLS client with its own, or with an alert. */
bool tls_is_spoken(const struct target *t, int64_t deadline_ns);
/* Sends the question without TLS, whatever the target says; true if `want` bytes came in time. */
bool tls_ask_plainly(const struct target *t, const unsigned char *question, size_t len,
	unsigned char *reply, size_t want, int64_t deadline_ns);

#endif
