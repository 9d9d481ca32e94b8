#include "update.h"

#include "bsonx.h"

/* The operators of an update document; each is an empty document when absent. */
struct operators {
	bson_t set, inc;
};

static bool check_field(const char *name, struct fail *fail)
{
	if (strcmp(name, "_id") == 0) {
		return fail_set(fail, FAIL_IMMUTABLE_FIELD, "_id cannot be updated");
	}
	if (name[0] == '\0' || name[0] == '$' || strchr(name, '.') != NULL) {
		return fail_set(fail, FAIL_NOT_IMPLEMENTED,
			"wtnode updates top-level fields only, not '%.100s'", name);
	}
	return true;
}

static bool check_fields(const bson_t *ops, bool numbers, struct fail *fail)
{
	bson_iter_t it;

	if (!bson_iter_init(&it, ops)) {
		return fail_set(fail, FAIL_INVALID_BSON, "broken update");
	}
	while (bson_iter_next(&it)) {
		if (!check_field(bson_iter_key(&it), fail)) {
			return false;
		}
		if (numbers && !bsonx_is_number(&it)) {
			return fail_set(fail, FAIL_TYPE_MISMATCH,
				"cannot $inc '%.100s' by no number", bson_iter_key(&it));
		}
	}
	return true;
}

static bool read_operators(struct operators *ops, const bson_t *spec, struct fail *fail)
{
	bson_iter_t it;

	bson_init(&ops->set);
	bson_init(&ops->inc);
	if (!bson_iter_init(&it, spec)) {
		return fail_set(fail, FAIL_INVALID_BSON, "broken update");
	}
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);
		bool inc = strcmp(key, "$inc") == 0;
		bson_t *op = inc ? &ops->inc : &ops->set;

		if (!inc && strcmp(key, "$set") != 0) {
			return fail_set(fail, FAIL_NOT_IMPLEMENTED,
				"the update operator '%.60s' is not supported by wtnode", key);
		}
		if (!BSON_ITER_HOLDS_DOCUMENT(&it) || !bsonx_iter_view(&it, op)) {
			return fail_set(fail, FAIL_FAILED_TO_PARSE, "%s needs a document", key);
		}
		if (!check_fields(op, inc, fail)) {
			return false;
		}
	}
	return true;
}

static bool append_sum(bson_t *out, const char *key, const bson_iter_t *old, const bson_iter_t *inc,
	struct fail *fail)
{
	int64_t sum;

	if (!bsonx_is_number(old)) {
		return fail_set(
			fail, FAIL_TYPE_MISMATCH, "cannot $inc '%.100s': it is no number", key);
	}
	if (BSON_ITER_HOLDS_DOUBLE(old) || BSON_ITER_HOLDS_DOUBLE(inc)) {
		bson_append_double(
			out, key, -1, bson_iter_as_double(old) + bson_iter_as_double(inc));
		return true;
	}
	if (__builtin_add_overflow(bson_iter_as_int64(old), bson_iter_as_int64(inc), &sum)) {
		return fail_set(fail, FAIL_BAD_VALUE, "$inc of '%.100s' overflows", key);
	}
	if (BSON_ITER_HOLDS_INT32(old) && BSON_ITER_HOLDS_INT32(inc)) {
		bsonx_append_int(out, key, sum);
	} else {
		bson_append_int64(out, key, -1, sum);
	}
	return true;
}

/* The fields that are there already, with their new values. */
static bool apply_to_old(
	bson_t *out, const bson_t *old, const struct operators *ops, struct fail *fail)
{
	bson_iter_t it, change;

	if (!bson_iter_init(&it, old)) {
		return fail_set(fail, FAIL_INTERNAL, "the stored document is broken");
	}
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (bson_iter_init_find(&change, &ops->set, key)) {
			bson_append_iter(out, key, -1, &change);
		} else if (!bson_iter_init_find(&change, &ops->inc, key)) {
			bson_append_iter(out, key, -1, &it);
		} else if (!append_sum(out, key, &it, &change, fail)) {
			return false;
		}
	}
	return true;
}

/* The fields that the operators add. */
static void append_new(bson_t *out, const bson_t *old, const bson_t *op)
{
	bson_iter_t it, found;

	if (!bson_iter_init(&it, op)) {
		return;
	}
	while (bson_iter_next(&it)) {
		if (!bson_iter_init_find(&found, old, bson_iter_key(&it))) {
			bson_append_iter(out, bson_iter_key(&it), -1, &it);
		}
	}
}

static bool conflict(const struct operators *ops, struct fail *fail)
{
	bson_iter_t it, found;

	if (!bson_iter_init(&it, &ops->inc)) {
		return false;
	}
	while (bson_iter_next(&it)) {
		if (bson_iter_init_find(&found, &ops->set, bson_iter_key(&it))) {
			fail_set(fail, FAIL_BAD_VALUE, "$set and $inc both change '%.100s'",
				bson_iter_key(&it));
			return true;
		}
	}
	return false;
}

static bool replace(bson_t *out, const bson_t *old, const bson_t *spec, struct fail *fail)
{
	bson_iter_t it;

	if (bson_iter_init_find(&it, old, "_id")) {
		bson_append_iter(out, "_id", 3, &it);
	}
	if (!bson_iter_init(&it, spec)) {
		return fail_set(fail, FAIL_INVALID_BSON, "broken update");
	}
	while (bson_iter_next(&it)) {
		if (bson_iter_key(&it)[0] == '$') {
			return fail_set(fail, FAIL_FAILED_TO_PARSE,
				"an update is either operators or a replacement");
		}
		if (strcmp(bson_iter_key(&it), "_id") != 0) {
			bson_append_iter(out, bson_iter_key(&it), -1, &it);
		}
	}
	return true;
}

bool update_apply(bson_t *out, const bson_t *old, const bson_t *spec, struct fail *fail)
{
	struct operators ops;
	bson_iter_t first;

	if (!bson_iter_init(&first, spec) || !bson_iter_next(&first) ||
		bson_iter_key(&first)[0] != '$') {
		return replace(out, old, spec, fail);
	}
	bool ok = read_operators(&ops, spec, fail) && !conflict(&ops, fail) &&
		  apply_to_old(out, old, &ops, fail);
	if (ok) {
		append_new(out, old, &ops.set);
		append_new(out, old, &ops.inc);
	}
	bson_destroy(&ops.set);
	bson_destroy(&ops.inc);
	return ok;
}
