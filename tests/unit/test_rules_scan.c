/*
 * The course of a scan where the captures do not go: without $currentOp, across a restart, twice in
 * a row, with writes, through a cache with room, and when the hot set does not come back.
 */
#include "seconds.h"
#include "support.h"

static const struct second quiet = {.pages = 20, .docs = 5000, .keys = 5000, .ops = true};
static const struct second blind = {.pages = 20, .docs = 5000, .keys = 5000};
static const struct second storm = {
	.pages = 9000, .clean = 9000, .docs = 5000, .keys = 5000, .ops = true};
static const struct second again = {
	.pages = 1020, .clean = 1000, .docs = 5000, .keys = 5000, .ops = true};

/* The storm with a scan in sight, which has run for that long. */
static struct second scan(double secs)
{
	struct second sec = storm;

	sec.op[0] = (struct test_op){.plan = "COLLSCAN",
		.ns = "shop.orders",
		.app = "report-job",
		.command = "{count: ?, query: {state: ?}}",
		.secs = secs};
	return sec;
}

static void scan_for(unsigned seconds)
{
	for (unsigned i = 0; i < seconds; i++)
		seconds_pass(scan(0.5 + i));
}

static bool is_skipped(void)
{
	const struct model *m = seconds_model;

	for (unsigned i = 0; i < m->nskipped; i++)
		if (strcmp(m->skipped[i].code, "mongo.scan.storm") == 0)
			return true;
	return false;
}

static void assert_text(const char *code, const char *part)
{
	const struct verdict *v = seconds_verdict(code);

	if (!v)
		fail_msg("no verdict %s", code);
	if (!strstr(v->text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, v->text);
}

static void assert_number(const struct data *d, const char *key, double want)
{
	const struct datum *datum = seconds_datum(d, key);

	assert_false(datum->null);
	test_near(datum->num, want, 1e-6);
}

static void no_judgement_without_a_base_line(void **state)
{
	(void)state;
	scan_for(5);
	assert_true(is_skipped());
	assert_null(seconds_verdict("mongo.scan.storm"));
	seconds_pass_many(10, quiet);
	assert_false(is_skipped());
}

static void a_scan_in_sight_is_named(void **state)
{
	const struct event *e;

	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass(scan(9));
	assert_text("mongo.scan.storm", "COLLSCAN on shop.orders (app report-job, 9 s) floods");
	assert_non_null(strstr(seconds_verdict("mongo.scan.storm")->next, "{count: ?, query: "));
	e = seconds_event("mongo.scan.storm");
	assert_int_equal(e->state, EVENT_BEGIN);
	assert_string_equal(
		seconds_datum(&e->data, "command")->text, "{count: ?, query: {state: ?}}");
	seconds_pass(scan(10));
	seconds_pass(scan(11));
	seconds_pass(quiet);
	e = seconds_event("mongo.scan.storm");
	assert_int_equal(e->state, EVENT_END);
	assert_non_null(strstr(e->text, "27.0k pages in, 27.0k clean pages out in 3 s"));
	assert_number(&e->data, "secs", 11);
	assert_number(&e->data, "pages_in", 27000);
	seconds_pass_many(20, quiet);
	assert_int_equal(seconds_model->nverdicts, 0);
	assert_int_equal(seconds_model->nevents, 2);
}

/* Initial sync, an index build: pages come and go, but nobody scans. */
static void without_proof_it_is_a_read_storm(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, storm);
	assert_int_equal(seconds_verdict("mongo.scan.read_storm")->level, LEVEL_INFO);
	assert_text("mongo.scan.read_storm", "not proven");
	seconds_pass(quiet);
	assert_null(seconds_verdict("mongo.scan.read_storm"));
	assert_int_equal(seconds_event("mongo.scan.read_storm")->state, EVENT_END);
	assert_null(seconds_event("mongo.scan.storm"));
}

/* Unproven for two minutes: that is what this node does now. */
static void a_lasting_read_storm_becomes_the_usual(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass_many(121, storm);
	assert_non_null(seconds_verdict("mongo.scan.read_storm"));
	seconds_pass(storm);
	assert_null(seconds_verdict("mongo.scan.read_storm"));
	assert_int_equal(seconds_event("mongo.scan.read_storm")->state, EVENT_END);
	seconds_pass_many(30, storm);
	assert_int_equal(seconds_model->nevents, 2);
}

