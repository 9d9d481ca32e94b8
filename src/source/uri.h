/*
 * The text of a URI, cut into its pieces and decoded. Functions that decode return NULL, or a
 * sentence that says why not; it never quotes the text, which may hold a password.
 */
#ifndef HOTSET_SOURCE_URI_H
#define HOTSET_SOURCE_URI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
	const char *s;
	size_t len;
};

static inline struct slice slice_of(const char *begin, const char *end)
{
	return (struct slice){begin, (size_t)(end - begin)};
}
bool slice_is(struct slice a, const char *s);   /* whatever the case of its letters */
const char *slice_find(struct slice a, char c); /* NULL if it is not in there */

/* A text that is appended to and cut at `cap`. */
struct clip {
	char *p;
	size_t len, cap;
};
void clip_put(struct clip *o, const char *s, size_t len);

/* The pieces of a URI, not decoded. */
struct uri {
	struct slice scheme, userinfo, authority, path, query;
	bool has_userinfo;
};

/* scheme_end points at the "://" of the text. */
void uri_split(const char *text, const char *scheme_end, struct uri *u);
/* Percent-decodes into out. */
const char *uri_decode(struct slice in, char *out, size_t cap);
/* "host", "host:port", "[v6]", "[v6%25zone]:port"; *port keeps its value when there is none. */
const char *uri_decode_host(struct slice in, char *host, size_t cap, uint16_t *port);
bool uri_has_control(const char *s);

#endif
