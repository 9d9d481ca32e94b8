/*
 * What a MongoDB port may do: refuse, stall after hello, drip, close, deny, lack a command or an
 * option, be an arbiter. Each step down is remembered, the first cause is what is shown, and the
 * driver's timeouts are bounded by ours.
 */
#include "support.h"

#include <stdatomic.h>

#include "ejson.h"
#include "fake_mongo.h"
#include "servers.h"
#include "watched.h"

/* What the fake node is like, and what it was asked; the test changes it while the node serves. */
struct node {
	bson_t status;             /* the reply to serverStatus */
	atomic_int status_code;    /* if not 0, the error instead */
	atomic_int options_code;   /* the error for serverStatus with options */
	atomic_int aggregate_code; /* the error for $currentOp of all users */
	atomic_int own_code;       /* the error for that of our own operations */
	atomic_int params_code;
	const char *_Atomic runtime; /* wiredTigerEngineRuntimeConfig; NULL not sent */
	const char *const *log;      /* its lines, NULL at the end; NULL: refused */
	atomic_int replset_code; /* with `member` */
	bool member, arbiter;
	_Atomic enum fake_mongo_act status_act, hello_act;
	atomic_uint statuses, logins, aggregates, metrics, logs;
};

static void append_member(const struct node *n, bson_t *reply)
{
	if (n->member || n->arbiter)
		BSON_APPEND_UTF8(reply, "setName", "rs0");
	if (n->arbiter)
		BSON_APPEND_BOOL(reply, "arbiterOnly", true);
}

static enum fake_mongo_act answer_status(struct node *n, const bson_t *cmd, bson_t *reply)
{
	bson_iter_t it;

	n->statuses++;
	if (!bson_has_field(cmd, "metrics"))
		n->metrics++;
	if (n->options_code && bson_iter_init_find(&it, cmd, "locks"))
		fake_mongo_error(reply, n->options_code,
			"BSON field 'serverStatus.locks' is an unknown field.");
	else if (n->status_code)
		fake_mongo_error(
			reply, n->status_code, "command serverStatus requires authentication");
	else
		bson_concat(reply, &n->status);
	return n->status_act;
}

