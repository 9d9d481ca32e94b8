#include "ejson_text.h"

#include <string.h>

/* ---- times ---- */

struct cursor {
	const char *p, *end;
};

static bool digits(struct cursor *c, unsigned n, int64_t *out)
{
	int64_t v = 0;

	if ((size_t)(c->end - c->p) < n)
		return false;
	for (; n; n--, c->p++) {
		if (*c->p < '0' || *c->p > '9')
			return false;
		v = v * 10 + (*c->p - '0');
	}
	*out = v;
	return true;
}

static bool accept(struct cursor *c, char ch)
{
	if (c->p == c->end || *c->p != ch)
		return false;
	c->p++;
	return true;
}

/* Days since 1970-01-01, Gregorian. Years begin in March here, so that leap days end them. */
static int64_t days_of(int64_t y, int64_t m, int64_t d)
{
	int64_t shifted = m > 2 ? m - 3 : m + 9;
	int64_t years = m > 2 ? y : y - 1;
	int64_t era = (years >= 0 ? years : years - 399) / 400;
	int64_t of_era = years - era * 400;
	int64_t of_year = (153 * shifted + 2) / 5 + d - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* ".123", any number of digits of which three count. */
static bool fraction(struct cursor *c, int64_t *ms)
{
	int64_t scale = 100;

	if (c->p == c->end || *c->p < '0' || *c->p > '9')
		return false;
	for (*ms = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++, scale /= 10)
		*ms += (*c->p - '0') * scale;
	return true;
}

/* "Z", "+01:00", "+0100", "+01" or nothing, in minutes. */
static bool zone(struct cursor *c, int64_t *minutes)
{
	int64_t h, m = 0;
	bool minus;

	*minutes = 0;
	if (c->p == c->end || accept(c, 'Z'))
		return true;
	minus = *c->p == '-';
	if (!accept(c, '-') && !accept(c, '+'))
		return false;
	if (!digits(c, 2, &h))
		return false;
	if ((accept(c, ':') || c->p < c->end) && !digits(c, 2, &m))
		return false;
	*minutes = (h * 60 + m) * (minus ? -1 : 1);
	return true;
}

bool ejson_parse_date(const char *s, size_t len, int64_t *out_ms)
{
	struct cursor c = {s, s + len};
	int64_t y, mon, d, h = 0, min = 0, sec = 0, ms = 0, off = 0;

	if (!digits(&c, 4, &y) || !accept(&c, '-') || !digits(&c, 2, &mon) || !accept(&c, '-') ||
		!digits(&c, 2, &d))
		return false;
	if (accept(&c, 'T') || accept(&c, ' ')) {
		if (!digits(&c, 2, &h) || !accept(&c, ':') || !digits(&c, 2, &min))
			return false;
		if (accept(&c, ':') && !digits(&c, 2, &sec))
			return false;
		if (accept(&c, '.') && !fraction(&c, &ms))
			return false;
		if (!zone(&c, &off))
			return false;
	}
	if (c.p != c.end || mon < 1 || mon > 12 || d < 1 || d > 31 || h > 24 || min > 59 ||
		sec > 60)
		return false;
	*out_ms = (((days_of(y, mon, d) * 24 + h) * 60 + min - off) * 60 + sec) * 1000 + ms;
	return true;
}

/* ---- bytes ---- */

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool ejson_parse_base64(const char *s, size_t len, uint8_t *out, size_t *n)
{
	uint32_t bits = 0;
	unsigned have = 0;
	size_t used = 0;

	if (len % 4)
		return false;
	for (unsigned pad = 0; pad < 2 && len && s[len - 1] == '='; pad++)
		len--;
	for (size_t i = 0; i < len; i++) {
		int d = base64_digit(s[i]);

		if (d < 0)
			return false;
		bits = (bits << 6 | (uint32_t)d) & 0xffffff;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[used++] = (uint8_t)(bits >> have);
		}
	}
	*n = used;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool ejson_parse_hex(const char *s, size_t len, uint8_t *out, size_t *n)
{
	size_t nibbles = 0;

	for (size_t i = 0; i < len; i++) {
		int d = hex_digit(s[i]);

		if (s[i] == '-')
			continue;
		if (d < 0)
			return false;
		if (nibbles % 2)
			out[nibbles / 2] = (uint8_t)(out[nibbles / 2] | d);
		else
			out[nibbles / 2] = (uint8_t)(d << 4);
		nibbles++;
	}
	*n = nibbles / 2;
	return nibbles % 2 == 0;
}
