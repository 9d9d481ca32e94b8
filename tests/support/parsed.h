/* Parsers in tests: a fixture to a sample, what is in the sample, and input that is damaged. */
#ifndef TESTS_PARSED_H
#define TESTS_PARSED_H

#include "hotset/sample.h"
#include "support.h"

typedef bool parse_fn(const char *buf, size_t len, struct sample *out, struct err *err);

/* Parse with status OK set before, as a source does; the test fails if the parser does. */
struct sample *parsed_text(parse_fn *parse, const char *text);
struct sample *parsed_fixture(parse_fn *parse, const char *name);
/* The parser must refuse the text with this code; the message is valid until the next call. */
const char *parsed_refused(parse_fn *parse, const char *text, enum err_code code);

void assert_number(const struct sample *s, enum metric_id id, double v);
void assert_missing(const struct sample *s, enum metric_id id, enum reason why);
void assert_text(const struct sample *s, enum metric_id id, const char *text);
/* What derive makes of the sample alone: the value, or NaN. */
double parsed_derived(const struct sample *s, enum kind kind, enum metric_id id);
/* The cell of the row whose key cell has this text. NULL if there is no such row. */
const struct raw *parsed_cell(
	const struct sample *s, enum table_id t, const char *key, unsigned col);

/*
 * Feeds a text cut at every length (at most a thousand of them, evenly spread) and with bytes
 * changed at a thousand places. The parser may refuse it, but what it makes must keep the
 * promises of a sample: finite numbers, texts without control bytes, a known status.
 */
void parsed_damaged(parse_fn *parse, const char *text, size_t len);

#endif
