/*
 * One MongoDB node. Each poll asks for serverStatus without what nobody here reads; its `metrics`
 * are half of its cost and asked for every 5 s only. hello comes first: an arbiter holds no users,
 * so nothing else can be asked of it.
 */
#include "kinds.h"
#include "mongo.h"
#include "mongo_tls.h"
#include "stamp.h"

#include "hotset/text.h"

#define HELLO_EVERY_NS   (5 * NS_PER_SEC)
#define HELLO_SET_NS     (2 * NS_PER_SEC) /* members: a failover should be seen soon */
#define DUE_SLACK_NS     (200 * NS_PER_MS) /* a poll that comes a little early is in time */
#define TIME_SHARE       5                 /* further commands begin in the first fifth of a poll */
#define STORM_MIN        200.0             /* pages read per second */
#define STORM_FACTOR     5.0               /* times the usual level */
#define USUAL_WEIGHT     0.1               /* of the newest poll in the usual level */

bool mongo_find(const bson_t *doc, const char *path, bson_iter_t *it)
{
	bson_iter_t root;

	return bson_iter_init(&root, doc) && bson_iter_find_descendant(&root, path, it);
}

bool mongo_number(const bson_t *doc, const char *path, double *out)
{
	bson_iter_t it;

	if (!mongo_find(doc, path, &it) || !BSON_ITER_HOLDS_NUMBER(&it))
		return false;
	*out = bson_iter_as_double(&it);
	return true;
}

bool mongo_is_due(struct mongo *m, int64_t *last, int64_t every_ns)
{
	int64_t now = m->poll_begin_ns;

	if (*last && !m->opts.all_parts && now - *last < every_ns - DUE_SLACK_NS)
		return false;
	*last = now;
	return true;
}

bool mongo_has_time(const struct mongo *m)
{
	return m->conn.client && clock_mono_ns() - m->poll_begin_ns < m->poll_ns / TIME_SHARE;
}

/* ---- hello ---- */

static void keep_hello(struct mongo *m, const bson_t *reply)
{
	if (m->hello)
		bson_destroy(m->hello);
	m->hello = bson_copy(reply);
	m->hello_is_new = true;
}

static bool is_arbiter(const bson_t *hello)
{
	bson_iter_t it;

	return mongo_find(hello, "arbiterOnly", &it) && bson_iter_as_bool(&it);
}

static bool in_set(const bson_t *hello)
{
	return hello && bson_has_field(hello, "setName");
}

static bool ask_hello(struct mongo *m, struct mongo_failure *f)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	bool ok;

	BSON_APPEND_INT32(&cmd, "isMaster", 1); /* also known before 4.4.2 */
	ok = mongo_conn_run(&m->conn, "admin", &cmd, &reply, f);
	if (ok)
		keep_hello(m, &reply);
	bson_destroy(&reply);
	bson_destroy(&cmd);
	return ok;
}

/* All that an arbiter tells. */
static void take_hello_only(struct mongo *m, struct stamp begin, struct sample *out)
{
	struct err err;

	stamp_end(begin, out);
	out->status = STATUS_OK;
	snprintf(out->product, sizeof(out->product), "mongod");
	if (parse_mongo_hello(m->hello, out, &err))
		parse_mongo_members(m->hello, NULL, out);
	else
		sample_fail(out, status_from_err(err.code), &err);
}

/* A login failed: an arbiter refuses every one. Then it is remembered, and none is tried again. */
static bool find_arbiter(struct mongo *m)
{
	bson_t reply;

	if (m->no_arbiter)
		return false;
	if (mongo_conn_hello_unauthenticated(&m->conn, &reply)) {
		m->arbiter = is_arbiter(&reply);
		m->no_arbiter = !m->arbiter;
		keep_hello(m, &reply);
	}
	bson_destroy(&reply);
	return m->arbiter;
}

static void poll_arbiter(struct mongo *m, struct sample *out)
{
	struct stamp begin = stamp_begin();
	struct err err;
	bson_t reply;

	if (!mongo_conn_hello_unauthenticated(&m->conn, &reply)) {
		err_set(&err, ERR_REFUSED, "the arbiter does not answer hello");
		sample_fail(out, STATUS_REFUSED, &err);
		stamp_failed(begin, out);
	} else {
		keep_hello(m, &reply);
		m->arbiter = is_arbiter(&reply);
		take_hello_only(m, begin, out);
	}
	bson_destroy(&reply);
}

/* ---- serverStatus ---- */

static bool run_status(struct mongo *m, bool with_metrics, bson_t *reply, struct mongo_failure *f)
{
	bson_t cmd = BSON_INITIALIZER;
	bool ok;

	mongo_status_command(&cmd, m->plain_status, with_metrics);
	ok = mongo_conn_run(&m->conn, "admin", &cmd, reply, f);
	bson_destroy(&cmd);
	return ok;
}

