/*
 * What proves that a read storm is a scan, who is named for it, and what damage is told: nobody is
 * blamed for having been there, and no number is made up.
 */
#include "seconds.h"
#include "support.h"

#define SCANS "mongo.scan.storm"
#define READS "mongo.scan.read_storm"
#define CRIT  "mongo.scan.evicting_hot_set"

static const struct second quiet = {.pages = 20, .docs = 5000, .keys = 5000, .ops = true};
static const struct second blind = {.pages = 20, .docs = 5000, .keys = 5000};
static const struct second storm = {
	.pages = 9000, .clean = 9000, .docs = 5000, .keys = 5000, .ops = true};

static struct second with(struct second sec, unsigned i, struct test_op op)
{
	sec.op[i] = op;
	return sec;
}

static struct test_op scan_of(const char *ns, const char *app, double secs, unsigned opid)
{
	return (struct test_op){
		.plan = "COLLSCAN", .ns = ns, .app = app, .secs = secs, .opid = opid};
}

static void assert_text(const char *code, const char *part)
{
	const struct verdict *v = seconds_verdict(code);

	if (!v)
		fail_msg("no verdict %s", code);
	if (!strstr(v->text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, v->text);
}

static bool is_null(const char *code, const char *key)
{
	assert_non_null(seconds_event(code));
	return seconds_datum(&seconds_event(code)->data, key)->null;
}

static double number(const char *code, const char *key)
{
	assert_non_null(seconds_event(code));

	const struct datum *d = seconds_datum(&seconds_event(code)->data, key);

	assert_false(d->null);
	return d->num;
}

/* ---- the counters ---- */

/* Indexed reads of a new load examine documents, too, while some small scan is counted. */
static void a_new_load_is_not_a_scan(void **state)
{
	struct second load = storm;

	(void)state;
	load.docs = load.keys = 30000;
	load.scans = 1;
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, load);
	assert_non_null(seconds_verdict(READS));
	assert_null(seconds_verdict(SCANS));
}

/* An index that finds nothing: documents without keys, and no collection scan was counted. */
static void documents_alone_are_no_scan(void **state)
{
	struct second load = storm;

	(void)state;
	load.docs = 30000;
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, load);
	assert_non_null(seconds_verdict(READS));
	assert_null(seconds_verdict(SCANS));
}

/* A scan was counted, but it saw too few documents for what came in. */
static void a_small_scan_in_a_storm_does_not_explain_it(void **state)
{
	struct second load = storm;

	(void)state;
	load.docs = 8000;
	load.scans = 1;
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, load);
	assert_non_null(seconds_verdict(READS));
	assert_null(seconds_verdict(SCANS));
}

/* MongoDB 4.2 has no counter of collection scans. */
static void where_scans_are_not_counted_documents_must_do(void **state)
{
	struct second old = quiet, gone = storm;

	(void)state;
	old.no_scans = gone.no_scans = true;
	gone.docs = 400000;
	seconds_pass_many(30, old);
	seconds_pass(gone);
	assert_non_null(seconds_event(SCANS));
	assert_true(is_null(SCANS, "scans"));
}

/* Counters prove it late: the same thing, with the same id, is now a scan. */
static void proof_may_come_later(void **state)
{
	struct second begun = storm, ended = storm;
	uint64_t id;

	(void)state;
	begun.ops = ended.ops = false;
	ended.docs = 400000;
	ended.scans = 1;
	seconds_pass_many(30, blind);
	seconds_pass(begun);
	id = seconds_event(READS)->id;
	seconds_pass(ended);
	assert_int_equal(seconds_event(SCANS)->id, id);
	assert_text(SCANS, "did not show");
	assert_true(is_null(SCANS, "ns")); /* no culprit is invented */
	assert_true(is_null(SCANS, "secs"));
	assert_true(is_null(SCANS, "at_once"));
}

/* `metrics` come every 5 s: their documents are those of the whole storm, and so are its pages. */
static void counters_of_a_longer_time_prove_it_too(void **state)
{
	struct second dark = storm, told = storm;

	(void)state;
	dark.ops = told.ops = false;
	dark.docs = told.docs = 15000;
	dark.no_counts = true;
	told.scans = 1;
	seconds_pass_many(30, blind);
	seconds_pass_many(4, dark);
	assert_non_null(seconds_verdict(READS));
	seconds_pass(told);
	assert_non_null(seconds_verdict(SCANS));
	seconds_pass_many(4, dark); /* and it remains proven */
	seconds_pass(told);
	assert_non_null(seconds_verdict(SCANS));
	test_near(number(SCANS, "scans"), 1, 1e-6);
}

