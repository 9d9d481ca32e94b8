/*
 * Kinds of MongoDB node, from the reply to the verdict: the in-memory engine has a cache and makes
 * nobody wait, routers and emulations say what they have not, changes of role are events, a set
 * without a primary is said once, and missing privileges are a note.
 */
#include "parsed.h"

#include <string.h>

#include "ejson.h"
#include "hotset/model.h"
#include "hotset/parse.h"

#define CACHE                                                                                      \
	"{cache: {'bytes currently in the cache': 970, 'maximum bytes configured': 1000,"          \
	" 'tracked dirty bytes in the cache': 400}}"

static struct sample *parse_status(const char *text)
{
	struct sample *s = sample_create(0);
	bson_t *doc = test_ejson(text);
	struct err err;

	s->status = STATUS_OK;
	if (!parse_mongo_status(doc, s, &err))
		fail_msg("%s", err.msg);
	bson_destroy(doc);
	return s;
}

static void says(const struct sample *s, enum status status, const char *part)
{
	if (s->status != status || !strstr(s->err.msg, part))
		fail_msg("%s: %s", status_word(s->status), s->err.msg);
}

/* ---- replies ---- */

static void the_in_memory_engine_has_a_cache_under_either_name(void **state)
{
	static const char *const names[] = {"wiredTiger", "inMemory"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char text[400];
		struct sample *s;

		snprintf(text, sizeof(text),
			"{process: 'mongod', storageEngine: {name: 'inMemory'}, %s: %s, ok: 1}",
			names[i], CACHE);
		s = parse_status(text);
		assert_int_equal(s->status, STATUS_OK);
		assert_number(s, METRIC_MONGO_CACHE_USED, 970);
		assert_missing(s, METRIC_MONGO_HS_SIZE, REASON_IN_MEMORY);
		assert_missing(s, METRIC_MONGO_CKPT_LAST, REASON_IN_MEMORY);
		sample_destroy(s);
	}
}

static void what_is_no_mongod_says_what_it_lacks(void **state)
{
	struct sample *s;

	(void)state;
	s = parse_status("{process: 'ferret', ferretdb: {version: '2'}, uptime: 5, ok: 1}");
	says(s, STATUS_UNSUPPORTED, "FerretDB keeps its data in PostgreSQL");
	sample_destroy(s);
	s = parse_status("{process: 'mongod', storageEngine: {name: 'mmapv1'},"
			 "connections: {current: 1, available: 9}, ok: 1}");
	says(s, STATUS_PARTIAL, "the storage engine is mmapv1");
	sample_destroy(s);
	s = parse_status("{connections: {current: 1, available: 9}, ok: 1}");
	says(s, STATUS_PARTIAL, "no cache to watch");
	parse_mongo_service("localhost", s);
	says(s, STATUS_PARTIAL, "no cache to watch");
	parse_mongo_service("c.cluster-x.eu-west-1.docdb.AMAZONAWS.com", s);
	says(s, STATUS_PARTIAL, "Amazon DocumentDB is no MongoDB server");
	assert_string_equal(s->product, "documentdb");
	sample_destroy(s);
	s = parse_status("{ok: 1}");
	parse_mongo_service("x.mongo.cosmos.azure.com", s);
	says(s, STATUS_UNSUPPORTED, "Azure Cosmos DB is no MongoDB server");
	sample_destroy(s);
}

/* ---- verdicts and events ---- */

static struct model *m;
static int64_t now_s;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now_s = 1000;
	if (!m)
		return -1;
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = {"a", "b", "c"};

		assert_non_null(model_add(m, KIND_MONGO, names[i], names[i], names[i], 60));
	}
	return 0;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static struct sample *next(uint16_t endpoint, const char *role)
{
	struct sample *s = sample_create(endpoint);

	assert_non_null(s);
	now_s++;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = now_s * 1000000000;
	s->epoch = 1 + endpoint;
	snprintf(s->product, sizeof(s->product), "mongod");
	snprintf(s->role, sizeof(s->role), "%s", role);
	return s;
}

static void push_member(uint16_t endpoint, const char *role, const char *primary)
{
	struct sample *s = next(endpoint, role);

	sample_set_text(s, METRIC_MONGO_REPL_SET, "rs0", 3);
	sample_set_text(s, METRIC_MONGO_REPL_STATE, role, strlen(role));
	if (primary)
		sample_set_text(s, METRIC_MONGO_REPL_PRIMARY, primary, strlen(primary));
	model_push(m, s);
}

static const struct verdict *verdict(const char *code, unsigned *n)
{
	const struct verdict *found = NULL;

	*n = 0;
	for (unsigned i = 0; i < m->nverdicts; i++) {
		if (strcmp(m->verdicts[i].code, code) != 0)
			continue;
		found = &m->verdicts[i];
		++*n;
	}
	return found;
}

static void in_memory_makes_nobody_wait(void **state)
{
	struct sample *s = next(0, "standalone");
	const struct verdict *v;
	unsigned n;

	(void)state;
	sample_set_text(s, METRIC_MONGO_STORAGE_ENGINE, "inMemory", 8);
	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, 1000);
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, 970);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY, 400);
	sample_set_f64(s, METRIC_MONGO_CACHE_TRIGGER, 95);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TRIGGER, 20);
	model_push(m, s);
	v = verdict("mongo.cache.above_trigger", &n);
	assert_non_null(v);
	assert_int_equal(v->level, LEVEL_WARN);
	assert_non_null(strstr(v->text, "writes fail when it is full"));
	v = verdict("mongo.cache.dirty_above_trigger", &n);
	assert_non_null(v);
	assert_int_equal(v->level, LEVEL_INFO);
	assert_null(strstr(v->text, "must evict"));
}

