#include "hotset/lines.h"

#include <string.h>
#include <strings.h>

struct span span_of(const char *text)
{
	return (struct span){text, text ? strlen(text) : 0};
}

bool span_is(struct span s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.s, word, s.len) == 0;
}

bool span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);
	return s.len >= n && memcmp(s.s, prefix, n) == 0;
}

bool span_contains(struct span s, const char *needle)
{
	size_t n = strlen(needle);
	for (size_t i = 0; i + n <= s.len; i++)
		if (strncasecmp(s.s + i, needle, n) == 0)
			return true;
	return false;
}

struct span span_skip(struct span s, size_t n)
{
	if (n > s.len)
		n = s.len;
	return (struct span){s.s + n, s.len - n};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct span span_trim(struct span s)
{
	while (s.len && is_blank(s.s[0]))
		s = span_skip(s, 1);
	while (s.len && is_blank(s.s[s.len - 1]))
		s.len--;
	return s;
}

bool span_split(struct span s, char sep, struct span *head, struct span *tail)
{
	const char *at = s.len ? memchr(s.s, sep, s.len) : NULL;
	if (!at)
		return false;
	size_t n = (size_t)(at - s.s);
	*head = (struct span){s.s, n};
	*tail = span_skip(s, n + 1);
	return true;
}

bool span_next(struct span *rest, char sep, struct span *piece)
{
	if (rest->len == 0)
		return false;
	if (!span_split(*rest, sep, piece, rest)) {
		*piece = *rest;
		*rest = span_skip(*rest, rest->len);
	}
	return true;
}

bool span_word(struct span *rest, struct span *word)
{
	struct span s = *rest;
	while (s.len && is_blank(s.s[0]))
		s = span_skip(s, 1);
	size_t n = 0;
	while (n < s.len && !is_blank(s.s[n]))
		n++;
	*word = (struct span){s.s, n};
	*rest = span_skip(s, n);
	return n > 0;
}

bool span_numbered(struct span s, const char *prefix, struct span *number)
{
	if (!span_starts(s, prefix))
		return false;
	struct span digits = span_skip(s, strlen(prefix));
	for (size_t i = 0; i < digits.len; i++)
		if (digits.s[i] < '0' || digits.s[i] > '9')
			return false;
	if (number)
		*number = digits;
	return digits.len > 0;
}

bool span_pair(struct span list, const char *name, struct span *value)
{
	struct span pair, k, v;
	while (span_next(&list, ',', &pair))
		if (span_split(pair, '=', &k, &v) && span_is(k, name)) {
			*value = v;
			return true;
		}
	return false;
}

void lines_init(struct lines *l, const char *buf, size_t len)
{
	*l = (struct lines){.rest = {buf, len}};
}

bool lines_next(struct lines *l, struct span *line)
{
	if (l->rest.len == 0)
		return false;
	l->cut = memchr(l->rest.s, '\n', l->rest.len) == NULL;
	(void)span_next(&l->rest, '\n', line);
	if (line->len && line->s[line->len - 1] == '\r') {
		line->len--;
		l->crlf = true;
	}
	return true;
}
