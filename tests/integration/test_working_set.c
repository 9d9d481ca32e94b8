/*
 * The working set against the truth on a real engine: sets of known size are read from a node that
 * was opened anew, and the estimate must be right, say that it is a bound, or refuse with its
 * reason. Skipped where wtnode was not built.
 *
 * A quarter of a second of the node is taken for a second: tens of thousands of operations a second
 * are enough for four, and the test does not wait a minute for its windows. What the clock says is
 * multiplied, nothing else is touched.
 */
#include "../support/support.h"
#include "../support/watched.h"
#include "../support/wtnode.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "hotset/clock.h"
#include "hotset/model.h"
#include "hotset/parse.h"

#define CACHE       "32MB"
#define CACHE_BYTES (32.0 * 1048576)
#define DOCS        60000
#define PAD         2000
#define IN_CACHE    1.08 /* bytes in the cache for one of a document, measured */
#define FASTER      4    /* the model's clock */
#define READERS     2
#define SLOW_US     9000 /* between reads; at full speed the fill swings over all thresholds */
#define PATIENCE_S  30.0 /* of real time, for what should take three or four */

static struct wtnode node = {.cache = CACHE};
static mongoc_client_t *client;
static double doc_bytes; /* of one document in the cache */

/* ---- the load ---- */

struct load {
	int docs, hot; /* read uniformly; 9 of 10 reads on the first `hot` of them, 0: none */
	int pause_us;  /* after each read */
	atomic_bool stop;
	pthread_t threads[READERS];
};
static struct load load;

static int pick(uint64_t *seed)
{
	uint64_t r = test_random(seed);

	if (load.hot && r % 10)
		return (int)(test_random(seed) % (uint64_t)load.hot);
	return (int)(test_random(seed) % (uint64_t)load.docs);
}

static void *read_on(void *arg)
{
	uint64_t seed = 1 + (uint64_t)(uintptr_t)arg;
	mongoc_client_t *c = wtnode_connect(&node, "reader");

	while (!load.stop) {
		bson_t *cmd = BCON_NEW("find", "items", "filter", "{", "_id",
			BCON_INT32(pick(&seed)), "}", "limit", BCON_INT32(1), "singleBatch",
			BCON_BOOL(true));
		bson_t reply;

		if (!mongoc_client_command_simple(c, "lab", cmd, NULL, &reply, NULL))
			load.stop = true; /* the test then waits in vain, and says so */
		bson_destroy(&reply);
		bson_destroy(cmd);
		if (load.pause_us)
			(void)usleep((useconds_t)load.pause_us);
	}
	mongoc_client_destroy(c);
	return NULL;
}

static void load_start(int docs, int hot, int pause_us)
{
	load.docs = docs;
	load.hot = hot;
	load.pause_us = pause_us;
	load.stop = false;
	for (uintptr_t i = 0; i < READERS; i++)
		assert_int_equal(
			pthread_create(&load.threads[i], NULL, read_on, (void *)i), 0);
}

static void load_stop(void)
{
	load.stop = true;
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(load.threads[i], NULL);
}

/* ---- the watcher ---- */

struct watcher {
	bool totals; /* as if collections were not sampled */
	bool misled; /* as if the thresholds were the defaults */
	struct watched w;
	struct model *m;
	int64_t base_ns;
	double began_s;
};

