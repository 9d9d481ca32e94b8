/*
 * A set's URI means its members: each has a row of its own, whoever was listed, once, and stays
 * with its server through a failover. Members appear while the program runs, on the screen, in
 * JSON, in recordings and in --once; a single host without a set's name stays alone.
 */
#include "support.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "../../src/app/fleet.h"
#include "ejson.h"
#include "fake_set.h"
#include "hotset/clock.h"
#include "program.h"
#include "servers.h"

#define LIMIT_MS 15000

struct stage {
	struct fake_set set;
	struct target targets[4];
	struct options o;
	struct fleet fleet;
};

static void begin(struct stage *s, unsigned members)
{
	bson_t *doc = test_ejson_fixture("cases/C05.json"), view;

	memset(s, 0, sizeof(*s));
	test_subdocument(doc, "0.reply", &view);
	fake_set_start(&s->set, members, &view);
	bson_destroy(doc);
	s->o = (struct options){.delay_s = 0.1, .timeout_s = 3, .targets = s->targets};
}

static void want(struct stage *s, const char *uri)
{
	struct err err;

	if (!target_parse(uri, &s->targets[s->o.ntargets++], &err))
		fail_msg("%s", err.msg);
}

static void watch(struct stage *s)
{
	struct err err;

	if (!fleet_open(&s->fleet, &s->o, false, clock_mono_ns(), &err))
		fail_msg("%s", err.msg);
}

static void want_set(struct stage *s, unsigned listed)
{
	char uri[256];

	fake_set_uri(&s->set, listed, uri, sizeof(uri));
	want(s, uri);
}

static void end(struct stage *s)
{
	struct err err;

	assert_true(fleet_close(&s->fleet, &err));
	for (unsigned i = 0; i < s->o.ntargets; i++)
		target_finish(&s->targets[i]);
	fake_set_stop(&s->set);
}

/* Polls until the condition holds; fails the test if it does not come true. */
static void until(struct stage *s, bool (*holds)(const struct stage *s), const char *what)
{
	int64_t limit = clock_mono_ns() + LIMIT_MS * NS_PER_MS;
	struct pollfd mail = {.fd = mailbox_fd(s->fleet.mail), .events = POLLIN};
	struct err err;

	while (!holds(s)) {
		int64_t now = clock_mono_ns();

		if (now > limit)
			fail_msg("%s did not come true; %u endpoints", what, s->fleet.model->n);
		fleet_ask(&s->fleet, now);
		fleet_take(&s->fleet, now, &err);
		assert_int_equal(err.code, ERR_NONE);
		(void)poll(&mail, 1, 20);
	}
}

static const struct endpoint *find(const struct stage *s, unsigned member)
{
	char id[96];

	snprintf(id, sizeof(id), "mongo@127.0.0.1:%u", fake_port(s->set.m[member].fake));
	for (unsigned i = 0; i < s->fleet.model->n; i++)
		if (strcmp(s->fleet.model->ep[i]->id, id) == 0)
			return s->fleet.model->ep[i];
	return NULL;
}

static bool all_are_watched(const struct stage *s)
{
	for (unsigned i = 0; i < s->set.n; i++) {
		const struct endpoint *ep = find(s, i);

		if (!ep || ep->samples < 2)
			return false;
	}
	return true;
}

/* Long enough that a member which is to be added would have been: its set was named twice. */
static bool named_twice(const struct stage *s)
{
	for (unsigned i = 0; i < s->fleet.model->n; i++)
		if (s->fleet.model->ep[i]->polls < 30)
			return false;
	return true;
}

static void one_listed_member_leads_to_all(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 3);
	want_set(&s, 1);
	watch(&s);
	assert_int_equal(s.fleet.model->n, 1);
	until(&s, all_are_watched, "a row for each member");
	assert_int_equal(s.fleet.model->n, 3);
	assert_string_equal(find(&s, 0)->role, "PRIMARY");
	assert_string_equal(find(&s, 1)->role, "SECONDARY");
	end(&s);
}

static void listed_members_have_rows_before_they_answer(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 3);
	want_set(&s, 3);
	watch(&s);
	assert_int_equal(s.fleet.model->n, 3);
	assert_non_null(find(&s, 2));
	until(&s, all_are_watched, "data of each");
	assert_int_equal(s.fleet.model->n, 3);
	end(&s);
}

