/*
 * libcurl opens the connection (names, TCP, unix sockets, TLS) and hands it over raw:
 * CONNECT_ONLY. A new easy handle per connection keeps nothing of the one before, neither an
 * address nor a TLS session, so that a name is resolved again each time.
 */
#include "hotset/transport.h"

#include <curl/curl.h>
#include <errno.h>
#include <poll.h>

#include "hotset/clock.h"
#include "hotset/text.h"

#define TLS_ALERT_RECORD 0x15 /* the first byte that a TLS server answers to plain text */
#define REASON_LEN       112  /* bytes of a library's message in ours */
#define CONNECT_MAX_MS   3000 /* to connect, TLS included; less if the deadline is nearer */

struct transport {
	const struct target *target;
	CURL *curl; /* NULL: closed */
	curl_socket_t fd;
	bool got_any; /* a byte has come on this connection */
	char reason[CURL_ERROR_SIZE];
};

struct transport *transport_create(const struct target *t)
{
	struct transport *c = calloc(1, sizeof(*c));

	if (c)
		c->target = t;
	return c;
}

void transport_close(struct transport *c)
{
	curl_easy_cleanup(c->curl);
	c->curl = NULL;
}

void transport_destroy(struct transport *c)
{
	if (!c)
		return;
	transport_close(c);
	free(c);
}

bool transport_is_open(const struct transport *c)
{
	return c->curl != NULL;
}

bool transport_is_fresh(const struct transport *c)
{
	return c->curl && !c->got_any;
}

/* Milliseconds until the deadline, rounded up so that 0 means that it has passed. */
static int left_ms(int64_t deadline_ns)
{
	int64_t left = deadline_ns - clock_mono_ns();

	if (left <= 0)
		return 0;
	left = (left + NS_PER_MS - 1) / NS_PER_MS;
	return left > INT32_MAX ? INT32_MAX : (int)left;
}

/* ---- opening ---- */

/* "http://[fe80::1%25eth0]:6379"; curl takes the scheme only to know whether to speak TLS. */
static void make_url(const struct target *t, char *url, size_t cap)
{
	const char *scheme = t->tls ? "https" : "http", *zone = strchr(t->host, '%');

	if (!t->host[0])
		snprintf(url, cap, "%s://localhost", scheme);
	else if (!strchr(t->host, ':'))
		snprintf(url, cap, "%s://%s:%u", scheme, t->host, t->port);
	else if (!zone)
		snprintf(url, cap, "%s://[%s]:%u", scheme, t->host, t->port);
	else
		snprintf(url, cap, "%s://[%.*s%%25%s]:%u", scheme, (int)(zone - t->host), t->host,
			zone + 1, t->port);
}

