#include "match.h"

#include "bsonx.h"

static const struct {
	const char *name;
	enum match_op op;
} operators[] = {
	{"$eq", MATCH_EQ},
	{"$ne", MATCH_NE},
	{"$gt", MATCH_GT},
	{"$gte", MATCH_GTE},
	{"$lt", MATCH_LT},
	{"$lte", MATCH_LTE},
	{"$exists", MATCH_EXISTS},
};

static int order(long double a, long double b)
{
	return (a > b) - (a < b);
}

static int order_bytes(const void *a, size_t alen, const void *b, size_t blen)
{
	size_t min = alen < blen ? alen : blen;
	int c = min > 0 ? memcmp(a, b, min) : 0;

	return c != 0 ? c : (alen > blen) - (alen < blen);
}

/* Two numbers; a long double holds every int64 and every double. False with a NaN. */
static bool compare_numbers(const bson_iter_t *a, const bson_iter_t *b, int *result)
{
	long double x = BSON_ITER_HOLDS_DOUBLE(a) ? (long double)bson_iter_double(a)
						  : (long double)bson_iter_as_int64(a);
	long double y = BSON_ITER_HOLDS_DOUBLE(b) ? (long double)bson_iter_double(b)
						  : (long double)bson_iter_as_int64(b);

	*result = order(x, y);
	return *result != 0 || (x >= y && x <= y);
}

static uint64_t stamp_of(const bson_iter_t *it)
{
	uint32_t t = 0, i = 0;

	bson_iter_timestamp(it, &t, &i);
	return (uint64_t)t << 32 | i;
}

static int compare_blobs(const bson_iter_t *a, const bson_iter_t *b)
{
	bson_subtype_t sa = BSON_SUBTYPE_BINARY, sb = BSON_SUBTYPE_BINARY;
	const uint8_t *x = NULL, *y = NULL;
	uint32_t xlen = 0, ylen = 0;

	switch (bson_iter_type(a)) {
	case BSON_TYPE_UTF8:
		x = (const uint8_t *)bson_iter_utf8(a, &xlen);
		y = (const uint8_t *)bson_iter_utf8(b, &ylen);
		break;
	case BSON_TYPE_DOCUMENT:
		bson_iter_document(a, &xlen, &x);
		bson_iter_document(b, &ylen, &y);
		break;
	case BSON_TYPE_ARRAY:
		bson_iter_array(a, &xlen, &x);
		bson_iter_array(b, &ylen, &y);
		break;
	default:
		bson_iter_binary(a, &sa, &xlen, &x);
		bson_iter_binary(b, &sb, &ylen, &y);
		break;
	}
	return sa != sb ? (sa > sb) - (sa < sb) : order_bytes(x, xlen, y, ylen);
}

/* False when the two are not of one kind; they are then neither equal nor ordered. */
static bool compare(const bson_iter_t *a, const bson_iter_t *b, int *result)
{
	if (bsonx_is_number(a) && bsonx_is_number(b)) {
		return compare_numbers(a, b, result);
	}
	if (bson_iter_type(a) != bson_iter_type(b)) {
		return false;
	}
	switch (bson_iter_type(a)) {
	case BSON_TYPE_NULL:
		*result = 0;
		return true;
	case BSON_TYPE_BOOL:
		*result = order(bson_iter_bool(a), bson_iter_bool(b));
		return true;
	case BSON_TYPE_DATE_TIME:
		*result = order(
			(long double)bson_iter_date_time(a), (long double)bson_iter_date_time(b));
		return true;
	case BSON_TYPE_TIMESTAMP:
		*result = order((long double)stamp_of(a), (long double)stamp_of(b));
		return true;
	case BSON_TYPE_OID:
		*result = bson_oid_compare(bson_iter_oid(a), bson_iter_oid(b));
		return true;
	case BSON_TYPE_UTF8:
	case BSON_TYPE_DOCUMENT:
	case BSON_TYPE_ARRAY:
	case BSON_TYPE_BINARY:
		*result = compare_blobs(a, b);
		return true;
	default:
		return false;
	}
}

static bool add_term(struct match *m, const char *path, enum match_op op, const bson_iter_t *want,
	struct fail *fail)
{
	int self;

