#include "ejson_types.h"

#include <math.h>

#include "bdoc.h"
#include "ejson_text.h"
#include "hotset/num.h"

/* ---- single values; each appends, or is false for a text that means nothing ---- */

struct text {
	const char *s;
	size_t len;
};

static bool put_int32(bson_t *to, struct ejson_key key, struct text t)
{
	int64_t v;

	if (!num_parse_i64(t.s, t.len, &v) || v < INT32_MIN || v > INT32_MAX)
		return false;
	return bson_append_int32(to, key.s, key.len, (int32_t)v);
}

static bool put_int64(bson_t *to, struct ejson_key key, struct text t)
{
	int64_t v;

	if (!num_parse_i64(t.s, t.len, &v))
		return false;
	return bson_append_int64(to, key.s, key.len, v);
}

static bool is(struct text t, const char *word)
{
	return t.len == strlen(word) && memcmp(t.s, word, t.len) == 0;
}

static bool put_double(bson_t *to, struct ejson_key key, struct text t)
{
	double v;

	if (is(t, "NaN"))
		v = (double)NAN;
	else if (is(t, "Infinity"))
		v = (double)INFINITY;
	else if (is(t, "-Infinity"))
		v = -(double)INFINITY;
	else if (!num_parse_f64(t.s, t.len, &v))
		return false;
	return bson_append_double(to, key.s, key.len, v);
}

static bool put_decimal(bson_t *to, struct ejson_key key, struct text t)
{
	bson_decimal128_t v;

	if (t.len > INT32_MAX || !bson_decimal128_from_string_w_len(t.s, (int)t.len, &v))
		return false;
	return bson_append_decimal128(to, key.s, key.len, &v);
}

static bool put_oid(bson_t *to, struct ejson_key key, struct text t)
{
	bson_oid_t oid;

	if (!bson_oid_is_valid(t.s, t.len) || t.len != 24)
		return false;
	bson_oid_init_from_string(&oid, t.s);
	return bson_append_oid(to, key.s, key.len, &oid);
}

static bool put_date(bson_t *to, struct ejson_key key, struct text t)
{
	int64_t ms;

	if (!ejson_parse_date(t.s, t.len, &ms))
		return false;
	return bson_append_date_time(to, key.s, key.len, ms);
}

static bool put_code(bson_t *to, struct ejson_key key, struct text t)
{
	if (memchr(t.s, 0, t.len)) /* libbson takes a C string here */
		return false;
	return bson_append_code(to, key.s, key.len, t.s);
}

static bool put_symbol(bson_t *to, struct ejson_key key, struct text t)
{
	return t.len <= INT32_MAX && bson_append_symbol(to, key.s, key.len, t.s, (int)t.len);
}

static bool put_bytes(bson_t *to, struct ejson_key key, struct text t, unsigned type,
	bool (*decode)(const char *, size_t, uint8_t *, size_t *))
{
	uint8_t *data = malloc(t.len + 1);
	bool ok = false;
	size_t n;

	if (data && type <= 0xff && decode(t.s, t.len, data, &n) && n <= INT32_MAX)
		ok = bson_append_binary(
			to, key.s, key.len, (bson_subtype_t)type, data, (uint32_t)n);
	free(data);
	return ok;
}

static bool put_uuid(bson_t *to, struct ejson_key key, struct text t)
{
	uint8_t data[36];
	size_t n;

	return t.len <= sizeof(data) && ejson_parse_hex(t.s, t.len, data, &n) && n == 16 &&
	       bson_append_binary(to, key.s, key.len, BSON_SUBTYPE_UUID, data, 16);
}

static bool put_regex(bson_t *to, struct ejson_key key, struct text pattern, struct text options)
{
	if (memchr(pattern.s, 0, pattern.len) || memchr(options.s, 0, options.len))
		return false;
	return bson_append_regex_w_len(to, key.s, key.len, pattern.s, (int)pattern.len, options.s);
}

