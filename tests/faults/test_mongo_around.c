/*
 * What a node tells of what is around it: a router of its shards, a node elsewhere of its host. Each
 * is asked seldom, only where it is wanted, and a refusal is said once with the role that helps; and
 * it stands on the screen.
 */
#include "support.h"

#include "ejson.h"
#include "fake_mongo.h"
#include "hotset/clock.h"
#include "hotset/panel.h"
#include "hotset/strbuf.h"
#include "watched.h"

#define PAGE_CACHE ((578316.0 + 1670076.0) * 1024) /* of the fixture */

struct node {
	bool router, refuses;
	unsigned shards, diagnostics; /* calls so far */
	bson_t *diagnostic;
};

static void reply_shards(bson_t *reply)
{
	bson_t *list = BCON_NEW("shards", "[", "{", "_id", "s0", "host", "rs0/a:27018,b:27018", "}",
		"{", "_id", "s1", "host", "rs1/c:27018", "}", "]", "ok", BCON_DOUBLE(1));

	bson_concat(reply, list);
	bson_destroy(list);
}

static void reply_router(bson_t *reply)
{
	BSON_APPEND_UTF8(reply, "process", "mongos");
	BSON_APPEND_UTF8(reply, "version", "7.0.1");
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct node *n = arg;
	bool shards = strcmp(name, "listShards") == 0;
	bool diagnostic = strcmp(name, "getDiagnosticData") == 0;

	(void)cmd;
	n->shards += shards;
	n->diagnostics += diagnostic;
	if (fake_mongo_is_hello(name)) {
		if (n->router)
			BSON_APPEND_UTF8(reply, "msg", "isdbgrid");
		fake_mongo_hello(reply);
	} else if ((shards || diagnostic) && n->refuses) {
		fake_mongo_error(reply, 13, "not authorized on admin to execute command");
	} else if (shards) {
		reply_shards(reply);
	} else if (diagnostic) {
		bson_concat(reply, n->diagnostic);
	} else if (strcmp(name, "serverStatus") == 0) {
		if (n->router)
			reply_router(reply);
		else
			fake_mongo_status(reply);
	} else {
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	}
	return FAKE_REPLY;
}

/* ---- a node, its source, and a model with what they gave ---- */

struct stage {
	struct node node;
	struct fake_mongo mongo;
	struct fake *fake;
	struct watched w;
	struct model *m;
};

static void begin(struct stage *s, bool router, bool refuses)
{
	*s = (struct stage){.node = {.router = router, .refuses = refuses}};
	s->node.diagnostic = test_ejson_fixture("replies/mongod-5.0.7-diagnostic.json");
	s->mongo = (struct fake_mongo){answer, &s->node, NULL};
	s->fake = fake_start(fake_mongo_serve, &s->mongo);
	watch_begin(&s->w, fake_uri(s->fake, "mongodb", NULL), 5);
	s->m = model_create();
	assert_non_null(s->m);
	assert_non_null(model_add(s->m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
}

static void end(struct stage *s)
{
	watch_end(&s->w);
	fake_stop(s->fake);
	bson_destroy(s->node.diagnostic);
	model_destroy(s->m);
}

/* Takes the newest sample into the model and draws its view. */
static void assert_screen(struct stage *s, int w, int h, const char *part)
{
	struct view_state view;
	struct strbuf text;
	struct canvas c;

	model_push(s->m, s->w.last);
	s->w.last = NULL;
	assert_true(canvas_init(&c, w, h));
	view_state_init(&view);
	view.view = VIEW_MONGO;
	strbuf_init(&text, 1 << 20);
	screen_draw(s->m, &view, &c);
	canvas_to_text(&c, &text);
	if (!strstr(text.data, part))
		fail_msg("no '%s' in\n%s", part, text.data);
	strbuf_finish(&text);
	canvas_finish(&c);
}

/* ---- routers ---- */

static void a_router_lists_what_to_watch(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, true, false);
	watch_poll(&s.w);
	assert_string_equal(s.w.last->role, "mongos");
	assert_int_equal(s.w.last->tables[TABLE_MONGO_SHARD].n, 2);
	assert_screen(&s, 80, 24, "mongodb://a:27018,b:27018/");
	watch_poll(&s.w);
	assert_int_equal(s.node.shards, 1); /* every 30 s */
	assert_screen(&s, 120, 36, "mongodb://c:27018/"); /* still there */
	end(&s);
}

static void a_router_that_may_not_list_them_says_so(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, true, true);
	watch_poll(&s.w);
	assert_says(s.w.last, "listShards");
	assert_says(s.w.last, "clusterMonitor");
	watch_poll(&s.w);
	assert_int_equal(s.node.shards, 1);
	end(&s);
}

/* ---- the host of a node elsewhere: a fake's pid is not that of a process here ---- */

static void the_host_of_a_node_elsewhere_is_shown(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, false, false);
	assert_status(watch_poll(&s.w), STATUS_OK);
	test_near(sample_f64(s.w.last, METRIC_MONGO_HOST_FILE_CACHE), PAGE_CACHE, 0);
	watch_poll(&s.w); /* not asked again for 30 s: the levels stand, counters are of their time */
	assert_int_equal(s.node.diagnostics, 1);
	test_near(sample_f64(s.w.last, METRIC_MONGO_HOST_FILE_CACHE), PAGE_CACHE, 0);
	assert_false(sample_has(s.w.last, METRIC_MONGO_HOST_DISK_READ_TOTAL));
	assert_screen(&s, 120, 50, "2.14 GiB");
	end(&s);
}

static void it_is_not_asked_while_nobody_looks(void **state)
{
	struct poll_request r = {.wants = WANT_COLLECTIONS};
	struct sample *out = sample_create(0);
	struct stage s;

	(void)state;
	begin(&s, false, false);
	r.deadline_ns = clock_mono_ns() + 5 * NS_PER_SEC;
	s.w.target.ops->poll(s.w.source, &r, out);
	assert_status(out, STATUS_OK);
	sample_destroy(out);
	assert_int_equal(s.node.diagnostics, 0);
	end(&s);
}

static void a_refusal_names_what_it_costs(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, false, true);
	assert_status(watch_poll(&s.w), STATUS_PARTIAL);
	assert_says(s.w.last, "memory of its host");
	watch_poll(&s.w);
	assert_int_equal(s.node.diagnostics, 1);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_router_lists_what_to_watch),
		cmocka_unit_test(a_router_that_may_not_list_them_says_so),
		cmocka_unit_test(the_host_of_a_node_elsewhere_is_shown),
		cmocka_unit_test(it_is_not_asked_while_nobody_looks),
		cmocka_unit_test(a_refusal_names_what_it_costs),
	};

	source_quiet();
	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