static void set_up(struct transport *c, int timeout_ms)
{
	const struct target *t = c->target;
	char url[sizeof(t->host) + 32];

	make_url(t, url, sizeof(url));
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(c->curl, CURLOPT_PROXY, ""); /* else http_proxy would get the passwords */
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_QUICK_EXIT, 1L); /* do not wait for a slow name server */
	curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->reason);
	curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms);
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, (long)timeout_ms);
	if (!t->host[0])
		curl_easy_setopt(c->curl, CURLOPT_UNIX_SOCKET_PATH, t->path);
	if (!t->tls)
		return;
	curl_easy_setopt(c->curl, CURLOPT_SSL_ENABLE_ALPN, 0L);
	if (t->ca_file[0])
		curl_easy_setopt(c->curl, CURLOPT_CAINFO, t->ca_file);
	if (t->cert_file[0]) {
		curl_easy_setopt(c->curl, CURLOPT_SSLCERT, t->cert_file);
		curl_easy_setopt(c->curl, CURLOPT_SSLKEY, t->cert_file);
	}
	if (t->tls_insecure) {
		curl_easy_setopt(c->curl, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(c->curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static bool explain_connect(const struct transport *c, struct err *err)
{
	long sys = 0;

	curl_easy_getinfo(c->curl, CURLINFO_OS_ERRNO, &sys);
	if (sys == 0)
		return err_set(err, ERR_REFUSED, "cannot connect to %s", c->target->address);
	errno = (int)sys;
	err_sys(err, "cannot connect to %s", c->target->address);
	err->code = ERR_REFUSED;
	return false;
}

static bool explain_tls(const struct transport *c, struct err *err)
{
	const char *address = c->target->address,
		   *why = c->reason[0] ? c->reason : "handshake failed";

	if (strstr(why, "wrong version number") || strstr(why, "packet length too long") ||
		strstr(why, "unknown protocol") || strstr(why, "http request"))
		return err_set(err, ERR_TLS, "peer is not TLS: %s answers in plain text", address);
	return err_set(err, ERR_TLS, "TLS to %s: %.*s", address, REASON_LEN, why);
}

static bool explain_timeout(const struct transport *c, struct err *err)
{
	curl_off_t resolved_us = 0;
	long port = 0;

	curl_easy_getinfo(c->curl, CURLINFO_NAMELOOKUP_TIME_T, &resolved_us);
	curl_easy_getinfo(c->curl, CURLINFO_LOCAL_PORT, &port);
	if (c->target->host[0] && resolved_us == 0)
		return err_set(err, ERR_DNS, "no answer from the name service for %s in time",
			c->target->host);
	return err_set(err, ERR_TIMEOUT,
		c->target->tls && port ? "%s accepted, but no TLS handshake in time"
				       : "no connection to %s in time",
		c->target->address);
}

static bool explain(const struct transport *c, CURLcode code, struct err *err)
{
	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return err_set(err, ERR_DNS, "%s does not resolve", c->target->host);
	case CURLE_COULDNT_CONNECT:
		return explain_connect(c, err);
	case CURLE_OPERATION_TIMEDOUT:
		return explain_timeout(c, err);
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_ENGINE_NOTFOUND:
	case CURLE_SSL_ENGINE_SETFAILED:
		return explain_tls(c, err);
	default:
		return err_set(err, ERR_REFUSED, "cannot connect to %s: %s", c->target->address,
			curl_easy_strerror(code));
	}
}

/* An idle connection has nothing to say: a byte or an end of file there means that it is over. */
static bool is_alive(struct transport *c)
{
	char byte;
	size_t n = 0;

	return curl_easy_recv(c->curl, &byte, 1, &n) == CURLE_AGAIN;
}

bool transport_open(struct transport *c, int64_t deadline_ns, struct err *err)
{
	int timeout_ms = left_ms(deadline_ns);
	CURLcode code;

	if (c->curl && is_alive(c))
		return true;
	transport_close(c);
	if (timeout_ms > CONNECT_MAX_MS)
		timeout_ms = CONNECT_MAX_MS;
	if (timeout_ms == 0)
		return err_set(err, ERR_TIMEOUT, "no connection to %s in time", c->target->address);
	c->curl = curl_easy_init();
	if (!c->curl)
		return err_set(err, ERR_SYSTEM, "no memory for a connection");
	c->got_any = false;
	c->reason[0] = '\0';
	set_up(c, timeout_ms);
	code = curl_easy_perform(c->curl);
	if (code == CURLE_OK)
		code = curl_easy_getinfo(c->curl, CURLINFO_ACTIVESOCKET, &c->fd);
	if (code == CURLE_OK)
		return true;
	explain(c, code, err);
	transport_close(c);
	return false;
}

/* ---- bytes ---- */

static bool lost(struct transport *c, const char *what, struct err *err)
{
	/* Some TLS servers drop who speaks plain text without an alert. */
	bool may_be_tls = !c->got_any && !c->target->tls && c->target->host[0];

	err_set(err, ERR_REFUSED, "connection to %s lost while %s%s", c->target->address, what,
		may_be_tls ? ": does it expect TLS?" : "");
	transport_close(c);
	return false;
}

static bool wait_for(struct transport *c, short events, int64_t deadline_ns, struct err *err)
{
	struct pollfd p = {.fd = c->fd, .events = events};
	int left = left_ms(deadline_ns);
	int n = left ? poll(&p, 1, left) : 0;

	if (n > 0 || (n < 0 && errno == EINTR))
		return true;
	err_set(err, ERR_TIMEOUT, "%s does not answer in time", c->target->address);
	transport_close(c);
	return false;
}

bool transport_send(
	struct transport *c, const void *data, size_t len, int64_t deadline_ns, struct err *err)
{
	const char *p = data;
	CURLcode code;
	size_t n;

	while (len) {
		if (!c->curl)
			return lost(c, "sending", err);
		n = 0;
		code = curl_easy_send(c->curl, p, len, &n);
		if (code != CURLE_OK && code != CURLE_AGAIN)
			return lost(c, "sending", err);
		if (code == CURLE_AGAIN && !wait_for(c, POLLOUT, deadline_ns, err))
			return false;
		p += n;
		len -= n;
	}
	return true;
}

bool transport_recv(struct transport *c, void *buf, size_t cap, size_t *got, int64_t deadline_ns,
	struct err *err)
{
	CURLcode code;
	size_t n = 0;

	if (!c->curl)
		return lost(c, "reading", err);
	/* TLS may hold bytes that poll() does not see: read until there is nothing, then wait. */
	while ((code = curl_easy_recv(c->curl, buf, cap, &n)) == CURLE_AGAIN)
		if (!wait_for(c, POLLIN, deadline_ns, err))
			return false;
	if (code != CURLE_OK)
		return lost(c, "reading", err);
	if (n == 0) {
		transport_close(c);
	} else if (!c->got_any && !c->target->tls && *(unsigned char *)buf == TLS_ALERT_RECORD) {
		transport_close(c);
		return err_set(err, ERR_TLS, "peer expects TLS: use %s://",
			c->target->ops->kind == KIND_REDIS ? "rediss" : "memcacheds");
	}
	c->got_any = true;
	*got = n;
	return true;
}
