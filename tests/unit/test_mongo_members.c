/*
 * Who else there is: members come from hello and replSetGetStatus, each once, with its state; the
 * states that hello cannot tell apart are told; shards become targets, and a name that could be
 * anything else does not.
 */
#include "parsed.h"

#include <math.h>
#include <string.h>

#include "ejson.h"
#include "hotset/parse.h"

#define HELLO                                                                                      \
	"{ismaster: false, secondary: true, setName: 'rs0', hosts: ['a:1', 'b:1'],"                \
	"passives: ['c:1'], arbiters: ['d:1'], me: 'b:1', primary: 'a:1', ok: 1}"
#define STATUS                                                                                     \
	"{set: 'rs0', myState: 2, ok: 1, members: ["                                               \
	"{name: 'a:1', state: 1, stateStr: 'PRIMARY', health: 1,"                                  \
	" optime: {ts: Timestamp(1000, 1)}},"                                                      \
	"{name: 'b:1', state: 2, stateStr: 'SECONDARY', health: 1, self: true,"                    \
	" syncSourceHost: 'a:1', optime: {ts: Timestamp(993, 1)}},"                                \
	"{name: 'h:1', state: 8, stateStr: '(not reachable/healthy)', health: 0, pingMs: 3,"       \
	" optime: {ts: Timestamp(0, 0)}}]}"

static struct sample *members(const char *hello, const char *status)
{
	struct sample *s = sample_create(0);
	bson_t *h = test_ejson(hello), *st = status ? test_ejson(status) : NULL;
	struct err err;

	s->status = STATUS_OK;
	if (!parse_mongo_hello(h, s, &err))
		fail_msg("%s", err.msg);
	parse_mongo_members(h, st, s);
	bson_destroy(h);
	if (st)
		bson_destroy(st);
	return s;
}

static const char *state_of(const struct sample *s, const char *host)
{
	const struct raw *r = parsed_cell(s, TABLE_MONGO_MEMBER, host, COL_MONGO_MEMBER_STATE);

	if (!r)
		fail_msg("no member %s", host);
	return r->type == RAW_TEXT ? r->s : NULL;
}

static double cell_of(const struct sample *s, const char *host, unsigned col)
{
	return raw_f64(parsed_cell(s, TABLE_MONGO_MEMBER, host, col));
}

static void hello_alone_names_members(void **state)
{
	struct sample *s = members(HELLO, NULL);

	(void)state;
	assert_int_equal(s->tables[TABLE_MONGO_MEMBER].n, 4);
	assert_string_equal(state_of(s, "a:1"), "PRIMARY");
	assert_string_equal(state_of(s, "b:1"), "SECONDARY");
	assert_null(state_of(s, "c:1")); /* not known */
	assert_string_equal(state_of(s, "d:1"), "ARBITER");
	test_near(cell_of(s, "b:1", COL_MONGO_MEMBER_SELF), 1, 0);
	test_near(cell_of(s, "a:1", COL_MONGO_MEMBER_SELF), 0, 0);
	assert_text(s, METRIC_MONGO_REPL_PRIMARY, "a:1");
	sample_destroy(s);
}

static void the_set_s_status_adds_hidden_members_and_lags(void **state)
{
	struct sample *s = members(HELLO, STATUS);

	(void)state;
	assert_int_equal(s->tables[TABLE_MONGO_MEMBER].n, 5); /* a, b and h, then c and d */
	assert_string_equal(state_of(s, "h:1"), "(not reachable/healthy)");
	test_near(cell_of(s, "b:1", COL_MONGO_MEMBER_LAG), 7, 0);
	test_near(cell_of(s, "a:1", COL_MONGO_MEMBER_LAG), 0, 0);
	assert_true(isnan(cell_of(s, "h:1", COL_MONGO_MEMBER_LAG))); /* it never said */
	test_near(cell_of(s, "h:1", COL_MONGO_MEMBER_HEALTH), 0, 0);
	assert_string_equal(
		parsed_cell(s, TABLE_MONGO_MEMBER, "b:1", COL_MONGO_MEMBER_SYNC)->s, "a:1");
	sample_destroy(s);
}

