#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

#define WALL0  (INT64_C(1796047283) * 1000000000) /* 2026-11-30T14:01:23Z */
#define MONO0  (INT64_C(500000) * 1000000000)
#define SECOND INT64_C(1000000000)
#define MIB    (1024.0 * 1024)

/* A steady wobble in [-1, 1] that looks like noise and is the same in every run. */
static double wobble(unsigned t, unsigned k)
{
	uint64_t state = (uint64_t)t * 2654435761u + k * 40503u + 1;

	(void)test_random(&state);
	return (double)(test_random(&state) % 2001) / 1000 - 1;
}

static bool scanning(unsigned t)
{
	return t >= SCENE_SCAN_AT;
}

/* Sum over the seconds so far of base * (1 + share * wobble), and of `more` while the scan runs. */
static uint64_t total(unsigned t, double base, double share, double more, unsigned k)
{
	double sum = base * 1000;

	for (unsigned i = 1; i <= t; i++)
		sum += (base + (scanning(i) ? more : 0)) * (1 + share * wobble(i, k));
	return (uint64_t)sum;
}

static void set_text(struct sample *s, enum metric_id id, const char *text)
{
	sample_set_text(s, id, text, strlen(text));
}

static void copy(char *dst, size_t cap, const char *text)
{
	(void)snprintf(dst, cap, "%s", text);
}

/* ---- MongoDB -----------------------------------------------------------------------------------
 */

static void mongo_cache(struct sample *s, unsigned t)
{
	double max = 512 * MIB,
	       fill = scanning(t) ? 0.826 + 0.02 * wobble(t, 2) : 0.79 + 0.015 * wobble(t, 2);

	sample_set_f64(s, METRIC_MONGO_CACHE_MAX, max);
	sample_set_f64(s, METRIC_MONGO_CACHE_USED, floor(max * fill));
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY, floor(max * (0.031 + 0.006 * wobble(t, 3))));
	sample_set_f64(s, METRIC_MONGO_CACHE_UPDATES, floor(max * 0.004));
	sample_set_f64(s, METRIC_MONGO_CACHE_TARGET, 80);
	sample_set_f64(s, METRIC_MONGO_CACHE_TRIGGER, 95);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TARGET, 5);
	sample_set_f64(s, METRIC_MONGO_CACHE_DIRTY_TRIGGER, 20);
	sample_set_f64(s, METRIC_MONGO_CACHE_UPDATES_TARGET, 2.5);
	sample_set_f64(s, METRIC_MONGO_CACHE_UPDATES_TRIGGER, 10);
	for (int id = METRIC_MONGO_CACHE_TARGET_SOURCE;
		id <= METRIC_MONGO_CACHE_UPDATES_TRIGGER_SOURCE; id++)
		set_text(s, (enum metric_id)id, "default");
	sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, total(t, 1100, 0.2, 20300, 4));
	sample_set_u64(
		s, METRIC_MONGO_CACHE_PAGES_REQUESTED_TOTAL, total(t, 61000, 0.05, 90000, 5));
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_CLEAN_TOTAL, total(t, 1080, 0.2, 17100, 6));
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_DIRTY_TOTAL, total(t, 12, 0.3, 0, 7));
	sample_set_u64(s, METRIC_MONGO_CACHE_EVICTED_APP_TOTAL, 4);
	sample_set_u64(s, METRIC_MONGO_CACHE_APP_WAIT_TOTAL, 120);
	sample_set_u64(s, METRIC_MONGO_CACHE_APP_EVICT_TOTAL, 90);
	sample_set_u64(s, METRIC_MONGO_CACHE_AGGRESSIVE, 0);
	set_text(s, METRIC_MONGO_CACHE_STATE, scanning(t) ? "CLEAN NOKEEP" : "CLEAN");
	sample_set_u64(s, METRIC_MONGO_READ_COUNT, total(t, 1100, 0.2, 20300, 4));
	sample_set_u64(s, METRIC_MONGO_READ_TIME, total(t, 12100, 0.1, 240000, 8));
	sample_set_u64(s, METRIC_MONGO_BLOCK_BYTES_READ_TOTAL, total(t, 9e6, 0.2, 170e6, 9));
	sample_set_u64(s, METRIC_MONGO_READ_DEVICE_BYTES, total(t, 5e5, 0.2, 12e6, 9));
	set_text(s, METRIC_MONGO_READ_DEVICE_SOURCE, "process");
}

