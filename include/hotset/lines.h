/*
 * Text replies as spans: pieces of a buffer that is neither copied nor NUL-terminated. Everything
 * here works on bytes, so that NULs and broken UTF-8 in a reply do no harm.
 */
#ifndef HOTSET_LINES_H
#define HOTSET_LINES_H

#include <stdbool.h>
#include <stddef.h>

struct span {
	const char *s;
	size_t      len;
};

struct span span_of(const char *text); /* a C string; NULL gives an empty span */
bool        span_is(struct span s, const char *word);
bool        span_starts(struct span s, const char *prefix);
/* true if needle occurs in s, letters of ASCII compared without case */
bool        span_contains(struct span s, const char *needle);
struct span span_skip(struct span s, size_t n); /* without the first n bytes */
struct span span_trim(struct span s);           /* without blanks, tabs and CRs at both ends */
/* Splits at the first sep; false, and outputs untouched, if there is none. */
bool span_split(struct span s, char sep, struct span *head, struct span *tail);
/* Takes the next piece up to sep (or the end) off *rest; false when nothing is left. */
bool span_next(struct span *rest, char sep, struct span *piece);
/* Takes the next word between blanks and tabs off *rest; false when none is left. */
bool span_word(struct span *rest, struct span *word);
/* true if s is prefix, then digits and nothing else; *number (may be NULL) gets the digits. */
bool span_numbered(struct span s, const char *prefix, struct span *number);
/* The value of `name` in a list of name=value, separated by commas; false if it is not there. */
bool span_pair(struct span list, const char *name, struct span *value);

struct lines {
	struct span rest;
	bool        crlf; /* some line so far ended in CR */
	bool        cut;  /* the line just given had no newline: it may have been cut off */
};

void lines_init(struct lines *l, const char *buf, size_t len);
/* The next line without its newline and CR; false at the end. */
bool lines_next(struct lines *l, struct span *line);

#endif