static bool put_timestamp(bson_t *to, struct ejson_key key, int64_t t, int64_t i)
{
	if (t < 0 || t > UINT32_MAX || i < 0 || i > UINT32_MAX)
		return false;
	return bson_append_timestamp(to, key.s, key.len, (uint32_t)t, (uint32_t)i);
}

bool ejson_append_number(bson_t *to, struct ejson_key key, const char *s, size_t len)
{
	int64_t i;
	double d;

	if (num_parse_i64(s, len, &i)) {
		if (i >= INT32_MIN && i <= INT32_MAX)
			return bson_append_int32(to, key.s, key.len, (int32_t)i);
		return bson_append_int64(to, key.s, key.len, i);
	}
	return num_parse_f64(s, len, &d) && bson_append_double(to, key.s, key.len, d);
}

/* ---- wrappers ---- */

static const struct {
	const char *name;
	bool (*put)(bson_t *to, struct ejson_key key, struct text t);
} text_wrappers[] = {
	{"$numberInt", put_int32},
	{"$numberLong", put_int64},
	{"$numberDouble", put_double},
	{"$numberDecimal", put_decimal},
	{"$oid", put_oid},
	{"$date", put_date},
	{"$uuid", put_uuid},
	{"$code", put_code},
	{"$symbol", put_symbol},
};

static bool text_of(const bson_iter_t *it, struct text *out)
{
	uint32_t len;

	if (!BSON_ITER_HOLDS_UTF8(it))
		return false;
	out->s = bson_iter_utf8(it, &len);
	out->len = len;
	return true;
}

static bool text_at(const bson_t *doc, const char *name, struct text *out)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, doc, name) && text_of(&it, out);
}

static bool number_at(const bson_t *doc, const char *name, int64_t *out)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, doc, name) && bdoc_i64(&it, out);
}

/* Hexadecimal of at most two digits: "0", "03", "80". */
static bool subtype_of(struct text t, unsigned *out)
{
	uint8_t b[4];
	char two[2] = {'0', '0'};
	size_t n;

	if (t.len < 1 || t.len > 2)
		return false;
	memcpy(two + 2 - t.len, t.s, t.len);
	if (!ejson_parse_hex(two, 2, b, &n) || n != 1)
		return false;
	*out = b[0];
	return true;
}

/* {"$binary": {"base64": ..., "subType": ...}}, {"$timestamp": {"t": ..., "i": ...}}, ... */
static bool unwrap_pair(bson_t *to, struct ejson_key key, const char *name, const bson_t *in)
{
	struct text a, b;
	int64_t t, i;
	unsigned type;

	if (bson_count_keys(in) != 2)
		return false;
	if (strcmp(name, "$binary") == 0 && text_at(in, "base64", &a) && text_at(in, "subType", &b))
		return subtype_of(b, &type) && put_bytes(to, key, a, type, ejson_parse_base64);
	if (strcmp(name, "$timestamp") == 0 && number_at(in, "t", &t) && number_at(in, "i", &i))
		return put_timestamp(to, key, t, i);
	if (strcmp(name, "$regularExpression") == 0 && text_at(in, "pattern", &a) &&
		text_at(in, "options", &b))
		return put_regex(to, key, a, b);
	return false;
}