static unsigned events(const char *code, const char *text, enum level level)
{
	const struct event *e;
	unsigned n = 0;

	for (unsigned i = 0; (e = model_event(m, i)) != NULL; i++)
		n += strcmp(e->code, code) == 0 && strcmp(e->text, text) == 0 && e->level == level;
	return n;
}

static void a_change_of_role_is_one_event(void **state)
{
	(void)state;
	push_member(0, "PRIMARY", "a");
	push_member(1, "SECONDARY", "a");
	assert_int_equal(m->nevents, 0); /* who it is at first is no news */
	push_member(0, "SECONDARY", "b");
	push_member(1, "PRIMARY", "b");
	push_member(1, "PRIMARY", "b");
	assert_int_equal(events("endpoint.role", "a became SECONDARY (was PRIMARY)", LEVEL_WARN), 1);
	assert_int_equal(events("endpoint.role", "b became PRIMARY (was SECONDARY)", LEVEL_INFO), 1);
	assert_int_equal(m->nevents, 2);
}

/* A member that recovers gives no verdicts, but that it left the service is news. */
static void leaving_the_service_is_an_event(void **state)
{
	struct sample *s = next(0, "RECOVERING");

	(void)state;
	push_member(0, "SECONDARY", "b");
	s->status = STATUS_LOADING;
	s->mono_ns = s->wall_ns = ++now_s * 1000000000;
	model_push(m, s);
	assert_int_equal(
		events("endpoint.role", "a became RECOVERING (was SECONDARY)", LEVEL_WARN), 1);
}

static void a_set_without_primary_is_said_by_one(void **state)
{
	unsigned n;

	(void)state;
	for (uint16_t i = 0; i < 3; i++)
		push_member(i, i ? "SECONDARY" : "PRIMARY", "a");
	verdict("mongo.repl.no_primary", &n);
	assert_int_equal(n, 0);
	for (uint16_t i = 0; i < 3; i++)
		push_member(i, "SECONDARY", NULL);
	for (uint16_t i = 0; i < 3; i++)
		push_member(i, "SECONDARY", NULL);
	assert_non_null(verdict("mongo.repl.no_primary", &n));
	assert_int_equal(n, 1);
	for (unsigned k = 0; k < 3; k++)
		for (uint16_t i = 0; i < 3; i++)
			push_member(i, i == 1 ? "PRIMARY" : "SECONDARY", "b");
	verdict("mongo.repl.no_primary", &n);
	assert_int_equal(n, 0);
}

/* One that is cut off sees no primary, while the others have one. */
static void a_member_alone_does_not_speak_for_the_set(void **state)
{
	unsigned n;

	(void)state;
	for (unsigned k = 0; k < 5; k++) {
		push_member(1, "PRIMARY", "b");
		push_member(0, "SECONDARY", NULL);
	}
	verdict("mongo.repl.no_primary", &n);
	assert_int_equal(n, 0);
}

static void a_router_names_its_shards(void **state)
{
	struct sample *s = next(0, "mongos");
	const struct verdict *v;
	bson_t *doc = test_ejson("{ok: 1, shards: [{_id: 's0', host: 'rs0/h:1,i:1'}, "
				 "{_id: 's1', host: 'rs1/j:1'}]}");
	unsigned n;

	(void)state;
	parse_mongo_shards(doc, s);
	model_push(m, s);
	v = verdict("mongo.router", &n);
	assert_non_null(v);
	assert_true(v->standing);
	assert_string_equal(v->text, "a router has no cache; watch the shards behind it (2): "
				     "mongodb://h:1,i:1/?replicaSet=rs0 ...");
	bson_destroy(doc);
	model_push(m, next(1, "mongos")); /* it was not allowed to ask */
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (m->verdicts[i].endpoint == 1)
			assert_non_null(strstr(m->verdicts[i].text, "listShards"));
}

static void missing_privileges_are_a_note(void **state)
{
	struct sample *s = next(0, "standalone");
	const struct verdict *v;
	unsigned n;

	(void)state;
	s->status = STATUS_PARTIAL;
	err_set(&s->err, ERR_AUTH, "the role clusterMonitor would add: inprog");
	model_push(m, s);
	v = verdict("mongo.privileges", &n);
	assert_non_null(v);
	assert_int_equal(v->level, LEVEL_INFO);
	assert_true(v->standing);
	assert_non_null(strstr(v->text, "inprog"));
	assert_int_equal(m->nevents, 0);
}

#define ON_MODEL(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_in_memory_engine_has_a_cache_under_either_name),
		cmocka_unit_test(what_is_no_mongod_says_what_it_lacks),
		ON_MODEL(in_memory_makes_nobody_wait),
		ON_MODEL(a_change_of_role_is_one_event),
		ON_MODEL(leaving_the_service_is_an_event),
		ON_MODEL(a_set_without_primary_is_said_by_one),
		ON_MODEL(a_member_alone_does_not_speak_for_the_set),
		ON_MODEL(a_router_names_its_shards),
		ON_MODEL(missing_privileges_are_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
