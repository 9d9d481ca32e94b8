/*
 * The course of a scan where the captures do not go: without $currentOp, without proof, across a
 * restart, twice in a row, with writes, and when the hot set does not come back.
 */
#include "hotset/model.h"
#include "support.h"

#include <math.h>

static struct model *m;
static double now; /* seconds */

/* What happens in one second. */
struct second {
	double pages, clean, dirty, docs, scans;
	bool ops;          /* $currentOp is asked for */
	bool no_docs;      /* `metrics` is not */
	const char *op_ns; /* a COLLSCAN that it shows */
};

static struct second sums;
static uint64_t epoch;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now = 1000;
	epoch = 1;
	sums = (struct second){0};
	return m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static void add_operation(struct sample *s, const char *ns)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);

	assert_non_null(row);
	raw_set_u64(&row[COL_MONGO_OP_OPID], 7);
	raw_set_text(s, &row[COL_MONGO_OP_PLAN], "COLLSCAN", 8);
	raw_set_text(s, &row[COL_MONGO_OP_NS], ns, strlen(ns));
	raw_set_text(s, &row[COL_MONGO_OP_APP], "report-job", 10);
	raw_set_f64(&row[COL_MONGO_OP_SECS], 9);
}

static void pass(struct second sec)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	now += 1;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = (int64_t)(now * 1e9);
	s->epoch = epoch;
	sums.pages += sec.pages;
	sums.clean += sec.clean;
	sums.dirty += sec.dirty;
	sums.docs += sec.docs;
	sums.scans += sec.scans;
	sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, (uint64_t)sums.pages);
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, (uint64_t)sums.clean);
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_DIRTY_TOTAL, (uint64_t)sums.dirty);
	if (sec.no_docs) {
		sample_set_missing(s, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, REASON_NOT_ASKED);
		sample_set_missing(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, REASON_NOT_ASKED);
	} else {
		sample_set_u64(s, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, (uint64_t)sums.docs);
		sample_set_u64(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, (uint64_t)sums.scans);
	}
	s->tables[TABLE_MONGO_OP].asked = sec.ops;
	if (sec.op_ns)
		add_operation(s, sec.op_ns);
	model_push(m, s);
}

static void pass_many(unsigned n, struct second sec)
{
	while (n-- > 0)
		pass(sec);
}

static const struct second quiet = {.pages = 20, .docs = 5000, .ops = true};
static const struct second blind = {.pages = 20, .docs = 5000};
static const struct second storm = {.pages = 9000, .clean = 9000, .docs = 5000, .ops = true};
static const struct second scan = {
	.pages = 9000, .clean = 9000, .docs = 5000, .ops = true, .op_ns = "shop.orders"};

static const struct event *newest(const char *code)
{
	const struct event *e;

	for (unsigned i = 0; (e = model_event(m, i)); i++)
		if (strcmp(e->code, code) == 0)
			return e;
	return NULL;
}

static const struct verdict *verdict(const char *code)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, code) == 0)
			return &m->verdicts[i];
	return NULL;
}

static bool is_skipped(void)
{
	for (unsigned i = 0; i < m->nskipped; i++)
		if (strcmp(m->skipped[i].code, "mongo.scan.storm") == 0)
			return true;
	return false;
}

static void no_judgement_without_a_base_line(void **state)
{
	(void)state;
	pass_many(5, scan);
	assert_true(is_skipped());
	assert_null(verdict("mongo.scan.storm"));
	pass_many(10, quiet);
	assert_false(is_skipped());
}

static void a_scan_in_sight_is_named(void **state)
{
	(void)state;
	pass_many(30, quiet);
	pass(scan);
	assert_non_null(verdict("mongo.scan.storm"));
	assert_non_null(strstr(verdict("mongo.scan.storm")->text,
		"COLLSCAN on shop.orders (app report-job, 9 s)"));
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_BEGIN);
	pass_many(3, scan);
	pass(quiet);
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_END);
	pass_many(20, quiet);
	assert_int_equal(m->nverdicts, 0);
	assert_int_equal(m->nevents, 2);
}