static void mongo_rest(struct sample *s, unsigned t)
{
	sample_set_u64(s, METRIC_MONGO_LAT_READS_OPS, total(t, 1930, 0.05, -700, 10));
	sample_set_u64(s, METRIC_MONGO_LAT_READS_TIME, total(t, 600000, 0.05, 260000, 11));
	sample_set_u64(s, METRIC_MONGO_LAT_WRITES_OPS, total(t, 210, 0.05, 0, 12));
	sample_set_u64(s, METRIC_MONGO_LAT_WRITES_TIME, total(t, 61000, 0.05, 9000, 13));
	sample_set_u64(s, METRIC_MONGO_OPS_QUERY_TOTAL, total(t, 1900, 0.05, -700, 14));
	sample_set_u64(s, METRIC_MONGO_OPS_INSERT_TOTAL, total(t, 40, 0.1, 0, 15));
	sample_set_u64(s, METRIC_MONGO_OPS_UPDATE_TOTAL, total(t, 170, 0.1, 0, 16));
	sample_set_u64(s, METRIC_MONGO_OPS_DELETE_TOTAL, 7);
	sample_set_u64(s, METRIC_MONGO_OPS_GETMORE_TOTAL, total(t, 3, 0.3, 40, 17));
	sample_set_u64(s, METRIC_MONGO_OPS_COMMAND_TOTAL, total(t, 26, 0.2, 0, 18));
	sample_set_u64(s, METRIC_MONGO_OPS_TOTAL_TOTAL, total(t, 2139, 0.05, -660, 19));
	sample_set_u64(s, METRIC_MONGO_TICKETS_READ_OUT, scanning(t) ? 3 : 1);
	sample_set_u64(s, METRIC_MONGO_TICKETS_WRITE_OUT, 0);
	sample_set_u64(s, METRIC_MONGO_CONN_CURRENT, 42);
	sample_set_u64(s, METRIC_MONGO_CONN_AVAILABLE, 51158);
	sample_set_f64(s, METRIC_MONGO_MEM_RESIDENT, 718 * MIB);
	sample_set_f64(s, METRIC_MONGO_UPTIME, 93784 + t);
	sample_set_f64(s, METRIC_MONGO_PINNED_LAG, 300 + t / 10.0);
	sample_set_missing(s, METRIC_MONGO_PINNED_READER, REASON_NOT_SET);
	sample_set_f64(s, METRIC_MONGO_PINNED_WINDOW, 300);
	sample_set_f64(s, METRIC_MONGO_PINNED_LIMIT, 60);
	sample_set_f64(s, METRIC_MONGO_REPL_MAJORITY_LAG, 0);
	sample_set_f64(s, METRIC_MONGO_HS_SIZE, 27 * MIB + t * 4096);
	sample_set_f64(s, METRIC_MONGO_HS_REUSABLE, 3.5 * MIB);
	sample_set_u64(s, METRIC_MONGO_HS_INSERTS_TOTAL, total(t, 18, 0.3, 0, 20));
	sample_set_u64(s, METRIC_MONGO_CKPT_LAST, 812);
	sample_set_u64(s, METRIC_MONGO_CKPT_RUNNING, 0);
	sample_set_u64(s, METRIC_MONGO_CKPT_AGE, t % 60 + 12 > 60 ? t % 60 - 48 : t % 60 + 12);
	sample_set_u64(s, METRIC_MONGO_SCAN_DOCS_EXAMINED_TOTAL, total(t, 2000, 0.1, 60000, 21));
	sample_set_u64(s, METRIC_MONGO_SCAN_COLLSCANS_TOTAL, 5);
	set_text(s, METRIC_MONGO_REPL_STATE, "PRIMARY");
}

