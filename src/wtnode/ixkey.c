#include "ixkey.h"

#include "bsonx.h"

#include <math.h>

/* In the order of MongoDB's types. All are below END, as is the first byte of a record id. */
enum class {
	CLASS_NULL = 1,
	CLASS_NAN,
	CLASS_NUMBER,
	CLASS_STRING,
	CLASS_DOCUMENT,
	CLASS_ARRAY,
	CLASS_BINARY,
	CLASS_OID,
	CLASS_BOOL,
	CLASS_DATE,
	CLASS_TIMESTAMP,
	CLASS_OTHER,
	END = 0xff,
};

static void put(struct ixkey *key, uint8_t byte)
{
	key->bytes[key->len++] = byte;
}

static void put_u64(struct ixkey *key, uint64_t v)
{
	for (int shift = 56; shift >= 0; shift -= 8) {
		put(key, (uint8_t)(v >> shift));
	}
}

/* Bytes and an end that no bytes contain: 0 becomes 0 255, the end is 0 1. */
static bool put_bytes(struct ixkey *key, const uint8_t *data, uint32_t len)
{
	uint32_t kept = len < IXKEY_VALUE_MAX ? len : IXKEY_VALUE_MAX;

	for (uint32_t i = 0; i < kept; i++) {
		put(key, data[i]);
		if (data[i] == 0) {
			put(key, END);
		}
	}
	put(key, 0);
	put(key, 1);
	return kept == len;
}

/*
 * Integers and doubles in one order: the nearest double, then how far the integer is from it, at
 * most 512.
 */
static void put_number(struct ixkey *key, const bson_iter_t *value)
{
	double d = bson_iter_as_double(value);
	int64_t rest = 0;
	uint64_t bits;

	if (!BSON_ITER_HOLDS_DOUBLE(value)) {
		int64_t n = bson_iter_as_int64(value);

		d = (double)n;
		rest = (int64_t)((long double)n - (long double)d);
	}
	d = fpclassify(d) == FP_ZERO ? 0.0 : d; /* -0 is 0 */
	memcpy(&bits, &d, sizeof(bits));
	put_u64(key, bits >> 63 ? ~bits : bits | UINT64_C(1) << 63);
	put(key, (uint8_t)((rest + 0x8000) >> 8));
	put(key, (uint8_t)(rest + 0x8000));
}

static bool put_binary(struct ixkey *key, const bson_iter_t *value)
{
	bson_subtype_t subtype = BSON_SUBTYPE_BINARY;
	const uint8_t *data = NULL;
	uint32_t len = 0;

	bson_iter_binary(value, &subtype, &len, &data);
	put(key, (uint8_t)subtype);
	return put_bytes(key, data, len);
}

static void put_stamp(struct ixkey *key, const bson_iter_t *value)
{
	uint32_t t = 0, i = 0;

	bson_iter_timestamp(value, &t, &i);
	put_u64(key, (uint64_t)t << 32 | i);
}

static enum class class_of(const bson_iter_t *value) { if (value == NULL){return CLASS_NULL;}
switch (bson_iter_type(value))
{
case BSON_TYPE_NULL:
	return CLASS_NULL;
case BSON_TYPE_INT32:
case BSON_TYPE_INT64:
	return CLASS_NUMBER;
case BSON_TYPE_DOUBLE:
	return isnan(bson_iter_double(value)) ? CLASS_NAN : CLASS_NUMBER;
case BSON_TYPE_UTF8:
	return CLASS_STRING;
case BSON_TYPE_DOCUMENT:
	return CLASS_DOCUMENT;
case BSON_TYPE_ARRAY:
	return CLASS_ARRAY;
case BSON_TYPE_BINARY:
	return CLASS_BINARY;
case BSON_TYPE_OID:
	return CLASS_OID;
case BSON_TYPE_BOOL:
	return CLASS_BOOL;
case BSON_TYPE_DATE_TIME:
	return CLASS_DATE;
case BSON_TYPE_TIMESTAMP:
	return CLASS_TIMESTAMP;
default:
	return CLASS_OTHER;
}
}

bool ixkey_append(struct ixkey *key, const bson_iter_t *value)
{
	enum class class = class_of(value);
	const uint8_t *data = NULL;
	uint32_t len = 0;

	put(key, (uint8_t) class);
	switch (class) {
	case CLASS_NUMBER:
		put_number(key, value);
		return true;
	case CLASS_STRING:
		data = (const uint8_t *)bson_iter_utf8(value, &len);
		return put_bytes(key, data, len);
	case CLASS_DOCUMENT:
		bson_iter_document(value, &len, &data);
		return put_bytes(key, data, len);
	case CLASS_ARRAY:
		bson_iter_array(value, &len, &data);
		return put_bytes(key, data, len);
	case CLASS_BINARY:
		return put_binary(key, value);
	case CLASS_OID:
		memcpy(key->bytes + key->len, bson_iter_oid(value)->bytes, 12);
		key->len += 12;
		return true;
	case CLASS_BOOL:
		put(key, bson_iter_bool(value));
		return true;
	case CLASS_DATE:
		put_u64(key, (uint64_t)bson_iter_date_time(value) ^ UINT64_C(1) << 63);
		return true;
	case CLASS_TIMESTAMP:
		put_stamp(key, value);
		return true;
	default:
		return true;
	}
}

bool ixkey_append_class(struct ixkey *key, const bson_iter_t *value)
{
	enum class class = class_of(value);

	put(key, (uint8_t) class);
	return class != CLASS_NAN && class != CLASS_OTHER;
}

void ixkey_append_record(struct ixkey *key, int64_t record)
{
	put_u64(key, (uint64_t)record);
}

void ixkey_append_end(struct ixkey *key)
{
	put(key, END);
}

int64_t ixkey_record(const uint8_t *bytes, size_t len)
{
	uint64_t v = 0;

	if (len < IXKEY_RECORD_LEN) {
		return 0;
	}
	for (size_t i = len - IXKEY_RECORD_LEN; i < len; i++) {
		v = v << 8 | bytes[i];
	}
	return (int64_t)v;
}
