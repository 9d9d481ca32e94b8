#include "hotset/strbuf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What `data` points to before the first append, so that it is never NULL. Never written to. */
static char empty[1] = "";

void strbuf_init(struct strbuf *b, size_t max)
{
	*b = (struct strbuf){.data = empty, .max = max};
}

void strbuf_finish(struct strbuf *b)
{
	if (b->cap)
		free(b->data);
	strbuf_init(b, b->max);
}

void strbuf_clear(struct strbuf *b)
{
	b->len = 0;
	b->full = false;
	if (b->cap)
		b->data[0] = '\0';
}

/* Makes room for `more` bytes and the NUL. */
static bool reserve(struct strbuf *b, size_t more)
{
	if (b->full || more > b->max || b->len > b->max - more) {
		b->full = true;
		return false;
	}
	size_t need = b->len + more + 1;
	if (need <= b->cap)
		return true;
	size_t cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	char *data = realloc(b->cap ? b->data : NULL, cap);
	if (!data) {
		b->full = true;
		return false;
	}
	if (!b->cap)
		data[0] = '\0';
	b->data = data;
	b->cap = cap;
	return true;
}

void strbuf_add(struct strbuf *b, const void *data, size_t len)
{
	if (!len || !reserve(b, len))
		return;
	memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void strbuf_puts(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_putc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
	va_list ap, again;
	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		b->full = true;
	else if (n > 0 && reserve(b, (size_t)n)) {
		(void)vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

char *strbuf_take(struct strbuf *b)
{
	char *data = b->cap ? b->data : calloc(1, 1);
	strbuf_init(b, b->max);
	return data;
}
