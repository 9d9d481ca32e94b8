/*
 * The base layer: errors carry no control bytes, buffers stop at their maximum, hostile text is
 * made harmless and measured in cells, numbers are read whole or not at all and print steadily.
 */
#include "support.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/err.h"
#include "hotset/num.h"
#include "hotset/strbuf.h"
#include "hotset/text.h"

static void errors_are_false_and_clean(void **state)
{
	(void)state;
	struct err err;
	assert_false(err_set(&err, ERR_PROTOCOL, "bad \033[2J line %d", 7));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_string_equal(err.msg, "bad ?[2J line 7");
	errno = ENOENT;
	assert_false(err_sys(&err, "cannot open %s", "x"));
	assert_int_equal(err.sys, ENOENT);
	assert_string_equal(err.msg, "cannot open x: No such file or directory");
	assert_false(err_set(NULL, ERR_USAGE, "nobody listens"));
}

static void strbuf_stops_at_its_maximum(void **state)
{
	(void)state;
	struct strbuf b;
	strbuf_init(&b, 10);
	assert_string_equal(b.data, "");
	strbuf_puts(&b, "12345");
	strbuf_printf(&b, "%d", 67890);
	assert_string_equal(b.data, "1234567890");
	assert_false(b.full);
	strbuf_putc(&b, 'x');
	assert_true(b.full);
	assert_string_equal(b.data, "1234567890");
	strbuf_clear(&b);
	strbuf_puts(&b, "again");
	char *s = strbuf_take(&b);
	assert_string_equal(s, "again");
	free(s);
	assert_int_equal(b.len, 0);
	strbuf_finish(&b);
}

static void hostile_text_is_made_harmless(void **state)
{
	(void)state;
	static const struct {
		const char *in, *out;
	} t[] = {
		{"orders", "orders"},
		{"a\033[2J", "a\xEF\xBF\xBD[2J"},
		{"\xC2\x9B" "31m", "\xEF\xBF\xBD" "31m"},       /* C1 CSI */
		{"a\xE2\x80\xAE" "b", "a\xEF\xBF\xBD" "b"},     /* right-to-left override */
		{"\xFF\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
		{"na\xC3\xAFve", "na\xC3\xAFve"},
		{"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* a surrogate */
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char out[64];
		(void)text_sanitize(out, sizeof(out), t[i].in, strlen(t[i].in));
		assert_string_equal(out, t[i].out);
	}
	char cut[6];
	assert_int_equal(text_sanitize(cut, sizeof(cut), "abc\xE6\xB5\xB7", 6), 3);
	assert_string_equal(cut, "abc");
	/* an embedded NUL is a control character, not the end */
	char nul[16];
	assert_int_equal(text_sanitize(nul, sizeof(nul), "a\0b", 3), 5);
}

static void widths_are_cells(void **state)
{
	(void)state;
	assert_int_equal(text_width("\xE6\xB5\xB7\xE5\x9B\xB3"), 4);
	assert_int_equal(text_width("\xC3\xB8\xF0\x9F\x99\x82\xE6\x9C\xA8"), 5);
	assert_int_equal(text_width("na\xC3\xAFve"), 5);
	assert_int_equal(text_width("nai\xCC\x88ve"), 5);
	assert_int_equal(text_width("plain"), 5);
	int used;
	assert_int_equal(text_fit("\xE6\xB5\xB7\xE5\x9B\xB3", 3, &used), 3);
	assert_int_equal(used, 2);
}

static void json_strings_are_escaped(void **state)
{
	(void)state;
	struct strbuf b;
	strbuf_init(&b, 100);
	text_json(&b, "a\"b\\c\nd\001\x7F\xC3\xAF");
	assert_string_equal(b.data, "\"a\\\"b\\\\c\\nd\\u0001\\u007f\xC3\xAF\"");
	strbuf_finish(&b);
}

static void locale_order_is_all_ctype_lang(void **state)
{
	(void)state;
	assert_false(text_locale_is_utf8(NULL, NULL, NULL));
	assert_false(text_locale_is_utf8(NULL, NULL, "C"));
	assert_false(text_locale_is_utf8("POSIX", NULL, "en_US.UTF-8"));
	assert_true(text_locale_is_utf8(NULL, NULL, "fr_FR.utf8"));
	assert_true(text_locale_is_utf8(NULL, "en_US.UTF-8", NULL));
	assert_false(text_locale_is_utf8("C", NULL, "de_DE.UTF-8"));
	assert_true(text_locale_is_utf8("", NULL, "C.UTF-8"));
	assert_true(text_locale_is_utf8("sr_RS.UTF-8@latin", NULL, NULL));
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
	(void)state;
	uint64_t u;
	int64_t i;
	double f;
	assert_true(num_parse_u64("18446744073709551615", 20, &u));
	assert_true(u == UINT64_MAX);
	assert_false(num_parse_u64("18446744073709551616", 20, &u));
	assert_false(num_parse_u64("", 0, &u));
	assert_false(num_parse_u64("12x", 3, &u));
	assert_false(num_parse_u64("-1", 2, &u));
	assert_true(num_parse_i64("-9223372036854775808", 20, &i));
	assert_true(i == INT64_MIN);
	assert_false(num_parse_i64("9223372036854775808", 19, &i));
	assert_true(num_parse_f64("91.27", 5, &f));
	test_near(f, 91.27, 1e-12);
	assert_true(num_parse_f64("1.7179869184e+10", 16, &f));
	test_near(f, 17179869184.0, 0);
	static const char *const bad[] = {
		"", ".", "nan", "inf", "0x1p-2", "1_000", "1,5", "1e", " 1", "1 ", "1e999"};
	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++)
		assert_false(num_parse_f64(bad[k], strlen(bad[k]), &f));
	static const struct {
		const char *s;
		uint64_t    v;
	} sizes[] = {{"64", 64}, {"64MB", 64u << 20}, {"1.5G", 1610612736}, {"512k", 524288},
		{"1GiB", 1u << 30}, {"10B", 10}};
	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		assert_true(num_parse_size(sizes[k].s, strlen(sizes[k].s), &u));
		assert_true(u == sizes[k].v);
	}
	assert_false(num_parse_size("64MBx", 5, &u));
	assert_false(num_parse_size("MB", 2, &u));
}

