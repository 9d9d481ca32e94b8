/*
 * Statistics of collections and their indexes, within a budget (mongo_coll.h): $collStats opens the
 * tables of a collection and of each of its indexes, so a node with thousands must not be asked for
 * all of them. A round's rows come in one sample, each with its own counters of that time; of a
 * collection that is not active in this round only the levels last seen are repeated, no counters.
 */
#include "mongo.h"

#include "hotset/clock.h"

#define CALL_MAX_MS 500 /* maxTimeMS of one call */
#define DB_MAX      64  /* bytes of a database's name */

/* ---- asking ---- */

static bool ask_top(struct mongo *m)
{
	bson_t cmd = BSON_INITIALIZER, reply;
	struct mongo_failure f;
	bool ok;

	BSON_APPEND_INT32(&cmd, "top", 1);
	BSON_APPEND_INT32(&cmd, "maxTimeMS", CALL_MAX_MS);
	ok = mongo_conn_run(&m->conn, "admin", &cmd, &reply, &f);
	if (ok) {
		ok = mongo_nss_update(&m->nss, &reply);
	} else if (f.code == CODE_UNAUTHORIZED) {
		mongo_note_refusal(m, RIGHT_TOP, &f);
		m->no_collections = true;
	} else if (f.code) { /* as where the reply would exceed 16 MB */
		m->coll_off = true;
		snprintf(m->coll_said, sizeof(m->coll_said), "off: top failed, error %d", f.code);
	}
	bson_destroy(&reply);
	bson_destroy(&cmd);
	return ok;
}

/* What parse_mongo_coll_stats() reads, of the much that there is. */
static void append_pipeline(bson_t *cmd)
{
	bson_t *stages = BCON_NEW("pipeline", "[", "{", "$collStats", "{", "storageStats", "{", "}",
		"}", "}", "{", "$project", "{", "storageStats.size", BCON_INT32(1),
		"storageStats.indexSizes", BCON_INT32(1), "storageStats.indexDetails",
		BCON_INT32(1), "storageStats.wiredTiger.cache", BCON_INT32(1),
		"storageStats.wiredTiger.cursor", BCON_INT32(1), "}", "}", "]", "cursor", "{", "}",
		"maxTimeMS", BCON_INT32(CALL_MAX_MS));

	bson_concat(cmd, stages);
	bson_destroy(stages);
}

static bool ask_stats(struct mongo *m, const char *ns, bson_t *reply, struct mongo_failure *f)
{
	const char *dot = strchr(ns, '.');
	bson_t cmd = BSON_INITIALIZER;
	char db[DB_MAX];
	bool ok;

	snprintf(db, sizeof(db), "%.*s", (int)(dot - ns), ns);
	if (m->plain_coll_stats) {
		BSON_APPEND_UTF8(&cmd, "collStats", dot + 1);
		BSON_APPEND_INT32(&cmd, "maxTimeMS", CALL_MAX_MS);
	} else {
		BSON_APPEND_UTF8(&cmd, "aggregate", dot + 1);
		append_pipeline(&cmd);
	}
	ok = mongo_conn_run(&m->conn, db, &cmd, reply, f);
	bson_destroy(&cmd);
	return ok;
}

/* A copy of the statistics in the reply; NULL where there are none. */
static bson_t *copy_stats(const struct mongo *m, const bson_t *reply)
{
	const uint8_t *data;
	bson_iter_t it;
	uint32_t len;

	if (m->plain_coll_stats)
		return bson_copy(reply);
	if (!mongo_find(reply, "cursor.firstBatch.0.storageStats", &it) ||
		!BSON_ITER_HOLDS_DOCUMENT(&it))
		return NULL;
	bson_iter_document(&it, &len, &data);
	return bson_new_from_data(data, len);
}

/* What cannot have any is not asked again; what failed, as by its time limit, not for a while. */
static void note_none(struct mongo *m, struct mongo_ns *ns, bool ok, const struct mongo_failure *f)
{
	mongo_note_refusal(m, RIGHT_COLL_STATS, f);
	if (ok || f->code == CODE_UNAUTHORIZED || f->code == CODE_ON_VIEW)
		ns->useless = true;
	else if (f->code)
		ns->rests = m->nss.round + COLLECTIONS_REST;
	mongo_nss_lose(ns);
}

