/*
 * Targets as people type them: "URI", "name=URI" or "host:port" guessed by its port. Errors quote
 * the input only through target_redact() and never a part of it: with a raw '/' or '@' in a
 * password no part can be trusted to be what it looks like.
 */
#include "hotset/source.h"

#include <ctype.h>
#include <mongoc/mongoc.h>
#include <strings.h>
#include <sys/un.h>

#include "hotset/num.h"
#include "hotset/text.h"

#include "target_parts.h"

#define URI_MAX    4096 /* bytes */
#define SHOWN_MAX  90   /* bytes of a target in an error message */

static bool refuse(struct err *err, const char *text, const char *why)
{
	char shown[SHOWN_MAX];

	target_redact(text, shown, sizeof(shown));
	return err_set(err, ERR_USAGE, "target '%s': %s", shown, why);
}

/* ---- pieces of a target ---- */

const char *target_decode_userinfo(const struct uri *u, struct target *t)
{
	const char *colon = slice_find(u->userinfo, ':'), *end = u->userinfo.s + u->userinfo.len,
		   *why;

	if (!u->has_userinfo)
		return NULL;
	why = uri_decode(slice_of(u->userinfo.s, colon ? colon : end), t->user, sizeof(t->user));
	if (!why && colon)
		why = uri_decode(slice_of(colon + 1, end), t->password, sizeof(t->password));
	return why;
}

/* One "key=value" of a query. 1: it was a TLS option of ours, 0: it was not, -1: it is wrong. */
static int decode_option(struct slice param, struct target *t, const char **why)
{
	const char *eq = slice_find(param, '=');
	struct slice key = slice_of(param.s, eq ? eq : param.s + param.len);
	struct slice value = eq ? slice_of(eq + 1, param.s + param.len) : (struct slice){"", 0};

	if (slice_is(key, "tlsCAFile"))
		*why = uri_decode(value, t->ca_file, sizeof(t->ca_file));
	else if (slice_is(key, "tlsCertificateKeyFile"))
		*why = uri_decode(value, t->cert_file, sizeof(t->cert_file));
	else if (slice_is(key, "tlsAllowInvalidCertificates") && slice_is(value, "true"))
		t->tls_insecure = true;
	else if (slice_is(key, "tlsAllowInvalidCertificates") && slice_is(value, "false"))
		t->tls_insecure = false;
	else
		return 0;
	return *why ? -1 : 1;
}

/* Takes the TLS options out of the query; what is left goes to `rest` if that is given. */
static const char *decode_query(struct slice query, struct target *t, struct clip *rest)
{
	const char *p = query.s, *end = query.s + query.len, *why = NULL;
	char sep = '?';

	while (p < end) {
		const char *amp = memchr(p, '&', (size_t)(end - p));
		struct slice param = slice_of(p, amp ? amp : end);
		int is = decode_option(param, t, &why);

		if (is < 0)
			return why;
		if (is == 0 && !rest)
			return "known options are tlsCAFile, tlsCertificateKeyFile and "
			       "tlsAllowInvalidCertificates=true|false";
		if (is == 0) {
			clip_put(rest, &sep, 1);
			clip_put(rest, param.s, param.len);
			sep = '&';
		}
		p = amp ? amp + 1 : end;
	}
	return NULL;
}

/* ---- kinds of target ---- */

/* Long names keep their beginning and their end, which both tell them apart. */
void target_shorten(char *out, size_t cap, const char *s)
{
	size_t len = strlen(s), head = (cap - 3) / 2, tail = cap - 3 - head;

	if (len < cap)
		memcpy(out, s, len + 1);
	else
		snprintf(out, cap, "%.*s..%s", (int)head, s, s + len - tail);
}

void target_set_address(struct target *t, const char *address)
{
	char id[sizeof(t->host) + sizeof(t->path)];

	snprintf(id, sizeof(id), "%s@%s", t->ops->name, address);
	target_shorten(t->id, sizeof(t->id), id);
	target_shorten(t->address, sizeof(t->address), address);
}

