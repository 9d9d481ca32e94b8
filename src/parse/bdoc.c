#include "bdoc.h"

#include <math.h>

#include "hotset/num.h"

/* 2^63, the first double above every int64 */
#define I64_END 9223372036854775808.0

static bool decimal_f64(const bson_iter_t *it, double *out)
{
	bson_decimal128_t dec;
	char text[BSON_DECIMAL128_STRING];

	if (!bson_iter_decimal128(it, &dec))
		return false;
	bson_decimal128_to_string(&dec, text);
	return num_parse_f64(text, strlen(text), out);
}

bool bdoc_f64(const bson_iter_t *it, double *out)
{
	switch (bson_iter_type(it)) {
	case BSON_TYPE_INT32:
		*out = bson_iter_int32(it);
		return true;
	case BSON_TYPE_INT64:
		*out = (double)bson_iter_int64(it);
		return true;
	case BSON_TYPE_DOUBLE:
		*out = bson_iter_double(it);
		return true;
	case BSON_TYPE_BOOL:
		*out = bson_iter_bool(it);
		return true;
	case BSON_TYPE_DECIMAL128:
		return decimal_f64(it, out);
	default:
		return false;
	}
}

bool bdoc_i64(const bson_iter_t *it, int64_t *out)
{
	double d;

	if (BSON_ITER_HOLDS_INT64(it)) {
		*out = bson_iter_int64(it);
		return true;
	}
	if (!bdoc_f64(it, &d) || !isfinite(d) || d >= I64_END || d < -I64_END)
		return false;
	*out = (int64_t)d;
	return true;
}

bool bdoc_find(const bson_t *doc, const char *path, bson_iter_t *it)
{
	bson_iter_t top;

	return bson_iter_init(&top, doc) && bson_iter_find_descendant(&top, path, it);
}

bool bdoc_find_i64(const bson_t *doc, const char *path, int64_t *out)
{
	bson_iter_t it;

	return bdoc_find(doc, path, &it) && bdoc_i64(&it, out);
}

const char *bdoc_find_text(const bson_t *doc, const char *path, size_t *len)
{
	bson_iter_t it;
	uint32_t n;
	const char *s;

	if (!bdoc_find(doc, path, &it) || !BSON_ITER_HOLDS_UTF8(&it))
		return NULL;
	s = bson_iter_utf8(&it, &n);
	*len = n;
	return s;
}

bool bdoc_find_true(const bson_t *doc, const char *path)
{
	bson_iter_t it;
	double d;

	return bdoc_find(doc, path, &it) && bdoc_f64(&it, &d) && d != 0;
}

bool bdoc_view(const bson_iter_t *it, bson_t *out)
{
	const uint8_t *data;
	uint32_t len;

	if (BSON_ITER_HOLDS_DOCUMENT(it))
		bson_iter_document(it, &len, &data);
	else if (BSON_ITER_HOLDS_ARRAY(it))
		bson_iter_array(it, &len, &data);
	else
		return false;
	return data && bson_init_static(out, data, len);
}

bool bdoc_count(const bson_iter_t *it, uint64_t *out)
{
	int64_t v;

	if (!bdoc_i64(it, &v) || v < 0 || v == INT64_MAX)
		return false;
	*out = (uint64_t)v;
	return true;
}

void bdoc_set_count(struct sample *s, enum metric_id id, const bson_iter_t *it)
{
	uint64_t v;

	if (bdoc_count(it, &v))
		sample_set_u64(s, id, v);
	else
		sample_set_missing(s, id, REASON_IMPLAUSIBLE);
}