struct op {
	double secs;
	const char *plan, *ns, *op, *app, *client, *shape;
	double docs; /* below 0: not sent */
};

static void add_op(struct sample *s, const struct op *o, uint64_t opid)
{
	struct raw *row = sample_add_row(s, TABLE_MONGO_OP);

	raw_set_u64(&row[COL_MONGO_OP_OPID], opid);
	raw_set_f64(&row[COL_MONGO_OP_SECS], o->secs);
	raw_set_text(s, &row[COL_MONGO_OP_PLAN], o->plan, strlen(o->plan));
	raw_set_text(s, &row[COL_MONGO_OP_NS], o->ns, strlen(o->ns));
	raw_set_text(s, &row[COL_MONGO_OP_OP], o->op, strlen(o->op));
	raw_set_text(s, &row[COL_MONGO_OP_APP], o->app, strlen(o->app));
	raw_set_text(s, &row[COL_MONGO_OP_CLIENT], o->client, strlen(o->client));
	raw_set_text(s, &row[COL_MONGO_OP_SHAPE], o->shape, strlen(o->shape));
	if (o->docs >= 0)
		raw_set_f64(&row[COL_MONGO_OP_DOCS], o->docs);
}

static void mongo_tables(struct sample *s, unsigned t)
{
	struct op scan = {t - SCENE_SCAN_AT, "COLLSCAN", "shop.items", "command", "report-job",
		"127.0.0.1:51022", "count shop.items {price: ?}", -1};
	struct op point = {0.004, "IDHACK", "shop.items", "query", "web", "10.0.3.17:40122",
		"find shop.items {_id: ?}", 1};
	struct op wide = {0.6, "IXSCAN { at: 1 }", "shop.海図", "query", "batch", "10.0.3.18:51514",
		"find shop.海図 {at: {$gt: ?}}", 412};
	static const struct {
		const char *ns, *index;
		double cached, size;
		double read, evicted, next, search;
	} colls[] = {
		{"shop.items", "", 301 * MIB, 812 * MIB, 20800, 17600, 60000, 300},
		{"shop.items", "_id_", 41 * MIB, 44 * MIB, 30, 21, 0, 1930},
		{"shop.orders", "", 58 * MIB, 96 * MIB, 410, 380, 120, 170},
		{"shop.海図", "at_1", 9 * MIB, 12 * MIB, 3, 2, 412, 2},
	};

	if (scanning(t))
		add_op(s, &scan, 8100);
	add_op(s, &point, 8000 + t);
	add_op(s, &wide, 8050);
	for (unsigned i = 0; i < sizeof(colls) / sizeof(colls[0]); i++) {
		struct raw *row = sample_add_row(s, TABLE_MONGO_COLL);

		raw_set_text(s, &row[COL_MONGO_COLL_NS], colls[i].ns, strlen(colls[i].ns));
		raw_set_text(s, &row[COL_MONGO_COLL_INDEX], colls[i].index, strlen(colls[i].index));
		raw_set_f64(&row[COL_MONGO_COLL_BYTES_IN_CACHE], colls[i].cached);
		raw_set_f64(&row[COL_MONGO_COLL_SIZE], colls[i].size);
		raw_set_u64(&row[COL_MONGO_COLL_PAGES_READ], (uint64_t)(colls[i].read * t));
		raw_set_u64(&row[COL_MONGO_COLL_EVICTED], (uint64_t)(colls[i].evicted * t));
		raw_set_u64(&row[COL_MONGO_COLL_NEXT], (uint64_t)(colls[i].next * t));
		raw_set_u64(&row[COL_MONGO_COLL_SEARCH], (uint64_t)(colls[i].search * t));
	}
	for (unsigned i = 0; i < 6; i++) {
		struct raw *row = sample_add_row(s, TABLE_MONGO_LATENCY);
		static const double share[] = {10, 120, 900, 700, 190, 10};

		raw_set_f64(&row[COL_MONGO_LATENCY_MICROS], 64u << i);
		raw_set_u64(&row[COL_MONGO_LATENCY_READS], (uint64_t)(share[i] * t));
	}
}

