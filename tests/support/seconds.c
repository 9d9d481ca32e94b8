#include "seconds.h"

#include "support.h"

struct model *seconds_model;
uint64_t seconds_epoch;
double seconds_now, seconds_step, seconds_uptime;
const char *seconds_role;

#define LATENCIES_MAX 8u

static struct second sums;
static struct {
	double from, count;
} latencies[LATENCIES_MAX];
static unsigned nlatencies;

int seconds_start(void **state)
{
	(void)state;
	seconds_model = model_create();
	seconds_now = 1000;
	seconds_step = 1;
	seconds_uptime = 0;
	seconds_epoch = 1;
	seconds_role = "";
	sums = (struct second){0};
	nlatencies = 0;
	memset(latencies, 0, sizeof(latencies));
	return seconds_model && model_add(seconds_model, KIND_MONGO, "mongo@x", "x", "x", 600) ? 0
											       : -1;
}

int seconds_stop(void **state)
{
	(void)state;
	model_destroy(seconds_model);
	return 0;
}

static void set_text(struct sample *s, struct raw *cell, const char *text)
{
	if (text)
		raw_set_text(s, cell, text, strlen(text));
}

static void add_operation(struct sample *s, const struct test_op *op)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);

	assert_non_null(row);
	raw_set_u64(&row[COL_MONGO_OP_OPID], op->opid ? op->opid : 7);
	set_text(s, &row[COL_MONGO_OP_PLAN], op->plan);
	set_text(s, &row[COL_MONGO_OP_NS], op->ns);
	set_text(s, &row[COL_MONGO_OP_APP], op->app);
	set_text(s, &row[COL_MONGO_OP_SHAPE], op->command);
	set_text(s, &row[COL_MONGO_OP_OP], op->op);
	raw_set_f64(&row[COL_MONGO_OP_SECS], op->secs);
}

static void add_operations(struct sample *s, const struct second *sec)
{
	s->tables[TABLE_MONGO_OP].asked = sec->ops;
	for (size_t i = 0; i < sizeof(sec->op) / sizeof(sec->op[0]); i++)
		if (sec->op[i].plan || sec->op[i].command)
			add_operation(s, &sec->op[i]);
}

static void add_counts(struct sample *s, const struct second *sec)
{
	static const enum metric_id ids[] = {METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL,
		METRIC_MONGO_SCAN_KEYS_EXAMINED_TOTAL, METRIC_MONGO_SCAN_COLLSCANS_TOTAL};

	if (sec->no_counts) {
		for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
			sample_set_missing(s, ids[i], REASON_NOT_ASKED);
		return;
	}
	sample_set_u64(s, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, (uint64_t)sums.docs);
	sample_set_u64(s, METRIC_MONGO_SCAN_KEYS_EXAMINED_TOTAL, (uint64_t)sums.keys);
	if (!sec->no_scans)
		sample_set_u64(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, (uint64_t)sums.scans);
}

/* One bucket a latency; all that were ever used are sent, as a server does. */
static void add_latencies(struct sample *s, const struct second *sec)
{
	unsigned i = 0;

	while (i < nlatencies && latencies[i].from != sec->read_us)
		i++;
	if (sec->read_us > 0) {
		assert_true(i < LATENCIES_MAX);
		if (i == nlatencies)
			latencies[nlatencies++].from = sec->read_us;
		latencies[i].count += sec->reads * seconds_step;
	}
	s->tables[TABLE_MONGO_LATENCY].asked = nlatencies > 0;
	for (i = 0; i < nlatencies; i++) {
		struct raw *row = sample_add_row(s, TABLE_MONGO_LATENCY);

		assert_non_null(row);
		raw_set_u64(&row[COL_MONGO_LATENCY_MICROS], (uint64_t)latencies[i].from);
		raw_set_u64(&row[COL_MONGO_LATENCY_READS], (uint64_t)latencies[i].count);
	}
}

static void add_fill(struct sample *s, const struct second *sec)
{
	if (!(sec->fill > 0))
		return;
	sample_set_u64(s, METRIC_MONGO_CACHE_MAX, 1000000);
	sample_set_u64(s, METRIC_MONGO_CACHE_USED, (uint64_t)(sec->fill * 10000));
	sample_set_f64(s, METRIC_MONGO_CACHE_TARGET, 80);
}

void seconds_pass(struct second sec)
{
	struct sample *s = sample_create(0);

	assert_non_null(s);
	seconds_now += seconds_step;
	s->status = sec.own_only ? STATUS_PARTIAL : STATUS_OK;
	s->mono_ns = s->wall_ns = (int64_t)(seconds_now * 1e9);
	s->epoch = seconds_epoch;
	snprintf(s->product, sizeof(s->product), "mongod");
	snprintf(s->role, sizeof(s->role), "%s", seconds_role);
	sums.pages += sec.pages * seconds_step;
	sums.clean += sec.clean * seconds_step;
	sums.dirty += sec.dirty * seconds_step;
	sums.docs += sec.docs * seconds_step;
	sums.keys += sec.keys * seconds_step;
	sums.scans += sec.scans * seconds_step;
	sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, (uint64_t)sums.pages);
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, (uint64_t)sums.clean);
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_DIRTY_TOTAL, (uint64_t)sums.dirty);
	if (seconds_uptime > 0)
		sample_set_u64(s, METRIC_MONGO_UPTIME, (uint64_t)(seconds_uptime += seconds_step));
	add_counts(s, &sec);
	add_latencies(s, &sec);
	add_fill(s, &sec);
	add_operations(s, &sec);
	model_push(seconds_model, s);
}

void seconds_pass_many(unsigned n, struct second sec)
{
	while (n-- > 0)
		seconds_pass(sec);
}

void seconds_new_run(void)
{
	seconds_epoch++;
	sums = (struct second){0};
}

const struct event *seconds_event(const char *code)
{
	const struct event *e;

	for (unsigned i = 0; (e = model_event(seconds_model, i)); i++)
		if (strcmp(e->code, code) == 0)
			return e;
	return NULL;
}

const struct verdict *seconds_verdict(const char *code)
{
	const struct model *m = seconds_model;

	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, code) == 0)
			return &m->verdicts[i];
	return NULL;
}

const struct datum *seconds_datum(const struct data *d, const char *key)
{
	for (unsigned i = 0; i < d->n; i++)
		if (strcmp(d->d[i].key, key) == 0)
			return &d->d[i];
	fail_msg("no figure %s", key);
	return NULL;
}