/* In containers the members have names for each other that nobody outside has. */
static void a_member_under_another_name_is_watched_once(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 2);
	snprintf(s.set.m[0].name, sizeof(s.set.m[0].name), "mongo0.invalid:27017");
	snprintf(s.set.m[1].name, sizeof(s.set.m[1].name), "mongo1.invalid:27017");
	want_set(&s, 2);
	watch(&s);
	until(&s, named_twice, "thirty polls of each");
	assert_int_equal(s.fleet.model->n, 2);
	end(&s);
}

static bool unreachable_is_there(const struct stage *s)
{
	return s->fleet.model->n == 2 && s->fleet.model->ep[1]->polls > 0;
}

static void a_member_that_cannot_be_reached_says_why(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 2);
	snprintf(s.set.m[1].name, sizeof(s.set.m[1].name), "127.0.0.1:%u", server_free_port());
	want_set(&s, 1);
	watch(&s);
	until(&s, unreachable_is_there, "the other member's row");
	assert_int_equal(s.fleet.model->ep[1]->status, STATUS_REFUSED);
	if (!strstr(s.fleet.model->ep[1]->err.msg, "list every host in the URI"))
		fail_msg("no hint in '%s'", s.fleet.model->ep[1]->err.msg);
	end(&s);
}

static void a_hidden_member_is_found_by_its_set(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 3);
	s.set.m[2].hidden = true;
	want_set(&s, 1);
	watch(&s);
	until(&s, all_are_watched, "a row also for the hidden member");
	end(&s);
}

static void a_single_host_stays_alone(void **state)
{
	static const char *const options[] = {"", "/?replicaSet=rs0&directConnection=true"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct stage s;
		char uri[128];

		begin(&s, 2);
		snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%u%s", fake_port(s.set.m[0].fake),
			options[i]);
		want(&s, uri);
		watch(&s);
		until(&s, named_twice, "thirty polls");
		assert_int_equal(s.fleet.model->n, 1);
		end(&s);
	}
}

static void two_targets_of_one_set_watch_it_once(void **state)
{
	struct stage s;
	char uri[64];

	(void)state;
	begin(&s, 3);
	want_set(&s, 1);
	snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%u", fake_port(s.set.m[1].fake));
	want(&s, uri);
	watch(&s);
	until(&s, all_are_watched, "a row for each member");
	assert_int_equal(s.fleet.model->n, 3);
	end(&s);
}

static void the_user_s_name_is_kept(void **state)
{
	struct stage s;
	char uri[256] = "orders=", expected[64];

	(void)state;
	begin(&s, 2);
	fake_set_uri(&s.set, 1, uri + strlen(uri), sizeof(uri) - strlen(uri));
	want(&s, uri);
	watch(&s);
	until(&s, all_are_watched, "a row for each member");
	snprintf(expected, sizeof(expected), "orders/127.0.0.1:%u", fake_port(s.set.m[1].fake));
	assert_string_equal(s.fleet.model->ep[0]->name, "orders");
	assert_string_equal(s.fleet.model->ep[1]->name, expected);
	end(&s);
}

/* ---- failover ---- */

static const struct event *role_event(const struct stage *s, unsigned member, const char *to)
{
	const struct endpoint *ep = find(s, member);
	const struct event *e;

	for (unsigned i = 0; (e = model_event(s->fleet.model, i)) != NULL; i++)
		if (e->endpoint == ep->index && strcmp(e->code, "endpoint.role") == 0 &&
			strstr(e->text, to))
			return e;
	return NULL;
}

/* In any frame the counters are those of the member itself: no jump between two, no way back. */
static void check_rates(const struct stage *s)
{
	for (unsigned i = 0; i < s->fleet.model->n; i++) {
		struct value v =
			frame_value(&s->fleet.model->ep[i]->frame, METRIC_MONGO_OPS_QUERY);

		assert_int_not_equal(v.why, REASON_RESET);
		assert_int_not_equal(v.why, REASON_RESTARTED);
		if (value_ok(v))
			assert_true(v.v > 0 && v.v < FAKE_SET_APART / 10);
	}
}

static bool failover_is_seen(const struct stage *s)
{
	check_rates(s);
	return role_event(s, 0, "SECONDARY (was PRIMARY)") &&
	       role_event(s, 1, "PRIMARY (was SECONDARY)");
}

