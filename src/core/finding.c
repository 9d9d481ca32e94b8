/* How rules write down what they found. */
#include "hotset/num.h"
#include "hotset/rules.h"
#include "hotset/text.h"

#include <stdarg.h>

#define DRAFT_MAX 1024u /* bytes of a sentence before it is cut at a character's edge */

PRINTF_LIKE(3, 0)
static void write_text(char *out, size_t cap, const char *fmt, va_list args)
{
	char draft[DRAFT_MAX];
	int len = vsnprintf(draft, sizeof(draft), fmt, args);

	if (len < 0)
		draft[0] = '\0';
	text_sanitize(out, cap, draft, strlen(draft));
}

void finding_say(struct finding *f, enum level level, const char *fmt, ...)
{
	va_list args;

	f->level = level;
	va_start(args, fmt);
	write_text(f->text, sizeof(f->text), fmt, args);
	va_end(args);
}

void finding_next(struct finding *f, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	write_text(f->next, sizeof(f->next), fmt, args);
	va_end(args);
}

void finding_skip(struct finding *f, const char *fmt, ...)
{
	va_list args;

	f->level = LEVEL_OK;
	va_start(args, fmt);
	write_text(f->skip, sizeof(f->skip), fmt, args);
	va_end(args);
}