/* A proven one stays one, however long it takes. */
static void a_long_scan_is_one_scan(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(300);
	assert_text("mongo.scan.storm", "(app report-job, 300 s)");
	assert_int_equal(seconds_model->nevents, 1);
	seconds_pass(quiet);
	assert_number(&seconds_event("mongo.scan.storm")->data, "pages_in", 300 * 9000);
	assert_int_equal(seconds_model->nevents, 2);
}

/* Evictions of modified pages tell that writers, not a reader, fill the cache. */
static void writers_are_no_storm(void **state)
{
	struct second writes = scan(1);

	(void)state;
	writes.dirty = 4000;
	seconds_pass_many(30, quiet);
	seconds_pass_many(5, writes);
	assert_null(seconds_verdict("mongo.scan.storm"));
	assert_null(seconds_verdict("mongo.scan.read_storm"));
}

static void pages_read_again_promote_it_and_recovery_is_timed(void **state)
{
	const struct event *e;
	uint64_t id;

	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(3);
	seconds_pass(quiet); /* over */
	id = seconds_event("mongo.scan.storm")->id;
	seconds_pass_many(5, again);
	assert_int_equal(seconds_verdict("mongo.scan.evicting_hot_set")->level, LEVEL_CRIT);
	assert_int_equal(seconds_event("mongo.scan.evicting_hot_set")->id, id);
	assert_int_equal(seconds_verdict("mongo.scan.evicting_hot_set")->event_id, id);
	seconds_pass_many(3, quiet);
	e = seconds_event("mongo.scan.recovered");
	assert_non_null(e);
	assert_int_equal(e->id, id);
	assert_int_equal(e->state, EVENT_POINT);
	assert_number(&e->data, "reread_pages", 5000);
	assert_number(&e->data, "recovery_s", 6);
	/* one sentence tells all */
	assert_string_equal(e->text,
		"the hot set is back 6 s after COLLSCAN on shop.orders (app report-job, 3 s): "
		"27.0k pages in, 27.0k clean pages out, 5.00k read again");
	seconds_pass(quiet);
	assert_int_equal(seconds_model->nverdicts, 0);
}

static void a_hot_set_that_stays_away_is_given_up(void **state)
{
	struct second slowly = quiet;
	const struct event *e;

	(void)state;
	slowly.pages = 120;
	seconds_pass_many(30, quiet);
	scan_for(3);
	seconds_pass(quiet);
	seconds_pass_many(119, slowly);
	assert_null(seconds_event("mongo.scan.recovered"));
	seconds_pass(slowly);
	e = seconds_event("mongo.scan.recovered");
	assert_non_null(e);
	assert_true(seconds_datum(&e->data, "recovery_s")->null);
	assert_number(&e->data, "reread_pages", 12000);
	assert_non_null(strstr(e->text, "was not back 120 s after"));
}

static void a_second_scan_is_another_one(void **state)
{
	uint64_t first, second;

	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(3);
	first = seconds_event("mongo.scan.storm")->id;
	seconds_pass(quiet);
	scan_for(1);
	second = seconds_event("mongo.scan.storm")->id;
	assert_int_not_equal(first, second);
	seconds_pass(scan(1.5));
	seconds_pass(quiet);
	assert_int_equal(seconds_event("mongo.scan.storm")->id, second);
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
}

/* The hot set is read again at the rate of a storm, while a report of an hour ago still runs. */
static void an_old_scan_beside_the_recovery_is_not_another_one(void **state)
{
	struct second back = storm;

	(void)state;
	back.op[0] =
		(struct test_op){.plan = "COLLSCAN", .ns = "shop.archive", .secs = 3600, .opid = 3};
	seconds_pass_many(30, quiet);
	scan_for(3);
	seconds_pass_many(4, back);
	assert_text("mongo.scan.evicting_hot_set", "COLLSCAN on shop.orders");
	assert_int_equal(seconds_model->nevents, 3); /* begin, end, promoted */
}

/* A small scan during the recovery: what it reads is not the hot set coming back. */
static void pages_of_another_scan_are_not_read_again(void **state)
{
	struct second small = quiet;

	(void)state;
	small.pages = 170;
	small.op[0] =
		(struct test_op){.plan = "COLLSCAN", .ns = "shop.settings", .secs = 0.1, .opid = 3};
	seconds_pass_many(30, quiet);
	scan_for(3);
	seconds_pass(quiet);
	seconds_pass_many(3, small);
	assert_null(seconds_verdict("mongo.scan.evicting_hot_set"));
	small.op[0] = (struct test_op){0};
	seconds_pass(small);
	assert_number(&seconds_event("mongo.scan.evicting_hot_set")->data, "reread_pages", 150);
}

