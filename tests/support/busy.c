#include "busy.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

#define WALL0  (INT64_C(1796047283) * 1000000000) /* 2026-11-30T14:01:23Z */
#define MONO0  (INT64_C(500000) * 1000000000)
#define SECOND INT64_C(1000000000)
#define MIB    (1024.0 * 1024)

static void set_text(struct sample *s, struct raw *cell, const char *text)
{
	raw_set_text(s, cell, text, strlen(text));
}

static void add_point(struct sample *s, unsigned i)
{
	static const char *const apps[] = {"web", "batch", "Größe-Zähler"};
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);
	char client[32];

	snprintf(client, sizeof(client), "10.0.3.%u:4%04u", i, 100 + i);
	raw_set_u64(&row[COL_MONGO_OP_OPID], 100 + i);
	raw_set_f64(&row[COL_MONGO_OP_SECS], 0.2 * (i + 1));
	set_text(s, &row[COL_MONGO_OP_PLAN], i % 5 ? "IXSCAN { at: 1 }" : "IDHACK");
	set_text(s, &row[COL_MONGO_OP_NS], i % 4 ? "shop.orders" : "shop.海図");
	set_text(s, &row[COL_MONGO_OP_OP], "query");
	raw_set_u64(&row[COL_MONGO_OP_DOCS], i * 37);
	set_text(s, &row[COL_MONGO_OP_APP], apps[i % 3]);
	set_text(s, &row[COL_MONGO_OP_CLIENT], client);
	set_text(s, &row[COL_MONGO_OP_SHAPE], "{find: ?, filter: {at: {$gt: ?}}, limit: ?}");
}

static void add_scan(struct sample *s, unsigned t)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);

	raw_set_u64(&row[COL_MONGO_OP_OPID], BUSY_SCAN);
	raw_set_f64(&row[COL_MONGO_OP_SECS], 3 + t);
	set_text(s, &row[COL_MONGO_OP_PLAN], "COLLSCAN");
	set_text(s, &row[COL_MONGO_OP_NS], "shop.items");
	set_text(s, &row[COL_MONGO_OP_OP], "command");
	set_text(s, &row[COL_MONGO_OP_APP], "report-job");
	set_text(s, &row[COL_MONGO_OP_CLIENT], "127.0.0.1:51022");
	set_text(s, &row[COL_MONGO_OP_SHAPE],
		"{aggregate: ?, pipeline: [{$match: {price: {$gt: ?}, state: {$in: [?]}}}, "
		"{$group: {_id: ?, n: {$sum: ?}}}, {$sort: {n: ?}}], allowDiskUse: ?}");
}

static void add_transaction(struct sample *s, unsigned t, bool idle)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);
	double open_s = (idle ? 70 : 12) + t;

	if (idle) {
		set_text(s, &row[COL_MONGO_OP_OPID], BUSY_IDLE);
	} else {
		raw_set_u64(&row[COL_MONGO_OP_OPID], BUSY_ACTIVE);
		raw_set_f64(&row[COL_MONGO_OP_SECS], 0.003);
		set_text(s, &row[COL_MONGO_OP_PLAN], "IDHACK");
		set_text(s, &row[COL_MONGO_OP_NS], "shop.stock");
		set_text(s, &row[COL_MONGO_OP_OP], "update");
		raw_set_u64(&row[COL_MONGO_OP_DOCS], 1);
	}
	set_text(s, &row[COL_MONGO_OP_APP], "checkout");
	set_text(s, &row[COL_MONGO_OP_CLIENT], "10.0.3.77:42022");
	set_text(s, &row[COL_MONGO_OP_TXN], idle ? "idle" : "active");
	raw_set_f64(&row[COL_MONGO_OP_TXN_OPEN], open_s);
	raw_set_f64(&row[COL_MONGO_OP_TXN_LEFT], 60 - open_s);
	raw_set_u64(&row[COL_MONGO_OP_READ_TS], (uint64_t)(WALL0 / SECOND) + t - (uint64_t)open_s);
}

static void add_collection(struct sample *s, unsigned i, unsigned t, bool index)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_COLL);
	double rate = 12000.0 / (i + 1) / (index ? 10 : 1);
	char ns[32];

	snprintf(ns, sizeof(ns), "shop.coll%02u", i);
	set_text(s, &row[COL_MONGO_COLL_NS], ns);
	if (index)
		set_text(s, &row[COL_MONGO_COLL_INDEX], "_id_");
	raw_set_f64(&row[COL_MONGO_COLL_BYTES_IN_CACHE], 100 * MIB / (i + 1) / (index ? 7 : 1));
	raw_set_f64(&row[COL_MONGO_COLL_SIZE], 800 * MIB / (i + 1) / (index ? 7 : 1));
	raw_set_u64(&row[COL_MONGO_COLL_PAGES_READ], (uint64_t)(rate * t));
	raw_set_u64(&row[COL_MONGO_COLL_REQUESTED], (uint64_t)(rate * 40 * t));
	raw_set_u64(&row[COL_MONGO_COLL_EVICTED], (uint64_t)(rate * 0.9 * t));
	raw_set_u64(&row[COL_MONGO_COLL_NEXT], (uint64_t)(index ? 0 : rate * 3 * t));
	raw_set_u64(&row[COL_MONGO_COLL_SEARCH], (uint64_t)(rate * t));
}

static void add_rows(struct sample *s, unsigned t)
{
	for (unsigned k = 0; k < BUSY_POINTS; k++)
		add_point(s, t % 2 ? BUSY_POINTS - 1 - k : k);
	if (t < BUSY_SCAN_ENDS)
		add_scan(s, t);
	add_transaction(s, t, t % 2);
	add_transaction(s, t, !(t % 2));
	for (unsigned k = 0; k < 2 * BUSY_COLLS; k++) {
		unsigned i = t % 2 ? 2 * BUSY_COLLS - 1 - k : k;

		add_collection(s, i / 2, t, i % 2);
	}
}

struct sample *busy_sample(const struct endpoint *ep, unsigned t)
{
	struct sample *s = sample_create(ep->index);

	assert_non_null(s);
	s->status = STATUS_OK;
	s->mono_ns = MONO0 + t * SECOND;
	s->wall_ns = WALL0 + t * SECOND;
	s->rtt_ns = 310000;
	s->epoch = 42;
	snprintf(s->product, sizeof(s->product), "mongod");
	snprintf(s->version, sizeof(s->version), "8.0.10");
	snprintf(s->role, sizeof(s->role), "PRIMARY");
	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, 512 * MIB);
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, 400 * MIB);
	sample_set_f64(s, METRIC_MONGO_PINNED_LIMIT, 60);
	add_rows(s, t);
	return s;
}

struct model *busy_model(unsigned seconds)
{
	struct model *m = model_create();
	struct endpoint *ep;

	assert_non_null(m);
	ep = model_add(m, KIND_MONGO, "mongo@127.0.0.1:27017", "orders-db-2", "127.0.0.1:27017",
		HISTORY_STEPS);
	assert_non_null(ep);
	for (unsigned t = 0; t < seconds; t++)
		model_push(m, busy_sample(ep, t));
	return m;
}
