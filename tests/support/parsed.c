#include "parsed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hotset/derive.h"

#define DAMAGES 1000u /* per text and way */

static struct sample *make_sample(void)
{
	struct sample *s = sample_create(0);
	assert_non_null(s);
	s->status = STATUS_OK;
	return s;
}

static struct sample *parse_bytes(parse_fn *parse, const char *data, size_t len)
{
	struct sample *s = make_sample();
	struct err err = {0};
	if (!parse(data, len, s, &err))
		fail_msg("refused: %s", err.msg);
	return s;
}

struct sample *parsed_text(parse_fn *parse, const char *text)
{
	return parse_bytes(parse, text, strlen(text));
}

struct sample *parsed_fixture(parse_fn *parse, const char *name)
{
	size_t len;
	char *data = test_fixture(name, &len);
	struct sample *s = parse_bytes(parse, data, len);
	free(data);
	return s;
}

const char *parsed_refused(parse_fn *parse, const char *text, enum err_code code)
{
	static struct err err;
	struct sample *s = make_sample();
	assert_false(parse(text, strlen(text), s, &err));
	assert_int_equal(err.code, code);
	sample_destroy(s);
	return err.msg;
}

void assert_number(const struct sample *s, enum metric_id id, double v)
{
	if (!sample_has(s, id))
		fail_msg("%s is missing: %s", metric_desc(id)->name,
			reason_text((enum reason)s->raw[id].why));
	double got = sample_f64(s, id);
	if (!(fabs(got - v) <= 1e-9 * fabs(v)))
		fail_msg("%s is %.17g, not %.17g", metric_desc(id)->name, got, v);
}

void assert_missing(const struct sample *s, enum metric_id id, enum reason why)
{
	if (sample_has(s, id))
		fail_msg("%s has a value: %.17g", metric_desc(id)->name, sample_f64(s, id));
	assert_string_equal(reason_name((enum reason)s->raw[id].why), reason_name(why));
}

void assert_text(const struct sample *s, enum metric_id id, const char *text)
{
	if (!sample_text(s, id))
		fail_msg("%s has no text", metric_desc(id)->name);
	assert_string_equal(sample_text(s, id), text);
}

double parsed_derived(const struct sample *s, enum kind kind, enum metric_id id)
{
	struct derive *d = derive_create(kind);
	struct frame f;
	assert_non_null(d);
	frame_init(&f);
	derive_step(d, s, true, &f);
	struct value v = frame_value(&f, id);
	frame_finish(&f);
	derive_destroy(d);
	return value_ok(v) ? v.v : (double)NAN;
}

const struct raw *parsed_cell(
	const struct sample *s, enum table_id t, const char *key, unsigned col)
{
	for (unsigned i = 0; i < s->tables[t].n; i++) {
		const struct raw *row = sample_row(s, t, i);
		char number[32] = "";
		if (row[0].type == RAW_U64)
			(void)snprintf(
				number, sizeof(number), "%llu", (unsigned long long)row[0].u);
		if (strcmp(row[0].type == RAW_TEXT ? row[0].s : number, key) == 0)
			return &row[col];
	}
	return NULL;
}

static void check_raw(const struct raw *r)
{
	assert_true(r->type <= RAW_TEXT);
	if (r->type == RAW_NONE)
		assert_true(r->why > REASON_OK && r->why < REASON_COUNT);
	if (r->type == RAW_F64)
		assert_true(isfinite(r->f));
	if (r->type == RAW_TEXT)
		for (const unsigned char *p = (const unsigned char *)r->s; *p; p++)
			assert_true(*p >= 0x20 && *p != 0x7f);
}

static void check_sample(const struct sample *s)
{
	assert_true(s->status < STATUS_COUNT);
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		check_raw(&s->raw[i]);
	for (unsigned t = 0; t < TABLE_COUNT; t++)
		for (unsigned i = 0; i < s->tables[t].n * table_table[t].ncols; i++)
			check_raw(&s->tables[t].cells[i]);
	const char *const names[] = {s->product, s->version, s->role, s->err.msg};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		for (const unsigned char *p = (const unsigned char *)names[i]; *p; p++)
			assert_true(*p >= 0x20 && *p != 0x7f);
}

/* In memory of exactly this size, so that a sanitizer sees a read past the end. */
static void feed(parse_fn *parse, const char *text, size_t len, size_t flip_at, char flip)
{
	char *copy = malloc(len ? len : 1);
	struct sample *s = make_sample();
	struct err err = {0};
	assert_non_null(copy);
	memcpy(copy, text, len);
	if (flip_at < len)
		copy[flip_at] = flip;
	bool ok = parse(copy, len, s, &err);
	assert_true(ok ? err.code == ERR_NONE : err.msg[0] != '\0');
	free(copy); /* nothing of the sample may point into it */
	check_sample(s);
	sample_destroy(s);
}

void parsed_damaged(parse_fn *parse, const char *text, size_t len)
{
	static const char flips[] = {
		'\0', '\n', '\r', ':', '9', '-', '=', ',', '\x1b', '\xff', '"', '{'};
	uint64_t seed = 7;
	size_t step = len / DAMAGES + 1;
	for (size_t n = 0; n <= len; n += step)
		feed(parse, text, n, n, 0);
	for (unsigned i = 0; i < DAMAGES && len; i++) {
		size_t at = (size_t)(test_random(&seed) % len);
		feed(parse, text, len, at, flips[test_random(&seed) % sizeof(flips)]);
	}
}
