/*
 * Statistics of collections never burden a node: nobody asks while no view shows them, a round has
 * its budget, very many namespaces are left alone, and a refusal is said once and not repeated.
 */
#include "support.h"

#include "fake_mongo.h"
#include "hotset/clock.h"
#include "watched.h"

#include <poll.h>

#define ASKED_MAX (12 + 2) /* calls of a round, as the manual says */
#define SLOW_MS   60
#define BUDGET_MS 100

struct node {
	unsigned namespaces;
	bool refuses_top, fails_top, slow, expires;
	unsigned tops, stats; /* calls so far */
};

static void reply_top(const struct node *n, bson_t *reply)
{
	bson_t totals;

	BSON_APPEND_DOCUMENT_BEGIN(reply, "totals", &totals);
	for (unsigned i = 0; i < n->namespaces; i++) {
		bson_t *entry = BCON_NEW(
			"total", "{", "time", BCON_INT64(1000 + i), "count", BCON_INT64(9), "}");
		char name[32];

		snprintf(name, sizeof(name), "shop.c%u", i);
		bson_append_document(&totals, name, -1, entry);
		bson_destroy(entry);
	}
	bson_append_document_end(reply, &totals);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

static void reply_stats(struct node *n, bson_t *reply)
{
	bson_t *batch;

	n->stats++;
	if (n->expires) {
		fake_mongo_error(reply, 50, "operation exceeded time limit");
		return;
	}
	batch = BCON_NEW("cursor", "{", "id", BCON_INT64(0), "ns", "shop.x", "firstBatch", "[", "{",
		"storageStats", "{", "size", BCON_INT32(4096), "wiredTiger", "{", "cache", "{",
		"bytes currently in the cache", BCON_INT32(1000), "}", "}", "}", "}", "]", "}",
		"ok", BCON_DOUBLE(1));
	if (n->slow)
		poll(NULL, 0, SLOW_MS); /* the server's time, which the client measures */
	bson_concat(reply, batch);
	bson_destroy(batch);
}

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct node *n = arg;
	bson_iter_t it;

	if (fake_mongo_is_hello(name)) {
		fake_mongo_hello(reply);
	} else if (strcmp(name, "serverStatus") == 0) {
		fake_mongo_status(reply);
	} else if (strcmp(name, "top") == 0) {
		n->tops++;
		if (n->refuses_top)
			fake_mongo_error(reply, 13, "not authorized on admin to execute top");
		else if (n->fails_top)
			fake_mongo_error(reply, 10334, "BSONObj size is invalid");
		else
			reply_top(n, reply);
	} else if (bson_iter_init_find(&it, cmd, "aggregate") && BSON_ITER_HOLDS_UTF8(&it)) {
		reply_stats(n, reply);
	} else {
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	}
	return FAKE_REPLY;
}

/* One node and its source; `collections` as the option has it. */
struct stage {
	struct node node;
	struct fake_mongo mongo;
	struct fake *fake;
	struct watched w;
};

static void begin_with(struct stage *s, unsigned namespaces, struct source_options o)
{
	*s = (struct stage){.node = {.namespaces = namespaces}};
	s->mongo = (struct fake_mongo){answer, &s->node, NULL};
	s->fake = fake_start(fake_mongo_serve, &s->mongo);
	watch_begin(&s->w, fake_uri(s->fake, "mongodb", NULL), 5);
	s->w.target.ops->destroy(s->w.source);
	s->w.source = s->w.target.ops->create(&s->w.target, &o);
	assert_non_null(s->w.source);
}

static void begin(struct stage *s, unsigned namespaces, enum collections collections)
{
	begin_with(s, namespaces,
		(struct source_options){
			.interval_s = 1, .timeout_s = 5, .collections = collections});
}

/* As for a recording. */
static void begin_all_parts(struct stage *s, unsigned namespaces)
{
	begin_with(s, namespaces,
		(struct source_options){.interval_s = 1, .timeout_s = 5, .all_parts = true});
}

static void end(struct stage *s)
{
	watch_end(&s->w);
	fake_stop(s->fake);
}

static void a_round_has_its_budget_and_its_time(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 200, COLLECTIONS_AUTO);
	assert_status(watch_poll(&s.w), STATUS_OK);
	assert_int_equal(s.node.stats, ASKED_MAX);
	assert_int_equal(s.w.last->tables[TABLE_MONGO_COLL].n, ASKED_MAX);
	assert_string_equal(
		sample_text(s.w.last, METRIC_MONGO_COLL_SAMPLED), "14 of 200 namespaces");
	watch_poll(&s.w); /* not due before 10 s are over */
	assert_int_equal(s.node.stats, ASKED_MAX);
	assert_int_equal(s.node.tops, 1);
	assert_false(s.w.last->tables[TABLE_MONGO_COLL].asked);
	end(&s);
}

