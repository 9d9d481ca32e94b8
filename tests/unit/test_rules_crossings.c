/*
 * Thresholds against captures of a real server. The moments at which dirty bytes and updates cross
 * their thresholds are worked out here from the raw fields alone, and the verdicts rise at those
 * and in that order; a cache that is warm and large enough gives nothing above info.
 */
#include "capture.h"
#include "hotset/model.h"
#include "support.h"

#define MEAN_S 10 /* of the level that is held against a target */

enum { DIRTY_TARGET, UPDATES_TARGET, UPDATES_TRIGGER, CROSSINGS };

static const char *const codes[CROSSINGS] = {"mongo.cache.dirty_above_target",
	"mongo.cache.updates_above_target", "mongo.cache.updates_above_trigger"};

struct levels {
	double dirty[MEAN_S], updates[MEAN_S]; /* percent, a ring */
	unsigned n;
};

static double cache_number(const bson_t *doc, const char *field)
{
	char path[128];
	bson_iter_t top, it;

	snprintf(path, sizeof(path), "serverStatus.wiredTiger.cache.%s", field);
	assert_true(bson_iter_init(&top, doc) && bson_iter_find_descendant(&top, path, &it));
	return (double)bson_iter_as_int64(&it);
}

static double mean(const double *ring, unsigned n)
{
	double sum = 0;
	unsigned have = n < MEAN_S ? n : MEAN_S;

	for (unsigned i = 0; i < have; i++)
		sum += ring[i];
	return sum / have;
}

/* When each was crossed first, by the defaults of a server without configuration; -1: not yet. */
static void note_crossings(struct levels *l, const bson_t *doc, double t, double first[CROSSINGS])
{
	double max = cache_number(doc, "maximum bytes configured");
	double dirty = 100 * cache_number(doc, "tracked dirty bytes in the cache") / max;
	double updates = 100 * cache_number(doc, "bytes allocated for updates") / max;
	bool now[CROSSINGS];

	l->dirty[l->n % MEAN_S] = dirty;
	l->updates[l->n++ % MEAN_S] = updates;
	now[DIRTY_TARGET] = mean(l->dirty, l->n) > 5;
	now[UPDATES_TARGET] = mean(l->updates, l->n) > 2.5;
	now[UPDATES_TRIGGER] = updates > 10;
	for (unsigned i = 0; i < CROSSINGS; i++)
		if (now[i] && first[i] < 0)
			first[i] = t;
	assert_true(dirty < 20); /* its trigger is never reached: see the README */
}

static void note_verdicts(const struct model *m, double t, double first[CROSSINGS])
{
	for (unsigned i = 0; i < m->nverdicts; i++) {
		assert_string_not_equal(m->verdicts[i].code, "mongo.cache.dirty_above_trigger");
		for (unsigned k = 0; k < CROSSINGS; k++)
			if (first[k] < 0 && strcmp(m->verdicts[i].code, codes[k]) == 0)
				first[k] = t;
	}
}

static void heavy_writes_raise_what_they_cross_when_they_do(void **state)
{
	double crossed[CROSSINGS] = {-1, -1, -1}, raised[CROSSINGS] = {-1, -1, -1};
	struct capture *c = capture_open("tests/fixtures/captures/heavy-writes.bson.gz");
	struct model *m = model_create();
	struct levels l = {.n = 0};
	const bson_t *doc;

	(void)state;
	assert_non_null(c);
	assert_non_null(m);
	assert_non_null(model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600));
	while ((doc = capture_next(c))) {
		double t = capture_time(doc);

		model_push(m, capture_sample(doc, 0, 0));
		note_crossings(&l, doc, t, crossed);
		note_verdicts(m, t, raised);
	}
	for (unsigned k = 0; k < CROSSINGS; k++) {
		assert_true(crossed[k] >= 0);
		test_near(raised[k], crossed[k], 0.5); /* in the same sample */
	}
	assert_true(raised[UPDATES_TARGET] < raised[DIRTY_TARGET]);
	assert_true(raised[DIRTY_TARGET] < raised[UPDATES_TRIGGER]);
	capture_close(c);
	model_destroy(m);
}

static void assert_calm(const char *name)
{
	struct model *m = model_create();
	struct capture *c;
	const bson_t *doc;
	char path[128];

	snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", name);
	c = capture_open(path);
	assert_non_null(c);
	assert_non_null(m);
	assert_non_null(model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600));
	while ((doc = capture_next(c))) {
		model_push(m, capture_sample(doc, 0, 0));
		for (unsigned i = 0; i < m->nverdicts; i++)
			if (m->verdicts[i].level > LEVEL_INFO)
				fail_msg("%s at %.0f s: %s", name, capture_time(doc),
					m->verdicts[i].text);
	}
	assert_int_equal(m->nevents, 0);
	capture_close(c);
	model_destroy(m);
}

static void idle_and_warm_caches_are_calm(void **state)
{
	(void)state;
	assert_calm("idle");
	assert_calm("sweep-0.25");
	assert_calm("sweep-0.5");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heavy_writes_raise_what_they_cross_when_they_do),
		cmocka_unit_test(idle_and_warm_caches_are_calm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
