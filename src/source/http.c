/*
 * A node_exporter's /metrics over libcurl. One easy handle keeps the connection; every request has
 * one total deadline and a bound on what it takes, counted after decompression.
 */
#include "kinds.h"
#include "stamp.h"

#include <curl/curl.h>

#include "hotset/parse.h"
#include "hotset/strbuf.h"

#define BODY_MAX       (8ul * 1024 * 1024) /* bytes */
#define CONNECT_MAX_MS 3000L
#define REASON_LEN     112

struct http {
	const struct target *target;
	CURL *curl;
	struct strbuf body;
	char reason[CURL_ERROR_SIZE];
	struct server_run run;
};

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct strbuf *body = arg;

	strbuf_add(body, data, size * n);
	return body->full ? 0 : size * n; /* less than given ends the transfer */
}

static void make_url(const struct target *t, char *url, size_t cap)
{
	const char *zone = strchr(t->host, '%');
	bool is_v6 = strchr(t->host, ':') != NULL;
	int host_len = zone ? (int)(zone - t->host) : (int)strlen(t->host);

	snprintf(url, cap, "%s://%s%.*s%s%s%s:%u%s", t->tls ? "https" : "http", is_v6 ? "[" : "",
		host_len, t->host, zone ? "%25" : "", zone ? zone + 1 : "", is_v6 ? "]" : "",
		t->port, t->path);
}