static void answer_ops(struct node *n, const bson_t *cmd, bson_t *reply)
{
	bson_iter_t root, all;
	bson_t cursor, batch, op;
	int code = n->aggregate_code;

	n->aggregates++;
	if (bson_iter_init(&root, cmd) &&
		bson_iter_find_descendant(&root, "pipeline.0.$currentOp.allUsers", &all) &&
		!bson_iter_bool(&all))
		code = n->own_code;
	if (code) {
		fake_mongo_error(reply, code, "no");
		return;
	}
	BSON_APPEND_DOCUMENT_BEGIN(reply, "cursor", &cursor);
	BSON_APPEND_INT64(&cursor, "id", 0);
	BSON_APPEND_UTF8(&cursor, "ns", "admin.$cmd.aggregate");
	BSON_APPEND_ARRAY_BEGIN(&cursor, "firstBatch", &batch);
	BSON_APPEND_DOCUMENT_BEGIN(&batch, "0", &op);
	BSON_APPEND_INT32(&op, "opid", 77);
	BSON_APPEND_BOOL(&op, "active", true);
	BSON_APPEND_UTF8(&op, "op", "query");
	BSON_APPEND_UTF8(&op, "ns", "shop.orders");
	BSON_APPEND_UTF8(&op, "planSummary", "COLLSCAN");
	bson_append_document_end(&batch, &op);
	bson_append_array_end(&cursor, &batch);
	bson_append_document_end(reply, &cursor);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

static void answer_replset(const struct node *n, bson_t *reply)
{
	bson_t optimes, t;

	if (n->replset_code) {
		fake_mongo_error(reply, n->replset_code, "interrupted at shutdown");
		return;
	}
	BSON_APPEND_DOCUMENT_BEGIN(reply, "optimes", &optimes);
	BSON_APPEND_DOCUMENT_BEGIN(&optimes, "lastCommittedOpTime", &t);
	BSON_APPEND_TIMESTAMP(&t, "ts", 1700000000, 1);
	bson_append_document_end(&optimes, &t);
	BSON_APPEND_DOCUMENT_BEGIN(&optimes, "appliedOpTime", &t);
	BSON_APPEND_TIMESTAMP(&t, "ts", 1700000007, 1);
	bson_append_document_end(&optimes, &t);
	bson_append_document_end(reply, &optimes);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

static void answer_log(struct node *n, bson_t *reply)
{
	bson_t lines;
	char key[16];

	n->logs++;
	if (!n->log) {
		fake_mongo_error(reply, 13, "not authorized on admin to execute command");
		return;
	}
	BSON_APPEND_ARRAY_BEGIN(reply, "log", &lines);
	for (unsigned i = 0; n->log[i]; i++) {
		snprintf(key, sizeof(key), "%u", i);
		BSON_APPEND_UTF8(&lines, key, n->log[i]);
	}
	bson_append_array_end(reply, &lines);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct node *n = arg;

	if (fake_mongo_is_hello(name)) {
		append_member(n, reply);
		fake_mongo_hello(reply);
		return n->hello_act;
	}
	if (strcmp(name, "serverStatus") == 0)
		return answer_status(n, cmd, reply);
	if (strncmp(name, "sasl", 4) == 0) {
		n->logins++;
		fake_mongo_error(reply, 18, "Authentication failed.");
	} else if (strcmp(name, "aggregate") == 0) {
		answer_ops(n, cmd, reply);
	} else if (strcmp(name, "replSetGetStatus") == 0) {
		answer_replset(n, reply);
	} else if (strcmp(name, "getLog") == 0) {
		answer_log(n, reply);
	} else if (n->params_code) {
		fake_mongo_error(reply, n->params_code, "no");
	} else {
		if (strcmp(name, "getParameter") == 0 && n->runtime)
			BSON_APPEND_UTF8(reply, "wiredTigerEngineRuntimeConfig", n->runtime);
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	}
	return FAKE_REPLY;
}

struct stage {
	struct node node;
	struct fake_mongo mongo;
	struct fake *fake;
	struct watched w;
};

static void node_init(struct node *n, const char *fixture, const char *path)
{
	bson_t *doc = test_ejson_fixture(fixture), view;

	*n = (struct node){.hello_act = FAKE_REPLY};
	test_subdocument(doc, path, &view);
	bson_copy_to(&view, &n->status);
	bson_destroy(doc);
}

static void begin(struct stage *s)
{
	node_init(&s->node, "cases/C05.json", "0.reply");
}

static void run(struct stage *s, const char *userinfo, double timeout_s)
{
	s->mongo = (struct fake_mongo){answer, &s->node, NULL};
	s->fake = fake_start(fake_mongo_serve, &s->mongo);
	watch_begin(&s->w, fake_uri(s->fake, "mongodb", userinfo), timeout_s);
}

static void end(struct stage *s)
{
	watch_end(&s->w);
	fake_stop(s->fake);
	bson_destroy(&s->node.status);
}

static void a_healthy_node_is_taken(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	run(&s, NULL, 2);
	for (unsigned i = 0; i < 4; i++)
		assert_status(watch_poll(&s.w), STATUS_OK);
	assert_string_equal(s.w.last->version, "6.0.14");
	assert_int_equal(s.node.metrics, 1);    /* of four polls within 5 s */
	assert_int_equal(s.node.aggregates, 1); /* at most every 2 s */
	assert_int_equal(fake_accepted(s.fake), 1);
	end(&s);
}

static void operations_become_rows(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	run(&s, NULL, 2);
	assert_status(watch_poll(&s.w), STATUS_OK);
	assert_int_equal(s.w.last->tables[TABLE_MONGO_OP].n, 1);
	assert_string_equal(
		sample_row(s.w.last, TABLE_MONGO_OP, 0)[COL_MONGO_OP_NS].s, "shop.orders");
	test_near(sample_f64(s.w.last, METRIC_MONGO_OWN_OPS), 1, 0);
	end(&s);
}

static void closed_port_names_its_cause_every_time(void **state)
{
	struct watched w;
	char uri[64];

	(void)state;
	snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%u", server_free_port());
	watch_begin(&w, uri, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_status(watch_poll(&w), STATUS_REFUSED);
		assert_says(w.last, "refused");
		assert_null(strstr(w.last->err.msg, "eligible for rescan"));
	}
	watch_end(&w);
}

static void black_hole_times_out(void **state)
{
	struct blackhole *b = blackhole_start();
	struct watched w;
	char uri[64];

	(void)state;
	if (!b)
		skip();
	snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%u", blackhole_port(b));
	watch_begin(&w, uri, 0.5);
	for (unsigned i = 0; i < 2; i++)
		assert_status(watch_poll(&w), STATUS_TIMEOUT);
	watch_end(&w);
	blackhole_stop(b);
}

static void a_silent_hello_times_out(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.hello_act = FAKE_SILENT;
	run(&s, NULL, 0.5);
	for (unsigned i = 0; i < 2; i++)
		assert_status(watch_poll(&s.w), STATUS_TIMEOUT);
	end(&s);
}

static void a_stall_after_hello_times_out(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.status_act = FAKE_SILENT;
	run(&s, NULL, 0.6);
	for (unsigned i = 0; i < 2; i++)
		assert_status(watch_poll(&s.w), STATUS_TIMEOUT);
	assert_int_equal(s.node.statuses, 2); /* asked once in each */
	end(&s);
}

static void a_dripping_reply_ends(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.status_act = FAKE_DRIP;
	run(&s, NULL, 0.6);
	/* The driver bounds each of two reads, not their sum. */
	assert_status(watch_poll_slow(&s.w), STATUS_TIMEOUT);
	assert_true(s.w.took_s < 2 * s.w.timeout_s + 0.3);
	end(&s);
}

static void a_lost_connection_is_opened_anew(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.status_act = FAKE_CLOSE;
	run(&s, NULL, 1);
	assert_status(watch_poll(&s.w), STATUS_REFUSED);
	s.node.status_act = FAKE_REPLY;
	assert_status(watch_poll(&s.w), STATUS_OK);
	assert_int_equal(fake_accepted(s.fake), 2);
	end(&s);
}

static void missing_privilege_is_auth(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.status_code = 13;
	run(&s, NULL, 1);
	assert_status(watch_poll(&s.w), STATUS_AUTH);
	assert_says(s.w.last, "clusterMonitor");
	assert_string_equal(s.w.last->role, "standalone"); /* hello needs no privilege */
	end(&s);
}

static void wrong_password_is_auth(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	run(&s, "user:secret", 1);
	for (unsigned i = 0; i < 2; i++) {
		assert_status(watch_poll(&s.w), STATUS_AUTH);
		assert_null(strstr(s.w.last->err.msg, "secret"));
	}
	end(&s);
}

static void an_arbiter_is_well_and_asked_no_more(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.arbiter = true;
	run(&s, "user:secret", 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_status(watch_poll(&s.w), STATUS_OK);
		assert_string_equal(s.w.last->role, "ARBITER");
		assert_false(sample_has(s.w.last, METRIC_MONGO_CACHE_USED));
	}
	assert_int_equal(s.node.logins, 1);
	assert_int_equal(s.node.statuses, 0);
	end(&s);
}

static void a_newer_option_is_dropped_for_good(void **state)
{
	static const int codes[] = {40415, 9};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct stage s;

		begin(&s);
		s.node.options_code = codes[i];
		run(&s, NULL, 1);
		for (unsigned k = 0; k < 3; k++)
			assert_status(watch_poll(&s.w), STATUS_OK);
		assert_int_equal(s.node.statuses, 4);
		end(&s);
	}
}

static void shutdown_between_two_commands_does_no_harm(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.member = true;
	s.node.replset_code = 11600;
	run(&s, NULL, 1);
	assert_status(watch_poll(&s.w), STATUS_OK);
	assert_false(sample_has(s.w.last, METRIC_MONGO_REPL_MAJORITY_LAG));
	s.node.status_code = 11600;
	assert_status(watch_poll(&s.w), STATUS_REFUSED);
	end(&s);
}

static void the_majority_lag_is_read(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.member = true;
	run(&s, NULL, 1);
	for (unsigned i = 0; i < 2; i++) { /* it stays between two questions */
		assert_status(watch_poll(&s.w), STATUS_OK);
		test_near(sample_f64(s.w.last, METRIC_MONGO_REPL_MAJORITY_LAG), 7, 0);
	}
	end(&s);
}

static void less_privilege_gives_less(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.aggregate_code = 13;
	s.node.params_code = 13;
	run(&s, NULL, 1);
	for (unsigned i = 0; i < 2; i++)
		assert_status(watch_poll(&s.w), STATUS_PARTIAL);
	assert_says(s.w.last, "inprog");
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_CACHE_TARGET_SOURCE), "assumed");
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_CACHE_ASSUMED), "no privilege");
	end(&s);
}

