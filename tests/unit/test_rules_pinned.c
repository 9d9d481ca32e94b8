/*
 * Pinned timestamps. The truth is a capture of a real server on which a snapshot was opened at
 * t = 16, forgotten and released at t = 126: the hold is found with its holder, from the second in
 * which it exceeds the window by the window's length on, its lag is the capture's own to a second,
 * and it goes with the release. What no capture shows (other causes, other versions, missing
 * inputs) is told from figures made for it.
 */
#include "capture.h"
#include "hotset/hold.h"
#include "support.h"

#include <math.h>

#define BASE_MONO  INT64_C(500000000000)
#define BASE_WALL  INT64_C(1764536400000000000)
#define OPENED_T   16
#define RELEASED_T 126
#define HELD       "mongo.pinned.held"
#define MAJORITY   "mongo.repl.majority_stuck"

static struct model *m;
static int64_t now_s;

static int start(void **state)
{
	(void)state;
	m = model_create();
	now_s = 1000;
	return m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static const struct verdict *verdict(const char *code)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, code) == 0)
			return &m->verdicts[i];
	return NULL;
}

static void assert_level(const char *code, enum level level)
{
	const struct verdict *v = verdict(code);

	assert_string_equal(level_word(v ? v->level : LEVEL_OK), level_word(level));
}

static const struct datum *datum(const struct data *data, const char *key)
{
	for (unsigned i = 0; i < data->n; i++)
		if (strcmp(data->d[i].key, key) == 0)
			return &data->d[i];
	fail_msg("no %s in the data", key);
	return NULL;
}

static double number(const char *key)
{
	const struct datum *d = datum(&verdict(HELD)->data, key);

	return d->null ? (double)NAN : d->num;
}

static void assert_cause(const char *cause)
{
	assert_non_null(verdict(HELD));
	assert_string_equal(datum(&verdict(HELD)->data, "cause")->text, cause);
}

static void assert_says(const char *code, const char *part)
{
	if (!verdict(code) || !strstr(verdict(code)->text, part))
		fail_msg("\"%s\" is not in \"%s\"", part,
			verdict(code) ? verdict(code)->text : "(no verdict)");
}

/* ---- the capture ---- */

/* The arithmetic of the capture itself: the high word of the field, nothing else. */
static double seconds_of(const bson_t *doc, const char *field)
{
	char path[160];
	bson_iter_t top, it;

	snprintf(path, sizeof(path), "serverStatus.wiredTiger.transaction.%s", field);
	assert_true(bson_iter_init(&top, doc) && bson_iter_find_descendant(&top, path, &it));
	return (double)((uint64_t)bson_iter_as_int64(&it) >> 32);
}

static void check_levels(int t, double lag_s)
{
	const struct verdict *v = verdict(HELD);

	if (t < OPENED_T || lag_s <= 30) {
		if (v)
			assert_true(t >= RELEASED_T && t <= RELEASED_T + 6); /* it lingers 5 s */
		return;
	}
	/* window 30: above 30 s of excess */
	assert_level(HELD, lag_s - 30 > 30 ? LEVEL_WARN : LEVEL_OK);
}

static void check_holder(int t, double lag_s)
{
	const struct verdict *v = verdict(HELD);

	if (!v || t >= RELEASED_T)
		return;
	test_near(number("lag_s"), lag_s, 1);
	test_near(number("txn_open_s"), t - OPENED_T + 1, 0.1); /* at 16 it is 1 s old */
	test_near(number("limit_left_s"), 600 - number("txn_open_s"), 0.01);
	assert_cause("idle transaction");
	assert_string_equal(datum(&v->data, "app")->text, "report-job");
	assert_string_equal(datum(&v->data, "client")->text, "127.0.0.1:60546");
	assert_non_null(strstr(v->next, "killSessions"));
	assert_non_null(strstr(v->text, "inserts/s")); /* its size is known at checkpoints only */
}

static void check_reader(int t, const bson_t *doc)
{
	const struct value *v = m->ep[0]->frame.v;
	double reader_s = seconds_of(
		doc, "transaction range of timestamps pinned by the oldest active read timestamp");

	test_near(v[METRIC_MONGO_PINNED_READER].v, reader_s, 1);
	assert_int_equal(
		value_ok(v[METRIC_MONGO_PINNED_READER_TS]), t >= OPENED_T && t < RELEASED_T);
	assert_int_equal(v[METRIC_MONGO_PINNED_CHECKPOINT].why, REASON_NOT_SET);
	assert_int_equal(v[METRIC_MONGO_HS_GROWTH].why, REASON_AT_CHECKPOINTS);
}