static void mongo_sample(struct sample *s, unsigned t)
{
	copy(s->product, sizeof(s->product), "mongod");
	copy(s->version, sizeof(s->version), "8.0.10");
	copy(s->role, sizeof(s->role), "PRIMARY");
	mongo_cache(s, t);
	mongo_rest(s, t);
	mongo_tables(s, t);
}

/* ---- Redis -------------------------------------------------------------------------------------
 */

static void redis_sample(struct sample *s, unsigned t)
{
	static const struct {
		const char *command;
		double calls, usec;
	} commands[] = {
		{"get", 11200, 1.1}, {"set", 840, 2.2}, {"expire", 800, 0.9}, {"info", 1, 84}};
	struct raw *row;

	copy(s->product, sizeof(s->product), "redis");
	copy(s->version, sizeof(s->version), "7.0.15");
	copy(s->role, sizeof(s->role), "master");
	sample_set_f64(s, METRIC_REDIS_MEM_USED, floor((63.4 + 0.5 * wobble(t, 30)) * MIB));
	sample_set_f64(s, METRIC_REDIS_MEM_MAX, 64 * MIB);
	sample_set_f64(s, METRIC_REDIS_MEM_RSS, 79.1 * MIB);
	sample_set_f64(s, METRIC_REDIS_MEM_PEAK, 64.2 * MIB);
	sample_set_f64(s, METRIC_REDIS_MEM_DATASET, 55.3 * MIB);
	sample_set_f64(s, METRIC_REDIS_MEM_SYSTEM, 7.7 * 1024 * MIB);
	sample_set_f64(s, METRIC_REDIS_MEM_FRAG, 1.04);
	sample_set_f64(s, METRIC_REDIS_MEM_FRAG_RSS, 1.25);
	sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, total(t, 10400, 0.04, 0, 31));
	sample_set_u64(s, METRIC_REDIS_MISSES_TOTAL, total(t, 780, 0.3, 420, 32));
	sample_set_u64(s, METRIC_REDIS_EVICTED_TOTAL, total(t, 118, 0.3, 90, 33));
	sample_set_u64(s, METRIC_REDIS_EXPIRED_TOTAL, total(t, 31, 0.3, 0, 34));
	sample_set_u64(s, METRIC_REDIS_EVICT_EXCEEDED_TOTAL, 0);
	sample_set_u64(s, METRIC_REDIS_OPS_TOTAL, total(t, 12840, 0.04, 0, 35));
	sample_set_u64(s, METRIC_REDIS_KEYS, 120400 + t);
	sample_set_u64(s, METRIC_REDIS_EXPIRES, 98100);
	sample_set_u64(s, METRIC_REDIS_CLIENTS, 12);
	sample_set_u64(s, METRIC_REDIS_BLOCKED, 0);
	sample_set_u64(s, METRIC_REDIS_MAX_CLIENTS, 10000);
	sample_set_u64(s, METRIC_REDIS_REJECTED_TOTAL, 0);
	sample_set_u64(s, METRIC_REDIS_NET_IN_TOTAL, total(t, 610000, 0.05, 0, 36));
	sample_set_u64(s, METRIC_REDIS_NET_OUT_TOTAL, total(t, 5.2e6, 0.05, 0, 37));
	sample_set_f64(s, METRIC_REDIS_CPU_USER_TOTAL, 100 + t * 0.081);
	sample_set_f64(s, METRIC_REDIS_CPU_SYS_TOTAL, 100 + t * 0.112);
	sample_set_f64(s, METRIC_REDIS_UPTIME, 611 + t);
	set_text(s, METRIC_REDIS_MEM_POLICY, "allkeys-lru");
	for (unsigned i = 0; i < 4; i++) {
		row = sample_add_row(s, TABLE_REDIS_CMD);
		raw_set_text(s, &row[COL_REDIS_CMD_COMMAND], commands[i].command,
			strlen(commands[i].command));
		raw_set_u64(&row[COL_REDIS_CMD_CALLS], (uint64_t)(commands[i].calls * (t + 100)));
		raw_set_u64(
			&row[COL_REDIS_CMD_CALLS_TOTAL], (uint64_t)(commands[i].calls * (t + 100)));
		raw_set_u64(&row[COL_REDIS_CMD_USEC],
			(uint64_t)(commands[i].calls * commands[i].usec * (t + 100)));
		raw_set_u64(&row[COL_REDIS_CMD_FAILED], 0);
		raw_set_u64(&row[COL_REDIS_CMD_REJECTED], 0);
	}
	row = sample_add_row(s, TABLE_REDIS_DB);
	raw_set_text(s, &row[COL_REDIS_DB_DB], "db0", 3);
	raw_set_u64(&row[COL_REDIS_DB_KEYS], 120400 + t);
	raw_set_u64(&row[COL_REDIS_DB_EXPIRES], 98100);
	raw_set_u64(&row[COL_REDIS_DB_AVG_TTL], 41200);
}

