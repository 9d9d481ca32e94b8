/*
 * JSON and CSV: always valid whatever servers called their things, counters exact, no number
 * without its source and no null without its reason; what is late is not passed off as fresh.
 */
#include "support.h"

#include <bson/bson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/export.h"

#define WALL (INT64_C(1796072400123) * NS_PER_MS)

static struct sample *redis_sample(int64_t mono_ns, uint64_t hits)
{
	struct sample *s = sample_create(0);
	struct raw *row;

	s->status = STATUS_OK;
	s->mono_ns = mono_ns;
	s->wall_ns = WALL + mono_ns;
	s->rtt_ns = 310000;
	s->epoch = 7;
	snprintf(s->product, sizeof(s->product), "redis");
	sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, hits);
	sample_set_u64(s, METRIC_REDIS_MISSES_TOTAL, 0);
	sample_set_u64(s, METRIC_REDIS_MEM_USED, 915000);
	sample_set_missing(s, METRIC_REDIS_MEM_MAX, REASON_NO_LIMIT);
	sample_set_text(s, METRIC_REDIS_MEM_POLICY, "a\"b\\c\n<\xF0\x9F\x99\x82>", 13);
	s->tables[TABLE_REDIS_CMD].asked = true;
	row = sample_add_row(s, TABLE_REDIS_CMD);
	raw_set_text(s, &row[COL_REDIS_CMD_COMMAND], "g\"et", 4);
	raw_set_u64(&row[COL_REDIS_CMD_CALLS_TOTAL], 5);
	return s;
}

static struct model *new_model(void)
{
	struct model *m = model_create();

	assert_non_null(model_add(m, KIND_REDIS, "redis@\"h\":1", "n", "h:1", 60));
	return m;
}

/* Exports, checks that it is JSON, returns the document; *text gets the bytes if wanted. */
static bson_t *to_json(const struct model *m, char **text)
{
	struct strbuf b;
	bson_error_t error;

	strbuf_init(&b, 8u << 20);
	export_json(&b, m, INT64_MIN);
	assert_false(b.full);
	assert_null(strchr(b.data, '\n'));
	assert_null(strstr(b.data, "nan"));
	assert_null(strstr(b.data, "inf,"));
	bson_t *doc = bson_new_from_json((const uint8_t *)b.data, (ssize_t)b.len, &error);
	if (!doc)
		fail_msg("%s in %s", error.message, b.data);
	if (text)
		*text = strbuf_take(&b);
	strbuf_finish(&b);
	return doc;
}

/* A value by keys, which may hold dots: down(doc, &it, "endpoints", "0", "metrics", name, NULL). */
static bool down(const bson_t *doc, bson_iter_t *it, ...)
{
	va_list ap;
	const char *key;
	bool ok = bson_iter_init(it, doc), first = true;

	va_start(ap, it);
	while (ok && (key = va_arg(ap, const char *))) {
		bson_iter_t inner;
		if (!first) {
			ok = bson_iter_recurse(it, &inner);
			*it = inner;
		}
		ok = ok && bson_iter_find(it, key);
		first = false;
	}
	va_end(ap);
	return ok;
}