static void between_two_polls_it_is_one_point(void **state)
{
	struct second gone = storm;

	(void)state;
	gone.docs = 400000;
	gone.scans = 1;
	seconds_pass_many(30, quiet);
	seconds_pass(gone);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_POINT);
	assert_true(is_null(SCANS, "ns"));
	test_near(number(SCANS, "scans"), 1, 1e-6);
	seconds_pass_many(30, quiet);
	assert_int_equal(seconds_model->nevents, 1);
	assert_int_equal(seconds_model->nverdicts, 0);
}

/* Fifty a second, each over before $currentOp looks: a rate, nobody's name, and one storm. */
static void many_small_scans_are_one_storm_by_the_counter(void **state)
{
	struct second small = storm;

	(void)state;
	small.docs = 50000;
	small.scans = 50;
	seconds_pass_many(30, quiet);
	seconds_pass_many(8, small);
	assert_text(SCANS, "50 collection scans/s (by the counter) flood the cache");
	assert_int_equal(seconds_model->nevents, 1);
	seconds_pass(quiet);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_END);
	assert_non_null(strstr(seconds_event(SCANS)->text,
		"400 collection scans (by the counter) flooded the cache"));
	assert_true(is_null(SCANS, "ns"));
	test_near(number(SCANS, "scans"), 400, 1e-6);
	assert_int_equal(seconds_model->nevents, 2);
}

/* A node that scans its small collections all day: what is usual is not counted to the storm. */
static void usual_scans_are_not_counted(void **state)
{
	struct second busy = quiet, sec = with(storm, 0, scan_of("shop.orders", NULL, 1, 7));

	(void)state;
	busy.scans = 20;
	sec.scans = 22;
	seconds_pass_many(30, busy);
	seconds_pass(sec);
	test_near(number(SCANS, "scans"), 0, 1e-6);
	assert_text(SCANS, "COLLSCAN on shop.orders (1 s) floods");
}

/* ---- in sight ---- */

static void assert_no_scanner(struct test_op op)
{
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, with(storm, 0, op));
	assert_non_null(seconds_verdict(READS));
	assert_null(strstr(seconds_verdict(READS)->text, "COLLSCAN"));
	assert_null(seconds_verdict(SCANS));
}

/* A secondary scans the primary's oplog all day. */
static void following_the_oplog_is_no_scan(void **state)
{
	(void)state;
	assert_no_scanner(scan_of("local.oplog.rs", NULL, 2, 7));
}

static void a_tailable_cursor_is_no_scan(void **state)
{
	struct test_op op = scan_of("shop.queue", "worker", 0.8, 7);

	(void)state;
	op.command = "{find: ?, filter: {state: ?}, tailable: ?, awaitData: ?}";
	assert_no_scanner(op);
}

static void a_change_stream_is_no_scan(void **state)
{
	struct test_op op = scan_of("shop.orders", "connector", 0.8, 7);

	(void)state;
	op.command =
		"{aggregate: ?, pipeline: [{$changeStream: {fullDocument: ?}}, {$match: {a: ?}}]}";
	assert_no_scanner(op);
}

static void a_field_called_tailable_excuses_nobody(void **state)
{
	struct test_op op = scan_of("shop.orders", "report-job", 1, 7);

	(void)state;
	op.command = "{find: ?, filter: {a: ?, tailable: ?}}";
	seconds_pass_many(30, quiet);
	seconds_pass(with(storm, 0, op));
	assert_text(SCANS, "COLLSCAN on shop.orders");
}

/* It has run for five minutes without a storm: being there is no proof. */
static void an_old_scan_is_a_bystander(void **state)
{
	struct test_op old = scan_of("shop.archive", "nightly", 300, 3);

	(void)state;
	seconds_pass_many(30, with(quiet, 0, old));
	seconds_pass_many(3, with(storm, 0, old));
	assert_text(READS, "COLLSCAN on shop.archive (app nightly, 300 s) ran before it began");
	assert_null(seconds_verdict(SCANS));
	assert_true(is_null(READS, "ns"));
}