static void check_events(int last_raised_t)
{
	const struct event *end = NULL, *begin = NULL;

	for (unsigned i = 0; i < m->nevents; i++) {
		const struct event *e = model_event(m, i);

		if (strcmp(e->code, HELD) != 0)
			continue;
		if (e->state == EVENT_END)
			end = e;
		else
			begin = e;
	}
	assert_non_null(begin);
	assert_non_null(end);
	assert_int_equal(begin->id, end->id);
	assert_string_equal(datum(&begin->data, "app")->text, "report-job");
	test_near((double)(begin->mono_ns - BASE_MONO) / 1e9, 78, 1.5);
	test_near((double)(end->mono_ns - BASE_MONO) / 1e9, last_raised_t + 6, 1.5);
	test_near(datum(&end->data, "lag_s")->num, 109, 1); /* the last one that held */
}

/* Operations are asked for every `every` polls. */
static void play_hold(int every)
{
	static const struct capture_params params = {30, 600, "PRIMARY", 0};
	struct capture *c = capture_open("tests/fixtures/captures/held-snapshot.bson.gz");
	const bson_t *doc;
	int last = 0;

	assert_non_null(c);
	while ((doc = capture_next(c))) {
		struct sample *s = capture_sample(doc, BASE_MONO, BASE_WALL);
		double lag_s = seconds_of(doc, "transaction range of timestamps currently pinned");
		int t = (int)(capture_time(doc) + 0.5);

		capture_apply(s, &params);
		if (t % every != 0)
			capture_drop_ops(s);
		model_push(m, s);
		test_near(m->ep[0]->frame.v[METRIC_MONGO_PINNED_LAG].v, lag_s, 1);
		test_near(m->ep[0]->frame.v[METRIC_MONGO_PINNED_EXCESS].v, lag_s - 30, 1);
		check_levels(t, lag_s);
		check_holder(t, lag_s);
		check_reader(t, doc);
		if (verdict(HELD) && t < RELEASED_T)
			last = t;
		assert_null(verdict(MAJORITY));
	}
	capture_close(c);
	assert_int_equal(last, RELEASED_T - 1);
	check_events(last);
}

static void a_forgotten_snapshot_is_found_and_goes(void **state)
{
	(void)state;
	play_hold(1);
}

/* As in life: most polls do not ask for operations, and the holder stays named. */
static void the_holder_stays_named_between_two_looks(void **state)
{
	(void)state;
	play_hold(2);
}

static void assert_silent(const char *name)
{
	char path[128];
	struct capture *c;
	const bson_t *doc;

	snprintf(path, sizeof(path), "tests/fixtures/captures/%s.bson.gz", name);
	c = capture_open(path);
	assert_non_null(c);
	while ((doc = capture_next(c))) {
		static const struct capture_params standalone = {300, 60, NULL, 0};
		struct sample *s = capture_sample(doc, BASE_MONO, BASE_WALL);
		struct hold h;

		capture_apply(s, &standalone);
		model_push(m, s);
		hold_find(m->ep[0], &h);
		assert_int_equal(h.cause, HOLD_WINDOW);
		assert_null(h.holder.row);
		assert_null(verdict(HELD));
	}
	capture_close(c);
}

/* A standalone pins no timestamps, whatever its parameter of the window says. */
static void updates_on_a_standalone_hold_nothing(void **state)
{
	(void)state;
	assert_silent("heavy-writes");
}

static void an_idle_server_holds_nothing(void **state)
{
	(void)state;
	assert_silent("idle");
}

/* ---- causes ---- */

struct hold_input {
	double lag, window, reader, reader_ts, checkpoint, oldest, available, majority;
	double requests, backup, limited, limit;
};

static void set_positive(struct sample *s, enum metric_id id, double v)
{
	if (v > 0)
		sample_set_f64(s, id, v);
}

