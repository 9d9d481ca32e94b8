#include "idkey.h"

#include <math.h>

/* Classes of keys; within one the bytes decide. */
enum class {
	CLASS_NULL = 1,
	CLASS_INTEGER,
	CLASS_FRACTION,
	CLASS_STRING,
	CLASS_DOCUMENT,
	CLASS_BINARY,
	CLASS_OID,
	CLASS_BOOL,
	CLASS_DATE,
	CLASS_TIMESTAMP,
};

static bool put_bytes(
	struct idkey *key, enum class class, const void *data, size_t len, struct fail *fail)
{
	if (len > IDKEY_MAX) {
		return fail_set(fail, FAIL_BAD_VALUE, "_id has %zu bytes; at most %d are possible",
			len, IDKEY_MAX);
	}
	key->bytes[0] = (uint8_t) class;
	if (len > 0) {
		memcpy(key->bytes + 1, data, len);
	}
	key->len = len + 1;
	return true;
}

static bool put_u64(struct idkey *key, enum class class, uint64_t v, struct fail *fail)
{
	uint8_t be[8];

	for (int i = 0; i < 8; i++) {
		be[i] = (uint8_t)(v >> (56 - 8 * i));
	}
	return put_bytes(key, class, be, sizeof(be), fail);
}

static bool put_integer(struct idkey *key, int64_t v, struct fail *fail)
{
	return put_u64(key, CLASS_INTEGER, (uint64_t)v ^ (UINT64_C(1) << 63), fail);
}

static bool put_double(struct idkey *key, double d, struct fail *fail)
{
	uint64_t bits;

	if (d >= -9223372036854775808.0 && d < 9223372036854775808.0 &&
		fpclassify(d - floor(d)) == FP_ZERO) {
		return put_integer(key, (int64_t)d, fail);
	}
	if (isnan(d)) {
		d = (double)NAN;
	}
	memcpy(&bits, &d, sizeof(bits));
	bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
	return put_u64(key, CLASS_FRACTION, bits, fail);
}

static bool put_binary(struct idkey *key, const bson_iter_t *id, struct fail *fail)
{
	bson_subtype_t subtype;
	const uint8_t *data = NULL;
	uint32_t len = 0;

	bson_iter_binary(id, &subtype, &len, &data);
	if (!put_bytes(key, CLASS_BINARY, data, len, fail)) {
		return false;
	}
	key->bytes[key->len++] = (uint8_t)subtype;
	return true;
}

static bool put_stamp(struct idkey *key, const bson_iter_t *id, struct fail *fail)
{
	uint32_t t = 0, i = 0;

	bson_iter_timestamp(id, &t, &i);
	return put_u64(key, CLASS_TIMESTAMP, (uint64_t)t << 32 | i, fail);
}

bool idkey_encode(struct idkey *key, const bson_iter_t *id, struct fail *fail)
{
	const uint8_t *data = NULL;
	uint32_t len = 0;

	switch (bson_iter_type(id)) {
	case BSON_TYPE_NULL:
		return put_bytes(key, CLASS_NULL, NULL, 0, fail);
	case BSON_TYPE_INT32:
	case BSON_TYPE_INT64:
		return put_integer(key, bson_iter_as_int64(id), fail);
	case BSON_TYPE_DOUBLE:
		return put_double(key, bson_iter_double(id), fail);
	case BSON_TYPE_UTF8:
		data = (const uint8_t *)bson_iter_utf8(id, &len);
		return put_bytes(key, CLASS_STRING, data, len, fail);
	case BSON_TYPE_DOCUMENT:
		bson_iter_document(id, &len, &data);
		return put_bytes(key, CLASS_DOCUMENT, data, len, fail);
	case BSON_TYPE_BINARY:
		return put_binary(key, id, fail);
	case BSON_TYPE_OID:
		return put_bytes(key, CLASS_OID, bson_iter_oid(id)->bytes, 12, fail);
	case BSON_TYPE_BOOL:
		return put_bytes(key, CLASS_BOOL, bson_iter_bool(id) ? "\1" : "\0", 1, fail);
	case BSON_TYPE_DATE_TIME:
		return put_u64(key, CLASS_DATE, (uint64_t)bson_iter_date_time(id), fail);
	case BSON_TYPE_TIMESTAMP:
		return put_stamp(key, id, fail);
	default:
		return fail_set(fail, FAIL_BAD_VALUE, "_id cannot be of BSON type 0x%02x",
			(unsigned)bson_iter_type(id));
	}
}