static void numbers_print_for_people(void **state)
{
	(void)state;
	static const struct {
		enum metric_unit unit;
		double           v;
		const char      *s;
	} t[] = {
		{UNIT_BYTES, 0, "0 B"}, {UNIT_BYTES, 1023, "1023 B"},
		{UNIT_BYTES, 1024, "1.00 KiB"},
		{UNIT_BYTES, 443547648, "423 MiB"}, {UNIT_BYTES, 3575712745259008.0, "3.18 PiB"},
		{UNIT_BYTES, -111149056, "-106 MiB"}, {UNIT_BYTES_PER_SEC, 1536, "1.50 KiB/s"},
		{UNIT_PER_SEC, 21400, "21.4k/s"}, {UNIT_PER_SEC, 0, "0/s"},
		{UNIT_PER_SEC, 999.6, "1.00k/s"}, {UNIT_PER_SEC, 2.997, "3.0/s"},
		{UNIT_PER_SEC, 22.96, "23/s"}, {UNIT_PER_SEC, 9.96, "10/s"},
		{UNIT_PERCENT, 82.64, "82.6 %"}, {UNIT_PERCENT, 0.00000094, "0.0 %"},
		{UNIT_USEC, 11, "11 µs"}, {UNIT_USEC, 1234, "1.23 ms"}, {UNIT_USEC, 0, "0 µs"},
		{UNIT_MSEC, 800, "800 ms"}, {UNIT_MSEC, 0.31, "310 µs"}, {UNIT_SEC, 312, "312 s"},
		{UNIT_SEC, 725, "12:05"}, {UNIT_SEC, 11220, "3 h 07"}, {UNIT_RATIO, 0.79, "0.79"},
		{UNIT_TIMES, 2.1, "2.10×"}, {UNIT_COUNT, 1234567, "1.23M"}, {UNIT_COUNT, 42, "42"},
		{UNIT_COUNT, (double)NAN, "n/a"}, {UNIT_SCORE, 100, "100"},
	};
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char buf[NUM_MAX];
		assert_string_equal(num_format(buf, t[i].unit, t[i].v, false), t[i].s);
	}
	char buf[NUM_MAX];
	assert_string_equal(num_format(buf, UNIT_USEC, 11, true), "11 us");
	assert_string_equal(num_format(buf, UNIT_TIMES, 2.1, true), "2.10x");
}