/* Unless the documents that are counted at its end prove it after all. */
static void a_bystander_whose_end_proves_it_is_named(void **state)
{
	struct test_op old = scan_of("shop.archive", "nightly", 300, 3);
	struct second ended = storm;

	(void)state;
	ended.docs = 4000000;
	ended.scans = 1;
	seconds_pass_many(30, with(quiet, 0, old));
	seconds_pass_many(3, with(storm, 0, old));
	seconds_pass(ended);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_END);
	assert_non_null(strstr(seconds_event(SCANS)->text, "COLLSCAN on shop.archive"));
}

static void beside_an_old_scan_the_new_one_is_named(void **state)
{
	struct second sec = with(storm, 0, scan_of("shop.archive", "nightly", 300, 3));

	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass(with(sec, 1, scan_of("shop.orders", "report-job", 1, 4)));
	assert_text(SCANS, "COLLSCAN on shop.orders (app report-job, 1 s)");
	test_near(number(SCANS, "at_once"), 1, 1e-6);
}

/* A small scan two seconds before, gone when the storm begins. */
static void a_scan_that_ended_before_the_storm_is_not_its_cause(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass(with(quiet, 0, scan_of("shop.settings", "web", 0.001, 3)));
	seconds_pass(quiet);
	seconds_pass_many(2, storm);
	assert_non_null(seconds_verdict(READS));
	assert_null(seconds_verdict(SCANS));
}

/* A second scan that nobody saw, while the hot set still comes back from the first. */
static void the_scan_before_is_not_blamed_for_the_next(void **state)
{
	struct second unseen = storm;

	(void)state;
	unseen.docs = 400000;
	unseen.scans = 1;
	seconds_pass_many(30, quiet);
	seconds_pass(with(storm, 0, scan_of("shop.orders", "report-job", 0.5, 3)));
	seconds_pass_many(2, quiet);
	seconds_pass(unseen);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_POINT);
	assert_true(is_null(SCANS, "ns"));
}

/* $currentOp is asked every other second: what it showed a second ago still holds. */
static void a_scan_seen_just_before_is_the_cause_until_it_is_asked_again(void **state)
{
	struct second unasked = storm;

	(void)state;
	unasked.ops = false;
	seconds_pass_many(30, quiet);
	seconds_pass(with(quiet, 0, scan_of("shop.orders", "report-job", 0.2, 3)));
	seconds_pass(unasked);
	assert_text(SCANS, "COLLSCAN on shop.orders");
}

static void several_at_once_are_counted_and_the_longest_is_named(void **state)
{
	struct second sec = with(storm, 0, scan_of("shop.orders", "report-job", 2, 3));

	(void)state;
	sec = with(sec, 1, scan_of("shop.items", "export", 4, 4));
	sec = with(sec, 2, scan_of("shop.users", "web", 1, 5));
	seconds_pass_many(30, quiet);
	seconds_pass(sec);
	assert_text(
		SCANS, "3 COLLSCANs, the longest on shop.items (app export, 4 s) flood the cache");
	test_near(number(SCANS, "at_once"), 3, 1e-6);
	assert_string_equal(seconds_datum(&seconds_event(SCANS)->data, "ns")->text, "shop.items");
	/* two of them end: the third goes on, and so does the storm */
	seconds_pass(with(storm, 0, scan_of("shop.users", "web", 2, 5)));
	assert_int_equal(seconds_model->nevents, 1);
	seconds_pass(quiet);
	assert_non_null(
		strstr(seconds_event(SCANS)->text, "3 COLLSCANs, the longest on shop.items"));
}

static void a_later_shorter_scan_does_not_take_the_blame(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	for (unsigned i = 1; i <= 9; i++)
		seconds_pass(with(storm, 0, scan_of("shop.orders", "report-job", i, 3)));
	seconds_pass(with(storm, 0, scan_of("shop.settings", "web", 0.01, 4)));
	seconds_pass(quiet);
	assert_non_null(strstr(seconds_event(SCANS)->text,
		"COLLSCANs, the longest on shop.orders (app report-job, 9 s)"));
}