/* What was running before a restart is nobody's concern afterwards, but it has an end. */
static void a_restart_ends_the_course(void **state)
{
	const struct event *e;
	uint64_t id;

	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(2);
	id = seconds_event("mongo.scan.storm")->id;
	seconds_new_run();
	seconds_pass(quiet);
	e = seconds_event("mongo.scan.storm");
	assert_int_equal(e->id, id);
	assert_int_equal(e->state, EVENT_END);
	assert_non_null(strstr(e->text, "until the server restarted"));
	assert_null(seconds_verdict("mongo.scan.storm"));
	seconds_pass_many(3, quiet);
	assert_null(seconds_verdict("mongo.scan.storm"));
	assert_null(seconds_event("mongo.scan.recovered"));
}

static void a_restart_ends_the_recovery(void **state)
{
	const struct event *e;

	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(2);
	seconds_pass_many(2, again);
	seconds_new_run();
	seconds_pass(quiet);
	e = seconds_event("mongo.scan.recovered");
	assert_non_null(e);
	assert_true(seconds_datum(&e->data, "recovery_s")->null);
	seconds_pass_many(130, quiet);
	assert_ptr_equal(seconds_event("mongo.scan.recovered"), e);
}

/* A warm-up reads and evicts from its first second; the quiet hour before it is no measure. */
static void the_run_before_a_restart_is_no_base_line(void **state)
{
	(void)state;
	seconds_pass_many(60, quiet);
	seconds_new_run();
	seconds_pass_many(8, storm);
	assert_true(is_skipped());
	seconds_pass_many(10, storm);
	assert_false(is_skipped());
	assert_null(seconds_verdict("mongo.scan.read_storm"));
	assert_null(seconds_event("mongo.scan.read_storm"));
}

/* Polls that time out in the middle: what came in meanwhile belongs to the scan. */
static void a_gap_in_the_storm_is_part_of_it(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(2);
	seconds_step = 20;
	seconds_pass(scan(21.5));
	seconds_step = 1;
	seconds_pass(quiet);
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
	assert_number(&seconds_event("mongo.scan.storm")->data, "pages_in", 22 * 9000);
	assert_int_equal(seconds_model->nevents, 2);
}

/* No data for a minute: nothing is known of its end, and a later storm is another one. */
static void silence_ends_the_course(void **state)
{
	const struct event *e;

	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(2);
	model_tick(seconds_model, (int64_t)((seconds_now + 70) * 1e9),
		(int64_t)((seconds_now + 70) * 1e9));
	e = seconds_event("mongo.scan.storm");
	assert_int_equal(e->state, EVENT_END);
	assert_non_null(strstr(e->text, "until no more was heard"));
}

static void a_clock_that_goes_back_begins_another_watch(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	scan_for(2);
	seconds_now -= 20;
	seconds_pass(scan(3));
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
	assert_null(seconds_verdict("mongo.scan.storm"));
}

/* Without $currentOp the counters tell the end. */
static void counters_alone_see_it_through(void **state)
{
	struct second batch = {
		.pages = 9000, .clean = 9000, .docs = 90000, .keys = 5000, .scans = 1};

	(void)state;
	seconds_pass_many(30, blind);
	seconds_pass_many(4, batch);
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_BEGIN);
	seconds_pass(blind);
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
	assert_int_equal(seconds_model->nevents, 2);
}

/* $currentOp is not in every poll: one slow second between two is not its end. */
static void a_lull_between_two_looks_is_not_the_end(void **state)
{
	struct second lull = blind, unasked = scan(2);

	(void)state;
	lull.pages = lull.clean = 150;
	unasked.ops = false;
	unasked.op[0] = (struct test_op){0};
	seconds_pass_many(30, quiet);
	scan_for(2);
	seconds_pass(lull);
	assert_non_null(seconds_verdict("mongo.scan.storm"));
	seconds_pass(unasked);
	seconds_pass(scan(4));
	assert_int_equal(seconds_model->nevents, 1);
	seconds_pass_many(4, blind); /* and if it is never asked again, reads that stay low are */
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
}