/* Every unit and magnitude fits its buffer: the compiler checks the bound, this checks the look. */
static void no_number_explodes_its_column(void **state)
{
	(void)state;
	for (int unit = UNIT_NONE; unit <= UNIT_SCORE; unit++)
		for (int e = -300; e <= 300; e += 7) {
			char buf[NUM_MAX];
			const char *s =
				num_format(buf, (enum metric_unit)unit, -9.994 * pow(10, e), false);
			assert_true(text_width(s) <= 16);
		}
}

static void json_numbers_read_back(void **state)
{
	(void)state;
	char buf[32];
	assert_string_equal(num_json(buf, 0.1), "0.1");
	assert_string_equal(num_json(buf, 915000), "915000");
	assert_string_equal(num_json(buf, -0.5), "-0.5");
	assert_string_equal(num_json(buf, (double)NAN), "null");
	assert_string_equal(num_json(buf, (double)INFINITY), "null");
	assert_true(strtod(num_json(buf, 1.0 / 3), NULL) == 1.0 / 3);
}

static void times_read_and_print(void **state)
{
	(void)state;
	char buf[CLOCK_TEXT_MAX];
	int64_t last = INT64_C(1700000000) * NS_PER_SEC + 123 * NS_PER_MS, at;
	assert_string_equal(clock_format_utc(buf, last), "2023-11-14T22:13:20.123Z");
	assert_true(clock_parse_at("2023-11-14T22:13:20.123Z", 0, &at));
	assert_true(at == last);
	assert_true(clock_parse_at("-10m", last, &at));
	assert_true(at == last - 600 * NS_PER_SEC);
	assert_true(clock_parse_at("22:00", last, &at));
	assert_string_equal(clock_format_utc(buf, at), "2023-11-14T22:00:00.000Z");
	assert_true(clock_parse_at("22:00:07", last, &at));
	assert_string_equal(clock_format_utc(buf, at), "2023-11-14T22:00:07.000Z");
	static const char *const bad[] = {
		"", "-", "-5", "-5x", "25:00", "yesterday", "2023-11-14", "22:00x"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(clock_parse_at(bad[i], last, &at));
}

static void a_part_of_a_text_is_found_in_capitals_and_small_letters(void **state)
{
	static const struct {
		const char *text, *part;
		bool        found;
	} cases[] = {
		{"COLLSCAN", "scan", true}, {"collscan", "LLS", true}, {"abc", "", true},
		{"", "a", false}, {"", "", true}, {"ab", "abc", false}, {"aab", "ab", true},
		{"Größe", "GRÖSSE", false}, {"Größe", "ÖßE", true}, {"shop.海図", "図", true},
		{"ΣΕΙΡΑ", "σειρα", true}, {"ЗАКАЗ ё", "заказ Ё", true}, {"× ÷", "÷", true},
		{"×", "÷", false}, {"a[b", "A{B", false}, {"@", "`", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (text_contains(cases[i].text, cases[i].part) != cases[i].found)
			fail_msg("'%s' in '%s'", cases[i].part, cases[i].text);
}

/* The test vectors of RFC 4648. */
static void base64_is_that_of_the_rfc(void **state)
{
	static const char *const vectors[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"}, {"\xff\xfe\xfb", "//77"}};
	char out[TEXT_BASE64_MAX(6)];

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		size_t len = strlen(vectors[i][0]);

		assert_true(text_base64(out, TEXT_BASE64_MAX(len), vectors[i][0], len));
		assert_string_equal(out, vectors[i][1]);
		assert_false(text_base64(out, TEXT_BASE64_MAX(len) - 1, vectors[i][0], len));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_are_false_and_clean),
		cmocka_unit_test(strbuf_stops_at_its_maximum),
		cmocka_unit_test(hostile_text_is_made_harmless),
		cmocka_unit_test(widths_are_cells),
		cmocka_unit_test(json_strings_are_escaped),
		cmocka_unit_test(locale_order_is_all_ctype_lang),
		cmocka_unit_test(a_part_of_a_text_is_found_in_capitals_and_small_letters),
		cmocka_unit_test(base64_is_that_of_the_rfc),
		cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
		cmocka_unit_test(numbers_print_for_people),
		cmocka_unit_test(no_number_explodes_its_column),
		cmocka_unit_test(json_numbers_read_back),
		cmocka_unit_test(times_read_and_print),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
