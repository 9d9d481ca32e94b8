#include "uri.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <strings.h>

#include "hotset/num.h"
#include "hotset/source.h"

bool slice_is(struct slice a, const char *s)
{
	return a.len == strlen(s) && strncasecmp(a.s, s, a.len) == 0;
}

const char *slice_find(struct slice a, char c)
{
	return a.len ? memchr(a.s, c, a.len) : NULL;
}

void clip_put(struct clip *o, const char *s, size_t len)
{
	if (o->len + 1 >= o->cap)
		return;
	if (len > o->cap - o->len - 1)
		len = o->cap - o->len - 1;
	memcpy(o->p + o->len, s, len);
	o->len += len;
	o->p[o->len] = '\0';
}

/* ---- what may be shown ---- */

static bool is_secret_key(struct slice key)
{
	static const char word[] = "password";
	size_t n = sizeof(word) - 1;

	if (slice_is(key, "authMechanismProperties"))
		return true;
	for (size_t i = 0; i + n <= key.len; i++)
		if (strncasecmp(key.s + i, word, n) == 0)
			return true;
	return false;
}

/* Copies from `s` on, with the values of secret parameters replaced. */
static void put_query(struct clip *o, const char *s)
{
	while (*s) {
		const char *end, *eq;
		size_t n = strcspn(s, "?&");

		clip_put(o, s, n);
		s += n;
		if (!*s)
			return;
		clip_put(o, s++, 1);
		end = s + strcspn(s, "&");
		eq = memchr(s, '=', (size_t)(end - s));
		if (!eq || !is_secret_key(slice_of(s, eq)))
			continue;
		clip_put(o, s, (size_t)(eq + 1 - s));
		clip_put(o, "***", 3);
		s = end;
	}
}

/* "6379", and what may stand for an address whose brackets were forgotten. */
static bool is_port_or_ipv6(struct slice s)
{
	bool digits = true, address = slice_find(s, ':') != NULL;

	for (size_t i = 0; i < s.len; i++) {
		digits = digits && isdigit((unsigned char)s.s[i]);
		address = address && (isxdigit((unsigned char)s.s[i]) || strchr(":.", s.s[i]));
	}
	return digits || address;
}

/* Where a password may begin whose '@' was forgotten: behind a ':' that no port follows. */
static const char *find_stray(const char *s)
{
	const char *end = s + strcspn(s, "/?");

	while (s < end) {
		size_t len = strcspn(s, ",/?");
		struct slice host = {s, len};
		const char *colon = s[0] == '[' ? NULL : slice_find(host, ':');

		if (colon && !is_port_or_ipv6(slice_of(colon + 1, s + len)))
			return colon;
		s += len + 1;
	}
	return NULL;
}

void target_redact(const char *text, char *out, size_t cap)
{
	struct clip o = {out, 0, cap};
	const char *start = strstr(text, "://"), *at, *colon, *stray;

	if (cap == 0)
		return;
	out[0] = '\0';
	start = start ? start + 3 : text;
	/* The last '@', wherever it is: a raw '/' or '@' in a password must not show the rest of
	 * it. */
	at = strrchr(start, '@');
	colon = at ? memchr(start, ':', (size_t)(at - start)) : NULL;
	if (colon) {
		clip_put(&o, text, (size_t)(colon + 1 - text));
		clip_put(&o, "***", 3);
		text = at;
	}
	stray = at ? NULL : find_stray(start);
	if (stray) {
		clip_put(&o, text, (size_t)(stray + 1 - text));
		clip_put(&o, "***", 3);
		return;
	}
	put_query(&o, text);
}

/* ---- pieces ---- */

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *uri_decode(struct slice in, char *out, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < in.len; i++) {
		char c = in.s[i];

		if (c == '%') {
			int hi = i + 2 < in.len ? hex(in.s[i + 1]) : -1;
			int lo = i + 2 < in.len ? hex(in.s[i + 2]) : -1;

			if (hi < 0 || lo < 0)
				return "a '%' must be followed by two hexadecimal digits (write "
				       "%25 for '%')";
			c = (char)(hi * 16 + lo);
			i += 2;
		}
		if (c == '\0' || n + 1 >= cap)
			return c ? "too long" : "%00 is not allowed";
		out[n++] = c;
	}
	out[n] = '\0';
	return NULL;
}

bool uri_has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			return true;
	return false;
}

static const char *decode_port(struct slice in, uint16_t *out)
{
	uint64_t v;

	if (!num_parse_u64(in.s, in.len, &v) || v == 0 || v > UINT16_MAX)
		return "the port must be a number from 1 to 65535";
	*out = (uint16_t)v;
	return NULL;
}

static const char *check_ipv6(const char *host)
{
	struct in6_addr a;
	char plain[INET6_ADDRSTRLEN];
	size_t n = strcspn(host, "%");

	if (n >= sizeof(plain))
		return "not an IPv6 address within the brackets";
	memcpy(plain, host, n);
	plain[n] = '\0';
	return inet_pton(AF_INET6, plain, &a) == 1 ? NULL
						   : "not an IPv6 address within the brackets";
}

static const char *check_name(const char *host)
{
	if (!*host)
		return "the host is missing";
	for (const char *p = host; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-._", *p))
			return "a host name has letters, digits, '-', '.' and '_' only";
	return NULL;
}

const char *uri_decode_host(struct slice in, char *host, size_t cap, uint16_t *port)
{
	const char *end = in.s + in.len, *colon = slice_find(in, ':'), *why;

	if (in.len && in.s[0] == '[') {
		const char *close = slice_find(in, ']');

		if (!close)
			return "the closing ']' is missing";
		why = uri_decode(slice_of(in.s + 1, close), host, cap);
		if (!why)
			why = check_ipv6(host);
		if (!why && close + 1 != end)
			why = close[1] == ':' ? decode_port(slice_of(close + 2, end), port)
					      : "only ':port' may follow the ']'";
		return why;
	}
	if (colon && memchr(colon + 1, ':', (size_t)(end - colon - 1)))
		return "an IPv6 address needs brackets, as in [2001:db8::1]:27017";
	why = uri_decode(slice_of(in.s, colon ? colon : end), host, cap);
	if (!why)
		why = check_name(host);
	if (!why && colon)
		why = decode_port(slice_of(colon + 1, end), port);
	return why;
}

void uri_split(const char *text, const char *scheme_end, struct uri *u)
{
	const char *rest = scheme_end + 3, *end = rest + strlen(rest), *at;

	u->scheme = slice_of(text, scheme_end);
	u->authority = (struct slice){rest, strcspn(rest, "/?")};
	rest += u->authority.len;
	u->path = (struct slice){rest, strcspn(rest, "?")};
	rest += u->path.len;
	u->query = slice_of(*rest ? rest + 1 : rest, end);
	at = u->authority.len ? memrchr(u->authority.s, '@', u->authority.len) : NULL;
	u->has_userinfo = at != NULL;
	if (at) {
		u->userinfo = slice_of(u->authority.s, at);
		u->authority = slice_of(at + 1, u->authority.s + u->authority.len);
	}
}