/* Counters of the old scan that arrive late, while its victims are read again, are no new scan. */
static void late_counters_are_not_another_scan(void **state)
{
	struct second unseen = scan(1), ended = storm, back = storm;

	(void)state;
	unseen.no_counts = ended.no_counts = true;
	ended.docs = 400000;
	ended.scans = 1;
	back.pages = back.clean = 3000;
	seconds_pass_many(30, quiet);
	seconds_pass_many(2, unseen);
	seconds_pass(ended); /* $currentOp no longer shows it */
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
	assert_true(seconds_datum(&seconds_event("mongo.scan.storm")->data, "scans")->null);
	seconds_pass(back); /* with the documents of four seconds */
	seconds_pass_many(3, back);
	assert_null(seconds_verdict("mongo.scan.storm"));
	assert_non_null(seconds_verdict("mongo.scan.evicting_hot_set"));
	assert_int_equal(seconds_model->nevents, 3); /* begin, end, promoted */
	assert_number(&seconds_verdict("mongo.scan.evicting_hot_set")->data, "scans", 1);
}

/* Ten polls a second: eviction in batches makes high rates of few pages. */
static void a_burst_of_few_pages_is_no_storm(void **state)
{
	struct second burst = quiet;

	(void)state;
	burst.pages = 300;
	burst.clean = 1000;
	seconds_step = 0.1;
	seconds_pass_many(200, quiet);
	seconds_pass_many(3, burst);
	seconds_pass_many(10, quiet);
	seconds_pass_many(3, burst);
	assert_int_equal(seconds_model->nevents, 0);
}

static void a_dip_of_a_tenth_of_a_second_is_no_end(void **state)
{
	(void)state;
	seconds_step = 0.1;
	seconds_pass_many(200, quiet);
	for (unsigned i = 0; i < 5; i++) {
		seconds_pass_many(3, storm);
		seconds_pass(quiet);
	}
	assert_int_equal(seconds_model->nevents, 1);
	seconds_pass_many(10, quiet);
	assert_int_equal(seconds_event("mongo.scan.read_storm")->state, EVENT_END);
	assert_int_equal(seconds_model->nevents, 2);
}

static void a_scan_in_tenths_of_a_second_is_one(void **state)
{
	(void)state;
	seconds_step = 0.1;
	seconds_pass_many(200, quiet);
	for (unsigned i = 0; i < 12; i++)
		seconds_pass(scan(0.1 * i));
	assert_non_null(seconds_verdict("mongo.scan.storm"));
	seconds_pass(again);
	assert_number(&seconds_event("mongo.scan.storm")->data, "pages_in", 12 * 900 + 102);
	seconds_pass_many(3, again);
	seconds_pass_many(5, quiet); /* half a second of calm is not yet the end of it */
	seconds_pass_many(5, again);
	assert_null(seconds_event("mongo.scan.recovered"));
	seconds_pass_many(25, quiet);
	assert_non_null(seconds_event("mongo.scan.recovered"));
}

/* It takes three polls to be large enough; their pages are its own, too. */
static void a_storm_has_the_pages_of_its_first_tenths(void **state)
{
	struct second slower = scan(0.1);

	(void)state;
	slower.pages = slower.clean = 1000;
	seconds_step = 0.1;
	seconds_pass_many(200, quiet);
	seconds_pass_many(2, slower);
	assert_null(seconds_event("mongo.scan.storm"));
	seconds_pass(slower);
	assert_number(&seconds_event("mongo.scan.storm")->data, "pages_in", 300);
	assert_number(&seconds_event("mongo.scan.storm")->data, "clean_out", 300);
}

/* ---- a cache with room ---- */

static struct second filling(double secs, double fill)
{
	struct second sec = scan(secs);

	sec.clean = 3;
	sec.fill = fill;
	return sec;
}

static void a_first_scan_of_a_cache_with_room_evicts_nobody(void **state)
{
	struct second empty = quiet;

	(void)state;
	empty.fill = 20;
	seconds_pass_many(30, empty);
	for (unsigned i = 0; i < 10; i++) {
		struct second sec = filling(0.5 + i, 20 + 4 * i);

		if (i == 5) { /* $currentOp is not in every poll */
			sec.ops = false;
			sec.op[0] = (struct test_op){0};
		}
		seconds_pass(sec);
		assert_non_null(seconds_verdict("mongo.scan.filling"));
	}
	assert_int_equal(seconds_verdict("mongo.scan.filling")->level, LEVEL_INFO);
	assert_text("mongo.scan.filling",
		"COLLSCAN on shop.orders (app report-job, 10 s) fills free "
		"cache: 9.00k pages/s in, 3 clean pages/s out");
	assert_text("mongo.scan.filling", "56.0 %");
	seconds_pass(empty);
	assert_null(seconds_verdict("mongo.scan.filling"));
	assert_int_equal(seconds_model->nevents, 0);
}

