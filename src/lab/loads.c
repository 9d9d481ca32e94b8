/*
 * The loads of the demo: a shop. Its documents are more than twice the database's cache, its hot
 * set is half of it; a report scans everything now and then and pushes the hot set out. Redis
 * holds pages made from the documents, more of them than its memory takes; memcached holds
 * sessions, more than its memory takes, so that the rest goes to flash.
 *
 * "Cache" below is wtnode's, 64 MB; a document takes about 2.2 KB of it.
 */
#include "load.h"

#include <mongoc/mongoc.h>
#include "hotset/clock.h"
#include "hotset/source.h"
#include "kv.h"

#define DATABASE   "shop"
#define COLLECTION "products"

#define PRODUCTS      70000 /* 2.4 × the cache */
#define HOT_PRODUCTS  14500 /* 0.5 × the cache */
#define NOTE_BYTES    1950
#define INSERT_BATCH  1000
#define READS_PER_S   1800
#define UPDATE_EVERY  40    /* one write for so many reads */

#define REPORT_EVERY_S 40
#define REPORT_LASTS_S 5

#define PAGES         16000 /* × 6 KB: 1.5 × Redis' memory */
#define PAGE_BYTES    6000
#define PAGES_PER_S   900
#define PAGE_TTL_S    90    /* to twice this */

#define SESSIONS      14000 /* × 7 KB in the mean: 4 × memcached's memory */
#define SESSION_MIN   2000
#define SESSION_MAX   12000
#define SESSIONS_PER_S 700
#define SESSION_WRITE_EVERY 8
#define SESSION_TTL_S 3600

#define ERROR_PAUSE_MS 200

/* Letters of which about half are random: compresses to about a half, as text does. */
static void fill_text(char *out, size_t len, struct rng *rng)
{
	static const char letters[] = "etaoinshrdlucmfw";
	uint64_t bits = 0;

	for (size_t i = 0; i < len; i++) {
		if (i % 32 == 0) {
			bits = rng_next(rng);
		}
		out[i] = i % 32 < 16 ? letters[bits >> (i % 16 * 4) & 15] : 'e';
	}
}

static void note_result(const struct load_env *env, const char *what, bool ok, const char *why)
{
	if (ok) {
		atomic_fetch_add(&env->progress->ops, 1);
		return;
	}
	if (atomic_fetch_add(&env->progress->errors, 1) == 0) {
		printf("%s: %s\n", what, why);
		fflush(stdout);
	}
	load_sleep_ms(ERROR_PAUSE_MS);
}

/* ---- the database ---------------------------------------------------------------------------- */

struct db {
	mongoc_client_t     *client;
	mongoc_collection_t *products;
};

static bool db_open(struct db *db, const char *uri, const char *app)
{
	source_global_init();
	db->client = mongoc_client_new(uri);
	if (!db->client || !mongoc_client_set_appname(db->client, app)) {
		printf("no client for the database\n");
		return false;
	}
	mongoc_client_set_error_api(db->client, MONGOC_ERROR_API_VERSION_2);
	db->products = mongoc_client_get_collection(db->client, DATABASE, COLLECTION);
	return true;
}

static bool db_insert_batch(struct db *db, int first, int n, struct rng *rng, bson_error_t *error)
{
	mongoc_bulk_operation_t *bulk =
		mongoc_collection_create_bulk_operation_with_opts(db->products, NULL);
	char sku[16], note[NOTE_BYTES + 1];
	bool ok;

	for (int i = 0; i < n; i++) {
		bson_t *doc;

		fill_text(note, NOTE_BYTES, rng);
		note[NOTE_BYTES] = '\0';
		snprintf(sku, sizeof(sku), "A-%06d", first + i);
		doc = BCON_NEW("_id", BCON_INT32(first + i), "sku", BCON_UTF8(sku), "stock",
			BCON_INT32((int)rng_below(rng, 500)), "note", BCON_UTF8(note));
		mongoc_bulk_operation_insert(bulk, doc);
		bson_destroy(doc);
	}
	ok = mongoc_bulk_operation_execute(bulk, NULL, error) != 0;
	mongoc_bulk_operation_destroy(bulk);
	return ok;
}

/* Reads what the filter finds; n is the number of documents. */
static bool db_find(struct db *db, const bson_t *filter, unsigned *n, bson_error_t *error)
{
	mongoc_cursor_t *cursor =
		mongoc_collection_find_with_opts(db->products, filter, NULL, NULL);
	const bson_t *doc;
	bool ok;

	*n = 0;
	while (mongoc_cursor_next(cursor, &doc)) {
		(*n)++;
	}
	ok = !mongoc_cursor_error(cursor, error);
	mongoc_cursor_destroy(cursor);
	return ok;
}

static bool db_read(struct db *db, uint32_t id, bson_error_t *error)
{
	bson_t *filter = BCON_NEW("_id", BCON_INT32((int32_t)id));
	unsigned n;
	bool ok = db_find(db, filter, &n, error);

	bson_destroy(filter);
	return ok;
}

static bool db_sell(struct db *db, uint32_t id, bson_error_t *error)
{
	bson_t *filter = BCON_NEW("_id", BCON_INT32((int32_t)id));
	bson_t *update = BCON_NEW("$inc", "{", "stock", BCON_INT32(-1), "}");
	bool ok = mongoc_collection_update_one(db->products, filter, update, NULL, NULL, error);

	bson_destroy(filter);
	bson_destroy(update);
	return ok;
}

static bool wants_mongodb(const struct load_env *env)
{
	return env->mongodb[0] != '\0';
}