	if (m->count == MATCH_TERMS_MAX) {
		return fail_set(fail, FAIL_NOT_IMPLEMENTED, "a filter can have %d comparisons here",
			MATCH_TERMS_MAX);
	}
	if (strlen(path) > MATCH_PATH_MAX) {
		return fail_set(fail, FAIL_BAD_VALUE, "a path in a filter is longer than %d bytes",
			MATCH_PATH_MAX);
	}
	if (op != MATCH_EXISTS && !BSON_ITER_HOLDS_DOUBLE(want) && !compare(want, want, &self)) {
		return fail_set(fail, FAIL_NOT_IMPLEMENTED,
			"'%.100s' cannot be compared with BSON type 0x%02x here", path,
			(unsigned)bson_iter_type(want));
	}
	m->terms[m->count++] = (struct match_term){
		.path = path, .dotted = strchr(path, '.') != NULL, .op = op, .want = *want};
	return true;
}

static bool add_operators(struct match *m, const char *path, const bson_t *ops, struct fail *fail)
{
	bson_iter_t it;

	if (!bson_iter_init(&it, ops)) {
		return fail_set(fail, FAIL_INVALID_BSON, "broken filter");
	}
	while (bson_iter_next(&it)) {
		size_t i = 0, n = sizeof(operators) / sizeof(operators[0]);

		while (i < n && strcmp(operators[i].name, bson_iter_key(&it)) != 0) {
			i++;
		}
		if (i == n) {
			return fail_set(fail, FAIL_NOT_IMPLEMENTED,
				"the operator '%.60s' is not supported by wtnode",
				bson_iter_key(&it));
		}
		if (!add_term(m, path, operators[i].op, &it, fail)) {
			return false;
		}
	}
	return true;
}

bool match_compile(struct match *m, const bson_t *filter, struct fail *fail)
{
	bson_iter_t it, first;
	bson_t sub;

	m->count = 0;
	if (!bson_iter_init(&it, filter)) {
		return fail_set(fail, FAIL_INVALID_BSON, "broken filter");
	}
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (key[0] == '$') {
			return fail_set(fail, FAIL_NOT_IMPLEMENTED,
				"the operator '%.60s' is not supported by wtnode", key);
		}
		if (BSON_ITER_HOLDS_DOCUMENT(&it) && bsonx_iter_view(&it, &sub) &&
			bson_iter_init(&first, &sub) && bson_iter_next(&first) &&
			bson_iter_key(&first)[0] == '$') {
			if (!add_operators(m, key, &sub, fail)) {
				return false;
			}
		} else if (!add_term(m, key, MATCH_EQ, &it, fail)) {
			return false;
		}
	}
	return true;
}

static bool find_path(const struct match_term *term, const bson_t *doc, bson_iter_t *found)
{
	bson_iter_t it;

	if (!term->dotted) {
		return bson_iter_init_find(found, doc, term->path);
	}
	return bson_iter_init(&it, doc) && bson_iter_find_descendant(&it, term->path, found);
}

static bool match_term(const struct match_term *term, const bson_t *doc)
{
	bson_iter_t it;
	int c = 0;
	bool found = find_path(term, doc, &it);

	if (term->op == MATCH_EXISTS) {
		return found == bsonx_truthy(&term->want);
	}
	bool same_kind = found ? compare(&it, &term->want, &c) : BSON_ITER_HOLDS_NULL(&term->want);
	switch (term->op) {
	case MATCH_EQ:
		return same_kind && c == 0;
	case MATCH_NE:
		return !same_kind || c != 0;
	case MATCH_GT:
		return same_kind && c > 0;
	case MATCH_GTE:
		return same_kind && c >= 0;
	case MATCH_LT:
		return same_kind && c < 0;
	default:
		return same_kind && c <= 0;
	}
}

bool match_doc(const struct match *m, const bson_t *doc)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (!match_term(&m->terms[i], doc)) {
			return false;
		}
	}
	return true;
}

bool match_id(const struct match *m, bson_iter_t *id)
{
	for (unsigned i = 0; i < m->count; i++) {
		if (m->terms[i].op == MATCH_EQ && strcmp(m->terms[i].path, "_id") == 0) {
			*id = m->terms[i].want;
			return true;
		}
	}
	return false;
}