static bool unwrap_one(bson_t *to, struct ejson_key key, const bson_iter_t *it)
{
	const char *name = bson_iter_key(it);
	struct text t;
	bson_t in;
	int64_t n;

	if (text_of(it, &t)) {
		for (size_t i = 0; i < sizeof(text_wrappers) / sizeof(text_wrappers[0]); i++) {
			if (strcmp(name, text_wrappers[i].name) == 0)
				return text_wrappers[i].put(to, key, t);
		}
		return false;
	}
	if (BSON_ITER_HOLDS_DOCUMENT(it) && bdoc_view(it, &in))
		return unwrap_pair(to, key, name, &in);
	/* {"$date": {"$numberLong": "5"}}, whose inside is unwrapped already, or {"$date": 5} */
	if (strcmp(name, "$date") == 0 && BSON_ITER_HOLDS_INT(it))
		return bson_append_date_time(to, key.s, key.len, bson_iter_as_int64(it));
	if (BSON_ITER_HOLDS_BOOL(it) && bson_iter_bool(it) && strcmp(name, "$undefined") == 0)
		return bson_append_undefined(to, key.s, key.len);
	if (!BSON_ITER_HOLDS_INT32(it) || !bdoc_i64(it, &n) || n != 1)
		return false;
	if (strcmp(name, "$minKey") == 0)
		return bson_append_minkey(to, key.s, key.len);
	if (strcmp(name, "$maxKey") == 0)
		return bson_append_maxkey(to, key.s, key.len);
	return false;
}

/* {"$code": ..., "$scope": ...}, and the older {"$binary": ..., "$type": ...} */
static bool unwrap_two(bson_t *to, struct ejson_key key, const bson_t *obj)
{
	struct text a, b;
	bson_iter_t it;
	bson_t scope;
	unsigned type;

	if (text_at(obj, "$binary", &a) && text_at(obj, "$type", &b))
		return subtype_of(b, &type) && put_bytes(to, key, a, type, ejson_parse_base64);
	if (text_at(obj, "$code", &a) && !memchr(a.s, 0, a.len) &&
		bson_iter_init_find(&it, obj, "$scope") && BSON_ITER_HOLDS_DOCUMENT(&it) &&
		bdoc_view(&it, &scope))
		return bson_append_code_with_scope(to, key.s, key.len, a.s, &scope);
	return false;
}

bool ejson_unwrap(bson_t *to, struct ejson_key key, const bson_t *obj)
{
	uint32_t n = bson_count_keys(obj);
	bson_iter_t it;

	if (n == 1 && bson_iter_init(&it, obj) && bson_iter_next(&it))
		return unwrap_one(to, key, &it);
	return n == 2 && unwrap_two(to, key, obj);
}

/* ---- calls ---- */

typedef bool put_fn(bson_t *to, struct ejson_key key, struct text t);
typedef bool call_fn(bson_t *to, struct ejson_key key, const bson_t *args);

/* One argument, a text or a number that is put as text: NumberLong("5"), NumberLong(5). */
static bool call_one(bson_t *to, struct ejson_key key, const bson_t *args, put_fn *put)
{
	char buf[32];
	struct text t;
	bson_iter_t it;
	int64_t n;

	if (text_at(args, "0", &t))
		return put(to, key, t);
	if (!bson_iter_init_find(&it, args, "0"))
		return false;
	if (BSON_ITER_HOLDS_DOUBLE(&it))
		num_json(buf, bson_iter_double(&it));
	else if (bdoc_i64(&it, &n))
		snprintf(buf, sizeof(buf), "%lld", (long long)n);
	else
		return false;
	return put(to, key, (struct text){buf, strlen(buf)});
}

static bool call_date(bson_t *to, struct ejson_key key, const bson_t *args)
{
	struct text t;
	int64_t ms;

	if (text_at(args, "0", &t))
		return put_date(to, key, t);
	if (number_at(args, "0", &ms))
		return bson_append_date_time(to, key.s, key.len, ms);
	return false;
}

/* Timestamp(1, 2), Timestamp({t: 1, i: 2}) */
static bool call_timestamp(bson_t *to, struct ejson_key key, const bson_t *args)
{
	bson_iter_t it;
	bson_t in;
	int64_t t, i;

	if (number_at(args, "0", &t) && number_at(args, "1", &i))
		return put_timestamp(to, key, t, i);
	if (bson_iter_init_find(&it, args, "0") && bdoc_view(&it, &in) && number_at(&in, "t", &t) &&
		number_at(&in, "i", &i))
		return put_timestamp(to, key, t, i);
	return false;
}