/* Initial sync, an index build: pages come and go, but nobody scans. */
static void without_proof_it_is_a_read_storm(void **state)
{
	(void)state;
	pass_many(30, quiet);
	pass_many(3, storm);
	assert_int_equal(verdict("mongo.scan.read_storm")->level, LEVEL_INFO);
	assert_non_null(strstr(verdict("mongo.scan.read_storm")->text, "not proven"));
	pass(quiet);
	assert_null(verdict("mongo.scan.read_storm"));
	assert_int_equal(newest("mongo.scan.read_storm")->state, EVENT_END);
	assert_null(newest("mongo.scan.storm"));
}

/* Point reads of a new load examine documents, too; no collection scan was counted. */
static void a_new_load_is_not_a_scan(void **state)
{
	struct second load = storm;

	(void)state;
	load.docs = 30000;
	pass_many(30, quiet);
	pass_many(3, load);
	assert_non_null(verdict("mongo.scan.read_storm"));
	assert_null(verdict("mongo.scan.storm"));
}

/* Counters prove it late: the same thing, with the same id, is now a scan. */
static void proof_may_come_later(void **state)
{
	struct second ended = storm;
	uint64_t id;

	(void)state;
	ended.docs = 400000;
	ended.scans = 1;
	ended.ops = false;
	pass_many(30, blind);
	pass((struct second){.pages = 9000, .clean = 9000, .docs = 5000});
	id = newest("mongo.scan.read_storm")->id;
	pass(ended);
	assert_int_equal(newest("mongo.scan.storm")->id, id);
	assert_non_null(strstr(verdict("mongo.scan.storm")->text, "did not show"));
	assert_true(newest("mongo.scan.storm")->data.d[0].null); /* no culprit is invented */
}

static void between_two_polls_it_is_one_point(void **state)
{
	struct second gone = storm;

	(void)state;
	gone.docs = 400000;
	gone.scans = 1;
	pass_many(30, quiet);
	pass(gone);
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_POINT);
	pass_many(30, quiet);
	assert_int_equal(m->nevents, 1);
	assert_int_equal(m->nverdicts, 0);
}

/* Evictions of modified pages tell that writers, not a reader, fill the cache. */
static void writers_are_no_storm(void **state)
{
	struct second writes = scan;

	(void)state;
	writes.dirty = 4000;
	pass_many(30, quiet);
	pass_many(5, writes);
	assert_null(verdict("mongo.scan.storm"));
	assert_null(verdict("mongo.scan.read_storm"));
}

/* A secondary scans the primary's oplog all day. */
static void following_the_oplog_is_no_scan(void **state)
{
	struct second tail = storm;

	(void)state;
	tail.op_ns = "local.oplog.rs";
	pass_many(30, quiet);
	pass_many(3, tail);
	assert_null(verdict("mongo.scan.storm"));
}

static void pages_read_again_promote_it_and_recovery_is_timed(void **state)
{
	struct second again = quiet;
	const struct event *e;
	uint64_t id;

	(void)state;
	again.pages = 1020;
	again.clean = 1000;
	pass_many(30, quiet);
	pass_many(3, scan);
	pass(quiet); /* over */
	id = newest("mongo.scan.storm")->id;
	pass_many(5, again);
	assert_int_equal(verdict("mongo.scan.evicting_hot_set")->level, LEVEL_CRIT);
	assert_int_equal(newest("mongo.scan.evicting_hot_set")->id, id);
	assert_int_equal(verdict("mongo.scan.evicting_hot_set")->event_id, id);
	pass_many(3, quiet);
	e = newest("mongo.scan.recovered");
	assert_non_null(e);
	assert_int_equal(e->id, id);
	assert_int_equal(e->state, EVENT_POINT);
	assert_string_equal(e->data.d[1].key, "reread_pages");
	test_near(e->data.d[1].num, 5000, 1);
	assert_string_equal(e->data.d[2].key, "recovery_s");
	test_near(e->data.d[2].num, 6, 1e-6);
	pass(quiet);
	assert_int_equal(m->nverdicts, 0);
}