static void a_failover_is_an_event_and_no_restart(void **state)
{
	struct stage s;
	const struct event *e;

	(void)state;
	begin(&s, 2);
	want_set(&s, 2);
	watch(&s);
	until(&s, all_are_watched, "data of each");
	s.set.m[0].state = FAKE_SECONDARY;
	s.set.m[1].state = FAKE_PRIMARY;
	until(&s, failover_is_seen, "an event for each change of role");
	for (unsigned i = 0; (e = model_event(s.fleet.model, i)) != NULL; i++)
		assert_string_not_equal(e->code, "endpoint.restarted");
	for (unsigned i = 0; i < 2; i++) /* they go on */
		assert_true(value_ok(
			frame_value(&find(&s, i)->frame, METRIC_MONGO_OPS_QUERY)));
	end(&s);
}

static bool verdict_is_there(const struct stage *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->fleet.model->nverdicts; i++)
		n += strcmp(s->fleet.model->verdicts[i].code, "mongo.repl.no_primary") == 0;
	return n == 1; /* of one set, not of each member */
}

static void a_set_without_primary_is_said_once(void **state)
{
	struct stage s;

	(void)state;
	begin(&s, 3);
	want_set(&s, 3);
	watch(&s);
	until(&s, all_are_watched, "data of each");
	assert_false(verdict_is_there(&s));
	s.set.m[0].state = FAKE_SECONDARY;
	until(&s, verdict_is_there, "one verdict");
	end(&s);
}

/* ---- the program ---- */

static unsigned count(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)) != NULL; text++)
		n++;
	return n;
}

static void once_waits_for_members_and_replays_them(void **state)
{
	char *dir = test_dir_create(), line[512], uri[128];
	struct stage s;
	struct run r;

	(void)state;
	begin(&s, 3);
	fake_set_uri(&s.set, 1, uri, sizeof(uri));
	snprintf(line, sizeof(line), "%s --once -d 0.2 --format json", uri);
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 0);
	assert_int_equal(count(r.out, "\"status\":\"ok\""), 3);
	assert_int_equal(count(r.out, "\"mongo.member\""), 3);
	program_free(&r);

	snprintf(line, sizeof(line), "record -o %s/r.rec %s -d 0.2 -n 20", dir, uri);
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 0);
	program_free(&r);
	snprintf(line, sizeof(line), "replay %s/r.rec --once --format json", dir);
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(count(r.out, "\"status\":\"ok\""), 3);
	program_free(&r);
	fake_set_stop(&s.set);
	test_dir_remove(dir);
}

/* A listed member that is down is a row with its reason, and neither hides nor delays the others. */
static void once_shows_all_that_are_listed(void **state)
{
	char line[512], uri[256];
	struct stage s;
	struct run r;

	(void)state;
	begin(&s, 3);
	fake_set_uri(&s.set, 3, uri, sizeof(uri));
	fake_stop(s.set.m[2].fake);
	snprintf(line, sizeof(line), "%s --once -d 0.2 --format json", uri);
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 0);
	assert_int_equal(count(r.out, "\"status\":\"ok\""), 2);
	assert_int_equal(count(r.out, "\"status\":\"refused\",\"error\""), 1);
	/* rates of both: it waited for the second answer of each */
	assert_int_equal(count(r.out, "\"mongo.ops.query\":null"), 1);
	program_free(&r);
	s.set.m[2].fake = fake_start(fake_mongo_serve, &s.set.m[2].mongo);
	fake_set_stop(&s.set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_listed_member_leads_to_all),
		cmocka_unit_test(listed_members_have_rows_before_they_answer),
		cmocka_unit_test(a_member_under_another_name_is_watched_once),
		cmocka_unit_test(a_member_that_cannot_be_reached_says_why),
		cmocka_unit_test(a_hidden_member_is_found_by_its_set),
		cmocka_unit_test(a_single_host_stays_alone),
		cmocka_unit_test(two_targets_of_one_set_watch_it_once),
		cmocka_unit_test(the_user_s_name_is_kept),
		cmocka_unit_test(a_failover_is_an_event_and_no_restart),
		cmocka_unit_test(a_set_without_primary_is_said_once),
		cmocka_unit_test(once_waits_for_members_and_replays_them),
		cmocka_unit_test(once_shows_all_that_are_listed),
	};

	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
