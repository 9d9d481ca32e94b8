/*
 * What scripts get while some servers misbehave: --once spans one delay for those that answer, and
 * -b keeps its pace, however long another one hangs; what they print of the others is fresh.
 */
#include "support.h"

#include <bson/bson.h>
#include <stdio.h>
#include <string.h>

#include "hotset/clock.h"
#include "program.h"
#include "../fake/fake.h"

#define LIMIT_MS 20000

static bson_t *parse(const char *json)
{
	bson_error_t error;
	bson_t *doc = bson_new_from_json((const uint8_t *)json, -1, &error);

	if (!doc)
		fail_msg("%s in '%.300s'", error.message, json);
	return doc;
}

/* Runs it and reads the one object that it prints. */
static bson_t *object_of(const char *line)
{
	struct run r = program_run(line, NULL, LIMIT_MS);
	bson_t *doc = parse(r.out);

	program_free(&r);
	return doc;
}

/* Points it to "endpoints.1.status" and so on; fails if there is nothing. */
static void find(const bson_t *doc, const char *path, bson_iter_t *out)
{
	bson_iter_t it;

	if (!bson_iter_init(&it, doc) || !bson_iter_find_descendant(&it, path, out))
		fail_msg("no %s", path);
}

static const char *text_at(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	find(doc, path, &it);
	return BSON_ITER_HOLDS_UTF8(&it) ? bson_iter_utf8(&it, NULL) : "null";
}

static void silent(struct fake_conn *c)
{
	fake_hold(c);
}

static void once_spans_one_delay_beside_a_hanging_target(void **state)
{
	(void)state;
	struct fake *f = fake_start(silent, NULL);
	char line[256];
	bson_iter_t it;

	snprintf(line, sizeof(line), "%s proc: --once -d 0.2 --timeout 4 --format json",
		fake_uri(f, "redis", NULL));
	bson_t *doc = object_of(line);

	assert_string_equal(text_at(doc, "endpoints.0.status"), "timeout");
	assert_string_equal(text_at(doc, "endpoints.1.status"), "ok");
	find(doc, "endpoints.1.interval_s", &it);
	if (bson_iter_as_double(&it) > 2) /* and not the 4 s for which the other one hung */
		fail_msg("the interval is %g s", bson_iter_as_double(&it));
	bson_destroy(doc);
	fake_stop(f);
}

static void batch_keeps_its_pace_beside_a_hanging_target(void **state)
{
	(void)state;
	struct fake *f = fake_start(silent, NULL);
	char line[256], *save = NULL;
	unsigned n = 0;

	snprintf(line, sizeof(line), "%s proc: -b -n 4 -d 0.5 --timeout 4 --format json",
		fake_uri(f, "redis", NULL));
	struct run r = program_run(line, NULL, LIMIT_MS);
	for (char *l = strtok_r(r.out, "\n", &save); l; l = strtok_r(NULL, "\n", &save), n++) {
		bson_t *doc = parse(l);
		bson_iter_t it;

		assert_string_equal(text_at(doc, "endpoints.0.status"), "waiting");
		assert_string_equal(text_at(doc, "endpoints.1.status"), "ok");
		find(doc, "endpoints.1.interval_s", &it);
		if (n > 0 && bson_iter_as_double(&it) > 2.5)
			fail_msg("the interval is %g s", bson_iter_as_double(&it));
		bson_destroy(doc);
	}
	assert_int_equal(n, 4);
	program_free(&r);
	fake_stop(f);
}

/* A request whose answer never comes does not keep it from ending. */
static void it_ends_within_a_second_while_a_request_hangs(void **state)
{
	(void)state;
	struct fake *f = fake_start(silent, NULL);
	char line[256];

	snprintf(line, sizeof(line), "%s proc: -b -n 1 -d 0.1 --timeout 60 --format json",
		fake_uri(f, "redis", NULL));
	int64_t start = clock_mono_ns();
	struct run r = program_run(line, NULL, LIMIT_MS);
	int64_t took = clock_mono_ns() - start;

	assert_int_equal(r.code, 0);
	if (took > 2 * NS_PER_SEC + 1400 * NS_PER_MS) /* the only frame waits 2 s for all */
		fail_msg("it took %.2f s", (double)took / (double)NS_PER_SEC);
	program_free(&r);
	fake_stop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_ends_within_a_second_while_a_request_hangs),
		cmocka_unit_test(batch_keeps_its_pace_beside_a_hanging_target),
		cmocka_unit_test(once_spans_one_delay_beside_a_hanging_target),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