static void set_up_tls(CURL *curl, const struct target *t)
{
	if (t->ca_file[0])
		curl_easy_setopt(curl, CURLOPT_CAINFO, t->ca_file);
	if (t->cert_file[0]) {
		curl_easy_setopt(curl, CURLOPT_SSLCERT, t->cert_file);
		curl_easy_setopt(curl, CURLOPT_SSLKEY, t->cert_file);
	}
	if (t->tls_insecure) {
		curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

static void set_up(struct http *h)
{
	const struct target *t = h->target;
	char url[sizeof(t->host) + sizeof(t->path) + 32];

	make_url(t, url, sizeof(url));
	curl_easy_setopt(h->curl, CURLOPT_URL, url);
	curl_easy_setopt(h->curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(
		h->curl, CURLOPT_PROXY, ""); /* the host itself, not what stands before it */
	curl_easy_setopt(h->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->curl, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(h->curl, CURLOPT_DNS_CACHE_TIMEOUT, 0L); /* a name may move */
	curl_easy_setopt(h->curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MAX_MS);
	curl_easy_setopt(h->curl, CURLOPT_ACCEPT_ENCODING, "gzip");
	curl_easy_setopt(h->curl, CURLOPT_USERAGENT, "hotset/" HOTSET_VERSION);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, h->reason);
	curl_easy_setopt(h->curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(h->curl, CURLOPT_WRITEDATA, &h->body);
	if (t->user[0] || t->password[0]) {
		curl_easy_setopt(h->curl, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		curl_easy_setopt(h->curl, CURLOPT_USERNAME, t->user);
		curl_easy_setopt(h->curl, CURLOPT_PASSWORD, t->password);
	}
	set_up_tls(h->curl, t);
}

static bool explain(const struct http *h, CURLcode code, struct err *err)
{
	const char *address = h->target->address;
	const char *why = h->reason[0] ? h->reason : curl_easy_strerror(code);

	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return err_set(err, ERR_DNS, "%s does not resolve", h->target->host);
	case CURLE_COULDNT_CONNECT:
		return err_set(err, ERR_REFUSED, "cannot connect to %s", address);
	case CURLE_OPERATION_TIMEDOUT:
		return err_set(err, ERR_TIMEOUT, "%s does not answer in time", address);
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_PEER_FAILED_VERIFICATION:
		if (strstr(why, "wrong version number") || strstr(why, "packet length too long"))
			return err_set(err, ERR_TLS, "peer is not TLS: use http://");
		return err_set(err, ERR_TLS, "TLS to %s: %.*s", address, REASON_LEN, why);
	case CURLE_WRITE_ERROR:
		return err_set(err, ERR_LIMIT, "the reply of %s is longer than %lu MiB", address,
			BODY_MAX / 1024 / 1024);
	default:
		if (h->target->tls && strstr(why, " alert ")) /* TLS 1.3 refuses that late */
			return err_set(err, ERR_TLS, "TLS to %s: %.*s", address, REASON_LEN, why);
		return err_set(err, ERR_PROTOCOL, "%s: %.*s", address, REASON_LEN, why);
	}
}

/* What an exporter (Go) and nginx answer on a port of HTTPS to who speaks without. */
static bool is_for_https(const struct strbuf *body)
{
	return body->data && (strstr(body->data, "HTTP request to an HTTPS server") ||
				     strstr(body->data, "HTTP request was sent to HTTPS port"));
}

static bool judge_code(const struct http *h, long code, struct err *err)
{
	const char *to = NULL;

	if (code == 200)
		return true;
	if (code == 401 || code == 403)
		return err_set(err, ERR_AUTH, "HTTP %ld: %s", code,
			code == 401 ? "user and password needed" : "forbidden");
	if (code == 400 && !h->target->tls && is_for_https(&h->body))
		return err_set(err, ERR_TLS, "peer needs TLS: use https://");
	curl_easy_getinfo(h->curl, CURLINFO_REDIRECT_URL, &to);
	if (code >= 300 && code < 400 && to) {
		char shown[REASON_LEN];

		target_redact(to, shown, sizeof(shown));
		return err_set(err, ERR_UNSUPPORTED, "HTTP %ld: redirects to %s", code, shown);
	}
	return err_set(err, code == 404 ? ERR_UNSUPPORTED : ERR_SYSTEM, "HTTP %ld from %s%s", code,
		h->target->address, h->target->path);
}

static bool fetch(struct http *h, int64_t deadline_ns, struct err *err)
{
	int64_t left = (deadline_ns - clock_mono_ns()) / NS_PER_MS;
	CURLcode code;
	long status = 0;

	strbuf_clear(&h->body);
	h->reason[0] = '\0';
	curl_easy_setopt(h->curl, CURLOPT_TIMEOUT_MS, left > 0 ? (long)left : 1L);
	code = curl_easy_perform(h->curl);
	if (code != CURLE_OK)
		return explain(h, code, err);
	curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
	return judge_code(h, status, err);
}

static struct source *http_create(const struct target *t, const struct source_options *o)
{
	struct http *h = calloc(1, sizeof(*h));

	(void)o;
	if (!h)
		return NULL;
	h->target = t;
	strbuf_init(&h->body, BODY_MAX);
	h->curl = curl_easy_init();
	if (h->curl)
		set_up(h);
	return (struct source *)h;
}

static void http_poll(struct source *s, const struct poll_request *req, struct sample *out)
{
	struct http *h = (struct http *)s;
	struct stamp begin = stamp_begin();
	struct err err = {.code = ERR_NONE};

	if (!h || !h->curl) {
		err_set(&err, ERR_SYSTEM, "no memory for a connection");
		sample_fail(out, STATUS_ERROR, &err);
		return;
	}
	if (!fetch(h, req->deadline_ns, &err)) {
		sample_fail(out, status_from_err(err.code), &err);
		stamp_failed(begin, out);
		return;
	}
	stamp_end(begin, out);
	out->status = STATUS_OK;
	if (parse_node_metrics(h->body.data, h->body.len, out, &err))
		parse_settle_epoch(&h->run, out);
	else
		sample_fail(out, status_from_err(err.code), &err);
}

static void http_destroy(struct source *s)
{
	struct http *h = (struct http *)s;

	if (!h)
		return;
	curl_easy_cleanup(h->curl);
	strbuf_finish(&h->body);
	free(h);
}

static const char *const schemes[] = {"http", "https", NULL};

const struct source_ops source_http = {
	.name = "http",
	.schemes = schemes,
	.kind = KIND_HOST,
	.port = 80,
	.tls_port = 443,
	.create = http_create,
	.poll = http_poll,
	.destroy = http_destroy,
};