/* One after another by the same job, as a batch does. */
static void scans_in_a_row_are_in_the_plural(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	for (unsigned i = 1; i <= 3; i++)
		seconds_pass(with(storm, 0, scan_of("shop.orders", "report-job", 0.4, 10 + i)));
	assert_text(SCANS, "COLLSCANs on shop.orders (app report-job) flood the cache");
}

static struct second batch(struct second sec, unsigned opid)
{
	struct test_op op = scan_of("shop.orders", "export", 0.05, opid);

	op.op = "getmore";
	return with(sec, 0, op);
}

/* A cursor: every batch is another operation, some polls see none, and the counter counts each. */
static void a_cursor_read_in_batches_is_one_scan(void **state)
{
	struct second between = storm;

	(void)state;
	between.scans = 2;
	seconds_pass_many(30, quiet);
	for (unsigned i = 1; i <= 10; i++)
		seconds_pass(i % 3 ? batch(between, 10 + i) : between);
	assert_text(SCANS, "COLLSCAN on shop.orders (app export) floods");
	assert_int_equal(seconds_model->nevents, 1);
	seconds_pass(quiet);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_END);
	assert_int_equal(seconds_model->nevents, 2);
}

/* The storm goes on, but the cursor is not seen any more: that is the hot set coming back. */
static void a_cursor_out_of_sight_for_long_is_over(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass(batch(storm, 11));
	seconds_pass_many(5, storm);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_BEGIN);
	seconds_pass_many(2, storm);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_END);
}

/* An export that has been reading for long: each batch is young, the cursor is not. */
static void an_old_cursor_is_a_bystander(void **state)
{
	struct second proof = storm;

	(void)state;
	for (unsigned i = 0; i < 30; i++)
		seconds_pass(batch(quiet, 10 + i));
	seconds_pass(batch(storm, 50));
	seconds_pass(batch(storm, 51));
	assert_text(READS, "COLLSCAN on shop.orders (app export) ran before it began");
	assert_null(seconds_verdict(SCANS));
	proof.docs = 400000; /* until the counters of its batches prove it */
	proof.scans = 1;
	seconds_pass(batch(proof, 52));
	assert_non_null(strstr(seconds_event(SCANS)->text, "COLLSCAN on shop.orders (app export)"));
}

/* Nothing else is known of an operation that has no plan yet. */
static void an_operation_without_a_plan_is_not_named(void **state)
{
	struct test_op op = {.ns = "shop.orders",
		.app = "report-job",
		.secs = 2,
		.command = "{find: ?, filter: {a: ?}}"};

	(void)state;
	assert_no_scanner(op);
}

/* ---- what else it may be ---- */

static void an_index_build_is_pointed_out(void **state)
{
	struct test_op op = {.ns = "shop.orders",
		.secs = 9,
		.command = "{createIndexes: ?, indexes: [{key: {a: ?}, name: ?}]}"};

	(void)state;
	assert_no_scanner(op);
	assert_non_null(strstr(seconds_verdict(READS)->next, "An index build is running"));
}

static void initial_sync_is_pointed_out(void **state)
{
	(void)state;
	seconds_role = "STARTUP2";
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, storm);
	assert_non_null(strstr(seconds_verdict(READS)->next, "initial sync"));
}

static void a_warm_up_is_pointed_out(void **state)
{
	(void)state;
	seconds_uptime = 20;
	seconds_pass_many(30, quiet);
	seconds_pass_many(3, storm);
	assert_non_null(strstr(seconds_verdict(READS)->next, "warms up"));
	seconds_uptime = 7200;
	seconds_pass(storm);
	assert_null(strstr(seconds_verdict(READS)->next, "warms up"));
}

/* Somebody starts to watch in the middle of it. */
static void a_scan_older_than_the_watch_is_shown_without_a_judgement(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 40; i++)
		seconds_pass(with(storm, 0, scan_of("shop.orders", "report-job", 95 + i, 3)));
	assert_int_equal(seconds_verdict(READS)->level, LEVEL_INFO);
	assert_text(
		READS, "COLLSCAN on shop.orders (app report-job, 134 s) began before this watch");
	assert_int_equal(seconds_model->nevents, 0);
	seconds_pass_many(3, quiet);
	assert_null(seconds_verdict(READS));
}