static void states_without_service_are_told_apart(void **state)
{
	static const struct {
		const char *status, *role;
		enum status to;
		const char *says; /* NULL: not looked at */
	} cases[] = {
		{"{myState: 0, ok: 1}", "STARTUP", STATUS_LOADING, NULL},
		{"{myState: 3, ok: 1}", "RECOVERING", STATUS_LOADING, NULL},
		{"{myState: 5, ok: 1}", "STARTUP2", STATUS_LOADING, NULL},
		{"{myState: 9, ok: 1}", "ROLLBACK", STATUS_LOADING, NULL},
		{"{myState: 10, ok: 1}", "REMOVED", STATUS_PARTIAL, NULL},
		{"{ok: 0, code: 94, errmsg: 'no replset config'}", "STARTUP", STATUS_LOADING, NULL},
		{"{ok: 0, code: 93, errmsg: 'not a member'}", "REMOVED", STATUS_PARTIAL, NULL},
		/* hello does not tell which of these states it is, so nobody guesses */
		{"{ok: 0, code: 13, errmsg: 'no'}", "OTHER", STATUS_LOADING, "clusterMonitor"},
		{"{ok: 0, code: 91, errmsg: 'bye'}", "OTHER", STATUS_LOADING, "shutting down"},
		{"{myState: 1, ok: 1}", "RECOVERING", STATUS_OK, NULL}, /* hello is newer */
		{"{myState: 'x', ok: 1}", "OTHER", STATUS_LOADING, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = members("{ismaster: false, secondary: false, setName: 'r', "
					   "hosts: ['a:1'], ok: 1}", NULL);
		bson_t *doc = test_ejson(cases[i].status);

		parse_mongo_member_state(doc, s);
		assert_string_equal(s->role, cases[i].role);
		assert_text(s, METRIC_MONGO_REPL_STATE, cases[i].role);
		if (s->status != cases[i].to)
			fail_msg("%s is %s", cases[i].status, status_word(s->status));
		if (cases[i].says)
			assert_non_null(strstr(s->err.msg, cases[i].says));
		bson_destroy(doc);
		sample_destroy(s);
	}
}

static void shards_are_targets(void **state)
{
	bson_t *doc = test_ejson("{ok: 1, shards: ["
				 "{_id: 's0', host: 'rs0/a:27018,[2001:db8::1]:1', state: 1},"
				 "{_id: 's1', host: 'plain:27018'},"
				 "{_id: 's2', host: 'rs/u:p@h:1/?x=y'},"
				 "{_id: 's3', host: 'r&tls=false/h:1'},"
				 "{_id: 3}, 7]}");
	struct sample *s = sample_create(0);

	(void)state;
	parse_mongo_shards(doc, s);
	assert_int_equal(s->tables[TABLE_MONGO_SHARD].n, 5);
	assert_string_equal(parsed_cell(s, TABLE_MONGO_SHARD, "s0", COL_MONGO_SHARD_URI)->s,
		"mongodb://a:27018,[2001:db8::1]:1/?replicaSet=rs0");
	assert_string_equal(parsed_cell(s, TABLE_MONGO_SHARD, "s1", COL_MONGO_SHARD_URI)->s,
		"mongodb://plain:27018/");
	assert_int_equal(
		parsed_cell(s, TABLE_MONGO_SHARD, "s2", COL_MONGO_SHARD_URI)->type, RAW_NONE);
	assert_int_equal(
		parsed_cell(s, TABLE_MONGO_SHARD, "s3", COL_MONGO_SHARD_URI)->type, RAW_NONE);
	sample_destroy(s);
	bson_destroy(doc);
}

/* A reply of another shape makes no rows and does no harm. */
static void hostile_replies_make_no_rows(void **state)
{
	static const char *const status[] = {"{members: 1}", "{members: [1, 'x', [], {}]}",
		"{members: [{name: 5, state: 'x', optime: 1}]}"};

	(void)state;
	for (size_t i = 0; i < sizeof(status) / sizeof(status[0]); i++) {
		struct sample *s = members("{ismaster: true, setName: 'r', hosts: [1, ''], "
					   "arbiters: 'x', ok: 1}", status[i]);

		for (unsigned r = 0; r < s->tables[TABLE_MONGO_MEMBER].n; r++)
			assert_int_equal(sample_row(s, TABLE_MONGO_MEMBER,
						 r)[COL_MONGO_MEMBER_HOST].type,
				RAW_NONE);
		sample_destroy(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hello_alone_names_members),
		cmocka_unit_test(the_set_s_status_adds_hidden_members_and_lags),
		cmocka_unit_test(states_without_service_are_told_apart),
		cmocka_unit_test(shards_are_targets),
		cmocka_unit_test(hostile_replies_make_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
