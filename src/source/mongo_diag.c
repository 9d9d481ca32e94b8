/*
 * The host of a node elsewhere, by getDiagnosticData: a copy of what the server sampled for itself,
 * so it costs no locks, but 60 KB; hence seldom, and only while a view shows it. A node that is
 * provably on this host needs it not.
 */
#include "mongo.h"

#include "hotset/clock.h"
#include "hotset/log.h"

#define DIAG_EVERY_NS (30 * NS_PER_SEC)

static const enum metric_id levels[MONGO_HOST_LEVELS] = {
	METRIC_MONGO_HOST_AVAILABLE, METRIC_MONGO_HOST_FILE_CACHE, METRIC_MONGO_HOST_DIRTY};

static void keep_levels(struct mongo *m, const struct sample *s)
{
	for (unsigned i = 0; i < MONGO_HOST_LEVELS; i++)
		m->host_levels[i] = sample_has(s, levels[i]) ? sample_f64(s, levels[i]) : -1;
}

static void ask(struct mongo *m, struct sample *out)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	struct mongo_failure f;
	struct err err;

	BSON_APPEND_INT32(&cmd, "getDiagnosticData", 1);
	if (!mongo_conn_run(&m->conn, "admin", &cmd, &reply, &f)) {
		mongo_note_refusal(m, RIGHT_DIAGNOSTIC, &f);
		m->no_diagnostic = f.code != 0; /* mongos, an emulation: it will not learn it */
	} else if (!parse_mongo_diagnostic(&reply, &m->diag_taken_ms, out, &err)) {
		log_write("%s: %s", m->conn.target->id, err.msg);
		m->no_diagnostic = true;
	}
	keep_levels(m, out);
	bson_destroy(&reply);
	bson_destroy(&cmd);
}

/* Levels stand until they are asked for again; counters are those of their own time. */
static void repeat_levels(const struct mongo *m, struct sample *out)
{
	for (unsigned i = 0; i < MONGO_HOST_LEVELS; i++)
		if (m->host_levels[i] >= 0)
			sample_set_u64(out, levels[i], (uint64_t)m->host_levels[i]);
}

void mongo_take_diagnostic(struct mongo *m, struct sample *out)
{
	if (!(m->wants & WANT_NODE_HOST) || m->no_diagnostic ||
		(m->here.tried && m->here.why == REASON_OK) ||
		!sample_has(out, METRIC_MONGO_CACHE_MAX))
		return;
	if (mongo_has_time(m) && mongo_is_due(m, &m->diag_ns, DIAG_EVERY_NS))
		ask(m, out);
	else if (m->diag_ns)
		repeat_levels(m, out);
}