/* ---- memcached ---------------------------------------------------------------------------------
 */

static void memcached_sample(struct sample *s, unsigned t)
{
	static const struct {
		double chunk, pages, items, evicted, age, after;
	} slabs[] = {
		{96, 1, 10922, 0, 611, 0},
		{240, 9, 39321, 0, 480, 0},
		{600, 2, 3494, 41, 14, 9},
		{1184, 31, 27435, 2, 402, 388},
		{18136, 21, 1197, 0, 590, 0},
	};

	copy(s->product, sizeof(s->product), "memcached");
	copy(s->version, sizeof(s->version), "1.6.18");
	sample_set_f64(s, METRIC_MEMCACHED_MEM_USED, floor((59.7 + 0.2 * wobble(t, 40)) * MIB));
	sample_set_f64(s, METRIC_MEMCACHED_MEM_MAX, 64 * MIB);
	sample_set_u64(s, METRIC_MEMCACHED_HITS_TOTAL, total(t, 4210, 0.05, 0, 41));
	sample_set_u64(s, METRIC_MEMCACHED_MISSES_TOTAL, total(t, 460, 0.3, 0, 42));
	sample_set_u64(s, METRIC_MEMCACHED_SETS_TOTAL, total(t, 455, 0.3, 0, 43));
	sample_set_u64(s, METRIC_MEMCACHED_EVICTIONS_TOTAL, total(t, 43, 0.2, 0, 44));
	sample_set_u64(s, METRIC_MEMCACHED_EVICTED_UNFETCHED, total(t, 17, 0.2, 0, 44));
	sample_set_u64(s, METRIC_MEMCACHED_EVICTED_ACTIVE, total(t, 2, 0.2, 0, 44));
	sample_set_u64(s, METRIC_MEMCACHED_RECLAIMED_TOTAL, total(t, 6, 0.4, 0, 45));
	sample_set_u64(s, METRIC_MEMCACHED_DIRECT_RECLAIMS_TOTAL, 0);
	sample_set_u64(s, METRIC_MEMCACHED_TAIL_AGE, 14);
	sample_set_u64(s, METRIC_MEMCACHED_ITEMS, 82369);
	sample_set_u64(s, METRIC_MEMCACHED_CONNS, 9);
	sample_set_u64(s, METRIC_MEMCACHED_MAX_CONNS, 1024);
	sample_set_u64(s, METRIC_MEMCACHED_REJECTED_TOTAL, 0);
	sample_set_u64(s, METRIC_MEMCACHED_SLABS_ACTIVE, 5);
	sample_set_f64(s, METRIC_MEMCACHED_SLABS_MALLOCED, 64 * MIB);
	sample_set_f64(s, METRIC_MEMCACHED_SLABS_WASTE, 3.1 * MIB);
	sample_set_f64(s, METRIC_MEMCACHED_UPTIME, 640 + t);
	sample_explain_missing(s, KIND_MEMCACHED, REASON_NOT_SENT);
	sample_set_missing(s, METRIC_MEMCACHED_PROBE_P50, REASON_OFF);
	sample_set_missing(s, METRIC_MEMCACHED_PROBE_P99, REASON_OFF);
	for (unsigned i = 0; i < sizeof(slabs) / sizeof(slabs[0]); i++) {
		struct raw *row = sample_add_row(s, TABLE_MEMCACHED_SLAB);

		raw_set_u64(&row[COL_MEMCACHED_SLAB_CLASS], 1 + 4 * i);
		raw_set_f64(&row[COL_MEMCACHED_SLAB_CHUNK], slabs[i].chunk);
		raw_set_f64(&row[COL_MEMCACHED_SLAB_PAGES], slabs[i].pages);
		raw_set_f64(&row[COL_MEMCACHED_SLAB_ITEMS], slabs[i].items);
		raw_set_u64(&row[COL_MEMCACHED_SLAB_EVICTED], (uint64_t)(slabs[i].evicted * t));
		raw_set_f64(&row[COL_MEMCACHED_SLAB_AGE], slabs[i].age);
		raw_set_f64(&row[COL_MEMCACHED_SLAB_EVICTED_TIME], slabs[i].after);
		raw_set_u64(&row[COL_MEMCACHED_SLAB_OOM], 0);
		raw_set_f64(&row[COL_MEMCACHED_SLAB_WASTE], slabs[i].chunk * 97);
	}
}