static void watch(struct watcher *x)
{
	char uri[64];

	snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%d", node.port);
	watch_begin(&x->w, uri, 2);
	x->m = model_create();
	assert_non_null(x->m);
	assert_non_null(model_add(x->m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
	x->base_ns = clock_mono_ns();
	x->began_s = (double)x->base_ns / 1e9;
}

static void unwatch(struct watcher *x)
{
	watch_end(&x->w);
	model_destroy(x->m);
}

static const struct frame *frame_of(const struct watcher *x)
{
	return &x->m->ep[0]->frame;
}

static void set_collections(const struct watcher *x, struct sample *s)
{
	bson_t stats;

	s->tables[TABLE_MONGO_COLL].n = 0;
	s->tables[TABLE_MONGO_COLL].asked = false;
	if (x->totals)
		return;
	wtnode_run(client, "lab", &stats, "{\"collStats\": \"items\"}");
	parse_mongo_coll_stats(&stats, "lab.items", s);
	bson_destroy(&stats);
}

static const char *evidence_of_state(const struct watcher *x)
{
	const char *text = frame_info(frame_of(x), METRIC_MONGO_CACHE_THRESHOLDS);

	return text ? text : "";
}

/* The next poll, on the model's clock. */
static void step(struct watcher *x)
{
	struct sample *s;
	int64_t next = clock_mono_ns() + NS_PER_SEC / FASTER;

	watch_poll_slow(&x->w);
	assert_status(x->w.last, STATUS_OK);
	s = x->w.last;
	x->w.last = NULL;
	s->mono_ns = x->base_ns + (s->mono_ns - x->base_ns) * FASTER;
	s->wall_ns = s->mono_ns;
	if (sample_has(s, METRIC_MONGO_UPTIME))
		sample_set_f64(s, METRIC_MONGO_UPTIME,
			sample_f64(s, METRIC_MONGO_UPTIME) * FASTER);
	set_collections(x, s);
	if (x->misled)
		sample_set_f64(s, METRIC_MONGO_CACHE_TARGET, 80);
	model_push(x->m, s);
	assert_true(x->misled || !strstr(evidence_of_state(x), "contradicted"));
	while (clock_mono_ns() < next) /* the pace of a poller, no wait for something */
		poll(NULL, 0, 10);
}

static struct value ratio_of(const struct watcher *x)
{
	return frame_of(x)->v[METRIC_MONGO_WS_RATIO];
}

static bool is_later(const struct watcher *x, double seconds)
{
	return (double)clock_mono_ns() / 1e9 - x->began_s > seconds;
}

static bool is_late(const struct watcher *x)
{
	return is_later(x, PATIENCE_S);
}

/* Polls until there is an estimate; fails the test with the last reason. */
static double wait_for_estimate(struct watcher *x)
{
	do {
		step(x);
		if (value_ok(ratio_of(x)))
			return ratio_of(x).v;
	} while (!is_late(x));
	fail_msg("no estimate: %s", reason_text((enum reason)ratio_of(x).why));
	return 0;
}

static void wait_for_refusal(struct watcher *x, enum reason why)
{
	do {
		step(x);
		if (ratio_of(x).why == why)
			return;
	} while (!is_late(x));
	fail_msg("%s instead of %s", reason_name((enum reason)ratio_of(x).why), reason_name(why));
}

static const char *kind_of(const struct watcher *x)
{
	return frame_info(frame_of(x), METRIC_MONGO_WS_KIND);
}

static const char *basis_of(const struct watcher *x)
{
	return frame_info(frame_of(x), METRIC_MONGO_WS_BASIS);
}

/* ---- the node ---- */

static void insert_items(void)
{
	mongoc_collection_t *items = mongoc_client_get_collection(client, "lab", "items");
	static char pad[PAD];
	uint64_t seed = 7;
	bson_error_t error;

	for (int i = 0; i < DOCS; i += 1000) {
		mongoc_bulk_operation_t *bulk =
			mongoc_collection_create_bulk_operation_with_opts(items, NULL);

		for (int j = i; j < i + 1000; j++) {
			for (size_t k = 0; k + 1 < PAD; k++)
				pad[k] = (char)('a' + test_random(&seed) % 26);

			bson_t *doc =
				BCON_NEW("_id", BCON_INT32(j), "n", BCON_INT32(j), "pad", BCON_UTF8(pad));

			mongoc_bulk_operation_insert(bulk, doc);
			bson_destroy(doc);
		}
		if (mongoc_bulk_operation_execute(bulk, NULL, &error) == 0)
			fail_msg("%s", error.message);
		mongoc_bulk_operation_destroy(bulk);
	}
	mongoc_collection_destroy(items);
}

static int setup(void **state)
{
	bson_t stats;

	(void)state;
	client = wtnode_setup(&node);
	if (!client)
		return 0;
	insert_items();
	wtnode_run(client, "lab", &stats, "{\"collStats\": \"items\"}");
	doc_bytes = (double)doc_num(&stats, "size") / DOCS * IN_CACHE;
	bson_destroy(&stats);
	/* A process that loaded holds pages of the load: opened anew it holds what is read. */
	mongoc_client_destroy(client);
	wtnode_stop(&node);
	wtnode_start(&node, "2");
	client = wtnode_connect(&node, "test");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wtnode_teardown(&node, client);
	return 0;
}

/* Documents that take this many times the cache. */
static int docs_of(double times)
{
	return (int)(times * CACHE_BYTES / doc_bytes);
}

static void half_a_cache_is_at_most_that(void **state)
{
	struct watcher x = {.totals = false};

	(void)state;
	NEEDS_NODE(client);
	watch(&x);
	load_start(docs_of(0.5), 0, 0);
	step(&x);
	step(&x);
	assert_int_equal(ratio_of(&x).why, REASON_WARMING_UP); /* it was just opened */
	test_near(wait_for_estimate(&x), 0.5, 0.5 * 0.15);
	assert_string_equal(kind_of(&x), "at most");
	load_stop();
	unwatch(&x);
}

/* The index misses a little too, which the totals take for more of the documents. */
static void totals_give_a_range_that_holds_it(void **state)
{
	struct watcher x = {.totals = true};

	(void)state;
	NEEDS_NODE(client);
	watch(&x);
	load_start(docs_of(2), 0, 0);
	wait_for_estimate(&x);
	assert_string_equal(kind_of(&x), "uniform-equivalent");
	assert_string_equal(basis_of(&x), "totals");
	assert_true(frame_of(&x)->v[METRIC_MONGO_WS_LOW].v < 2);
	assert_true(frame_of(&x)->v[METRIC_MONGO_WS_HIGH].v > 2);
	load_stop();
	unwatch(&x);
}

static void twice_the_cache_is_found(void **state)
{
	struct watcher x = {.totals = false};

	(void)state;
	NEEDS_NODE(client);
	watch(&x);
	load_start(docs_of(2), 0, 0);
	test_near(wait_for_estimate(&x), 2, 2 * 0.15);
	assert_string_equal(basis_of(&x), "by collection");
	assert_string_equal(kind_of(&x), "uniform-equivalent");
	assert_true(frame_of(&x)->v[METRIC_MONGO_WS_LOW].v < 2);
	assert_true(frame_of(&x)->v[METRIC_MONGO_WS_HIGH].v > 2);
	/* and a scan ends it */
	assert_true(wtnode_count(client, "{\"count\": \"items\", \"query\": {\"n\": -1}}") == 0);
	wait_for_refusal(&x, REASON_SCAN_IN_WINDOW);
	load_stop();
	unwatch(&x);
}

/* A tenth of the reads touches 3.9 times the cache, the rest a fifth of it. */
static void skew_is_a_lower_bound(void **state)
{
	struct watcher x = {.totals = false};
	double touched;

	(void)state;
	NEEDS_NODE(client);
	touched = DOCS * doc_bytes / CACHE_BYTES;
	watch(&x);
	load_start(DOCS, DOCS / 20, 0);
	assert_true(wait_for_estimate(&x) < touched / 2);
	assert_string_equal(kind_of(&x), "uniform-equivalent");
	load_stop();
	unwatch(&x);
}

/* The engine evicts from 60 % on: who believes in 80 is told, who read it is not contradicted. */
static void a_lower_target_is_noticed(void **state)
{
	struct watcher misled = {.misled = true}, right = {.misled = false};

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "admin",
		"{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": \"eviction_target=60\"}");
	watch(&misled);
	watch(&right);
	load_start(docs_of(2), 0, SLOW_US);
	do {
		step(&misled);
		step(&right); /* asserts it */
	} while (!strstr(evidence_of_state(&misled), "contradicted: ") && !is_later(&misled, 3 * PATIENCE_S));
	load_stop();
	assert_non_null(strstr(evidence_of_state(&misled), "contradicted: "));
	test_near(frame_of(&right)->v[METRIC_MONGO_CACHE_TARGET].v, 60, 0);
	unwatch(&misled);
	unwatch(&right);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_a_cache_is_at_most_that),
		cmocka_unit_test(totals_give_a_range_that_holds_it),
		cmocka_unit_test(twice_the_cache_is_found),
		cmocka_unit_test(skew_is_a_lower_bound),
		cmocka_unit_test(a_lower_target_is_noticed),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