static void nothing_is_asked_while_nobody_looks(void **state)
{
	struct stage s;
	struct poll_request r = {.wants = 0};
	struct sample *out = sample_create(0);

	(void)state;
	begin(&s, 5, COLLECTIONS_ON);
	r.deadline_ns = clock_mono_ns() + 5 * NS_PER_SEC;
	s.w.target.ops->poll(s.w.source, &r, out);
	assert_status(out, STATUS_OK);
	sample_destroy(out);
	assert_int_equal(s.node.tops + s.node.stats, 0);
	end(&s);
}

static void very_many_are_left_alone_unless_asked_for(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 1001, COLLECTIONS_AUTO);
	watch_poll(&s.w);
	assert_int_equal(s.node.stats, 0);
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_COLL_SAMPLED),
		"off: 1001 namespaces (--collections on)");
	end(&s);
	begin(&s, 1001, COLLECTIONS_ON);
	watch_poll(&s.w);
	assert_int_equal(s.node.stats, ASKED_MAX);
	end(&s);
	begin(&s, 10, COLLECTIONS_OFF);
	watch_poll(&s.w);
	assert_int_equal(s.node.tops + s.node.stats, 0);
	end(&s);
}

/* The reply to `top` grows with the namespaces: megabytes a second would be no budget. */
static void very_many_are_not_listed_again_and_again(void **state)
{
	struct stage s;

	(void)state;
	begin_all_parts(&s, 1001);
	for (unsigned i = 0; i < 4; i++)
		watch_poll(&s.w);
	assert_int_equal(s.node.tops, 1);
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_COLL_SAMPLED),
		"off: 1001 namespaces (--collections on)");
	end(&s);
}

static void more_than_are_told_apart_are_counted_all_the_same(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 9000, COLLECTIONS_AUTO);
	watch_poll(&s.w);
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_COLL_SAMPLED),
		"off: 9000 namespaces (--collections on)");
	end(&s);
}

static void what_a_collection_held_before_a_failure_is_not_shown(void **state)
{
	struct stage s;

	(void)state;
	begin_all_parts(&s, 3);
	watch_poll(&s.w);
	assert_int_equal(s.w.last->tables[TABLE_MONGO_COLL].n, 3);
	s.node.expires = true;
	watch_poll(&s.w);
	assert_int_equal(s.node.stats, 3 + 3);
	assert_true(s.w.last->tables[TABLE_MONGO_COLL].asked);
	assert_int_equal(s.w.last->tables[TABLE_MONGO_COLL].n, 0);
	assert_status(s.w.last, STATUS_OK);
	end(&s);
}

/* One that ended by its time limit, say. */
static void a_failed_call_is_not_repeated_soon(void **state)
{
	struct stage s;

	(void)state;
	begin_all_parts(&s, 3);
	s.node.expires = true;
	watch_poll(&s.w);
	watch_poll(&s.w);
	assert_int_equal(s.node.tops, 2);
	assert_int_equal(s.node.stats, 3);
	end(&s);
}

static void a_list_that_cannot_be_had_is_said(void **state)
{
	struct stage s;

	(void)state;
	begin_all_parts(&s, 3);
	s.node.fails_top = true;
	watch_poll(&s.w);
	watch_poll(&s.w);
	assert_int_equal(s.node.tops, 1);
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_COLL_SAMPLED),
		"off: top failed, error 10334");
	end(&s);
}

static void a_slow_server_is_asked_less(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 200, COLLECTIONS_AUTO);
	s.node.slow = true;
	watch_poll(&s.w);
	assert_in_range(s.node.stats, 1, BUDGET_MS / SLOW_MS + 1);
	end(&s);
}

static void a_refusal_is_said_and_not_repeated(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 5, COLLECTIONS_AUTO);
	s.node.refuses_top = true;
	assert_status(watch_poll(&s.w), STATUS_PARTIAL);
	assert_says(s.w.last, "clusterMonitor");
	assert_says(s.w.last, "top");
	watch_poll(&s.w);
	assert_int_equal(s.node.tops, 1);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_round_has_its_budget_and_its_time),
		cmocka_unit_test(nothing_is_asked_while_nobody_looks),
		cmocka_unit_test(very_many_are_left_alone_unless_asked_for),
		cmocka_unit_test(very_many_are_not_listed_again_and_again),
		cmocka_unit_test(more_than_are_told_apart_are_counted_all_the_same),
		cmocka_unit_test(what_a_collection_held_before_a_failure_is_not_shown),
		cmocka_unit_test(a_failed_call_is_not_repeated_soon),
		cmocka_unit_test(a_list_that_cannot_be_had_is_said),
		cmocka_unit_test(a_slow_server_is_asked_less),
		cmocka_unit_test(a_refusal_is_said_and_not_repeated),
	};

	source_quiet();
	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