/* A node that reads and evicts all day, and a scan that begins: neither older nor a storm. */
static void a_young_scan_on_a_busy_node_is_nothing(void **state)
{
	(void)state;
	seconds_pass_many(30, storm);
	for (unsigned i = 0; i < 5; i++)
		seconds_pass(with(storm, 0, scan_of("shop.orders", "report-job", 0.5 + i, 3)));
	assert_int_equal(seconds_model->nverdicts, 0);
	assert_int_equal(seconds_model->nevents, 0);
}

/* $currentOp comes every other second: the sentence does not come and go with it. */
static void what_was_seen_a_second_ago_still_stands(void **state)
{
	struct second unasked = storm;

	(void)state;
	unasked.ops = false;
	for (unsigned i = 0; i < 20; i++) {
		seconds_pass(
			i % 2 ? unasked
			      : with(storm, 0, scan_of("shop.orders", "report-job", 95 + i, 3)));
		assert_true(i < 2 || seconds_verdict(READS)); /* the first has no rates yet */
	}
	seconds_pass(storm); /* asked, and gone */
	assert_null(seconds_verdict(READS));
}

/* ---- without the privilege ---- */

/* One's own operations only: that none of them scans tells neither an end nor that nobody does. */
static void own_operations_only_tell_nothing_of_others(void **state)
{
	struct second usual = quiet, batch = storm;

	(void)state;
	usual.own_only = batch.own_only = true;
	batch.docs = 90000;
	batch.scans = 1;
	seconds_pass_many(30, usual);
	seconds_pass_many(4, batch);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_BEGIN);
	assert_non_null(seconds_verdict(SCANS));
	seconds_pass(usual);
	assert_int_equal(seconds_event(SCANS)->state, EVENT_END);
	assert_int_equal(seconds_model->nevents, 2);
}

/* ---- the damage ---- */

static void latency_is_told_before_during_and_after(void **state)
{
	struct second usual = quiet, sec = with(storm, 0, scan_of("shop.orders", NULL, 1, 7));
	struct second back = {.pages = 500, .docs = 5000, .keys = 5000, .ops = true};

	(void)state;
	usual.reads = sec.reads = back.reads = 1000;
	usual.read_us = 128;
	sec.read_us = 512;
	back.read_us = 192;
	seconds_pass_many(30, usual);
	seconds_pass(sec);
	assert_int_equal(seconds_verdict(CRIT)->level, LEVEL_CRIT);
	assert_true(number(CRIT, "p50_before_us") >= 128 && number(CRIT, "p50_before_us") < 256);
	assert_true(number(CRIT, "p50_during_us") >= 512 && number(CRIT, "p50_during_us") < 1024);
	sec.read_us = 256; /* the worst is told */
	seconds_pass(sec);
	seconds_pass_many(2, back);
	assert_true(number(CRIT, "p50_during_us") >= 512);
	seconds_pass_many(4, usual);
	assert_true(number("mongo.scan.recovered", "p50_after_us") < 256);
	assert_true(number("mongo.scan.recovered", "p50_during_us") >= 512);
	assert_non_null(strstr(seconds_event("mongo.scan.recovered")->text, "read again, reads "));
}

static void without_histograms_there_is_no_latency(void **state)
{
	(void)state;
	seconds_pass_many(30, quiet);
	seconds_pass(with(storm, 0, scan_of("shop.orders", NULL, 1, 7)));
	assert_true(is_null(SCANS, "p50_before_us"));
	assert_true(is_null(SCANS, "p50_during_us"));
	seconds_pass_many(
		2, (struct second){.pages = 500, .docs = 5000, .keys = 5000, .ops = true});
	seconds_pass_many(4, quiet);
	assert_true(is_null("mongo.scan.recovered", "p50_after_us"));
	assert_null(strstr(seconds_event("mongo.scan.recovered")->text, "reads"));
}

/* The median of a handful of reads is an accident. */
static void a_few_slow_reads_do_not_promote_it(void **state)
{
	struct second usual = quiet, sec = with(storm, 0, scan_of("shop.orders", NULL, 1, 7));

	(void)state;
	usual.reads = sec.reads = 20;
	usual.read_us = 128;
	sec.read_us = 512;
	seconds_pass_many(30, usual);
	seconds_pass(sec);
	assert_non_null(seconds_verdict(SCANS));
	assert_null(seconds_verdict(CRIT));
	assert_true(is_null(SCANS, "p50_during_us"));
}