/* ---- the host ----------------------------------------------------------------------------------
 */

static void host_sample(struct sample *s, unsigned t)
{
	double gib = 1024 * MIB;
	struct raw *row;

	copy(s->product, sizeof(s->product), "linux");
	copy(s->version, sizeof(s->version), "6.1.0");
	sample_set_f64(s, METRIC_HOST_MEM_TOTAL, 7.7 * gib);
	sample_set_f64(s, METRIC_HOST_MEM_AVAILABLE, floor((5.6 + 0.05 * wobble(t, 50)) * gib));
	sample_set_f64(s, METRIC_HOST_MEM_FREE, 0.4 * gib);
	sample_set_f64(s, METRIC_HOST_MEM_CACHED, floor((5.0 + 0.05 * wobble(t, 50)) * gib));
	sample_set_f64(s, METRIC_HOST_MEM_BUFFERS, 0.2 * gib);
	sample_set_f64(s, METRIC_HOST_MEM_SHMEM, 0.1 * gib);
	sample_set_f64(s, METRIC_HOST_MEM_DIRTY, 4.2 * MIB);
	sample_set_f64(s, METRIC_HOST_MEM_WRITEBACK, 0);
	sample_set_f64(s, METRIC_HOST_SWAP_TOTAL, 0);
	sample_set_f64(s, METRIC_HOST_SWAP_USED, 0);
	sample_set_u64(s, METRIC_HOST_SWAP_IN_TOTAL, 0);
	sample_set_u64(s, METRIC_HOST_SWAP_OUT_TOTAL, 0);
	sample_set_u64(s, METRIC_HOST_VM_SCAN_TOTAL, total(t, 40, 0.5, 900, 51));
	sample_set_u64(s, METRIC_HOST_VM_STEAL_TOTAL, total(t, 38, 0.5, 860, 51));
	sample_set_u64(s, METRIC_HOST_VM_OOM_KILL_TOTAL, 0);
	sample_set_u64(s, METRIC_HOST_VM_REFAULT_TOTAL, 0);
	sample_set_u64(s, METRIC_HOST_VM_MAJFAULT_TOTAL, total(t, 1, 0.5, 0, 52));
	sample_set_u64(s, METRIC_HOST_VM_PGIN_TOTAL, total(t, 600e3, 0.4, 11e6, 53));
	sample_set_u64(s, METRIC_HOST_VM_PGOUT_TOTAL, total(t, 900e3, 0.4, 0, 54));
	sample_set_u64(s, METRIC_HOST_PSI_MEM_SOME_TOTAL, 0);
	sample_set_u64(s, METRIC_HOST_PSI_MEM_FULL_TOTAL, 0);
	sample_set_u64(s, METRIC_HOST_PSI_IO_SOME_TOTAL, total(t, 900, 0.5, 2900, 55));
	sample_set_u64(s, METRIC_HOST_PSI_IO_FULL_TOTAL, total(t, 700, 0.5, 2000, 55));
	sample_set_f64(s, METRIC_HOST_CGROUP_USED, 1.31 * gib);
	sample_set_f64(s, METRIC_HOST_CGROUP_MAX, 2.0 * gib);
	sample_set_f64(s, METRIC_HOST_CGROUP_FILE, 0.5 * gib);
	sample_set_u64(s, METRIC_HOST_CGROUP_RBYTES_TOTAL, total(t, 600e3, 0.4, 11e6, 53));
	sample_set_u64(s, METRIC_HOST_DISK_READ_TOTAL, total(t, 600e3, 0.4, 11e6, 53));
	sample_set_f64(s, METRIC_HOST_UPTIME, 211000 + t);
	set_text(s, METRIC_HOST_VIRT, "kvm");
	set_text(s, METRIC_HOST_CONTAINER, "none");
	set_text(s, METRIC_HOST_STORAGE, "ext4");
	row = sample_add_row(s, TABLE_HOST_DISK);
	raw_set_text(s, &row[COL_HOST_DISK_DEVICE], "vda", 3);
	raw_set_u64(&row[COL_HOST_DISK_READ], total(t, 600e3, 0.4, 11e6, 53));
	raw_set_u64(&row[COL_HOST_DISK_WRITE], total(t, 900e3, 0.4, 0, 54));
}