static bool ask_status(struct mongo *m, bson_t *reply, struct stamp *begin, struct mongo_failure *f)
{
	bool with_metrics;

	if (m->storm_began)
		m->metrics_ns = 0;
	with_metrics = mongo_is_due(m, &m->metrics_ns, MONGO_METRICS_EVERY_S * NS_PER_SEC);
	*begin = stamp_begin();
	if (run_status(m, with_metrics, reply, f))
		return true;
	if (m->plain_status || !parse_mongo_rejects_option(f->code))
		return false;
	m->plain_status = true;
	bson_destroy(reply);
	*begin = stamp_begin();
	return run_status(m, with_metrics, reply, f);
}

/* ---- what follows from it ---- */

/* Before 4.4 a run has no name: pid, host and start identify it, and in containers the pid is 1. */
static void settle_run(struct mongo *m, const bson_t *doc, struct sample *out)
{
	double now_ms, uptime_ms, pid;
	bson_iter_t it;

	if (mongo_find(m->hello, "topologyVersion.processId", &it))
		return;
	if (!mongo_find(doc, "localTime", &it) || !BSON_ITER_HOLDS_DATE_TIME(&it) ||
		!mongo_number(doc, "uptimeMillis", &uptime_ms))
		return;
	now_ms = (double)bson_iter_date_time(&it);
	out->start_s = (int64_t)((now_ms - uptime_ms) / 1000);
	if (mongo_number(doc, "pid", &pid) && pid > 0)
		out->pid = (uint64_t)pid;
	out->epoch = text_hash(out->epoch, &out->start_s, sizeof(out->start_s));
	parse_settle_epoch(&m->run, out);
}

/* `mem` comes with `metrics`: what it said stands until it comes again. */
static void keep_resident(struct mongo *m, struct sample *out)
{
	if (sample_has(out, METRIC_MONGO_MEM_RESIDENT))
		m->resident = sample_f64(out, METRIC_MONGO_MEM_RESIDENT);
	else if (m->resident >= 0)
		sample_set_u64(out, METRIC_MONGO_MEM_RESIDENT, (uint64_t)m->resident);
}

/* Seconds since a checkpoint ended: its counter moved, or it was running and is not any more. */
static void take_checkpoint_age(struct mongo *m, const bson_t *doc, struct sample *out)
{
	bool running = sample_f64(out, METRIC_MONGO_CKPT_RUNNING) > 0, ended;
	double n = -1;

	if (!mongo_number(doc, "wiredTiger.checkpoint.total succeed number of checkpoints", &n))
		mongo_number(doc, "wiredTiger.transaction.transaction checkpoints", &n);
	ended = (m->ckpt_running && !running) || (m->ckpt_count >= 0 && (int64_t)n > m->ckpt_count);
	if (ended)
		m->ckpt_ended_ns = out->mono_ns;
	m->ckpt_running = running;
	m->ckpt_count = (int64_t)n;
	if (m->ckpt_ended_ns)
		sample_set_f64(out, METRIC_MONGO_CKPT_AGE,
			(double)(out->mono_ns - m->ckpt_ended_ns) / (double)NS_PER_SEC);
	else
		sample_set_missing(out, METRIC_MONGO_CKPT_AGE, REASON_NEEDS_HISTORY);
}

/*
 * Only decides what is asked for sooner, the rules judge on their own: pages read well above their
 * usual level, which stands still meanwhile.
 */
static void notice_storm(struct mongo *m, const struct sample *s)
{
	double pages = sample_f64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL), rate, dt;
	bool was = m->storm;

	dt = (double)(s->mono_ns - m->pages_ns) / (double)NS_PER_SEC;
	rate = m->pages_read >= 0 && dt > 0 && pages >= m->pages_read ? (pages - m->pages_read) / dt
								      : -1;
	m->pages_read = pages;
	m->pages_ns = s->mono_ns;
	m->storm = rate > STORM_MIN && m->pages_usual >= 0 && rate > STORM_FACTOR * m->pages_usual;
	m->storm_began = m->storm && !was;
	if (rate < 0 || m->storm)
		return;
	m->pages_usual +=
		m->pages_usual < 0 ? rate - m->pages_usual : USUAL_WEIGHT * (rate - m->pages_usual);
}

static void take_status(struct mongo *m, const bson_t *doc, struct sample *out)
{
	struct err err;

	out->status = STATUS_OK;
	if (!parse_mongo_status(doc, out, &err) || !parse_mongo_hello(m->hello, out, &err)) {
		sample_fail(out, status_from_err(err.code), &err);
		return;
	}
	parse_mongo_service(m->conn.target->host, out);
	settle_run(m, doc, out);
	keep_resident(m, out);
	take_checkpoint_age(m, doc, out);
	notice_storm(m, out);
}