/* Where half of the reads are scans, their median is that of the scans. */
static void the_scans_own_latency_does_not_promote_it(void **state)
{
	struct second usual = quiet, sec = storm;

	(void)state;
	usual.reads = 150;
	usual.read_us = 128;
	sec.docs = 90000;
	sec.scans = sec.reads = 150;
	sec.read_us = 20000;
	seconds_pass_many(30, usual);
	seconds_pass_many(3, sec);
	assert_non_null(seconds_verdict(SCANS));
	assert_null(seconds_verdict(CRIT));
	assert_true(is_null(SCANS, "p50_during_us"));
}

/* Names of any length leave room for the numbers. */
static void long_names_do_not_push_the_numbers_out(void **state)
{
	struct second usual = quiet, sec = storm, back = {.pages = 500, .ops = true};
	char ns[200], app[200];

	(void)state;
	memset(ns, 'n', sizeof(ns) - 1);
	memset(app, 'a', sizeof(app) - 1);
	ns[sizeof(ns) - 1] = app[sizeof(app) - 1] = '\0';
	sec = with(sec, 0, scan_of(ns, app, 5, 3));
	sec = with(sec, 1, scan_of(ns, app, 1, 4));
	usual.reads = sec.reads = back.reads = 1000;
	usual.read_us = back.read_us = 128;
	sec.read_us = 512;
	seconds_pass_many(30, usual);
	seconds_pass(sec);
	assert_text(CRIT, "9.00k clean pages/s out, reads 192 → 768 µs");
	assert_text(CRIT, "nnn... (app aaa");
	seconds_pass(usual);
	seconds_pass_many(3, back);
	assert_text(CRIT, "pages read again, now 500/s");
	seconds_pass_many(4, usual);
	assert_non_null(strstr(seconds_event("mongo.scan.recovered")->text,
		"1.44k read again, reads 192 → 768 → 192 µs"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, seconds_start, seconds_stop)
	const struct CMUnitTest tests[] = {
		TEST(a_new_load_is_not_a_scan),
		TEST(documents_alone_are_no_scan),
		TEST(a_small_scan_in_a_storm_does_not_explain_it),
		TEST(where_scans_are_not_counted_documents_must_do),
		TEST(proof_may_come_later),
		TEST(counters_of_a_longer_time_prove_it_too),
		TEST(between_two_polls_it_is_one_point),
		TEST(many_small_scans_are_one_storm_by_the_counter),
		TEST(usual_scans_are_not_counted),
		TEST(following_the_oplog_is_no_scan),
		TEST(a_tailable_cursor_is_no_scan),
		TEST(a_change_stream_is_no_scan),
		TEST(a_field_called_tailable_excuses_nobody),
		TEST(an_old_scan_is_a_bystander),
		TEST(a_bystander_whose_end_proves_it_is_named),
		TEST(beside_an_old_scan_the_new_one_is_named),
		TEST(a_scan_that_ended_before_the_storm_is_not_its_cause),
		TEST(the_scan_before_is_not_blamed_for_the_next),
		TEST(a_scan_seen_just_before_is_the_cause_until_it_is_asked_again),
		TEST(several_at_once_are_counted_and_the_longest_is_named),
		TEST(a_later_shorter_scan_does_not_take_the_blame),
		TEST(scans_in_a_row_are_in_the_plural),
		TEST(a_cursor_read_in_batches_is_one_scan),
		TEST(a_cursor_out_of_sight_for_long_is_over),
		TEST(an_old_cursor_is_a_bystander),
		TEST(an_operation_without_a_plan_is_not_named),
		TEST(an_index_build_is_pointed_out),
		TEST(initial_sync_is_pointed_out),
		TEST(a_warm_up_is_pointed_out),
		TEST(a_scan_older_than_the_watch_is_shown_without_a_judgement),
		TEST(a_young_scan_on_a_busy_node_is_nothing),
		TEST(what_was_seen_a_second_ago_still_stands),
		TEST(own_operations_only_tell_nothing_of_others),
		TEST(latency_is_told_before_during_and_after),
		TEST(without_histograms_there_is_no_latency),
		TEST(a_few_slow_reads_do_not_promote_it),
		TEST(the_scans_own_latency_does_not_promote_it),
		TEST(long_names_do_not_push_the_numbers_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