static struct sample *sample_of(struct hold_input h)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	now_s++;
	s->status = STATUS_OK;
	s->mono_ns = s->wall_ns = now_s * 1000000000;
	s->epoch = 1;
	sample_set_f64(s, METRIC_MONGO_PINNED_LAG, h.lag);
	sample_set_f64(s, METRIC_MONGO_PINNED_READER, h.reader);
	set_positive(s, METRIC_MONGO_PINNED_WINDOW, h.window);
	set_positive(s, METRIC_MONGO_PINNED_READER_TS, h.reader_ts);
	set_positive(s, METRIC_MONGO_PINNED_CHECKPOINT, h.checkpoint);
	set_positive(s, METRIC_MONGO_PINNED_OLDEST, h.oldest);
	set_positive(s, METRIC_MONGO_PINNED_AVAILABLE, h.available);
	set_positive(s, METRIC_MONGO_REPL_MAJORITY_LAG, h.majority);
	set_positive(s, METRIC_MONGO_PINNED_LIMIT, h.limit);
	sample_set_f64(s, METRIC_MONGO_PINNED_REQUESTS, h.requests);
	sample_set_f64(s, METRIC_MONGO_PINNED_BACKUP, h.backup);
	sample_set_f64(s, METRIC_MONGO_FLOW_LIMITED, h.limited);
	return s;
}

struct txn {
	const char *app, *state;              /* state NULL: an older server, or no transaction */
	double open_s, left_s, read_ts, secs; /* 0: not sent */
};

static void add_txn(struct sample *s, struct txn t)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);

	assert_non_null(row);
	raw_set_u64(&row[COL_MONGO_OP_OPID], s->tables[TABLE_MONGO_OP].n);
	raw_set_text(s, &row[COL_MONGO_OP_APP], t.app, strlen(t.app));
	if (t.state)
		raw_set_text(s, &row[COL_MONGO_OP_TXN], t.state, strlen(t.state));
	if (t.open_s > 0)
		raw_set_f64(&row[COL_MONGO_OP_TXN_OPEN], t.open_s);
	if (t.left_s < 0 || t.left_s > 0)
		raw_set_f64(&row[COL_MONGO_OP_TXN_LEFT], t.left_s);
	if (t.read_ts > 0)
		raw_set_f64(&row[COL_MONGO_OP_READ_TS], t.read_ts);
	if (t.secs > 0)
		raw_set_f64(&row[COL_MONGO_OP_SECS], t.secs);
}

static void push(struct hold_input h, const struct txn *txns, unsigned n)
{
	struct sample *s = sample_of(h);

	s->tables[TABLE_MONGO_OP].asked = true;
	for (unsigned i = 0; i < n; i++)
		add_txn(s, txns[i]);
	model_push(m, s);
}

static void a_hold_begins_beyond_its_bar(void **state)
{
	(void)state;
	push((struct hold_input){.lag = 390, .window = 300}, NULL, 0); /* 90 s at most */
	assert_level(HELD, LEVEL_OK);
	push((struct hold_input){.lag = 391, .window = 300}, NULL, 0);
	assert_level(HELD, LEVEL_WARN);
	push((struct hold_input){.lag = 601, .window = 300}, NULL, 0);
	assert_level(HELD, LEVEL_CRIT);
	assert_cause("unknown");
	assert_says(HELD, "no transaction");
}

static void a_short_window_has_a_low_bar(void **state)
{
	(void)state;
	push((struct hold_input){.lag = 15, .window = 5}, NULL, 0);
	assert_level(HELD, LEVEL_OK);
	push((struct hold_input){.lag = 16, .window = 5}, NULL, 0);
	assert_level(HELD, LEVEL_WARN);
}

/* Of several transactions it is the one at the reader's timestamp, not the longest open one. */
static void the_holder_is_whose_timestamp_it_is(void **state)
{
	static const struct txn txns[] = {
		{"writer", "active", 900, -840, 0, 0}, /* reads at no timestamp */
		{"other", "active", 420, 180, 5050, 0},
		{"report-job", "idle", 410, 190, 5000, 0},
	};

	(void)state;
	push((struct hold_input){.lag = 412, .window = 300, .reader = 411, .reader_ts = 5001}, txns,
		3);
	assert_level(HELD, LEVEL_WARN);
	assert_string_equal(datum(&verdict(HELD)->data, "app")->text, "report-job");
	test_near(number("limit_left_s"), 190, 0);
	assert_non_null(strstr(verdict(HELD)->next, "190 s to 250 s")); /* the reaper, 60 s */
	assert_cause("idle transaction");
}

