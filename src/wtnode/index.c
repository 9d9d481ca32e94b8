#include "index.h"

#include "bsonx.h"

static bool add_field(struct index *ix, const bson_iter_t *it, struct fail *fail)
{
	const char *path = bson_iter_key(it);

	if (!bsonx_is_number(it) || bsonx_int64(it) != 1) {
		return fail_set(fail, FAIL_NOT_IMPLEMENTED,
			"wtnode has ascending indexes only: {'%.100s': 1}", path);
	}
	if (ix->fields == IXKEY_FIELDS_MAX || path[0] == '\0' || path[0] == '$' ||
		strlen(path) > MATCH_PATH_MAX) {
		return fail_set(fail, FAIL_CANNOT_CREATE_INDEX,
			"an index has 1 to %d fields here, each with a name", IXKEY_FIELDS_MAX);
	}
	snprintf(ix->paths[ix->fields++], sizeof(ix->paths[0]), "%s", path);
	return true;
}

static void set_plan(struct index *ix)
{
	size_t len = (size_t)snprintf(ix->plan, sizeof(ix->plan), "IXSCAN {");

	for (unsigned i = 0; i < ix->fields && len < sizeof(ix->plan); i++) {
		len += (size_t)snprintf(ix->plan + len, sizeof(ix->plan) - len, "%s %s: 1",
			i == 0 ? "" : ",", ix->paths[i]);
	}
	if (len + 3 <= sizeof(ix->plan)) {
		snprintf(ix->plan + len, sizeof(ix->plan) - len, " }");
	}
}

static bool fill(struct index *ix, const bson_t *pattern, struct fail *fail)
{
	bson_iter_t it;

	if (pattern->len > INDEX_PATTERN_MAX || !bson_iter_init(&it, pattern)) {
		return fail_set(fail, FAIL_CANNOT_CREATE_INDEX, "the key of an index is too long");
	}
	while (bson_iter_next(&it)) {
		if (!add_field(ix, &it, fail)) {
			return false;
		}
	}
	if (ix->fields == 0) {
		return fail_set(fail, FAIL_CANNOT_CREATE_INDEX, "the key of an index is empty");
	}
	memcpy(ix->pattern, bson_get_data(pattern), pattern->len);
	ix->pattern_len = pattern->len;
	set_plan(ix);
	return true;
}

struct index *index_create(int64_t id, const char *name, const bson_t *pattern, struct fail *fail)
{
	struct index *ix = calloc(1, sizeof(*ix));

	if (ix == NULL) {
		fail_set(fail, FAIL_INTERNAL, "out of memory");
		return NULL;
	}
	ix->id = id;
	snprintf(ix->name, sizeof(ix->name), "%s", name);
	snprintf(ix->uri, sizeof(ix->uri), "table:secondary-%lld", (long long)id);
	if (!fill(ix, pattern, fail)) {
		free(ix);
		return NULL;
	}
	return ix;
}

void index_key(const struct index *ix, const bson_t *doc, int64_t record, struct ixkey *key)
{
	bson_iter_t it, found;

	key->len = 0;
	for (unsigned i = 0; i < ix->fields; i++) {
		bool has = bson_iter_init(&it, doc) &&
			   bson_iter_find_descendant(&it, ix->paths[i], &found);

		ixkey_append(key, has ? &found : NULL);
	}
	ixkey_append_record(key, record);
}

/* ---- what a filter needs of it ----------------------------------------------------------------
 */

static const struct match_term *find_term(
	const struct match *m, const char *path, enum match_op a, enum match_op b)
{
	for (unsigned i = 0; i < m->count; i++) {
		const struct match_term *term = &m->terms[i];

		if ((term->op == a || term->op == b) && strcmp(term->path, path) == 0) {
			return term;
		}
	}
	return NULL;
}

static void copy_key(struct ixkey *to, const struct ixkey *from)
{
	memcpy(to->bytes, from->bytes, from->len);
	to->len = from->len;
}

static bool add_equal(const struct match_term *term, struct index_range *range)
{
	struct ixkey *low = &range->low;
	size_t len = low->len;

	if (!ixkey_append_class(low, &term->want)) {
		low->len = len;
		return false;
	}
	low->len = len;
	ixkey_append(low, &term->want);
	return true;
}

/* Narrows to what compares with the bounds and lies between them; one of the two may be NULL. */
static bool add_between(
	const struct match_term *from, const struct match_term *to, struct index_range *range)
{
	struct ixkey *low = &range->low, *high = &range->high;
	size_t len = low->len;

	copy_key(high, low);
	if (!ixkey_append_class(low, from != NULL ? &from->want : &to->want)) {
		low->len = len;
		return false;
	}
	copy_key(high, low);
	if (from != NULL) {
		low->len = len;
		if (ixkey_append(low, &from->want) && from->op == MATCH_GT) {
			ixkey_append_end(low);
		}
	}
	if (to != NULL) {
		high->len = len;
		range->without_high = ixkey_append(high, &to->want) && to->op == MATCH_LT;
	}
	return true;
}

unsigned index_bounds(const struct index *ix, const struct match *m, struct index_range *range)
{
	unsigned i = 0;

	range->low.len = 0;
	range->without_high = false;
	for (; i < ix->fields; i++) {
		const struct match_term *equal = find_term(m, ix->paths[i], MATCH_EQ, MATCH_EQ);

		if (equal == NULL || !add_equal(equal, range)) {
			break;
		}
	}
	copy_key(&range->high, &range->low);
	if (i < ix->fields) {
		const struct match_term *from = find_term(m, ix->paths[i], MATCH_GT, MATCH_GTE);
		const struct match_term *to = find_term(m, ix->paths[i], MATCH_LT, MATCH_LTE);

		if ((from != NULL || to != NULL) && add_between(from, to, range)) {
			i++;
		}
	}
	return i;
}

bool index_is_behind(const struct index_range *range, const uint8_t *key, size_t len)
{
	size_t n = len < range->high.len ? len : range->high.len;
	int c = memcmp(key, range->high.bytes, n);

	return c > 0 || (c == 0 && range->without_high);
}
