/* Tables that are not in every poll: the rows of the last one that asked for them stay, with their
 * texts. */
#include <string.h>

#include "hotset/model.h"
#include "support.h"

static struct sample *make(int64_t seconds)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = seconds * INT64_C(1000000000);
	return s;
}

static void add_op(struct sample *s, double secs, const char *ns)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);

	assert_non_null(row);
	raw_set_f64(&row[COL_MONGO_OP_SECS], secs);
	raw_set_text(s, &row[COL_MONGO_OP_NS], ns, strlen(ns));
}

static void test_rows_outlive_their_sample(void **state)
{
	struct model *m = model_create();
	struct endpoint *ep;
	struct sample *s;

	(void)state;
	assert_non_null(m);
	ep = model_add(m, KIND_MONGO, "mongo@x", "x", "x", 60);
	assert_non_null(ep);
	assert_false(ep->kept[TABLE_MONGO_OP].asked);
	assert_null(kept_row(ep, TABLE_MONGO_OP, 0));

	s = make(10);
	add_op(s, 3, "a.b");
	add_op(s, 4, "c.d");
	model_push(m, s);
	model_push(m, make(11));
	model_push(m, make(12)); /* the sample with the rows is gone */
	assert_int_equal(ep->frame.tables[TABLE_MONGO_OP].n, 0);
	assert_int_equal(ep->kept[TABLE_MONGO_OP].n, 2);
	assert_string_equal(kept_row(ep, TABLE_MONGO_OP, 1)[COL_MONGO_OP_NS].text, "c.d");
	test_near(kept_row(ep, TABLE_MONGO_OP, 0)[COL_MONGO_OP_SECS].num.v, 3, 0);
	assert_int_equal(ep->kept[TABLE_MONGO_OP].mono_ns, INT64_C(10000000000));
	assert_null(kept_row(ep, TABLE_MONGO_OP, 2));
	model_destroy(m);
}

/* Asked and empty is an answer: no operation is running. */
static void test_an_empty_answer_replaces_rows(void **state)
{
	struct model *m = model_create();
	struct endpoint *ep;
	struct sample *s;

	(void)state;
	assert_non_null(m);
	ep = model_add(m, KIND_MONGO, "mongo@x", "x", "x", 60);
	assert_non_null(ep);
	s = make(10);
	add_op(s, 3, "a.b");
	model_push(m, s);
	s = make(11);
	s->tables[TABLE_MONGO_OP].asked = true;
	model_push(m, s);
	assert_int_equal(ep->kept[TABLE_MONGO_OP].n, 0);
	assert_true(ep->kept[TABLE_MONGO_OP].asked);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_outlive_their_sample),
		cmocka_unit_test(test_an_empty_answer_replaces_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