/* Every part in every poll, so that parameters are asked for each time. */
static void run_all_parts(struct stage *s)
{
	struct source_options all = {.interval_s = 1, .timeout_s = 2, .all_parts = true};

	run(s, NULL, 2);
	s->w.target.ops->destroy(s->w.source);
	s->w.source = s->w.target.ops->create(&s->w.target, &all);
	assert_non_null(s->w.source);
}

static void assert_threshold(
	struct stage *s, enum metric_id id, double want, enum metric_id source, const char *from)
{
	test_near(sample_f64(s->w.last, id), want, 1e-9);
	assert_string_equal(sample_text(s->w.last, source), from);
}

static void the_log_is_not_read_without_need(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.runtime = "";
	run_all_parts(&s);
	assert_status(watch_poll(&s.w), STATUS_OK);
	s.node.runtime = "eviction_target=60";
	assert_status(watch_poll(&s.w), STATUS_OK);
	s.node.runtime = "eviction_trigger=90";
	assert_status(watch_poll(&s.w), STATUS_OK);
	/* all three were seen, so the first of them is known to hold */
	assert_threshold(
		&s, METRIC_MONGO_CACHE_TARGET, 60, METRIC_MONGO_CACHE_TARGET_SOURCE, "runtime");
	assert_threshold(
		&s, METRIC_MONGO_CACHE_TRIGGER, 90, METRIC_MONGO_CACHE_TRIGGER_SOURCE, "runtime");
	assert_null(sample_text(s.w.last, METRIC_MONGO_CACHE_ASSUMED));
	assert_int_equal(s.node.logs, 0);
	end(&s);
}

