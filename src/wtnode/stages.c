#include "stages.h"

#include "bsonx.h"
#include "match.h"

#include <math.h>
#include <stdlib.h>

#define SORT_KEYS_MAX 4

bool docs_add(struct docs *docs, const bson_t *doc)
{
	if (docs->count == docs->room) {
		unsigned room = docs->room > 0 ? docs->room * 2 : 64;
		bson_t **more = realloc(docs->doc, room * sizeof(*more));

		if (more == NULL) {
			return false;
		}
		docs->doc = more;
		docs->room = room;
	}
	docs->doc[docs->count++] = bson_copy(doc);
	return true;
}

static void keep_first(struct docs *docs, unsigned count)
{
	while (docs->count > count) {
		bson_destroy(docs->doc[--docs->count]);
	}
}

void docs_clear(struct docs *docs)
{
	keep_first(docs, 0);
	free(docs->doc);
	*docs = (struct docs){.doc = NULL};
}

static void run_match(struct docs *docs, const bson_t *spec)
{
	struct match match;
	struct fail passed_over;
	unsigned kept = 0;

	if (!match_compile(&match, spec, &passed_over)) {
		return;
	}
	for (unsigned i = 0; i < docs->count; i++) {
		if (match_doc(&match, docs->doc[i])) {
			docs->doc[kept++] = docs->doc[i];
		} else {
			bson_destroy(docs->doc[i]);
		}
	}
	docs->count = kept;
}

/* ---- $sort ---- */

struct sort_key {
	const char *path;
	bool descending;
};

struct order {
	unsigned count;
	struct sort_key keys[SORT_KEYS_MAX];
};

/* What is missing or no number sorts before all numbers, as in MongoDB. */
static double number_at(const bson_t *doc, const char *path)
{
	bson_iter_t it, found;

	if (!bson_iter_init(&it, doc) || !bson_iter_find_descendant(&it, path, &found) ||
		!bsonx_is_number(&found)) {
		return -HUGE_VAL;
	}
	return BSON_ITER_HOLDS_DOUBLE(&found) ? bson_iter_double(&found)
					      : (double)bson_iter_as_int64(&found);
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct order *order = arg;
	const bson_t *const *x = a, *const *y = b;

	for (unsigned k = 0; k < order->count; k++) {
		double v = number_at(*x, order->keys[k].path);
		double w = number_at(*y, order->keys[k].path);
		int c = (v > w) - (v < w);

		if (c != 0) {
			return order->keys[k].descending ? -c : c;
		}
	}
	return 0;
}

static void run_sort(struct docs *docs, const bson_t *spec)
{
	struct order order = {.count = 0};
	bson_iter_t it;

	if (!bson_iter_init(&it, spec)) {
		return;
	}
	while (order.count < SORT_KEYS_MAX && bson_iter_next(&it)) {
		order.keys[order.count++] =
			(struct sort_key){bson_iter_key(&it), bsonx_int64(&it) < 0};
	}
	if (docs->count > 1) {
		qsort_r(docs->doc, docs->count, sizeof(docs->doc[0]), compare, &order);
	}
}

/* ---- $facet: one document with a field for each pipeline ---- */

static bool run_facet(struct docs *docs, const bson_t *spec, struct fail *fail)
{
	bson_t all = BSON_INITIALIZER, array;
	bson_iter_t it, stages;
	bool ok = bson_iter_init(&it, spec);

	while (ok && bson_iter_next(&it)) {
		struct docs part = {.doc = NULL};
		char buf[16];
		const char *key;

		if (!BSON_ITER_HOLDS_ARRAY(&it) || !bson_iter_recurse(&it, &stages)) {
			ok = fail_set(fail, FAIL_FAILED_TO_PARSE, "a facet must be a pipeline");
			break;
		}
		for (unsigned i = 0; i < docs->count; i++) {
			docs_add(&part, docs->doc[i]);
		}
		ok = stages_run(&part, &stages, fail);
		bson_append_array_begin(&all, bson_iter_key(&it), -1, &array);
		for (unsigned i = 0; ok && i < part.count; i++) {
			bson_uint32_to_string(i, &key, buf, sizeof(buf));
			BSON_APPEND_DOCUMENT(&array, key, part.doc[i]);
		}
		bson_append_array_end(&all, &array);
		docs_clear(&part);
	}
	keep_first(docs, 0);
	docs_add(docs, &all);
	bson_destroy(&all);
	return ok;
}

static bool run_one(struct docs *docs, const bson_iter_t *stage, struct fail *fail)
{
	const char *name = bson_iter_key(stage);
	bson_t spec;

	if (strcmp(name, "$limit") == 0) {
		int64_t n = bsonx_int64(stage);

		if (n > 0 && n < docs->count) {
			keep_first(docs, (unsigned)n);
		}
	} else if (!bsonx_iter_view(stage, &spec)) {
		return true;
	} else if (strcmp(name, "$match") == 0) {
		run_match(docs, &spec);
	} else if (strcmp(name, "$sort") == 0) {
		run_sort(docs, &spec);
	} else if (strcmp(name, "$facet") == 0) {
		return run_facet(docs, &spec, fail);
	}
	return true;
}

bool stages_run(struct docs *docs, bson_iter_t *stages, struct fail *fail)
{
	bson_iter_t it;
	bson_t stage;

	while (bson_iter_next(stages)) {
		if (!BSON_ITER_HOLDS_DOCUMENT(stages) || !bsonx_iter_view(stages, &stage) ||
			!bson_iter_init(&it, &stage) || !bson_iter_next(&it)) {
			return fail_set(fail, FAIL_FAILED_TO_PARSE,
				"each stage must be a document with one field");
		}
		if (!run_one(docs, &it, fail)) {
			return false;
		}
	}
	return true;
}