void target_set_host_address(struct target *t)
{
	char buf[sizeof(t->host) + 32];

	snprintf(buf, sizeof(buf), strchr(t->host, ':') ? "[%s]:%u" : "%s:%u", t->host, t->port);
	target_set_address(t, buf);
}

static const char *decode_unix(struct slice path, struct target *t)
{
	const char *why = uri_decode(path, t->path, sizeof(t->path));

	if (why)
		return why;
	if (t->path[0] != '/' || !t->path[1])
		return "the path of the socket is missing, as in redis+unix:///run/redis.sock";
	if (strlen(t->path) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		return "the path of a unix socket has at most 107 bytes";
	if (uri_has_control(t->path))
		return "the path holds control characters";
	target_set_address(t, t->path);
	return NULL;
}

static const char *parse_cache(const struct uri *u, struct target *t)
{
	bool is_unix = strstr(t->scheme, "+unix") != NULL;
	const char *why = target_decode_userinfo(u, t);
	uint64_t db;

	if (!why)
		why = decode_query(u->query, t, NULL);
	if (why)
		return why;
	if (is_unix)
		return u->authority.len ? "write three slashes, as in redis+unix:///run/redis.sock"
					: decode_unix(u->path, t);
	t->port = t->tls && t->ops->tls_port ? t->ops->tls_port : t->ops->port;
	why = uri_decode_host(u->authority, t->host, sizeof(t->host), &t->port);
	if (why)
		return why;
	if (u->path.len > 1) {
		if (t->ops->kind != KIND_REDIS)
			return "nothing but options may follow the port";
		if (!num_parse_u64(u->path.s + 1, u->path.len - 1, &db) || db > 1000000)
			return "what follows the '/' must be the number of a database";
		t->db = (unsigned)db;
	}
	target_set_host_address(t);
	return NULL;
}

static const char *parse_http(const struct uri *u, struct target *t)
{
	struct clip rest = {t->path, 0, sizeof(t->path)};
	const char *why = target_decode_userinfo(u, t);

	t->port = t->tls ? t->ops->tls_port : t->ops->port;
	if (!why)
		why = uri_decode_host(u->authority, t->host, sizeof(t->host), &t->port);
	if (why)
		return why;
	if (u->path.len + u->query.len + 2 > sizeof(t->path))
		return "the path is too long";
	if (u->path.len)
		clip_put(&rest, u->path.s, u->path.len);
	else
		clip_put(&rest, "/metrics", 8);
	why = decode_query(u->query, t, &rest);
	if (!why && (uri_has_control(t->path) || strchr(t->path, ' ')))
		why = "the path holds blanks or control characters";
	if (!why)
		target_set_host_address(t);
	return why;
}

/* ---- the whole ---- */

static const char *unknown_scheme(struct clip *o)
{
	clip_put(o, "unknown scheme; known are", 25);
	for (const struct source_ops *const *k = source_kinds; *k; k++)
		for (const char *const *s = (*k)->schemes; *s; s++) {
			clip_put(o, " ", 1);
			clip_put(o, *s, strlen(*s));
		}
	return o->p;
}

static const char *parse_proc(const char *dir, struct target *t)
{
	if (dir[0] == '/' && dir[1] == '/' && dir[2] == '/')
		dir += 2; /* proc:///DIR */
	if (*dir && *dir != '/')
		return "after 'proc:' only an absolute directory may follow";
	if (strlen(dir) >= sizeof(t->path))
		return "the directory is too long";
	memcpy(t->path, dir, strlen(dir) + 1);
	if (uri_has_control(t->path))
		return "the directory holds control characters";
	memcpy(t->scheme, "proc", sizeof("proc"));
	snprintf(t->address, sizeof(t->address), "this host");
	if (*dir)
		target_shorten(t->address, sizeof(t->address), dir);
	snprintf(t->id, sizeof(t->id), "proc:%s", *dir ? t->address : "");
	return NULL;
}

static const char *parse_uri(const char *text, const char *scheme_end, struct target *t,
	struct clip *note, bson_error_t *error)
{
	struct uri u = {.has_userinfo = false};

	uri_split(text, scheme_end, &u);
	t->ops = source_find_scheme(u.scheme.s, u.scheme.len);
	if (!t->ops || u.scheme.len >= sizeof(t->scheme))
		return unknown_scheme(note);
	for (size_t i = 0; i < u.scheme.len; i++)
		t->scheme[i] = (char)tolower((unsigned char)u.scheme.s[i]);
	t->tls = strcmp(t->scheme, "rediss") == 0 || strcmp(t->scheme, "memcacheds") == 0 ||
		 strcmp(t->scheme, "https") == 0;
	if (t->ops->kind == KIND_MONGO)
		return target_parse_mongo(text, &u, t, error);
	if (t->ops->kind == KIND_HOST)
		return t->ops->port ? parse_http(&u, t) : parse_proc(scheme_end + 1, t);
	return parse_cache(&u, t);
}

/* "host:port" without a scheme. */
static const char *parse_guess(const char *text, struct target *t, bson_error_t *error)
{
	char host[sizeof(t->host)], uri[URI_MAX + 16];
	uint16_t port = text[0] == '[' ? TARGET_MONGO_PORT : 0;
	struct uri u = {.has_userinfo = false};
	const char *why;

	if (strchr(text, '@'))
		return "credentials need a whole URI, as in redis://user:password@host";
	why = uri_decode_host(slice_of(text, text + strlen(text)), host, sizeof(host), &port);
	if (why)
		return why;
	for (const struct source_ops *const *k = source_kinds; *k && port; k++)
		if ((*k)->port == port && (*k)->kind != KIND_HOST)
			t->ops = *k;
	if (!t->ops)
		return "its port does not tell what it is: write a scheme, as in redis://host:port";
	snprintf(uri, sizeof(uri), "%s://%s", t->ops->schemes[0], text);
	snprintf(t->scheme, sizeof(t->scheme), "%s", t->ops->schemes[0]);
	uri_split(uri, strstr(uri, "://"), &u);
	if (t->ops->kind == KIND_MONGO)
		return target_parse_mongo(uri, &u, t, error);
	return parse_cache(&u, t);
}

bool target_parse(const char *text, struct target *out, struct err *err)
{
	struct target t = {.ops = NULL};
	char note_buf[192] = "";
	struct clip note = {note_buf, 0, sizeof(note_buf)};
	const char *uri = text, *sep, *why = NULL;
	size_t name_len = strcspn(text, "=:/?@[");
	bson_error_t error;

	if (strlen(text) > URI_MAX)
		return refuse(err, text, "too long");
	if (text[name_len] == '=') {
		uri = text + name_len + 1;
		if (name_len == 0 || name_len >= sizeof(t.name))
			why = "the name before '=' must have 1 to 63 bytes";
		else
			text_sanitize(t.name, sizeof(t.name), text, name_len);
	}
	sep = strstr(uri, "://");
	if (why)
		;
	else if (strncasecmp(uri, "proc:", 5) == 0) {
		t.ops = source_find_scheme("proc", 4);
		why = parse_proc(uri + 5, &t);
	} else if (sep) {
		why = parse_uri(uri, sep, &t, &note, &error);
	} else {
		why = parse_guess(uri, &t, &error);
	}
	if (why) {
		refuse(err, text, why);
		target_finish(&t);
		return false;
	}
	*out = t;
	explicit_bzero(&t, sizeof(t));
	return true;
}

void target_finish(struct target *t)
{
	if (t->uri) {
		explicit_bzero(t->uri, strlen(t->uri));
		free(t->uri);
	}
	explicit_bzero(t, sizeof(*t));
}

void target_set_credentials(struct target *t, const char *user, const char *password)
{
	explicit_bzero(t->user, sizeof(t->user));
	explicit_bzero(t->password, sizeof(t->password));
	snprintf(t->user, sizeof(t->user), "%s", user);
	snprintf(t->password, sizeof(t->password), "%s", password);
}