/* ---- scenes ------------------------------------------------------------------------------------
 */

struct endpoint *scene_add(struct model *m, enum kind kind)
{
	static const struct {
		const char *id, *name, *address;
	} who[KIND_COUNT] = {
		[KIND_MONGO] = {"mongo@127.0.0.1:27017", "orders-db-2", "127.0.0.1:27017"},
		[KIND_REDIS] = {"redis@127.0.0.1:6379", "sessions", "127.0.0.1:6379"},
		[KIND_MEMCACHED] = {"memcached@127.0.0.1:11211", "pages", "127.0.0.1:11211"},
		[KIND_HOST] = {"host@local", "this host", "this host"},
	};
	struct endpoint *ep =
		model_add(m, kind, who[kind].id, who[kind].name, who[kind].address, HISTORY_STEPS);

	assert_non_null(ep);
	return ep;
}

static struct sample *make_sample(const struct endpoint *ep, unsigned t)
{
	static void (*const fill[KIND_COUNT])(struct sample *, unsigned) = {
		[KIND_MONGO] = mongo_sample,
		[KIND_REDIS] = redis_sample,
		[KIND_MEMCACHED] = memcached_sample,
		[KIND_HOST] = host_sample,
	};
	struct sample *s = sample_create(ep->index);

	assert_non_null(s);
	s->status = STATUS_OK;
	s->mono_ns = MONO0 + t * SECOND;
	s->wall_ns = WALL0 + t * SECOND;
	s->rtt_ns = 310000;
	s->epoch = 42;
	fill[ep->kind](s, t);
	return s;
}

void scene_run(struct model *m, unsigned seconds)
{
	for (unsigned t = 0; t < seconds; t++)
		for (unsigned i = 0; i < m->n; i++)
			model_push(m, make_sample(m->ep[i], t));
	m->nverdicts = m->nevents = m->nskipped = m->event_head = 0;
}

static void add_verdict(struct model *m, enum kind kind, enum level level, const char *code,
	int since_s, const char *text, const char *next)
{
	for (unsigned i = 0; i < m->n; i++) {
		struct verdict *v = &m->verdicts[m->nverdicts];

		if (m->ep[i]->kind != kind)
			continue;
		*v = (struct verdict){.level = level,
			.code = code,
			.endpoint = m->ep[i]->index,
			.since_wall_ns = WALL0 + since_s * SECOND};
		copy(v->text, sizeof(v->text), text);
		copy(v->next, sizeof(v->next), next);
		m->nverdicts++;
		return;
	}
}