static void every_null_has_its_reason(void **state)
{
	(void)state;
	struct model *m = new_model();
	enum metric_id id, end;
	bson_iter_t it;

	model_push(m, redis_sample(NS_PER_SEC, 100));
	bson_t *doc = to_json(m, NULL);
	for (metric_range(KIND_REDIS, &id, &end); id < end; id++) {
		const char *name = metric_desc(id)->name;
		bool info = metric_desc(id)->sem == SEM_INFO;

		assert_true(
			down(doc, &it, "endpoints", "0", info ? "info" : "metrics", name, NULL));
		bool null = BSON_ITER_HOLDS_NULL(&it);
		assert_int_equal(null, down(doc, &it, "endpoints", "0", "why", name, NULL));
	}
	assert_true(down(doc, &it, "endpoints", "0", "why", "redis.hits", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "needs a second sample");
	assert_true(down(doc, &it, "endpoints", "0", "why", "redis.mem.max", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "no limit");
	bson_destroy(doc);
	model_destroy(m);
}

/* A text that was concluded, or why it was not, which the server's reply cannot say. */
static void a_concluded_text_has_its_own_reason(void **state)
{
	struct model *m = model_create();
	struct sample *s = sample_create(0);
	bson_iter_t it;
	bson_t *doc;

	(void)state;
	assert_non_null(model_add(m, KIND_MONGO, "m", "m", "m", 60));
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = NS_PER_SEC;
	sample_set_text(s, METRIC_MONGO_CACHE_STATE, "0x800", 5);
	model_push(m, s);
	doc = to_json(m, NULL);
	assert_true(down(doc, &it, "endpoints", "0", "why", "mongo.cache.thresholds", NULL));
	assert_string_equal(
		bson_iter_utf8(&it, NULL), "unknown layout of the eviction state");
	bson_destroy(doc);
	model_destroy(m);
}

static void rates_counters_tables_and_texts(void **state)
{
	(void)state;
	struct model *m = new_model();
	bson_iter_t it;
	char *text;

	model_push(m, redis_sample(NS_PER_SEC, UINT64_C(9007199254740993)));
	model_push(m, redis_sample(3 * NS_PER_SEC, UINT64_C(9007199254741193)));
	bson_t *doc = to_json(m, &text);
	assert_true(down(doc, &it, "endpoints", "0", "metrics", "redis.hits", NULL));
	test_near(bson_iter_as_double(&it), 100, 1e-9);
	assert_non_null(strstr(text, "\"redis.hits_total\":9007199254741193,")); /* above 2^53 */
	assert_true(down(doc, &it, "endpoints", "0", "interval_s", NULL));
	test_near(bson_iter_as_double(&it), 2, 1e-9);
	assert_true(down(doc, &it, "endpoints", "0", "rtt_ms", NULL));
	test_near(bson_iter_as_double(&it), 0.31, 1e-9);
	assert_true(down(doc, &it, "endpoints", "0", "info", "redis.mem.policy", NULL));
	assert_non_null(strstr(bson_iter_utf8(&it, NULL), "a\"b\\c"));
	assert_true(down(doc, &it, "endpoints", "0", "tables", "redis.cmd", "0", "command", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "g\"et");
	assert_true(down(doc, &it, "endpoints", "0", "tables", "redis.cmd", "0", "calls", NULL));
	assert_int_equal(bson_iter_as_int64(&it), 5);
	/* not asked */
	assert_false(down(doc, &it, "endpoints", "0", "tables", "redis.slow", NULL));
	assert_true(down(doc, &it, "endpoints", "0", "server", "version", NULL));
	assert_true(BSON_ITER_HOLDS_NULL(&it));
	assert_true(down(doc, &it, "time", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "2026-11-30T21:00:03.123Z");
	assert_true(down(doc, &it, "hotset", NULL) && bson_iter_as_int64(&it) == 1);
	assert_true(down(doc, &it, "skipped", NULL) && BSON_ITER_HOLDS_ARRAY(&it));
	bson_destroy(doc);
	free(text);
	model_destroy(m);
}

/* A server that answers no more, or is late, has no numbers: the old ones are not the present. */
static void what_is_not_fresh_is_null(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct err why;
	bson_iter_t it;

	model_push(m, redis_sample(NS_PER_SEC, 100));
	model_tick(m, 10 * NS_PER_SEC, WALL + 10 * NS_PER_SEC);
	bson_t *doc = to_json(m, NULL);
	assert_true(down(doc, &it, "endpoints", "0", "status", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "waiting");
	assert_true(down(doc, &it, "endpoints", "0", "metrics", "redis.mem.used", NULL));
	assert_true(BSON_ITER_HOLDS_NULL(&it));
	bson_destroy(doc);

	struct sample *s = sample_create(0);
	s->mono_ns = 11 * NS_PER_SEC;
	s->wall_ns = WALL + 11 * NS_PER_SEC;
	err_set(&why, ERR_TIMEOUT, "no answer within 5 s");
	sample_fail(s, STATUS_TIMEOUT, &why);
	model_push(m, s);
	doc = to_json(m, NULL);
	assert_true(down(doc, &it, "endpoints", "0", "status", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "timeout");
	assert_true(down(doc, &it, "endpoints", "0", "error", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "no answer within 5 s");
	assert_true(down(doc, &it, "endpoints", "0", "why", "redis.mem.used", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "no answer");
	bson_destroy(doc);
	model_destroy(m);
}

/* What refuses to tell more may say what it is, or have said it before. */
static void what_a_server_is_outlasts_its_refusal(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct err why;
	bson_iter_t it;

	err_set(&why, ERR_AUTH, "credentials needed");
	for (int i = 0; i < 2; i++) {
		struct sample *s = i ? sample_create(0) : redis_sample(NS_PER_SEC, 100);

		s->mono_ns = (i + 1) * NS_PER_SEC;
		if (i)
			snprintf(s->role, sizeof(s->role), "master");
		sample_fail(s, STATUS_AUTH, &why);
		model_push(m, s);
		bson_t *doc = to_json(m, NULL);
		assert_true(down(doc, &it, "endpoints", "0", "server", "product", NULL));
		assert_string_equal(bson_iter_utf8(&it, NULL), "redis");
		assert_true(down(doc, &it, "endpoints", "0", "server", "role", NULL));
		assert_int_equal(BSON_ITER_HOLDS_UTF8(&it), i == 1);
		assert_true(down(doc, &it, "endpoints", "0", "metrics", "redis.mem.used", NULL));
		assert_true(BSON_ITER_HOLDS_NULL(&it));
		bson_destroy(doc);
	}
	model_destroy(m);
}

static void before_the_first_answer(void **state)
{
	(void)state;
	struct model *m = new_model();
	bson_iter_t it;
	bson_t *doc = to_json(m, NULL);

	assert_true(down(doc, &it, "endpoints", "0", "status", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "waiting");
	assert_true(down(doc, &it, "endpoints", "0", "error", NULL));
	assert_true(BSON_ITER_HOLDS_NULL(&it));
	bson_destroy(doc);
	model_destroy(m);
}

static void verdicts_and_events(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct data data = {.n = 0};
	bson_iter_t it;

	model_push(m, redis_sample(NS_PER_SEC, 100));
	data_num(&data, "rate", 2.5);
	data_num(&data, "observed", 0.0 / 0.0);
	data_text(&data, "app", "re\"port");
	m->nverdicts = 1;
	m->verdicts[0] = (struct verdict){.level = LEVEL_WARN, .code = "redis.stampede",
		.endpoint = 0, .since_wall_ns = WALL, .text = "a \"text\"", .next = "look",
		.data = data};
	uint64_t id = model_add_event(
		m, 0, 0, "redis.stampede", LEVEL_WARN, EVENT_BEGIN, "begins", &data);
	model_add_event(m, id, 0, "redis.stampede", LEVEL_WARN, EVENT_END, "ends", NULL);
	bson_t *doc = to_json(m, NULL);
	assert_true(down(doc, &it, "verdicts", "0", "level", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "warn");
	assert_true(down(doc, &it, "verdicts", "0", "endpoint", NULL));
	assert_string_equal(bson_iter_utf8(&it, NULL), "redis@\"h\":1");
	assert_true(down(doc, &it, "verdicts", "0", "since", NULL));
	assert_true(down(doc, &it, "verdicts", "0", "data", "rate", NULL));
	test_near(bson_iter_as_double(&it), 2.5, 0);
	assert_true(down(doc, &it, "verdicts", "0", "data", "observed", NULL));
	assert_true(BSON_ITER_HOLDS_NULL(&it));
	unsigned begins = 0, n = 0;
	for (char key[8];
		snprintf(key, sizeof(key), "%u", n) > 0 && down(doc, &it, "events", key, NULL);
		n++) {
		assert_true(down(doc, &it, "events", key, "state", NULL));
		begins += strcmp(bson_iter_utf8(&it, NULL), "begin") == 0;
	}
	assert_true(n >= 2 && begins >= 1);
	bson_destroy(doc);
	struct strbuf b;
	strbuf_init(&b, 8u << 20);
	export_json(&b, m, m->mono_ns + 1); /* those of a later interval: none */
	assert_non_null(strstr(b.data, "\"events\":[]}"));
	strbuf_finish(&b);
	model_destroy(m);
}

static void csv_has_a_row_per_metric(void **state)
{
	(void)state;
	struct model *m = new_model();
	struct strbuf b;
	enum metric_id first, end;
	unsigned lines = 0;

	model_push(m, redis_sample(NS_PER_SEC, 100));
	strbuf_init(&b, 1u << 20);
	export_csv_header(&b);
	assert_string_equal(b.data, "time,endpoint,metric,value,unit\n");
	strbuf_clear(&b);
	export_csv(&b, m);
	for (const char *p = b.data; (p = strchr(p, '\n')); p++)
		lines++;
	metric_range(KIND_REDIS, &first, &end);
	assert_int_equal(lines, end - first);
	assert_non_null(strstr(b.data, ",\"redis@\"\"h\"\":1\",redis.mem.used,915000,bytes\n"));
	assert_non_null(strstr(b.data, ",redis.mem.max,,bytes\n"));
	assert_non_null(strstr(b.data, ",redis.mem.policy,\"a\"\"b\\c"));
	strbuf_finish(&b);
	model_destroy(m);
}

static void the_list_of_metrics_is_whole(void **state)
{
	(void)state;
	struct strbuf text, markdown;

	strbuf_init(&text, 1u << 20);
	strbuf_init(&markdown, 1u << 20);
	export_metrics_text(&text);
	export_metrics_markdown(&markdown);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		char cell[160];

		assert_non_null(strstr(text.data, metric_desc(id)->name));
		snprintf(cell, sizeof(cell), "| `%s` |", metric_desc(id)->name);
		assert_non_null(strstr(markdown.data, cell));
	}
	strbuf_finish(&text);
	strbuf_finish(&markdown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_null_has_its_reason),
		cmocka_unit_test(a_concluded_text_has_its_own_reason),
		cmocka_unit_test(rates_counters_tables_and_texts),
		cmocka_unit_test(what_is_not_fresh_is_null),
		cmocka_unit_test(what_a_server_is_outlasts_its_refusal),
		cmocka_unit_test(before_the_first_answer),
		cmocka_unit_test(verdicts_and_events),
		cmocka_unit_test(csv_has_a_row_per_metric),
		cmocka_unit_test(the_list_of_metrics_is_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
