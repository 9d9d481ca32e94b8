/*
 * Dumps that people send can be read: Extended JSON of both kinds and the shell's notation, with
 * the types they mean and nothing else. Keys that merely look like type wrappers stay keys. Bad
 * input ends in an error that names the place, whatever the bytes.
 */
#include "../support/support.h"

#include <math.h>
#include <string.h>

#include "../support/ejson.h"
#include "hotset/parse.h"

/* The canonical form, as libbson prints it, of what was read. */
static void assert_reads(const char *text, const char *canonical)
{
	bson_t *doc = test_ejson(text);
	char *json = bson_as_canonical_extended_json(doc, NULL);

	assert_string_equal(json, canonical);
	bson_free(json);
	bson_destroy(doc);
}

static void assert_fails(const char *text, const char *message)
{
	struct err err = {0};
	bool is_array = true;

	assert_null(parse_ejson(text, strlen(text), &is_array, &err));
	assert_int_equal(err.code, ERR_FORMAT);
	assert_string_equal(err.msg, message);
	assert_true(is_array); /* untouched */
}

static void wrappers_become_types(void **state)
{
	(void)state;
	static const char *const same[] = {
		"{ \"a\" : { \"$numberInt\" : \"-5\" } }",
		"{ \"a\" : { \"$numberLong\" : \"9223372036854775807\" } }",
		"{ \"a\" : { \"$numberDouble\" : \"1.5\" } }",
		"{ \"a\" : { \"$numberDouble\" : \"-Infinity\" } }",
		"{ \"a\" : { \"$numberDouble\" : \"NaN\" } }",
		"{ \"a\" : { \"$numberDecimal\" : \"1.50\" } }",
		"{ \"a\" : { \"$oid\" : \"6b0de492af52c62962202f17\" } }",
		"{ \"a\" : { \"$date\" : { \"$numberLong\" : \"1796072606940\" } } }",
		"{ \"a\" : { \"$timestamp\" : { \"t\" : 4294967295, \"i\" : 7 } } }",
		"{ \"a\" : { \"$binary\" : { \"base64\" : \"AQIDBA==\", \"subType\" : \"80\" } } }",
		"{ \"a\" : { \"$regularExpression\" : { \"pattern\" : \"^a/b\", \"options\" : "
		"\"i\" } } }",
		"{ \"a\" : { \"$code\" : \"f()\" } }",
		"{ \"a\" : { \"$code\" : \"f()\", \"$scope\" : { \"x\" : { \"$numberInt\" : \"1\" "
		"} } } }",
		"{ \"a\" : { \"$minKey\" : 1 }, \"b\" : { \"$maxKey\" : 1 } }",
		"{ \"a\" : { \"$undefined\" : true }, \"b\" : null, \"c\" : true }",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_reads(same[i], same[i]);
	assert_reads("{\"a\": {\"$date\": \"2026-11-30T21:03:26.940Z\"}}",
		"{ \"a\" : { \"$date\" : { \"$numberLong\" : \"1796072606940\" } } }");
	assert_reads("{\"a\": {\"$date\": \"2026-11-30T22:03:26.94+0100\"}}",
		"{ \"a\" : { \"$date\" : { \"$numberLong\" : \"1796072606940\" } } }");
	assert_reads("{\"a\": {\"$date\": 1796072606940}}",
		"{ \"a\" : { \"$date\" : { \"$numberLong\" : \"1796072606940\" } } }");
	assert_reads("{\"a\": {\"$binary\": \"AQIDBA==\", \"$type\": \"00\"}}",
		"{ \"a\" : { \"$binary\" : { \"base64\" : \"AQIDBA==\", \"subType\" : \"00\" } } "
		"}");
	assert_reads("{\"a\": {\"$uuid\": \"00010203-0405-0607-0809-0a0b0c0d0e0f\"}}",
		"{ \"a\" : { \"$binary\" : { \"base64\" : \"AAECAwQFBgcICQoLDA0ODw==\", "
		"\"subType\" : \"04\" } } }");
}

/* metrics.operatorCounters has keys such as $regex: only an exact shape is a wrapper. */
static void other_dollar_keys_stay_keys(void **state)
{
	static const char *const same[] = {
		"{ \"match\" : { \"$regex\" : { \"$numberLong\" : \"3\" } } }",
		("{ \"match\" : { \"$options\" : { \"$numberLong\" : \"0\" }, "
		 "\"$regex\" : { \"$numberLong\" : \"0\" } } }"),
		"{ \"match\" : { \"$regex\" : \"a\", \"$options\" : \"i\" } }",
		"{ \"a\" : { \"$numberLong\" : \"5\", \"b\" : \"x\" } }",
		"{ \"a\" : { \"$numberLong\" : \"five\" } }",
		"{ \"a\" : { \"$date\" : \"tomorrow\" } }",
		"{ \"a\" : { \"$oid\" : \"6b0de492\" } }",
		"{ \"a\" : { \"$timestamp\" : { \"t\" : { \"$numberInt\" : \"1\" } } } }",
		"{ \"a\" : { \"$ref\" : \"c\", \"$id\" : { \"$numberInt\" : \"1\" } } }",
		"{ \"$numberLong\" : \"5\" }",
		"{ \"a\" : { \"b\" : { \"$gt\" : { \"$numberInt\" : \"1\" } } } }",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		assert_reads(same[i], same[i]);
	assert_reads("{\"a\": {\"$numberLong\": 5}}",
		"{ \"a\" : { \"$numberLong\" : { \"$numberInt\" : \"5\" } } }");
}

static void numbers_take_the_smallest_type(void **state)
{
	(void)state;
	assert_reads("{a: 2147483647, b: -2147483648, c: 2147483648, d: -1.5e3, e: 0.5}",
		"{ \"a\" : { \"$numberInt\" : \"2147483647\" }, \"b\" : { \"$numberInt\" : "
		"\"-2147483648\" }, \"c\" : { \"$numberLong\" : \"2147483648\" }, \"d\" : { "
		"\"$numberDouble\" : \"-1500.0\" }, \"e\" : { \"$numberDouble\" : \"0.5\" } }");
	assert_reads("[18446744073709551616, +3, Infinity, -Infinity, NaN]",
		"{ \"0\" : { \"$numberDouble\" : \"18446744073709551616.0\" }, \"1\" : { "
		"\"$numberInt\" : \"3\" }, \"2\" : { \"$numberDouble\" : \"Infinity\" }, \"3\" : { "
		"\"$numberDouble\" : \"-Infinity\" }, \"4\" : { \"$numberDouble\" : \"NaN\" } }");
}

static void the_shells_notation_is_read(void **state)
{
	(void)state;
	assert_reads("{ 'a' : NumberLong(\"5\"), b: NumberLong(-5), $c : NumberInt(7), }",
		"{ \"a\" : { \"$numberLong\" : \"5\" }, \"b\" : { \"$numberLong\" : \"-5\" }, "
		"\"$c\" : { \"$numberInt\" : \"7\" } }");
	assert_reads("// db.serverStatus()\n{ a: NumberDecimal(\"0.10\"), /* { */ b: "
		     "NumberDecimal(1.5) }",
		"{ \"a\" : { \"$numberDecimal\" : \"0.10\" }, \"b\" : { \"$numberDecimal\" : "
		"\"1.5\" } }");
	assert_reads("{a: ISODate('2026-11-30T21:03:26.940Z'), b: new Date(1796072606940), "
		     "c: ISODate(\"1969-12-31\")}",
		"{ \"a\" : { \"$date\" : { \"$numberLong\" : \"1796072606940\" } }, \"b\" : { "
		"\"$date\" : { \"$numberLong\" : \"1796072606940\" } }, \"c\" : { \"$date\" : { "
		"\"$numberLong\" : \"-86400000\" } } }");
	assert_reads("{a: Timestamp(1, 2), b: Timestamp({t: 1, i: 2}), c: new Timestamp({ t: 3, i: "
		     "4 })}",
		"{ \"a\" : { \"$timestamp\" : { \"t\" : 1, \"i\" : 2 } }, \"b\" : { \"$timestamp\" "
		": "
		"{ \"t\" : 1, \"i\" : 2 } }, \"c\" : { \"$timestamp\" : { \"t\" : 3, \"i\" : 4 } } "
		"}");
	assert_reads("{a: ObjectId('6b0de492af52c62962202f17'), b: BinData(0, 'AQ=='), "
		     "c: UUID('00010203-0405-0607-0809-0a0b0c0d0e0f'), d: HexData(5, 'ff00')}",
		"{ \"a\" : { \"$oid\" : \"6b0de492af52c62962202f17\" }, \"b\" : { \"$binary\" : { "
		"\"base64\" : \"AQ==\", \"subType\" : \"00\" } }, \"c\" : { \"$binary\" : { "
		"\"base64\" : \"AAECAwQFBgcICQoLDA0ODw==\", \"subType\" : \"04\" } }, \"d\" : { "
		"\"$binary\" : { \"base64\" : \"/wA=\", \"subType\" : \"05\" } } }");
	assert_reads(
		"{a: MinKey, b: MaxKey(), c: undefined, d: /^x\\/y[0-9]+$/i, e: DBRef('c', 1)}",
		"{ \"a\" : { \"$minKey\" : 1 }, \"b\" : { \"$maxKey\" : 1 }, \"c\" : { "
		"\"$undefined\" "
		": true }, \"d\" : { \"$regularExpression\" : { \"pattern\" : \"^x\\\\/y[0-9]+$\", "
		"\"options\" : \"i\" } }, \"e\" : { \"$ref\" : \"c\", \"$id\" : { \"$numberInt\" : "
		"\"1\" } } }");
	assert_reads("{a: Long('7'), b: Long.fromString('8'), c: Decimal128('1'), d: Double(2.5)}",
		"{ \"a\" : { \"$numberLong\" : \"7\" }, \"b\" : { \"$numberLong\" : \"8\" }, \"c\" "
		": "
		"{ \"$numberDecimal\" : \"1\" }, \"d\" : { \"$numberDouble\" : \"2.5\" } }");
}

static void strings_keep_what_dumps_contain(void **state)
{
	(void)state;
	assert_reads("\xef\xbb\xbf{\"a\": \"\\u00e9\\ud83d\\ude42\\ud83d\\x41\\q\"}",
		"{ \"a\" : \"\xc3\xa9\xf0\x9f\x99\x82\xef\xbf\xbd"
		"Aq\" }");
	assert_reads("{'it\\'s': \"tab\there\nnext\", `b`: 'say \"x\"'}",
		"{ \"it's\" : \"tab\\there\\nnext\", \"b\" : \"say \\\"x\\\"\" }");
	assert_reads("{caf\xe9: 'na\xefve'}", "{ \"caf\xef\xbf\xbd\" : \"na\xef\xbf\xbdve\" }");
	assert_reads("{\"a\\u0000b\": \"\", \"\": \"c\\u0000d\"}",
		"{ \"a\xef\xbf\xbd"
		"b\" : \"\", \"\" : \"c\\u0000d\" }");
}

static void streams_and_arrays(void **state)
{
	static const char two[] = "{a: 1}\n{a: 2}", array[] = " [ {a: 1}, {a: 2}, ] rest";
	struct err err;
	bool is_array = true;
	bson_t *doc = parse_ejson(two, strlen(two), &is_array, &err);

	(void)state;
	assert_non_null(doc);
	assert_false(is_array);
	assert_int_equal(bson_count_keys(doc), 1);
	bson_destroy(doc);
	doc = parse_ejson(array, strlen(array), &is_array, &err);
	assert_non_null(doc);
	assert_true(is_array);
	assert_int_equal(bson_count_keys(doc), 2);
	bson_destroy(doc);
}

static void errors_name_the_place(void **state)
{
	(void)state;
	assert_fails("", "line 1, column 1: expected '{' or '[' at the end");
	assert_fails("uptime 5", "line 1, column 1: expected '{' or '[' at 'u'");
	assert_fails("{\"a\": 1,\n \"b\" 2}", "line 2, column 6: expected ':' at '2'");
	assert_fails("{\"a\": 1 \"b\": 2}", "line 1, column 9: expected ',' or '}' at '\"'");
	assert_fails("{\"a\": \"x", "line 1, column 9: unfinished string at the end");
	assert_fails("{\"a\": /* x", "line 1, column 11: expected a value at the end");
	assert_fails("{\"a\": 1-2}", "line 1, column 7: not a number at '1'");
	assert_fails("{\"a\": Frob(1)}", "line 1, column 7: cannot read Frob at 'F'");
	assert_fails("{\"a\": NumberLong({})}", "line 1, column 7: cannot read NumberLong at 'N'");
	assert_fails(
		"{\"a\": \"\\u12g4\"}", "line 1, column 12: expected a hexadecimal digit at 'g'");
	assert_fails("{a: [Object]}", "line 1, column 6: mongosh has cut this value (print it with "
				      "EJSON.stringify) at 'O'");
	assert_fails("{a: \x01}", "line 1, column 5: expected a value at 0x01");
}

static void size_is_bounded(void **state)
{
	bool is_array = true;
	struct err err;

	(void)state;
	assert_null(parse_ejson("", ((size_t)64 << 20) + 1, &is_array, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_string_equal(err.msg, "more than 64 MiB of JSON");
}

static char *repeat(const char *unit, size_t n)
{
	size_t len = strlen(unit);
	char *out = malloc(n * len + 1);

	assert_non_null(out);
	for (size_t i = 0; i < n; i++)
		memcpy(out + i * len, unit, len);
	out[n * len] = '\0';
	return out;
}

/* Hostile nesting ends at the bound and not in the stack. */
static void depth_is_bounded(void **state)
{
	static const char *const units[] = {"[", "{\"a\":", "{\"$a\":", "[Timestamp(", "[new "};
	struct err err;
	bool is_array;

	(void)state;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char *text = repeat(units[i], 100000);

		assert_null(parse_ejson(text, strlen(text), &is_array, &err));
		free(text);
	}
	char *text = repeat("[", 99), *close = repeat("]", 99);
	char both[256];

	snprintf(both, sizeof(both), "%s%s", text, close);
	bson_destroy(test_ejson(both));
	free(text);
	free(close);
}

static double number(const bson_t *doc, const char *path)
{
	bson_iter_t top, it;

	assert_true(bson_iter_init(&top, doc));
	assert_true(bson_iter_find_descendant(&top, path, &it));
	return bson_iter_as_double(&it);
}

static void a_real_reply_is_read_completely(void **state)
{
	bson_t *doc = test_ejson_fixture("captures/serverStatus-5.0.7.json.gz");
	bson_iter_t top, it;
	bson_t match;

	(void)state;
	assert_int_equal(bson_count_keys(doc), 34);
	assert_true(bson_validate(doc, BSON_VALIDATE_UTF8, NULL));
	assert_true(number(doc, "pid") == 14916);
	assert_true(number(doc, "uptimeMillis") == 12489);
	assert_true(number(doc, "wiredTiger.cache.maximum bytes configured") == 268435456);
	assert_true(number(doc, "metrics.operatorCounters.match.$regex") == 0);
	assert_true(number(doc, "ok") == 1);
	assert_true(bson_iter_init(&top, doc));
	assert_true(bson_iter_find_descendant(&top, "localTime", &it));
	assert_true(BSON_ITER_HOLDS_DATE_TIME(&it));
	assert_true(bson_iter_date_time(&it) == 1796072606940);
	test_subdocument(doc, "metrics.operatorCounters.match", &match);
	assert_true(bson_has_field(&match, "$regex"));
	bson_destroy(doc);
}

/* Whatever is cut off or flipped, the parser answers, and never reads outside (run under asan). */
static void damage_is_survived(void **state)
{
	static const char text[] =
		"{a: NumberLong(\"5\"), \"b\": {\"$date\": {\"$numberLong\": \"1\"}}, /"
		"/ c\n 'c': [1.5, /x/i, "
		"\"\\ud83d\\ude42\", new Date(5)], d: {\"$binary\": {\"base64\": \"AQ==\", "
		"\"subType\": \"00\"}}, e: Timestamp({t: 1, i: 2}), /* f */ f: -Infinity, g: null}";
	size_t len = strlen(text);
	uint64_t seed = 7;
	struct err err;
	bool is_array;

	(void)state;
	for (size_t cut = 0; cut < len; cut++) {
		char *copy = malloc(cut + 1); /* exactly as large, so that asan sees the end */

		assert_non_null(copy);
		memcpy(copy, text, cut);
		assert_null(parse_ejson(copy, cut, &is_array, &err));
		free(copy);
	}
	for (int i = 0; i < 20000; i++) {
		char *copy = malloc(len);
		uint64_t r = test_random(&seed);
		bson_t *doc;

		assert_non_null(copy);
		memcpy(copy, text, len);
		copy[r % len] = (char)(r >> 32);
		if (r & 0x10000)
			copy[(r >> 17) % len] = (char)(r >> 40);
		doc = parse_ejson(copy, len, &is_array, &err);
		if (doc)
			assert_true(bson_validate(doc, BSON_VALIDATE_NONE, NULL));
		bson_destroy(doc);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrappers_become_types),
		cmocka_unit_test(other_dollar_keys_stay_keys),
		cmocka_unit_test(numbers_take_the_smallest_type),
		cmocka_unit_test(the_shells_notation_is_read),
		cmocka_unit_test(strings_keep_what_dumps_contain),
		cmocka_unit_test(streams_and_arrays),
		cmocka_unit_test(errors_name_the_place),
		cmocka_unit_test(size_is_bounded),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(a_real_reply_is_read_completely),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