static void room_that_fills_without_a_scan_is_nothing(void **state)
{
	struct second empty = quiet, load = filling(1, 30);

	(void)state;
	empty.fill = 20;
	load.op[0] = (struct test_op){0};
	seconds_pass_many(30, empty);
	seconds_pass_many(5, load);
	assert_int_equal(seconds_model->nverdicts, 0);
}

/* Above the target eviction is at work: that is no room. */
static void above_the_target_nothing_is_called_room(void **state)
{
	struct second full = quiet;

	(void)state;
	full.fill = 85;
	seconds_pass_many(30, full);
	seconds_pass(filling(1, 85));
	assert_null(seconds_verdict("mongo.scan.filling"));
}

/* It filled the cache for longer than a base line reaches; then the hot set goes. */
static void a_scan_that_ran_out_of_room_is_the_cause(void **state)
{
	struct second empty = quiet;

	(void)state;
	empty.fill = 20;
	seconds_pass_many(30, empty);
	for (unsigned i = 0; i < 90; i++)
		seconds_pass(filling(0.5 + i, 20 + 0.6 * i));
	seconds_pass(scan(90.5));
	assert_text("mongo.scan.storm", "COLLSCAN on shop.orders");
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_BEGIN);
	assert_number(&seconds_event("mongo.scan.storm")->data, "pages_in", 9000);
	seconds_pass(scan(91.5));
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_BEGIN); /* it goes on */
	seconds_pass(quiet);
	assert_int_equal(seconds_event("mongo.scan.storm")->state, EVENT_END);
}

/* Misses after a restart, with room for what they read. */
static void a_warm_up_with_room_is_nothing(void **state)
{
	struct second warm = {.docs = 5000, .keys = 5000, .ops = true};

	(void)state;
	seconds_uptime = 3;
	for (unsigned i = 0; i < 60; i++) {
		warm.pages = 9000.0 * (60 - i) / 60;
		warm.fill = 1 + i;
		seconds_pass(warm);
	}
	assert_int_equal(seconds_model->nevents, 0);
	assert_int_equal(seconds_model->nverdicts, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, seconds_start, seconds_stop)
	const struct CMUnitTest tests[] = {
		TEST(no_judgement_without_a_base_line),
		TEST(a_scan_in_sight_is_named),
		TEST(without_proof_it_is_a_read_storm),
		TEST(a_lasting_read_storm_becomes_the_usual),
		TEST(a_long_scan_is_one_scan),
		TEST(writers_are_no_storm),
		TEST(pages_read_again_promote_it_and_recovery_is_timed),
		TEST(a_hot_set_that_stays_away_is_given_up),
		TEST(a_second_scan_is_another_one),
		TEST(an_old_scan_beside_the_recovery_is_not_another_one),
		TEST(pages_of_another_scan_are_not_read_again),
		TEST(a_restart_ends_the_course),
		TEST(a_restart_ends_the_recovery),
		TEST(the_run_before_a_restart_is_no_base_line),
		TEST(a_gap_in_the_storm_is_part_of_it),
		TEST(silence_ends_the_course),
		TEST(a_clock_that_goes_back_begins_another_watch),
		TEST(counters_alone_see_it_through),
		TEST(a_lull_between_two_looks_is_not_the_end),
		TEST(late_counters_are_not_another_scan),
		TEST(a_burst_of_few_pages_is_no_storm),
		TEST(a_dip_of_a_tenth_of_a_second_is_no_end),
		TEST(a_scan_in_tenths_of_a_second_is_one),
		TEST(a_storm_has_the_pages_of_its_first_tenths),
		TEST(a_first_scan_of_a_cache_with_room_evicts_nobody),
		TEST(room_that_fills_without_a_scan_is_nothing),
		TEST(above_the_target_nothing_is_called_room),
		TEST(a_scan_that_ran_out_of_room_is_the_cause),
		TEST(a_warm_up_with_room_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