static void a_hot_set_that_stays_away_is_given_up(void **state)
{
	struct second again = quiet;
	const struct event *e;

	(void)state;
	again.pages = 120;
	pass_many(30, quiet);
	pass_many(3, scan);
	pass(quiet);
	pass_many(119, again);
	assert_null(newest("mongo.scan.recovered"));
	pass(again);
	e = newest("mongo.scan.recovered");
	assert_non_null(e);
	assert_true(e->data.d[2].null);
}

static void a_second_scan_is_another_one(void **state)
{
	uint64_t first, second;

	(void)state;
	pass_many(30, quiet);
	pass_many(3, scan);
	first = newest("mongo.scan.storm")->id;
	pass(quiet);
	pass(scan);
	second = newest("mongo.scan.storm")->id;
	assert_int_not_equal(first, second);
	pass_many(2, scan);
	pass(quiet);
	assert_int_equal(newest("mongo.scan.storm")->id, second);
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_END);
}

/* What was running before a restart is nobody's concern afterwards. */
static void a_restart_forgets_the_course(void **state)
{
	(void)state;
	pass_many(30, quiet);
	pass_many(2, scan);
	epoch = 2;
	sums = (struct second){0};
	pass(quiet);
	assert_null(verdict("mongo.scan.storm"));
	pass_many(3, quiet);
	assert_null(verdict("mongo.scan.storm"));
	assert_null(newest("mongo.scan.recovered"));
}

/* Without $currentOp the counters tell the end. */
static void counters_alone_see_it_through(void **state)
{
	struct second batch = {.pages = 9000, .clean = 9000, .docs = 90000, .scans = 1};

	(void)state;
	pass_many(30, blind);
	pass_many(4, batch);
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_BEGIN);
	pass(blind);
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_END);
	assert_int_equal(m->nevents, 2);
}

/* Counters of the old scan that arrive late, while its victims are read again, are no new scan. */
static void late_counters_are_not_another_scan(void **state)
{
	struct second unseen = scan, ended = storm, again = storm;

	(void)state;
	unseen.no_docs = ended.no_docs = true;
	ended.docs = 400000;
	ended.scans = 1;
	again.pages = again.clean = 3000;
	pass_many(30, quiet);
	pass_many(2, unseen);
	pass(ended); /* $currentOp no longer shows it */
	assert_int_equal(newest("mongo.scan.storm")->state, EVENT_END);
	pass(again); /* with the documents of four seconds */
	pass_many(3, again);
	assert_null(verdict("mongo.scan.storm"));
	assert_non_null(verdict("mongo.scan.evicting_hot_set"));
	assert_int_equal(m->nevents, 3); /* begin, end, promoted */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_judgement_without_a_base_line, start, stop),
		cmocka_unit_test_setup_teardown(a_scan_in_sight_is_named, start, stop),
		cmocka_unit_test_setup_teardown(without_proof_it_is_a_read_storm, start, stop),
		cmocka_unit_test_setup_teardown(a_new_load_is_not_a_scan, start, stop),
		cmocka_unit_test_setup_teardown(proof_may_come_later, start, stop),
		cmocka_unit_test_setup_teardown(between_two_polls_it_is_one_point, start, stop),
		cmocka_unit_test_setup_teardown(writers_are_no_storm, start, stop),
		cmocka_unit_test_setup_teardown(following_the_oplog_is_no_scan, start, stop),
		cmocka_unit_test_setup_teardown(
			pages_read_again_promote_it_and_recovery_is_timed, start, stop),
		cmocka_unit_test_setup_teardown(a_hot_set_that_stays_away_is_given_up, start, stop),
		cmocka_unit_test_setup_teardown(a_second_scan_is_another_one, start, stop),
		cmocka_unit_test_setup_teardown(a_restart_forgets_the_course, start, stop),
		cmocka_unit_test_setup_teardown(counters_alone_see_it_through, start, stop),
		cmocka_unit_test_setup_teardown(late_counters_are_not_another_scan, start, stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
