/*
 * The working set against the truth: what was read in each capture of a real server is known, and
 * every estimate that passes the conditions lies within 15 % of it, from the totals and, closer,
 * from the collections. Where the conditions fail the reason is the right one.
 */
#include "capture.h"
#include "hotset/model.h"
#include "support.h"

#include <math.h>

struct outcome {
	unsigned samples, estimates, refused[REASON_COUNT];
	double low, high;           /* of the estimates */
	double range_low, range_high; /* of their ranges: the highest low, the lowest high end */
	char kind[32], basis[32];   /* of the last one */
};

static void note(const struct frame *f, struct outcome *o)
{
	struct value ratio = f->v[METRIC_MONGO_WS_RATIO];

	o->samples++;
	if (!value_ok(ratio)) {
		o->refused[ratio.why]++;
		return;
	}
	o->estimates++;
	o->low = fmin(o->low, ratio.v);
	o->high = fmax(o->high, ratio.v);
	o->range_low = fmax(o->range_low, f->v[METRIC_MONGO_WS_LOW].v);
	o->range_high = fmin(o->range_high, f->v[METRIC_MONGO_WS_HIGH].v);
	snprintf(o->kind, sizeof(o->kind), "%s", frame_info(f, METRIC_MONGO_WS_KIND));
	snprintf(o->basis, sizeof(o->basis), "%s", frame_info(f, METRIC_MONGO_WS_BASIS));
}

static struct outcome play(const char *name, bool with_collections)
{
	struct outcome o = {.low = INFINITY, .high = -INFINITY, .range_high = INFINITY};
	struct model *m = model_create();
	struct capture *c;
	const bson_t *doc;
	char path[128];

	assert_non_null(m);
	assert_non_null(model_add(m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
	snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", name);
	c = capture_open(path);
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		struct sample *s = capture_sample(doc, 1000000000, 1000000000);

		if (!with_collections) {
			s->tables[TABLE_MONGO_COLL].n = 0;
			s->tables[TABLE_MONGO_COLL].asked = false;
		}
		model_push(m, s);
		note(&m->ep[0]->frame, &o);
	}
	capture_close(c);
	model_destroy(m);
	return o;
}

static void assert_fits(const char *name, double truth)
{
	struct outcome o = play(name, true);

	assert_true(o.estimates >= 10);
	assert_string_equal(o.kind, "at most");
	assert_string_equal(o.basis, "totals");
	test_near(o.low, truth, 0.0005);
	test_near(o.high, truth, 0.0005);
}

static void what_fits_is_exact(void **state)
{
	(void)state;
	assert_fits("sweep-0.25", 0.255);
	assert_fits("sweep-0.5", 0.509);
}

static void assert_uniform(const char *name, double truth, bool with_collections, double error)
{
	struct outcome o = play(name, with_collections);

	assert_true(o.estimates >= 10);
	assert_string_equal(o.kind, "uniform-equivalent");
	assert_string_equal(o.basis, with_collections ? "by collection" : "totals");
	if (o.low < truth * (1 - error) || o.high > truth * (1 + error))
		fail_msg("%s: %.3f to %.3f of %.3f", name, o.low, o.high, truth);
	/* each range holds the truth */
	assert_true(o.range_low < truth && o.range_high > truth);
}

static void totals_are_within_15_percent(void **state)
{
	(void)state;
	assert_uniform("sweep-1", 1.0, false, 0.15);
	assert_uniform("sweep-2", 2.0, false, 0.15);
	assert_uniform("sweep-all", 3.28, false, 0.15);
}

static void collections_are_within_6_percent(void **state)
{
	(void)state;
	assert_uniform("sweep-1", 1.0, true, 0.06);
	assert_uniform("sweep-2", 2.0, true, 0.06);
	assert_uniform("sweep-all", 3.28, true, 0.06);
}

/* Nine reads of ten touch 0.16 of the cache, all of them 3.28. */
static void skew_gives_a_lower_bound(void **state)
{
	(void)state;
	for (int with = 0; with <= 1; with++) {
		struct outcome o = play("skew-90-10", with);

		assert_true(o.estimates >= 10);
		assert_string_equal(o.kind, "uniform-equivalent");
		assert_true(o.low > 0.85 && o.high < 0.92);
		assert_true(o.range_low < 1); /* so nothing says that the cache is exceeded */
	}
}

static void assert_refused(const struct outcome *o, enum reason why, unsigned at_least)
{
	if (o->refused[why] < at_least)
		fail_msg("%s: %u of %u samples", reason_name(why), o->refused[why], o->samples);
}

static void writes_are_refused(void **state)
{
	struct outcome o = play("heavy-writes", true);

	(void)state;
	assert_int_equal(o.estimates, 0);
	assert_refused(&o, REASON_WARMING_UP, 15); /* the capture begins with the server */
	assert_refused(&o, REASON_WRITES, 45);
	assert_int_equal(o.refused[REASON_WARMING_UP] + o.refused[REASON_WRITES], o.samples);
	o = play("held-snapshot", true);
	assert_int_equal(o.estimates, 0);
	assert_refused(&o, REASON_WRITES, 180);
	assert_refused(&o, REASON_FEW_OPS, 10); /* after the updates have left the window */
}

static void scans_are_refused(void **state)
{
	static const char *const names[] = {"collscan-hot", "collscan-cool", "collscan-slow-hot",
		"collscan-slow-hot-2", "collscan-slow-cool"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct outcome o = play(names[i], true);

		/* before the scan what is read fits */
		assert_true(o.estimates == 0 || strcmp(o.kind, "at most") == 0);
		assert_true(o.estimates == 0 || o.high < 0.62);
		assert_refused(&o, REASON_SCAN_IN_WINDOW, 19);
	}
}

static void an_idle_server_tells_nothing(void **state)
{
	struct outcome o = play("idle", true);

	(void)state;
	assert_int_equal(o.estimates, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_exact),
		cmocka_unit_test(totals_are_within_15_percent),
		cmocka_unit_test(collections_are_within_6_percent),
		cmocka_unit_test(skew_gives_a_lower_bound),
		cmocka_unit_test(writes_are_refused),
		cmocka_unit_test(scans_are_refused),
		cmocka_unit_test(an_idle_server_tells_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