/* The statistics of one namespace, or NULL. */
static bson_t *fetch(struct mongo *m, struct mongo_ns *ns, const struct sample *out)
{
	struct mongo_failure f = {.code = 0};
	bson_t reply, *stats = NULL;
	bool ok = ask_stats(m, ns->name, &reply, &f);

	if (!ok && !m->plain_coll_stats &&
		(f.code == CODE_UNKNOWN_STAGE || parse_mongo_rejects_option(f.code))) {
		m->plain_coll_stats = true;
		bson_destroy(&reply);
		ok = ask_stats(m, ns->name, &reply, &f);
	}
	/* mongod counts an aggregate among the reads, the embedded node among the commands */
	if (ok && !m->plain_coll_stats && strcmp(out->product, "wtnode") != 0)
		m->own_ops++;
	if (ok)
		stats = copy_stats(m, &reply);
	if (!stats)
		note_none(m, ns, ok, &f);
	bson_destroy(&reply);
	return stats;
}

/* ---- a round ---- */

static unsigned ask_round(struct mongo *m, struct sample *out)
{
	struct mongo_ns *chosen[COLLECTIONS_ACTIVE + COLLECTIONS_IN_TURN];
	unsigned n = mongo_nss_choose(&m->nss, chosen), asked = 0;
	int64_t begin = clock_mono_ns();

	for (unsigned i = 0; i < n; i++) {
		bool in_time = mongo_has_time(m) &&
			       clock_mono_ns() - begin <= COLLECTIONS_MAX_MS * NS_PER_MS;
		bson_t *stats = in_time ? fetch(m, chosen[i], out) : NULL;

		if (!stats) {
			chosen[i]->active = false;
			continue;
		}
		if (chosen[i]->active)
			parse_mongo_coll_stats(stats, chosen[i]->name, out);
		asked += chosen[i]->active;
		mongo_nss_keep(&m->nss, chosen[i], stats);
	}
	return asked;
}

/* Whose counters are not in this sample: their levels as last seen. */
static unsigned repeat_levels(struct mongo *m, struct sample *out)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->nss.n; i++) {
		const struct mongo_ns *ns = &m->nss.ns[i];

		if (!ns->stats || ns->active)
			continue;
		parse_mongo_coll_levels(ns->stats, ns->name, out);
		n++;
	}
	return n;
}

static void run_round(struct mongo *m, struct sample *out)
{
	unsigned shown;

	m->coll_off = false;
	if (!ask_top(m))
		return;
	if (m->nss.named > COLLECTIONS_MANY && m->opts.collections != COLLECTIONS_ON) {
		m->coll_off = true;
		snprintf(m->coll_said, sizeof(m->coll_said),
			"off: %u namespaces (--collections on)", m->nss.named);
		return;
	}
	shown = ask_round(m, out);
	shown += repeat_levels(m, out);
	out->tables[TABLE_MONGO_COLL].asked = true;
	snprintf(m->coll_said, sizeof(m->coll_said), "%u of %u namespaces", shown, m->nss.named);
	m->coll_rounds++;
}

void mongo_take_collections(struct mongo *m, struct sample *out)
{
	int64_t now = m->poll_begin_ns;
	int64_t every = (m->coll_off ? COLLECTIONS_OFF_S : COLLECTIONS_EVERY_S) * NS_PER_SEC;
	/* for rates in --once */
	bool first_two = m->opts.all_parts && m->coll_rounds < 2 && !m->coll_off;

	if (!(m->wants & WANT_COLLECTIONS) || m->no_collections ||
		m->opts.collections == COLLECTIONS_OFF || !sample_has(out, METRIC_MONGO_CACHE_MAX))
		return;
	if (mongo_has_time(m) && (!m->coll_ns || now - m->coll_ns >= every || first_two)) {
		m->coll_ns = now;
		run_round(m, out);
	}
	sample_set_text(out, METRIC_MONGO_COLL_SAMPLED, m->coll_said, strlen(m->coll_said));
}
