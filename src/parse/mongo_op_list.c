/*
 * The reply to $currentOp or currentOp. A busy node has more operations than anybody reads and
 * lists them in no order. Of collection scans, open transactions and other operations that run
 * long, the longest of each kind are kept in turn, so that a hundred of one kind cannot hide the
 * one of another.
 */
#include "hotset/parse.h"

#include "bdoc.h"

#include <string.h>

enum op_class { OP_SCANNING, OP_HOLDING, OP_LONG, OP_CLASSES };

struct pick {
	double age;          /* microseconds, -1 unknown */
	const uint8_t *data; /* a document of the reply */
	uint32_t len;
};

struct picks {
	unsigned n;
	struct pick best[MONGO_OPS_MAX]; /* oldest first */
};

static enum op_class class_of(const bson_t *doc)
{
	size_t len;
	const char *plan = bdoc_find_text(doc, "planSummary", &len);

	if (plan && strcmp(plan, "COLLSCAN") == 0)
		return OP_SCANNING;
	return bson_has_field(doc, "transaction") ? OP_HOLDING : OP_LONG;
}

static double age_of(const bson_t *doc, enum op_class kind)
{
	static const char *const paths[OP_CLASSES] = {[OP_SCANNING] = "microsecs_running",
		[OP_HOLDING] = "transaction.timeOpenMicros",
		[OP_LONG] = "microsecs_running"};
	bson_iter_t it;
	double age;

	return bdoc_find(doc, paths[kind], &it) && bdoc_f64(&it, &age) && age >= 0 ? age : -1;
}

static void keep(struct picks *p, const bson_t *doc, double age)
{
	unsigned at = p->n;

	while (at > 0 && p->best[at - 1].age < age)
		at--;
	if (at == MONGO_OPS_MAX)
		return;
	if (p->n < MONGO_OPS_MAX)
		p->n++;
	memmove(&p->best[at + 1], &p->best[at], (p->n - 1 - at) * sizeof(p->best[0]));
	p->best[at] = (struct pick){age, bson_get_data(doc), doc->len};
}

static bool is_facet(const bson_iter_t *it)
{
	return BSON_ITER_HOLDS_ARRAY(it) && strncmp(bson_iter_key(it), "hotset", 6) == 0;
}

static void sort_out(struct picks *picks, const bson_iter_t *array);

/* An operation, or the one document of $facet with a list of operations in each field. */
static void sort_out_one(struct picks *picks, const bson_t *doc)
{
	bson_iter_t it;

	if (bson_iter_init(&it, doc) && bson_iter_next(&it) && is_facet(&it)) {
		do {
			if (is_facet(&it))
				sort_out(picks, &it);
		} while (bson_iter_next(&it));
		return;
	}
	enum op_class kind = class_of(doc);
	keep(&picks[kind], doc, age_of(doc, kind));
}

static void sort_out(struct picks *picks, const bson_iter_t *array)
{
	bson_iter_t it;
	bson_t doc;

	if (!bson_iter_recurse(array, &it))
		return;
	while (bson_iter_next(&it))
		if (BSON_ITER_HOLDS_DOCUMENT(&it) && bdoc_view(&it, &doc))
			sort_out_one(picks, &doc);
}

static bool is_full(const struct sample *s)
{
	return s->tables[TABLE_MONGO_OP].n >= MONGO_OPS_MAX;
}

static void put(const struct pick *p, struct sample *out)
{
	bson_t doc;

	if (!is_full(out) && bson_init_static(&doc, p->data, p->len))
		parse_mongo_current_op(&doc, out);
}

bool parse_mongo_op_list(const bson_t *reply, struct sample *out)
{
	struct picks picks[OP_CLASSES];
	bson_iter_t array;

	if (!(bdoc_find(reply, "cursor.firstBatch", &array) ||
		    bdoc_find(reply, "inprog", &array)) ||
		!BSON_ITER_HOLDS_ARRAY(&array))
		return false;
	for (unsigned k = 0; k < OP_CLASSES; k++)
		picks[k].n = 0;
	sort_out(picks, &array);
	out->tables[TABLE_MONGO_OP].asked = true;
	for (unsigned i = 0; i < MONGO_OPS_MAX; i++)
		for (unsigned k = 0; k < OP_CLASSES; k++)
			if (i < picks[k].n)
				put(&picks[k].best[i], out);
	return true;
}