static int run_shop(const struct load_env *env)
{
	struct rng rng = {1};
	struct pace pace;
	struct db db;
	bson_error_t error = {0};

	if (!db_open(&db, env->mongodb, "shop-web")) {
		return 1;
	}
	for (int first = 0; first < PRODUCTS; first += INSERT_BATCH) {
		note_result(env, "insert", db_insert_batch(&db, first, INSERT_BATCH, &rng, &error),
			error.message);
	}
	for (uint32_t id = 0; id < HOT_PRODUCTS; id++) {
		note_result(env, "first read", db_read(&db, id, &error), error.message);
	}
	atomic_store(&env->progress->warm, true);
	pace_init(&pace, READS_PER_S);
	for (uint64_t done = 0;;) {
		for (unsigned n = pace_wait(&pace); n > 0; n--, done++) {
			uint32_t id = rng_below(&rng, HOT_PRODUCTS);
			bool ok = done % UPDATE_EVERY == 0 ? db_sell(&db, id, &error)
				: db_read(&db, id, &error);

			note_result(env, "read", ok, error.message);
		}
	}
}

/* A question that no index answers: the whole collection is read, and nothing is found. */
static int run_report(const struct load_env *env)
{
	bson_t *filter = BCON_NEW("stock", BCON_INT32(1000000));
	bson_error_t error = {0};
	struct db db;

	if (!db_open(&db, env->mongodb, "report-job")) {
		return 1;
	}
	load_await(env);
	atomic_store(&env->progress->warm, true);
	for (;;) {
		int64_t end;

		load_sleep_ms((REPORT_EVERY_S - REPORT_LASTS_S) * 1000);
		end = clock_mono_ns() + REPORT_LASTS_S * NS_PER_SEC;
		while (clock_mono_ns() < end) {
			unsigned n;

			note_result(env, "scan", db_find(&db, filter, &n, &error), error.message);
		}
	}
}

/* ---- the caches ------------------------------------------------------------------------------ */

/* One call of a cache-aside client: get; after a miss make it from its origin, and set it. */
struct aside {
	struct kv  *kv;
	struct db  *origin; /* NULL: made from nothing */
	char       *value;
};

static bool aside_set(struct aside *a, const char *key, size_t len, unsigned ttl_s, struct rng *rng,
	struct err *err)
{
	fill_text(a->value, len, rng);
	return kv_set(a->kv, key, a->value, len, ttl_s, err);
}

static bool page_view(const struct load_env *env, struct aside *a, uint32_t id, struct rng *rng,
	struct err *err)
{
	char key[32];
	bool found;
	bson_error_t error;

	snprintf(key, sizeof(key), "page:product:%u", id);
	if (!kv_get(a->kv, key, &found, err)) {
		return false;
	}
	if (found) {
		return true;
	}
	atomic_fetch_add(&env->progress->misses, 1);
	if (a->origin && !db_read(a->origin, id, &error)) {
		return err_set(err, ERR_PROTOCOL, "the page's origin: %s", error.message);
	}
	return aside_set(a, key, PAGE_BYTES, PAGE_TTL_S + rng_below(rng, PAGE_TTL_S), rng, err);
}

static bool wants_redis(const struct load_env *env)
{
	return env->redis[0] != '\0';
}

static int run_pages(const struct load_env *env)
{
	char value[PAGE_BYTES];
	struct rng rng = {2};
	struct pace pace;
	struct db db;
	struct err err = {0};
	struct aside a = {.value = value};

	source_global_init();
	a.kv = kv_create(env->redis, &err);
	if (!a.kv) {
		printf("%s\n", err.msg);
		return 1;
	}
	load_await(env);
	if (wants_mongodb(env) && db_open(&db, env->mongodb, "shop-pages")) {
		a.origin = &db;
	}
	pace_init(&pace, PAGES_PER_S);
	for (;;) {
		for (unsigned n = pace_wait(&pace); n > 0; n--) {
			note_result(env, "page",
				page_view(env, &a, rng_skewed(&rng, PAGES), &rng, &err), err.msg);
		}
		atomic_store(&env->progress->warm, true);
	}
}

static bool session_use(const struct load_env *env, struct aside *a, uint32_t id, struct rng *rng,
	struct err *err)
{
	size_t len = SESSION_MIN + (id * 7919u) % (SESSION_MAX - SESSION_MIN); /* its own, always */
	bool found = false, write = rng_below(rng, SESSION_WRITE_EVERY) == 0;
	char key[32];

	snprintf(key, sizeof(key), "session:%u", id);
	if (!write && !kv_get(a->kv, key, &found, err)) {
		return false;
	}
	if (found) {
		return true;
	}
	atomic_fetch_add(&env->progress->misses, write ? 0 : 1);
	return aside_set(a, key, len, SESSION_TTL_S, rng, err);
}

static bool wants_memcached(const struct load_env *env)
{
	return env->memcached[0] != '\0';
}

static int run_sessions(const struct load_env *env)
{
	char value[SESSION_MAX];
	struct rng rng = {3};
	struct pace pace;
	struct err err = {0};
	struct aside a = {.value = value};

	source_global_init();
	a.kv = kv_create(env->memcached, &err);
	if (!a.kv) {
		printf("%s\n", err.msg);
		return 1;
	}
	pace_init(&pace, SESSIONS_PER_S);
	for (;;) {
		for (unsigned n = pace_wait(&pace); n > 0; n--) {
			note_result(env, "session",
				session_use(env, &a, rng_skewed(&rng, SESSIONS), &rng, &err),
				err.msg);
		}
		atomic_store(&env->progress->warm, true);
	}
}

const struct load load_shop = {"shop-web", wants_mongodb, run_shop};
const struct load load_report = {"report-job", wants_mongodb, run_report};
const struct load load_pages = {"shop-pages", wants_redis, run_pages};
const struct load load_sessions = {"shop-sessions", wants_memcached, run_sessions};