static void nobody_is_blamed_for_anothers_timestamp(void **state)
{
	static const struct txn txns[] = {{"other", "active", 420, 180, 5050, 0}};
	struct hold_input h = {.lag = 412, .window = 300, .reader = 411, .reader_ts = 5000};
	struct sample *s;

	(void)state;
	push(h, txns, 1);
	assert_cause("reader not shown");
	assert_true(datum(&verdict(HELD)->data, "app")->null);
	assert_null(strstr(verdict(HELD)->text, "other"));
	s = sample_of(h); /* where only own operations may be seen, that is the advice */
	s->status = STATUS_PARTIAL;
	err_set(&s->err, ERR_AUTH, "needs inprog");
	s->tables[TABLE_MONGO_OP].asked = true;
	model_push(m, s);
	assert_non_null(strstr(verdict(HELD)->next, "inprog"));
}

/* Servers before 4.2 have no timestamp to compare: then it is said to be the longest, no more. */
static void without_timestamps_the_longest_is_named_as_such(void **state)
{
	static const struct txn txns[] = {
		{"short", NULL, 20, 0, 0, 0}, {"report-job", NULL, 411, 0, 0, 0}};

	(void)state;
	push((struct hold_input){.lag = 412, .window = 300, .reader = 411, .limit = 600}, txns, 2);
	assert_cause("open transaction");
	assert_says(HELD, "the longest: app report-job");
	test_near(number("limit_left_s"), 600 - 411, 0);
}

static void a_prepared_transaction_has_no_end(void **state)
{
	static const struct txn txns[] = {{"pay", "prepared", 411, 0, 5000, 0}};

	(void)state;
	push(
		(struct hold_input){
			.lag = 412, .window = 300, .reader = 411, .reader_ts = 5000, .limit = 600},
		txns, 1);
	assert_cause("prepared transaction");
	assert_true(isnan(number("limit_left_s")));
	assert_non_null(strstr(verdict(HELD)->next, "coordinator"));
}

static void a_snapshot_read_outside_a_transaction(void **state)
{
	static const struct txn txns[] = {{"export", NULL, 0, 0, 5000, 412}};

	(void)state;
	push(
		(struct hold_input){
			.lag = 412, .window = 300, .reader = 411, .reader_ts = 5000, .limit = 60},
		txns, 1);
	assert_cause("snapshot read");
	assert_says(HELD, "app export");
	assert_true(isnan(number("limit_left_s"))); /* the limit is for transactions */
}

