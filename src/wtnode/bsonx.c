#include "bsonx.h"

#include <math.h>

static bool check_iter(bson_iter_t *it, size_t len, unsigned depth);

static bool check_doc(const uint8_t *data, size_t len, unsigned depth)
{
	bson_iter_t it;

	return depth <= BSONX_DEPTH_MAX && len >= 5 && bson_iter_init_from_data(&it, data, len) &&
	       check_iter(&it, len, depth);
}

static bool check_iter(bson_iter_t *it, size_t doc_len, unsigned depth)
{
	const uint8_t *data = NULL;
	uint32_t len = 0, skipped = 0;

	while (bson_iter_next(it)) {
		switch (bson_iter_type(it)) {
		case BSON_TYPE_DOCUMENT:
			bson_iter_document(it, &len, &data);
			break;
		case BSON_TYPE_ARRAY:
			bson_iter_array(it, &len, &data);
			break;
		case BSON_TYPE_CODEWSCOPE:
			bson_iter_codewscope(it, &skipped, &len, &data);
			break;
		default:
			continue;
		}
		if (data == NULL || !check_doc(data, len, depth + 1)) {
			return false;
		}
	}
	/* A sound document ends at its terminating zero, neither before nor behind it. */
	return it->err_off == 0 && it->off == doc_len - 1;
}

bool bsonx_check(const uint8_t *data, size_t len)
{
	return check_doc(data, len, 1);
}

bool bsonx_view(bson_t *doc, const uint8_t *data, size_t len)
{
	return len >= 5 && bson_init_static(doc, data, len);
}

bool bsonx_iter_view(const bson_iter_t *it, bson_t *doc)
{
	const uint8_t *data = NULL;
	uint32_t len = 0;

	if (BSON_ITER_HOLDS_DOCUMENT(it)) {
		bson_iter_document(it, &len, &data);
	} else if (BSON_ITER_HOLDS_ARRAY(it)) {
		bson_iter_array(it, &len, &data);
	}
	return data != NULL && bsonx_view(doc, data, len);
}

bool bsonx_is_number(const bson_iter_t *it)
{
	return BSON_ITER_HOLDS_INT32(it) || BSON_ITER_HOLDS_INT64(it) || BSON_ITER_HOLDS_DOUBLE(it);
}

int64_t bsonx_int64(const bson_iter_t *it)
{
	if (!BSON_ITER_HOLDS_DOUBLE(it)) {
		return bson_iter_as_int64(it);
	}
	double d = bson_iter_double(it);
	if (isnan(d)) {
		return 0;
	}
	if (d >= 9223372036854775808.0) {
		return INT64_MAX;
	}
	return d <= -9223372036854775808.0 ? INT64_MIN : (int64_t)d;
}

bool bsonx_truthy(const bson_iter_t *it)
{
	if (BSON_ITER_HOLDS_BOOL(it)) {
		return bson_iter_bool(it);
	}
	if (BSON_ITER_HOLDS_DOUBLE(it)) {
		return fpclassify(bson_iter_double(it)) != FP_ZERO;
	}
	if (bsonx_is_number(it)) {
		return bsonx_int64(it) != 0;
	}
	return !BSON_ITER_HOLDS_NULL(it) && !BSON_ITER_HOLDS_UNDEFINED(it);
}

bool bsonx_flag(const bson_t *doc, const char *key, bool otherwise)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, doc, key) ? bsonx_truthy(&it) : otherwise;
}

int64_t bsonx_number(const bson_t *doc, const char *key, int64_t otherwise)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, doc, key) && bsonx_is_number(&it) ? bsonx_int64(&it)
									  : otherwise;
}

const char *bsonx_name(const bson_iter_t *it, size_t max)
{
	uint32_t len = 0;

	if (!BSON_ITER_HOLDS_UTF8(it)) {
		return NULL;
	}
	const char *s = bson_iter_utf8(it, &len);
	if (s == NULL || len == 0 || len > max || !bson_utf8_validate(s, len, false)) {
		return NULL;
	}
	return s;
}

void bsonx_append_int(bson_t *doc, const char *key, int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX) {
		BSON_APPEND_INT32(doc, key, (int32_t)value);
	} else {
		BSON_APPEND_INT64(doc, key, value);
	}
}
