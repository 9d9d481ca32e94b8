#include "fake_tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- certificates ---- */

static bool run(const char *fmt, const char *dir)
{
	char cmd[1024];

	snprintf(cmd, sizeof(cmd), "cd '%s' && { %s; } >/dev/null 2>&1", dir, fmt);
	return system(cmd) == 0;
}

bool fake_certs_make(const char *dir, struct fake_certs *out)
{
	static const char script[] =
		"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=hotset-authority"
		" -keyout ca.key -out ca.pem && "
		"printf 'subjectAltName=IP:127.0.0.1\\n' >san && "
		"for who in server client; do "
		"openssl req -newkey rsa:2048 -nodes -subj /O=hotset/OU=tests/CN=$who"
		" -keyout $who.key -out $who.csr && "
		"openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2"
		" -extfile san -out $who.crt && cat $who.crt $who.key >$who.pem || exit 1; done";

	snprintf(out->ca, sizeof(out->ca), "%s/ca.pem", dir);
	snprintf(out->server, sizeof(out->server), "%s/server.pem", dir);
	snprintf(out->client, sizeof(out->client), "%s/client.pem", dir);
	return run(script, dir);
}

/* ---- TLS ---- */

#ifdef HAVE_OPENSSL

#include <openssl/err.h>
#include <openssl/ssl.h>

static void fatal(const char *what)
{
	fprintf(stderr, "fake_tls: %s\n", what);
	abort();
}

struct fake_tls *fake_tls_create(const struct fake_certs *c)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());

	if (!ctx || SSL_CTX_use_certificate_chain_file(ctx, c->server) != 1 ||
		SSL_CTX_use_PrivateKey_file(ctx, c->server, SSL_FILETYPE_PEM) != 1 ||
		SSL_CTX_load_verify_locations(ctx, c->ca, NULL) != 1)
		fatal("certificates");
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL); /* asks for one, takes none as well */
	return (struct fake_tls *)ctx;
}

void fake_tls_destroy(struct fake_tls *t)
{
	SSL_CTX_free((SSL_CTX *)t);
}

static bool tls_read(void *ctx, void *buf, size_t len)
{
	char *p = buf;

	while (len) {
		int n = SSL_read(ctx, p, (int)len);

		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool tls_write(void *ctx, const void *data, size_t len)
{
	return SSL_write(ctx, data, (int)len) == (int)len;
}

static const struct fake_io tls_io = {tls_read, tls_write};

bool fake_tls_begin(struct fake_conn *c, struct fake_tls *t)
{
	SSL *ssl = SSL_new((SSL_CTX *)t);

	if (!ssl || SSL_set_fd(ssl, c->fd) != 1)
		fatal("connection");
	if (SSL_accept(ssl) != 1) {
		ERR_clear_error();
		SSL_free(ssl);
		return false;
	}
	c->io = &tls_io;
	c->io_ctx = ssl;
	return true;
}

void fake_tls_end(struct fake_conn *c)
{
	SSL_free(c->io_ctx);
	ERR_clear_error();
	c->io = NULL;
	c->io_ctx = NULL;
}

void fake_tls_peer(const struct fake_conn *c, char *out, size_t cap)
{
	X509 *peer = c->io_ctx ? SSL_get1_peer_certificate(c->io_ctx) : NULL;

	out[0] = '\0';
	if (!peer)
		return;
	X509_NAME_oneline(X509_get_subject_name(peer), out, (int)cap);
	X509_free(peer);
}

#else

struct fake_tls *fake_tls_create(const struct fake_certs *c)
{
	(void)c;
	return NULL;
}

void fake_tls_destroy(struct fake_tls *t)
{
	(void)t;
}

bool fake_tls_begin(struct fake_conn *c, struct fake_tls *t)
{
	(void)c;
	(void)t;
	return false;
}

void fake_tls_end(struct fake_conn *c)
{
	(void)c;
}

void fake_tls_peer(const struct fake_conn *c, char *out, size_t cap)
{
	(void)c;
	if (cap)
		out[0] = '\0';
}

#endif