/* A reader that lags less than what is pinned is not the cause, and is not named. */
static void causes_other_than_readers(void **state)
{
	static const struct txn txns[] = {{"innocent", "active", 20, 40, 5000, 0}};
	const struct {
		struct hold_input h;
		const char *cause;
	} cases[] = {
		{{.lag = 700, .window = 300, .reader = 20, .checkpoint = 699}, "checkpoint"},
		{{.lag = 700, .window = 300, .reader = 20, .requests = 1}, "internal pin"},
		{{.lag = 700, .window = 300, .reader = 20, .requests = 1, .backup = 1},
			"backup cursor"},
		/* stable is far ahead of oldest, farther than the window: something keeps oldest */
		{{.lag = 700, .window = 300, .reader = 20, .oldest = 699, .available = 697},
			"internal pin"},
		/* the newest write is far ahead of stable */
		{{.lag = 700, .window = 300, .reader = 20, .oldest = 699, .available = 300},
			"majority point stuck"},
		{{.lag = 700, .window = 300, .reader = 20, .limited = 1}, "majority point stuck"},
		{{.lag = 700,
			 .window = 300,
			 .reader = 20,
			 .oldest = 699,
			 .available = 300,
			 .requests = 1},
			"majority point stuck"},
		{{.lag = 700,
			 .window = 300,
			 .reader = 20,
			 .oldest = 699,
			 .available = 697,
			 .requests = 1,
			 .limited = 1},
			"internal pin"},
		/* both, and the pin keeps more */
		{{.lag = 700,
			 .window = 300,
			 .reader = 20,
			 .oldest = 699,
			 .available = 649,
			 .requests = 1},
			"internal pin"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hold_input h = cases[i].h;

		h.reader_ts = 5000;
		push(h, txns, 1);
		assert_cause(cases[i].cause);
		assert_true(datum(&verdict(HELD)->data, "app")->null);
		assert_null(strstr(verdict(HELD)->text, "innocent"));
	}
}

/* ---- transactions beyond their limit ---- */

static void push_open(double open_s, double limit_s, const char *txn)
{
	const struct txn t = {"report-job", txn, open_s, 0, 0, 0};

	push((struct hold_input){.lag = 300, .window = 300, .limit = limit_s}, &t, 1);
}

static void a_transaction_beyond_the_servers_limit(void **state)
{
	(void)state;
	push_open(89, 60, "active");
	assert_level(HELD, LEVEL_OK);
	push_open(91, 60, "active");
	assert_level(HELD, LEVEL_WARN);
	assert_says(HELD, "open for 91 s, past the server's own limit of 60 s");
	assert_says(HELD, "report-job");
	test_near(number("lag_s"), 300, 0);
}

static void an_unknown_limit_is_not_passed(void **state)
{
	(void)state;
	push_open(9000, 0, "active");
	assert_level(HELD, LEVEL_OK);
}

/* The limit at its begin counts: a parameter that was lowered since is for later ones. */
static void a_transaction_keeps_its_own_limit(void **state)
{
	static const struct txn own = {"report-job", "active", 400, 200, 0, 0};

	(void)state;
	push((struct hold_input){.lag = 300, .window = 300, .limit = 60}, &own, 1);
	assert_level(HELD, LEVEL_OK);
}

/* ---- the majority commit point ---- */

static void a_stuck_commit_point_is_no_hold_but_is_said(void **state)
{
	(void)state;
	push((struct hold_input){.lag = 390, .window = 300, .majority = 90}, NULL, 0);
	assert_level(MAJORITY, LEVEL_OK);
	push((struct hold_input){.lag = 900, .window = 300, .majority = 600, .limited = 1}, NULL,
		0);
	assert_level(HELD, LEVEL_OK); /* excess 0 */
	assert_level(MAJORITY, LEVEL_WARN);
	assert_says(MAJORITY, "flow control");
}

/* ---- the history store ---- */

static void push_size(double size, bool file)
{
	struct sample *s = sample_of((struct hold_input){.lag = 391, .window = 300});

	sample_set_f64(s, METRIC_MONGO_HS_SIZE, size);
	if (file)
		sample_set_f64(s, METRIC_MONGO_HS_REUSABLE, 4096);
	model_push(m, s);
}

static void growth_is_of_the_file_and_of_the_last_minute(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		push_size(8e6 + 1e6 * i, true);
		assert_int_equal(
			m->ep[0]->frame.v[METRIC_MONGO_HS_GROWTH].why, REASON_NEEDS_HISTORY);
	}
	push_size(18e6, true);
	test_near(m->ep[0]->frame.v[METRIC_MONGO_HS_GROWTH].v, 1e6, 1);
	assert_says(HELD, "+57.2 MiB/min");
	for (int i = 0; i < 60; i++)
		push_size(18e6, true);
	test_near(m->ep[0]->frame.v[METRIC_MONGO_HS_GROWTH].v, 0, 0); /* it does not shrink */
}

static void a_size_of_the_last_checkpoint_has_no_growth(void **state)
{
	(void)state;
	for (int i = 0; i < 30; i++)
		push_size(8e6 + 1e6 * i, false);
	assert_int_equal(m->ep[0]->frame.v[METRIC_MONGO_HS_GROWTH].why, REASON_AT_CHECKPOINTS);
	assert_null(strstr(verdict(HELD)->text, "/min"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_forgotten_snapshot_is_found_and_goes),
		TEST(the_holder_stays_named_between_two_looks),
		TEST(updates_on_a_standalone_hold_nothing),
		TEST(an_idle_server_holds_nothing),
		TEST(a_hold_begins_beyond_its_bar),
		TEST(a_short_window_has_a_low_bar),
		TEST(the_holder_is_whose_timestamp_it_is),
		TEST(nobody_is_blamed_for_anothers_timestamp),
		TEST(without_timestamps_the_longest_is_named_as_such),
		TEST(a_prepared_transaction_has_no_end),
		TEST(a_snapshot_read_outside_a_transaction),
		TEST(causes_other_than_readers),
		TEST(a_transaction_beyond_the_servers_limit),
		TEST(an_unknown_limit_is_not_passed),
		TEST(a_transaction_keeps_its_own_limit),
		TEST(a_stuck_commit_point_is_no_hold_but_is_said),
		TEST(growth_is_of_the_file_and_of_the_last_minute),
		TEST(a_size_of_the_last_checkpoint_has_no_growth),
	};
#undef TEST

	return cmocka_run_group_tests(tests, NULL, NULL);
}