static void add_event(struct model *m, enum kind kind, enum level level, enum event_state state,
	const char *code, int at_s, const char *text)
{
	for (unsigned i = 0; i < m->n; i++) {
		int64_t mono = m->mono_ns, wall = m->wall_ns;

		if (m->ep[i]->kind != kind)
			continue;
		m->mono_ns = MONO0 + at_s * SECOND;
		m->wall_ns = WALL0 + at_s * SECOND;
		(void)model_add_event(m, 0, m->ep[i]->index, code, level, state, text, NULL);
		m->mono_ns = mono;
		m->wall_ns = wall;
		return;
	}
}

void scene_conclude(struct model *m)
{
	add_verdict(m, KIND_MONGO, LEVEL_CRIT, "mongo.scan.evicting_hot_set", 103,
		"COLLSCAN on shop.items (app report-job, 19 s) is evicting the hot set: 21k "
		"pages/s in, "
		"18k clean pages/s out, reads 0.31 → 0.62 ms",
		"add an index for {price: ?} or run it on a secondary");
	add_verdict(m, KIND_MEMCACHED, LEVEL_WARN, "memcached.slab_imbalance", 62,
		"class 9 (600 B) evicts 41/s after 9 s with 3 % of the pages while class 17 evicts "
		"none",
		"set slab_automove=1, or restart with slab_reassign");
	add_verdict(m, KIND_REDIS, LEVEL_WARN, "redis.evicting_hot", 101,
		"evicts 208/s and misses rose from 780 to 1.2k/s: keys are wanted again after "
		"their eviction",
		"raise maxmemory, or look for large keys");
	add_event(m, KIND_MONGO, LEVEL_INFO, EVENT_BEGIN, "mongo.cache.above_target", 31,
		"fill above its target of 80 %: background eviction at work");
	add_event(m, KIND_MONGO, LEVEL_INFO, EVENT_END, "mongo.cache.above_target", 44,
		"fill above its target of 80 %: background eviction at work");
	add_event(m, KIND_MEMCACHED, LEVEL_WARN, EVENT_BEGIN, "memcached.slab_imbalance", 62,
		"class 9 evicts 41/s after 9 s with 3 % of the pages");
	add_event(m, KIND_MONGO, LEVEL_WARN, EVENT_BEGIN, "mongo.scan.storm", SCENE_SCAN_AT,
		"COLLSCAN on shop.items (app report-job) floods the cache");
	add_event(m, KIND_REDIS, LEVEL_WARN, EVENT_BEGIN, "redis.evicting_hot", 101,
		"evicts 208/s while misses rise");
}

void scene_fail(
	struct model *m, struct endpoint *ep, double after_s, enum status status, const char *msg)
{
	struct sample *s = sample_create(ep->index);
	struct err err = {ERR_NONE, 0, ""};

	assert_non_null(s);
	copy(err.msg, sizeof(err.msg), msg);
	sample_fail(s, status, &err);
	s->mono_ns = (m->mono_ns ? m->mono_ns : MONO0) + (int64_t)(after_s * 1e9);
	s->wall_ns = (m->wall_ns ? m->wall_ns : WALL0) + (int64_t)(after_s * 1e9);
	model_push(m, s);
}

void scene_wait(struct model *m, double seconds)
{
	model_tick(m, (m->mono_ns ? m->mono_ns : MONO0) + (int64_t)(seconds * 1e9),
		(m->wall_ns ? m->wall_ns : WALL0) + (int64_t)(seconds * 1e9));
}

struct model *scene_node(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	(void)scene_add(m, KIND_MONGO);
	(void)scene_add(m, KIND_HOST);
	scene_run(m, SCENE_SECONDS);
	scene_conclude(m);
	return m;
}

struct model *scene_demo(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	(void)scene_add(m, KIND_MONGO);
	(void)scene_add(m, KIND_REDIS);
	(void)scene_add(m, KIND_MEMCACHED);
	(void)scene_add(m, KIND_HOST);
	scene_run(m, SCENE_SECONDS);
	scene_conclude(m);
	return m;
}
