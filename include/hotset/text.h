/*
 * Text from servers is hostile and may be wide. Everything that a server sent passes
 * text_sanitize() in the parser, once; everything that is drawn is measured with text_width().
 * Independent of the locale: all text inside hotset is UTF-8.
 */
#ifndef HOTSET_TEXT_H
#define HOTSET_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uchar.h>
#include "hotset/err.h"

/*
 * Copies src (len bytes) into dst (cap bytes, NUL-terminated, cut at a character's edge): C0, DEL,
 * C1, bidi controls, zero-width joiners and invalid UTF-8 become U+FFFD. Returns the length.
 */
size_t text_sanitize(char *dst, size_t cap, const char *src, size_t len);

/* Decodes one character; returns its length in bytes, 1 with *out = U+FFFD for an invalid byte. */
size_t text_decode(const char *s, size_t len, char32_t *out);
/* Encodes into dst (at least 4 bytes); returns the length. */
size_t text_encode(char *dst, char32_t ch);
/* Cells of one character: 0 combining, 1, or 2 wide (East Asian wide and emoji). */
int text_cell_width(char32_t ch);
/* Cells of a UTF-8 string. */
int text_width(const char *s);
/* Bytes of s that fit into `cells`; *used (may be NULL) gets the cells they take. */
size_t text_fit(const char *s, int cells, int *used);

/* Writes a JSON string with its quotes; see strbuf.h. Non-ASCII stays UTF-8. */
struct strbuf;
void text_json(struct strbuf *out, const char *s);

/*
 * Whether s has the part in it, capital letters being the same as small ones in the Latin, Greek
 * and Cyrillic alphabets. An empty part is in every text.
 */
bool text_contains(const char *s, const char *part);

/* RFC 4648 with padding, NUL-terminated. False, and "", when cap is below TEXT_BASE64_MAX(len). */
#define TEXT_BASE64_MAX(len) (((len) + 2) / 3 * 4 + 1)
MUST_CHECK bool text_base64(char *dst, size_t cap, const void *data, size_t len);

/* true if the locale named by LC_ALL, else LC_CTYPE, else LANG (getenv-like lookup) is UTF-8. */
bool text_locale_is_utf8(const char *lc_all, const char *lc_ctype, const char *lang);

/* FNV-1a, for identities (epochs) and not for security. Start with TEXT_HASH_INIT. */
#define TEXT_HASH_INIT UINT64_C(0xcbf29ce484222325)
uint64_t text_hash(uint64_t h, const void *data, size_t len);

#endif