/* ---- the source ---- */

/* hello needs no login. It tells the role and, by what only mongod sends, the product. */
static void take_identity(const struct mongo *m, struct sample *out)
{
	bson_iter_t it;
	struct err err;

	if (!m->hello || !parse_mongo_hello(m->hello, out, &err))
		return;
	if (strcmp(out->role, "mongos") == 0)
		snprintf(out->product, sizeof(out->product), "mongos");
	else if (mongo_find(m->hello, "topologyVersion", &it))
		snprintf(out->product, sizeof(out->product), "mongod");
}

static void fail(
	struct mongo *m, struct stamp begin, const struct mongo_failure *f, struct sample *out)
{
	mongo_conn_close(&m->conn);
	if (f->status == STATUS_AUTH && m->conn.target->user[0] && find_arbiter(m)) {
		take_hello_only(m, begin, out);
		return;
	}
	if (f->status == STATUS_AUTH || f->status == STATUS_LOADING)
		take_identity(m, out);
	sample_fail(out, f->status, &f->err);
	stamp_failed(begin, out);
}

static bool connect_and_greet(struct mongo *m, struct mongo_failure *f)
{
	bool fresh = m->conn.client == NULL;

	if (!mongo_conn_open(&m->conn, f)) {
		mongo_tls_explain(m, f);
		return false;
	}
	if (fresh) { /* it may be another run of the server */
		m->hello_ns = m->params_ns = m->metrics_ns = m->replset_ns = m->shards_ns = 0;
		m->diag_ns = m->coll_ns = 0;
		m->denied = 0; /* a role may have been granted since */
		m->no_collections = m->no_diagnostic = false;
		m->ops_mode = OPS_ALL;
		m->params.log_known = false;
		mongo_log_finish(&m->params.log);
		mongo_nss_finish(&m->nss);
	}
	if (!mongo_is_due(m, &m->hello_ns, in_set(m->hello) ? HELLO_SET_NS : HELLO_EVERY_NS))
		return true;
	return ask_hello(m, f);
}

static void mongo_poll(struct source *s, const struct poll_request *req, struct sample *out)
{
	struct mongo *m = (struct mongo *)s;
	struct stamp begin = stamp_begin();
	struct mongo_failure f;
	bson_t reply;

	if (!m) {
		err_set(&f.err, ERR_SYSTEM, "no memory");
		sample_fail(out, STATUS_ERROR, &f.err);
		return;
	}
	m->poll_begin_ns = begin.mono_ns;
	m->poll_ns = req->deadline_ns - begin.mono_ns;
	m->wants = req->wants;
	m->hello_is_new = false;
	if (m->arbiter) {
		poll_arbiter(m, out);
		return;
	}
	if (!connect_and_greet(m, &f)) {
		fail(m, begin, &f, out);
		return;
	}
	if (is_arbiter(m->hello)) {
		take_hello_only(m, begin, out);
		return;
	}
	if (ask_status(m, &reply, &begin, &f)) {
		stamp_end(begin, out);
		m->tls_asked = TLS_NOT_ASKED;
		take_status(m, &reply, out);
		mongo_take_device(m, &reply, out);
		bson_destroy(&reply);
	} else {
		bson_destroy(&reply);
		fail(m, begin, &f, out);
		return;
	}
	if (status_has_data(out->status)) {
		mongo_take_params(m, out);
		mongo_take_replset(m, out);
		mongo_take_ops(m, out);
		mongo_take_shards(m, out);
		mongo_take_diagnostic(m, out);
		mongo_take_collections(m, out);
		mongo_say_denied(m, out);
	}
}

static struct source *mongo_create(const struct target *t, const struct source_options *o)
{
	struct mongo *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->opts = *o;
	m->params.window_s = m->params.limit_s = -1;
	m->majority_lag_s = m->repl_lag_s = -1;
	m->ckpt_count = -1;
	m->pages_read = m->pages_usual = m->resident = -1;
	mongo_conn_init(&m->conn, t, o->timeout_s);
	return (struct source *)m;
}

static void mongo_destroy(struct source *s)
{
	struct mongo *m = (struct mongo *)s;

	if (!m)
		return;
	mongo_conn_finish(&m->conn);
	if (m->hello)
		bson_destroy(m->hello);
	if (m->replset)
		bson_destroy(m->replset);
	free(m->params.startup_config);
	free(m->params.runtime_config);
	mongo_log_finish(&m->params.log);
	mongo_nss_finish(&m->nss);
	free(m);
}

static const char *const schemes[] = {"mongodb", "mongodb+srv", NULL};

const struct source_ops source_mongo = {
	.name = "mongo",
	.schemes = schemes,
	.kind = KIND_MONGO,
	.port = 27017,
	.create = mongo_create,
	.poll = mongo_poll,
	.destroy = mongo_destroy,
};