static void the_log_tells_earlier_settings_once(void **state)
{
	static const char *const lines[] = {
		"{\"t\":{\"$date\":\"2026-01-31T12:00:00.000+00:00\"},\"id\":22315,\"attr\":{"
		"\"config\":\"create,cache_size=1G,eviction_dirty_trigger=30\"}}",
		"{\"id\":22376,\"attr\":{\"config\":\"eviction_target=70\"}}",
		"{\"id\":22376,\"attr\":{\"config\":\"eviction_trigger=90\"}}", NULL};
	struct stage s;

	(void)state;
	begin(&s);
	s.node.runtime = "eviction_trigger=90";
	s.node.log = lines;
	run_all_parts(&s);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&s.w), STATUS_OK);
	assert_int_equal(s.node.logs, 1);
	assert_threshold(
		&s, METRIC_MONGO_CACHE_TARGET, 70, METRIC_MONGO_CACHE_TARGET_SOURCE, "runtime");
	assert_threshold(&s, METRIC_MONGO_CACHE_DIRTY_TRIGGER, 30,
		METRIC_MONGO_CACHE_DIRTY_TRIGGER_SOURCE, "startup");
	assert_threshold(&s, METRIC_MONGO_CACHE_DIRTY_TARGET, 5,
		METRIC_MONGO_CACHE_DIRTY_TARGET_SOURCE, "default");
	end(&s);
}

static void a_log_that_is_refused_leaves_doubt(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.runtime = "eviction_trigger=90";
	run_all_parts(&s);
	for (unsigned i = 0; i < 3; i++)
		assert_status(watch_poll(&s.w), STATUS_PARTIAL);
	assert_says(s.w.last, "getLog");
	assert_int_equal(s.node.logs, 1);
	assert_threshold(
		&s, METRIC_MONGO_CACHE_TRIGGER, 90, METRIC_MONGO_CACHE_TRIGGER_SOURCE, "runtime");
	assert_threshold(
		&s, METRIC_MONGO_CACHE_TARGET, 80, METRIC_MONGO_CACHE_TARGET_SOURCE, "assumed");
	assert_string_equal(sample_text(s.w.last, METRIC_MONGO_CACHE_ASSUMED),
		"earlier run-time settings unknown");
	end(&s);
}

static void recovering_is_loading(void **state)
{
	struct stage s;

	(void)state;
	begin(&s);
	s.node.status_code = 13436;
	run(&s, NULL, 1);
	assert_status(watch_poll(&s.w), STATUS_LOADING);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_healthy_node_is_taken),
		cmocka_unit_test(operations_become_rows),
		cmocka_unit_test(closed_port_names_its_cause_every_time),
		cmocka_unit_test(black_hole_times_out),
		cmocka_unit_test(a_silent_hello_times_out),
		cmocka_unit_test(a_stall_after_hello_times_out),
		cmocka_unit_test(a_dripping_reply_ends),
		cmocka_unit_test(a_lost_connection_is_opened_anew),
		cmocka_unit_test(missing_privilege_is_auth),
		cmocka_unit_test(wrong_password_is_auth),
		cmocka_unit_test(an_arbiter_is_well_and_asked_no_more),
		cmocka_unit_test(a_newer_option_is_dropped_for_good),
		cmocka_unit_test(shutdown_between_two_commands_does_no_harm),
		cmocka_unit_test(the_majority_lag_is_read),
		cmocka_unit_test(less_privilege_gives_less),
		cmocka_unit_test(the_log_is_not_read_without_need),
		cmocka_unit_test(the_log_tells_earlier_settings_once),
		cmocka_unit_test(a_log_that_is_refused_leaves_doubt),
		cmocka_unit_test(recovering_is_loading),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
