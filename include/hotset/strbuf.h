/*
 * A growing byte buffer with a mandatory maximum. An append that would exceed the maximum, or that
 * finds no memory, appends nothing and sets `full`; later appends then do nothing, so a caller may
 * check once at the end. `data` is never NULL and always ends in a NUL that `len` does not count.
 */
#ifndef HOTSET_STRBUF_H
#define HOTSET_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include "hotset/err.h"

struct strbuf {
	char  *data;
	size_t len, cap, max;
	bool   full;
};

void strbuf_init(struct strbuf *b, size_t max); /* max in bytes, NUL not counted */
void strbuf_finish(struct strbuf *b);           /* frees; the buffer may be used again after init */
void strbuf_clear(struct strbuf *b);            /* keeps the memory, resets `full` */
void strbuf_add(struct strbuf *b, const void *data, size_t len);
void strbuf_puts(struct strbuf *b, const char *s);
void strbuf_putc(struct strbuf *b, char c);
void strbuf_printf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Hands the memory to the caller, who frees it with free(); the buffer is empty afterwards. */
char *strbuf_take(struct strbuf *b);

#endif