/* BinData(0, "base64"), HexData(0, "hex"); mongosh: Binary.createFromBase64("...", 0) */
static bool call_bindata(bson_t *to, struct ejson_key key, const bson_t *args)
{
	struct text t;
	int64_t type;

	if (!number_at(args, "0", &type) || type < 0 || type > 0xff || !text_at(args, "1", &t))
		return false;
	return put_bytes(to, key, t, (unsigned)type, ejson_parse_base64);
}

static bool call_hexdata(bson_t *to, struct ejson_key key, const bson_t *args)
{
	struct text t;
	int64_t type;

	if (!number_at(args, "0", &type) || type < 0 || type > 0xff || !text_at(args, "1", &t))
		return false;
	return put_bytes(to, key, t, (unsigned)type, ejson_parse_hex);
}

static bool call_binary(bson_t *to, struct ejson_key key, const bson_t *args)
{
	struct text t;
	int64_t type = 0;

	if (!text_at(args, "0", &t))
		return false;
	if (number_at(args, "1", &type) && (type < 0 || type > 0xff))
		return false;
	return put_bytes(to, key, t, (unsigned)type, ejson_parse_base64);
}

static bool call_regex(bson_t *to, struct ejson_key key, const bson_t *args)
{
	struct text pattern, options = {"", 0};

	if (!text_at(args, "0", &pattern))
		return false;
	text_at(args, "1", &options);
	return put_regex(to, key, pattern, options);
}

static bool call_minkey(bson_t *to, struct ejson_key key, const bson_t *args)
{
	(void)args;
	return bson_append_minkey(to, key.s, key.len);
}

static bool call_maxkey(bson_t *to, struct ejson_key key, const bson_t *args)
{
	(void)args;
	return bson_append_maxkey(to, key.s, key.len);
}

/* DBRef("collection", id) is a document {$ref, $id}. */
static bool call_dbref(bson_t *to, struct ejson_key key, const bson_t *args)
{
	struct text t;
	bson_iter_t id;
	bson_t ref;
	bool ok;

	if (!text_at(args, "0", &t) || t.len > INT32_MAX || !bson_iter_init_find(&id, args, "1"))
		return false;
	bson_init(&ref);
	ok = bson_append_utf8(&ref, "$ref", -1, t.s, (int)t.len) &&
	     bson_append_iter(&ref, "$id", -1, &id) &&
	     bson_append_document(to, key.s, key.len, &ref);
	bson_destroy(&ref);
	return ok;
}

static const struct {
	const char *name;
	put_fn *put; /* of one text or number, else ... */
	call_fn *call;
} calls[] = {
	{"NumberLong", put_int64, NULL},
	{"NumberInt", put_int32, NULL},
	{"NumberDecimal", put_decimal, NULL},
	{"ObjectId", put_oid, NULL},
	{"ObjectID", put_oid, NULL},
	{"UUID", put_uuid, NULL},
	{"Code", put_code, NULL},
	{"Symbol", put_symbol, NULL},
	{"ISODate", NULL, call_date},
	{"Date", NULL, call_date},
	{"Timestamp", NULL, call_timestamp},
	{"BinData", NULL, call_bindata},
	{"HexData", NULL, call_hexdata},
	{"MinKey", NULL, call_minkey},
	{"MaxKey", NULL, call_maxkey},
	{"DBRef", NULL, call_dbref},
	{"RegExp", NULL, call_regex},
	/* mongosh */
	{"Long", put_int64, NULL},
	{"Long.fromString", put_int64, NULL},
	{"Int32", put_int32, NULL},
	{"Double", put_double, NULL},
	{"Decimal128", put_decimal, NULL},
	{"Binary.createFromBase64", NULL, call_binary},
};

bool ejson_call(bson_t *to, struct ejson_key key, const char *name, const bson_t *args)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(name, calls[i].name) == 0)
			return calls[i].put ? call_one(to, key, args, calls[i].put)
					    : calls[i].call(to, key, args);
	}
	return false;
}
