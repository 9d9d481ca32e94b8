/*
 * TLS for the fakes, and certificates to go with it. All of it is NULL or false where the tests were
 * built without OpenSSL, or where its command is missing; such tests skip.
 */
#ifndef HOTSET_TEST_FAKE_TLS_H
#define HOTSET_TEST_FAKE_TLS_H

#include "fake.h"

/* Files under dir: an authority, a server's certificate for 127.0.0.1, and a client's. */
struct fake_certs {
	char ca[192], server[192], client[192]; /* the last two with their keys */
};
bool fake_certs_make(const char *dir, struct fake_certs *out);

struct fake_tls;
struct fake_tls *fake_tls_create(const struct fake_certs *c);
void fake_tls_destroy(struct fake_tls *t); /* NULL is fine */

/* From here on the connection reads and writes through TLS; false if the peer speaks no TLS. */
bool fake_tls_begin(struct fake_conn *c, struct fake_tls *t);
void fake_tls_end(struct fake_conn *c);
/* The subject of the peer's certificate, "" if it gave none. */
void fake_tls_peer(const struct fake_conn *c, char *out, size_t cap);

#endif
