/*
 * wtnode as its clients see it: a driver can work with it, its numbers are the engine's own, a scan
 * is a scan, and nothing that arrives on its port brings it down. One node with a cache of 8 MB
 * serves all tests but those that end it. Skipped where wtnode was not built.
 */
#include "../support/support.h"

#include <arpa/inet.h>
#include <mongoc/mongoc.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS    20000
#define WAIT_MS     20000
#define CACHE_BYTES (8 << 20)
#define LAB_DOCS    12000 /* of 2 KB: three times the cache */
#define CONNECTIONS 200   /* that the node serves at once */

struct node {
	pid_t pid; /* 0 = not running */
	int port, out;
	char token[64];
	char *dir;
};

static struct node shared;
static mongoc_client_t *client;

/* ---- the node ---------------------------------------------------------------------------------
 */

static const char *program(void)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/wtnode", test_build_dir());
	return path;
}

/* Replaces the child; the node dies with the test even when the test is killed. */
static void exec_node(int out, const char *dbpath, const char *window)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	execl(program(), "wtnode", "--dbpath", dbpath, "--cache-size", "8MB", "--port=0",
		"--history-window", window, "--parent-death", (char *)NULL);
	_exit(127);
}

/* Reads what the node prints first, up to its second line. */
static bool read_start(struct node *node)
{
	char text[256] = "";
	size_t len = 0;

	while (len < sizeof(text) - 1 &&
		(strchr(text, '\n') == NULL || strchr(strchr(text, '\n') + 1, '\n') == NULL)) {
		struct pollfd p = {.fd = node->out, .events = POLLIN};

		if (poll(&p, 1, START_MS) <= 0) {
			return false;
		}
		ssize_t n = read(node->out, text + len, sizeof(text) - 1 - len);
		if (n <= 0) {
			return false;
		}
		len += (size_t)n;
		text[len] = '\0';
	}
	return sscanf(text, "listening on 127.0.0.1:%d\nshutdown token %63s\n", &node->port,
		       node->token) == 2;
}

/* Starts a node on node->dir. */
static void start(struct node *node, const char *window)
{
	char db[4096];
	int fds[2];

	snprintf(db, sizeof(db), "%s/db", node->dir);
	assert_int_equal(pipe(fds), 0);
	node->pid = fork();
	if (node->pid == 0) {
		exec_node(fds[1], db, window);
	}
	close(fds[1]);
	node->out = fds[0];
	assert_true(node->pid > 0);
	assert_true(read_start(node));
}

/* Waits for the end and returns the exit status, or -1 for a signal. */
static int reap(struct node *node)
{
	int status = 0;

	assert_int_equal(waitpid(node->pid, &status, 0), node->pid);
	node->pid = 0;
	close(node->out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int stop(struct node *node)
{
	kill(node->pid, SIGTERM);
	return reap(node);
}

static mongoc_client_t *connect_as(const struct node *node, const char *app)
{
	char uri[256];

	snprintf(uri, sizeof(uri),
		"mongodb://127.0.0.1:%d/?appName=%s&serverSelectionTimeoutMS=5000"
		"&socketTimeoutMS=20000",
		node->port, app);
	mongoc_client_t *c = mongoc_client_new(uri);
	assert_non_null(c);
	mongoc_client_set_error_api(c, 2);
	return c;
}

static int setup(void **state)
{
	(void)state;
	if (access(program(), X_OK) != 0) {
		return 0;
	}
	mongoc_init();
	mongoc_log_set_handler(NULL, NULL);
	shared.dir = test_dir_create();
	start(&shared, "2");
	client = connect_as(&shared, "test");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (client != NULL) {
		mongoc_client_destroy(client);
	}
	if (shared.pid > 0) {
		stop(&shared);
	}
	if (shared.dir != NULL) {
		test_dir_remove(shared.dir);
		mongoc_cleanup();
	}
	return 0;
}

#define NEEDS_NODE()                                                                               \
	do {                                                                                       \
		if (client == NULL) {                                                              \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* ---- commands and replies ---------------------------------------------------------------------
 */

/* Runs a command written as JSON; returns 0 or the error's code. The caller destroys the reply. */
static uint32_t try_run(mongoc_client_t *c, const char *db, bson_t *reply, const char *json)
{
	bson_error_t error = {0};
	bson_t *cmd = bson_new_from_json((const uint8_t *)json, -1, &error);

	assert_non_null(cmd);
	bool ok = mongoc_client_command_simple(c, db, cmd, NULL, reply, &error);
	bson_destroy(cmd);
	if (!ok && error.code == 0) {
		fail_msg("%s: %s", json, error.message);
	}
	return ok ? 0 : error.code;
}

static void run(mongoc_client_t *c, const char *db, bson_t *reply, const char *json)
{
	uint32_t code = try_run(c, db, reply, json);

	if (code != 0) {
		fail_msg("%s failed with code %u", json, code);
	}
}

static void run_quietly(const char *db, const char *json)
{
	bson_t reply;

	run(client, db, &reply, json);
	bson_destroy(&reply);
}

static uint32_t code_of(const char *db, const char *json)
{
	bson_t reply;
	uint32_t code = try_run(client, db, &reply, json);

	bson_destroy(&reply);
	return code;
}

static bool at(const bson_t *doc, const char *path, bson_iter_t *found)
{
	bson_iter_t it;

	return bson_iter_init(&it, doc) && bson_iter_find_descendant(&it, path, found);
}

static bool has(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	return at(doc, path, &it);
}

/* A number at the dotted path; fails the test where there is none. */
static int64_t num(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	if (!at(doc, path, &it) || !(BSON_ITER_HOLDS_NUMBER(&it) || BSON_ITER_HOLDS_BOOL(&it))) {
		fail_msg("no number at %s", path);
	}
	return bson_iter_as_int64(&it);
}

/* A string at the dotted path, "" where there is none; it lives as long as the document. */
static const char *str(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	return at(doc, path, &it) && BSON_ITER_HOLDS_UTF8(&it) ? bson_iter_utf8(&it, NULL) : "";
}

static unsigned elements(const bson_t *doc, const char *path)
{
	bson_iter_t it, sub;
	unsigned n = 0;

	assert_true(at(doc, path, &it) && bson_iter_recurse(&it, &sub));
	while (bson_iter_next(&sub)) {
		n++;
	}
	return n;
}

static int64_t status_num(const char *path)
{
	bson_t reply;
	int64_t n;

	run(client, "admin", &reply, "{\"serverStatus\": 1}");
	n = num(&reply, path);
	bson_destroy(&reply);
	return n;
}

static int64_t count(const char *json)
{
	bson_t reply;
	int64_t n;

	run(client, "lab", &reply, json);
	n = num(&reply, "n");
	bson_destroy(&reply);
	return n;
}

static void fill_pad(char *pad, size_t size, uint64_t *seed)
{
	for (size_t i = 0; i + 1 < size; i++) {
		pad[i] = (char)('a' + test_random(seed) % 26);
	}
	pad[size - 1] = '\0';
}

/* lab.items: LAB_DOCS documents of 2 KB that do not compress well; loaded once. */
static void load_items(void)
{
	static bool loaded;
	static char pad[2000];
	uint64_t seed = 7;
	bson_error_t error;
	mongoc_collection_t *items;

	if (loaded) {
		return;
	}
	items = mongoc_client_get_collection(client, "lab", "items");
	for (int i = 0; i < LAB_DOCS; i += 1000) {
		mongoc_bulk_operation_t *bulk =
			mongoc_collection_create_bulk_operation_with_opts(items, NULL);

		for (int j = i; j < i + 1000; j++) {
			fill_pad(pad, sizeof(pad), &seed);
			bson_t *doc = BCON_NEW("_id", BCON_INT32(j), "n", BCON_INT32(j), "hits",
				BCON_INT32(0), "pad", BCON_UTF8(pad));
			mongoc_bulk_operation_insert(bulk, doc);
			bson_destroy(doc);
		}
		if (mongoc_bulk_operation_execute(bulk, NULL, &error) == 0) {
			fail_msg("%s", error.message);
		}
		mongoc_bulk_operation_destroy(bulk);
	}
	mongoc_collection_destroy(items);
	loaded = true;
}

/* ---- who it is --------------------------------------------------------------------------------
 */

/* Nobody may take the node for a mongod, and drivers must take it for a standalone server. */
static void test_names_itself(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run(client, "admin", &reply, "{\"buildinfo\": 1}");
	assert_memory_equal(str(&reply, "version"), "wtnode (WiredTiger ", 19);
	assert_true(num(&reply, "wtnode"));
	assert_string_equal(str(&reply, "process"), "wtnode");
	bson_destroy(&reply);
	run(client, "admin", &reply, "{\"hello\": 1}");
	assert_true(num(&reply, "isWritablePrimary"));
	assert_true(num(&reply, "maxWireVersion") >= 6);
	assert_false(has(&reply, "msg") || has(&reply, "setName") ||
		     has(&reply, "topologyVersion") || has(&reply, "logicalSessionTimeoutMinutes"));
	bson_destroy(&reply);
	run(client, "admin", &reply, "{\"serverStatus\": 1}");
	assert_string_equal(str(&reply, "process"), "wtnode");
	assert_memory_equal(str(&reply, "version"), "wtnode (WiredTiger ", 19);
	assert_int_equal(num(&reply, "pid"), shared.pid);
	bson_destroy(&reply);
	run(client, "admin", &reply, "{\"getCmdLineOpts\": 1}");
	assert_int_equal(num(&reply, "parsed.net.port"), shared.port);
	bson_destroy(&reply);
	run(client, "admin", &reply, "{\"hostInfo\": 1}");
	assert_true(num(&reply, "system.memSizeMB") > 0);
	bson_destroy(&reply);
}

/* What the node does not know it says so, instead of answering something else. */
static void test_refuses_unknown(void **state)
{
	(void)state;
	NEEDS_NODE();
	assert_int_equal(code_of("lab", "{\"mapReduce\": \"x\"}"), 59);
	assert_int_equal(code_of("lab", "{\"find\": \"x\", \"sort\": {\"a\": 1}}"), 238);
	assert_int_equal(
		code_of("lab", "{\"find\": \"x\", \"filter\": {\"a\": {\"$regex\": \"b\"}}}"), 238);
	assert_int_equal(code_of("lab", "{\"find\": \"x\", \"readConcern\": {\"level\": "
					"\"snapshot\"}}"),
		238);
	assert_int_equal(code_of("lab", "{\"find\": \"\"}"), 73);
	assert_int_equal(
		code_of("lab", "{\"aggregate\": \"x\", \"pipeline\": [{\"$group\": {}}]}"), 40324);
	assert_int_equal(code_of("lab", "{\"getParameter\": \"*\"}"), 13);
}

/* ---- documents --------------------------------------------------------------------------------
 */

static void test_insert_find_count(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run(client, "crud", &reply,
		"{\"insert\": \"a\", \"documents\": [{\"_id\": 1, \"v\": 10}, {\"_id\": \"x\", "
		"\"v\": 20}, "
		"{\"_id\": {\"k\": 1}, \"v\": 30, \"sub\": {\"f\": 2.5}}]}");
	assert_int_equal(num(&reply, "n"), 3);
	bson_destroy(&reply);
	/* 1.0 is the same _id as 1 */
	run(client, "crud", &reply, "{\"find\": \"a\", \"filter\": {\"_id\": 1.0}}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 1);
	assert_int_equal(num(&reply, "cursor.firstBatch.0.v"), 10);
	assert_int_equal(num(&reply, "cursor.id"), 0);
	bson_destroy(&reply);
	run(client, "crud", &reply,
		"{\"find\": \"a\", \"filter\": {\"v\": {\"$gt\": 10, \"$lte\": 30}}}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 2);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"find\": \"a\", \"filter\": {\"sub.f\": 2.5}}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"find\": \"a\", \"limit\": 2}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 2);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"count\": \"a\"}");
	assert_int_equal(num(&reply, "n"), 3);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"count\": \"a\", \"query\": {\"v\": {\"$lt\": 30}}}");
	assert_int_equal(num(&reply, "n"), 2);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"find\": \"none\", \"filter\": {}}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 0);
	bson_destroy(&reply);
}

/* A duplicate stops an ordered insert where it is; the others of an unordered one are made. */
static void test_duplicate_keys(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run_quietly("crud", "{\"insert\": \"d\", \"documents\": [{\"_id\": 1}]}");
	run(client, "crud", &reply,
		"{\"insert\": \"d\", \"documents\": [{\"_id\": 0}, {\"_id\": 1}, {\"_id\": 2}]}");
	assert_int_equal(num(&reply, "n"), 1);
	assert_int_equal(num(&reply, "writeErrors.0.index"), 1);
	assert_int_equal(num(&reply, "writeErrors.0.code"), 11000);
	bson_destroy(&reply);
	run(client, "crud", &reply,
		"{\"insert\": \"d\", \"ordered\": false, \"documents\": [{\"_id\": 1}, {\"_id\": "
		"3}]}");
	assert_int_equal(num(&reply, "n"), 1);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"count\": \"d\", \"query\": {\"_id\": {\"$gte\": 0}}}");
	assert_int_equal(num(&reply, "n"), 3);
	bson_destroy(&reply);
}

static void test_update_delete(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run_quietly("crud",
		"{\"insert\": \"u\", \"documents\": [{\"_id\": 1, \"n\": 1, \"s\": \"a\"}]}");
	run(client, "crud", &reply,
		"{\"update\": \"u\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
		"{\"$set\": {\"s\": \"b\", \"t\": 1}, \"$inc\": {\"n\": 41}}}]}");
	assert_int_equal(num(&reply, "n"), 1);
	assert_int_equal(num(&reply, "nModified"), 1);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"find\": \"u\", \"filter\": {\"_id\": 1}}");
	assert_int_equal(num(&reply, "cursor.firstBatch.0.n"), 42);
	assert_int_equal(num(&reply, "cursor.firstBatch.0.t"), 1);
	assert_string_equal(str(&reply, "cursor.firstBatch.0.s"), "b");
	bson_destroy(&reply);
	run(client, "crud", &reply,
		"{\"update\": \"u\", \"updates\": [{\"q\": {\"_id\": 2}, \"u\": "
		"{\"$inc\": {\"n\": 5}}, \"upsert\": true}]}");
	assert_int_equal(num(&reply, "upserted.0._id"), 2);
	assert_int_equal(num(&reply, "nModified"), 0);
	bson_destroy(&reply);
	run(client, "crud", &reply,
		"{\"update\": \"u\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
		"{\"$inc\": {\"s\": 1}}}]}");
	assert_int_equal(num(&reply, "writeErrors.0.code"), 14);
	bson_destroy(&reply);
	run(client, "crud", &reply,
		"{\"delete\": \"u\", \"deletes\": [{\"q\": {\"_id\": 2}, \"limit\": 1}]}");
	assert_int_equal(num(&reply, "n"), 1);
	bson_destroy(&reply);
	run(client, "crud", &reply, "{\"count\": \"u\"}");
	assert_int_equal(num(&reply, "n"), 1);
	bson_destroy(&reply);
}

/* More than a reply can hold is an error, never a part of the answer. */
static void test_huge_result(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	load_items();
	assert_int_equal(code_of("lab", "{\"find\": \"items\", \"filter\": {}}"), 10334);
	run(client, "lab", &reply, "{\"find\": \"items\", \"filter\": {}, \"limit\": 5000}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 5000);
	bson_destroy(&reply);
}

/* ---- plans ------------------------------------------------------------------------------------
 */

/* A client that repeats one command until it is told to stop. */
struct repeater {
	const char *app, *command;
	atomic_bool stop;
	atomic_int runs;
	pthread_t thread;
};

static void *repeat(void *arg)
{
	struct repeater *r = arg;
	mongoc_client_t *c = connect_as(&shared, r->app);

	while (!atomic_load(&r->stop)) {
		bson_t reply;

		if (try_run(c, "lab", &reply, r->command) == 0) {
			atomic_fetch_add(&r->runs, 1);
		}
		bson_destroy(&reply);
	}
	mongoc_client_destroy(c);
	return NULL;
}

/* What to find among the running operations. */
struct wanted_op {
	const char *app, *plan, *op;
	bson_t found;
	bool is_found;
};

static bool find_op(void *arg)
{
	struct wanted_op *w = arg;
	char json[512];
	bson_t reply, doc;
	bson_iter_t it;
	const uint8_t *data;
	uint32_t len;

	snprintf(json, sizeof(json),
		"{\"aggregate\": 1, \"cursor\": {}, \"pipeline\": [{\"$currentOp\": {\"allUsers\": "
		"true}}, {\"$match\": {\"appName\": \"%s\", \"planSummary\": \"%s\"}}, "
		"{\"$limit\": 5}]}",
		w->app, w->plan);
	run(client, "admin", &reply, json);
	if (at(&reply, "cursor.firstBatch.0", &it)) {
		bson_iter_document(&it, &len, &data);
		assert_true(bson_init_static(&doc, data, len));
		bson_copy_to(&doc, &w->found);
		w->is_found = true;
	}
	bson_destroy(&reply);
	return w->is_found;
}

/* Repeats the command on another connection until $currentOp shows it. */
static void see_running(struct wanted_op *w, const char *command)
{
	struct repeater r = {.app = w->app, .command = command};

	assert_int_equal(pthread_create(&r.thread, NULL, repeat, &r), 0);
	bool seen = test_wait(find_op, w, WAIT_MS);
	atomic_store(&r.stop, true);
	pthread_join(r.thread, NULL);
	assert_true(seen);
	assert_true(atomic_load(&r.runs) > 0);
}

/* A find by _id reads two trees, one entry each, and scans nothing. */
static void test_id_find(void **state)
{
	struct wanted_op w = {.app = "point-reader", .plan = "IDHACK"};
	const char *stats = "{\"aggregate\": \"items\", \"cursor\": {}, \"pipeline\": "
			    "[{\"$collStats\": {\"storageStats\": {}}}]}";
	const char *records = "cursor.firstBatch.0.storageStats.wiredTiger.cursor.search calls";
	const char *index =
		"cursor.firstBatch.0.storageStats.indexDetails._id_.cursor.search calls";
	bson_t before, after, s1, s2, reply;

	(void)state;
	NEEDS_NODE();
	load_items();
	run(client, "admin", &s1, "{\"serverStatus\": 1}");
	run(client, "lab", &before, stats);
	run(client, "lab", &reply, "{\"find\": \"items\", \"filter\": {\"_id\": 77}}");
	assert_int_equal(num(&reply, "cursor.firstBatch.0.n"), 77);
	run(client, "lab", &after, stats);
	run(client, "admin", &s2, "{\"serverStatus\": 1}");
	assert_int_equal(num(&after, records) - num(&before, records), 1);
	assert_int_equal(num(&after, index) - num(&before, index), 1);
	assert_int_equal(num(&s2, "metrics.queryExecutor.scanned") -
				 num(&s1, "metrics.queryExecutor.scanned"),
		1);
	assert_int_equal(num(&s2, "metrics.queryExecutor.scannedObjects") -
				 num(&s1, "metrics.queryExecutor.scannedObjects"),
		1);
	assert_int_equal(num(&s2, "metrics.queryExecutor.collectionScans.total"),
		num(&s1, "metrics.queryExecutor.collectionScans.total"));
	assert_int_equal(num(&s2, "opcounters.query") - num(&s1, "opcounters.query"), 1);
	assert_int_equal(num(&s2, "opLatencies.reads.ops") - num(&s1, "opLatencies.reads.ops"), 1);
	bson_destroy(&s1);
	bson_destroy(&s2);
	bson_destroy(&before);
	bson_destroy(&after);
	bson_destroy(&reply);
	see_running(&w, "{\"find\": \"items\", \"filter\": {\"_id\": 5}}");
	assert_string_equal(str(&w.found, "op"), "query");
	bson_destroy(&w.found);
}

/* A filter on another field reads the whole collection, and everybody can see that it does. */
static void test_collscan(void **state)
{
	struct wanted_op w = {.app = "report-job", .plan = "COLLSCAN"};
	bson_t s1, s2;

	(void)state;
	NEEDS_NODE();
	load_items();
	run(client, "admin", &s1, "{\"serverStatus\": 1}");
	assert_int_equal(count("{\"count\": \"items\", \"query\": {\"n\": 4711}}"), 1);
	run(client, "admin", &s2, "{\"serverStatus\": 1}");
	assert_int_equal(num(&s2, "metrics.queryExecutor.collectionScans.nonTailable") -
				 num(&s1, "metrics.queryExecutor.collectionScans.nonTailable"),
		1);
	assert_int_equal(num(&s2, "metrics.queryExecutor.scannedObjects") -
				 num(&s1, "metrics.queryExecutor.scannedObjects"),
		LAB_DOCS);
	/* 24 MB do not fit 8 MB: most of the 32 KB pages come from the file. */
	assert_true(num(&s2, "wiredTiger.cache.pages read into cache") -
			    num(&s1, "wiredTiger.cache.pages read into cache") >
		    100);
	assert_true(num(&s2, "wiredTiger.cache.unmodified pages evicted") > 0);
	bson_destroy(&s1);
	bson_destroy(&s2);

	see_running(&w, "{\"find\": \"items\", \"filter\": {\"nope\": 1}}");
	assert_string_equal(str(&w.found, "ns"), "lab.items");
	assert_string_equal(str(&w.found, "type"), "op");
	assert_string_equal(str(&w.found, "op"), "query");
	assert_string_equal(str(&w.found, "command.find"), "items");
	assert_memory_equal(str(&w.found, "client"), "127.0.0.1:", 10);
	assert_memory_equal(str(&w.found, "desc"), "conn", 4);
	assert_true(num(&w.found, "active"));
	assert_true(num(&w.found, "opid") > 0);
	assert_true(num(&w.found, "microsecs_running") >= 0);
	assert_true(num(&w.found, "numYields") >= 0);
	bson_destroy(&w.found);
}

/* A limit on time ends a scan, between two of its slices. */
static void test_max_time(void **state)
{
	(void)state;
	NEEDS_NODE();
	load_items();
	assert_int_equal(code_of("lab", "{\"count\": \"items\", \"query\": {\"nope\": 1}, "
					"\"maxTimeMS\": 1}"),
		50);
}

/* ---- serverStatus -----------------------------------------------------------------------------
 */

/* The names that a reader of mongod's serverStatus looks for are there, with sane values. */
static void test_status_names(void **state)
{
	static const char *const names[] = {"cache.bytes read into cache",
		"cache.pages requested from the cache", "cache.modified pages evicted",
		"cache.pages evicted by application threads", "cache.eviction state",
		"cache.tracked dirty bytes in the cache", "cache.percentage overhead",
		"cache.eviction currently operating in aggressive mode",
		"cursor.cursor search calls", "block-manager.bytes read",
		"thread-yield.application thread time evicting (usecs)",
		"transaction.transaction checkpoint currently running",
		"transaction.transaction range of IDs currently pinned",
		"concurrentTransactions.read.totalTickets",
		"concurrentTransactions.write.available",
		"snapshot-window-settings.total number of SnapshotTooOld errors"};
	bson_t reply;
	char path[256];

	(void)state;
	NEEDS_NODE();
	load_items();
	run(client, "admin", &reply, "{\"serverStatus\": 1}");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "wiredTiger.%s", names[i]);
		assert_true(num(&reply, path) >= 0);
	}
	int64_t max = num(&reply, "wiredTiger.cache.maximum bytes configured");
	int64_t bytes = num(&reply, "wiredTiger.cache.bytes currently in the cache");
	assert_int_equal(max, CACHE_BYTES);
	assert_true(bytes > max / 10 && bytes < max * 3 / 2);
	assert_false(has(&reply, "wiredTiger.LSM"));
	assert_true(num(&reply, "connections.current") >= 1);
	assert_true(num(&reply, "connections.available") < CONNECTIONS);
	assert_true(num(&reply, "mem.resident") > 1);
	assert_true(num(&reply, "uptimeMillis") > 0);
	assert_false(has(&reply, "opLatencies.reads.histogram"));
	bson_destroy(&reply);
}

static void test_latency_histograms(void **state)
{
	bson_t reply;
	bson_iter_t it, array, bucket;
	int64_t sum = 0, last = -1, least_us = 0;

	(void)state;
	NEEDS_NODE();
	run_quietly("crud", "{\"find\": \"a\", \"filter\": {\"_id\": 1}}");
	run(client, "admin", &reply,
		"{\"serverStatus\": 1, \"opLatencies\": {\"histograms\": true}}");
	assert_true(
		at(&reply, "opLatencies.reads.histogram", &it) && bson_iter_recurse(&it, &array));
	while (bson_iter_next(&array)) {
		assert_true(
			bson_iter_recurse(&array, &bucket) && bson_iter_find(&bucket, "micros"));
		assert_true(bson_iter_as_int64(&bucket) > last);
		last = bson_iter_as_int64(&bucket);
		assert_true(bson_iter_recurse(&array, &bucket) && bson_iter_find(&bucket, "count"));
		sum += bson_iter_as_int64(&bucket);
		least_us += last * bson_iter_as_int64(&bucket);
	}
	assert_int_equal(sum, num(&reply, "opLatencies.reads.ops"));
	assert_true(sum > 0);
	/* an operation takes from its bucket's bound to twice that, or below 2 microseconds */
	assert_in_range(num(&reply, "opLatencies.reads.latency"), least_us, 2 * (least_us + sum));
	bson_destroy(&reply);
}

/* What a client asks to leave out is left out; mem goes with metrics, as in mongod. */
static void test_exclusions(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run(client, "admin", &reply,
		"{\"serverStatus\": 1, \"wiredTiger\": 0, \"locks\": 0, "
		"\"opLatencies\": false}");
	assert_false(has(&reply, "wiredTiger") || has(&reply, "opLatencies"));
	assert_true(has(&reply, "metrics") && has(&reply, "mem") && has(&reply, "opcounters"));
	bson_destroy(&reply);
	run(client, "admin", &reply, "{\"serverStatus\": 1, \"metrics\": 0}");
	assert_false(has(&reply, "metrics") || has(&reply, "mem"));
	assert_true(has(&reply, "wiredTiger"));
	bson_destroy(&reply);
}

/* Updates a document and gives the seconds that are pinned. */
static int64_t pinned_after_update(void)
{
	run_quietly("lab", "{\"update\": \"pinned\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
			   "{\"$inc\": {\"n\": 1}}, \"upsert\": true}]}");
	return status_num(
		       "wiredTiger.transaction.transaction range of timestamps currently pinned") >>
	       32;
}

static bool pinned_is(void *arg)
{
	return pinned_after_update() == *(int64_t *)arg;
}

/* Whether the node has run longer than a window of 2 s that is off by a second could hide. */
static bool window_is_full(void *arg)
{
	*(int64_t *)arg = pinned_after_update();
	return status_num("uptimeMillis") > 5000;
}

/* Pinned >> 32 is the history window in seconds, also after the window was changed. */
static void test_pinned_range(void **state)
{
	int64_t pinned = -1, none = 0;
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	assert_true(test_wait(window_is_full, &pinned, WAIT_MS));
	assert_in_range(pinned, 1, 3);
	assert_in_range(status_num("wiredTiger.snapshot-window-settings.current available snapshot "
				   "window size in seconds"),
		1, 3);
	run(client, "admin", &reply,
		"{\"setParameter\": 1, \"minSnapshotHistoryWindowInSeconds\": 0}");
	assert_int_equal(num(&reply, "was"), 2);
	bson_destroy(&reply);
	assert_true(test_wait(pinned_is, &none, WAIT_MS));
}

/* ---- administration ---------------------------------------------------------------------------
 */

static void test_collection_stats(void **state)
{
	bson_t reply;
	const char *stage = "cursor.firstBatch.0.storageStats";
	char path[128];

	(void)state;
	NEEDS_NODE();
	load_items();
	run_quietly("admin", "{\"fsync\": 1}");
	run(client, "lab", &reply, "{\"collStats\": \"items\"}");
	assert_int_equal(num(&reply, "count"), LAB_DOCS);
	assert_int_equal(num(&reply, "size") / LAB_DOCS, num(&reply, "avgObjSize"));
	assert_true(num(&reply, "storageSize") > 1 << 20);
	assert_int_equal(num(&reply, "totalIndexSize"), num(&reply, "indexSizes._id_"));
	assert_true(num(&reply, "wiredTiger.cache.bytes currently in the cache") > 0);
	assert_true(has(&reply, "indexDetails._id_.cache.bytes currently in the cache"));
	bson_destroy(&reply);
	run(client, "lab", &reply,
		"{\"aggregate\": \"items\", \"cursor\": {}, \"pipeline\": "
		"[{\"$collStats\": {\"storageStats\": {\"scale\": 1024}}}]}");
	assert_string_equal(str(&reply, "cursor.firstBatch.0.ns"), "lab.items");
	snprintf(path, sizeof(path), "%s.size", stage);
	test_near((double)num(&reply, path), LAB_DOCS * 2.03, LAB_DOCS * 0.05);
	bson_destroy(&reply);
}

static void test_lists_and_drops(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run_quietly("drops", "{\"insert\": \"one\", \"documents\": [{\"_id\": 1}]}");
	run_quietly("drops", "{\"insert\": \"two\", \"documents\": [{\"_id\": 1}]}");
	run(client, "drops", &reply, "{\"listCollections\": 1}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 2);
	assert_string_equal(str(&reply, "cursor.firstBatch.0.name"), "one");
	bson_destroy(&reply);
	run_quietly("drops", "{\"drop\": \"one\"}");
	assert_int_equal(code_of("drops", "{\"drop\": \"one\"}"), 26);
	run(client, "drops", &reply, "{\"listCollections\": 1, \"filter\": {\"name\": \"two\"}}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	/* a collection that comes back is empty */
	run(client, "drops", &reply, "{\"insert\": \"one\", \"documents\": [{\"_id\": 1}]}");
	assert_int_equal(num(&reply, "n"), 1);
	bson_destroy(&reply);
	run_quietly("drops", "{\"dropDatabase\": 1}");
	run(client, "drops", &reply, "{\"listCollections\": 1}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 0);
	bson_destroy(&reply);
	run_quietly("kept", "{\"insert\": \"c\", \"documents\": [{\"_id\": 1}]}");
	run(client, "admin", &reply, "{\"listDatabases\": 1}");
	char *text = bson_as_canonical_extended_json(&reply, NULL);
	assert_non_null(strstr(text, "\"kept\""));
	assert_null(strstr(text, "\"drops\""));
	assert_true(num(&reply, "totalSize") > 0);
	bson_free(text);
	bson_destroy(&reply);
}

/* The engine can be reconfigured as far as thresholds and the cache's size go, no further. */
static void test_parameters(void **state)
{
	const char *max = "wiredTiger.cache.maximum bytes configured";
	bson_t reply;

	(void)state;
	NEEDS_NODE();
	run_quietly("admin", "{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
			     "\"cache_size=16MB,eviction_dirty_trigger=30\"}");
	assert_int_equal(status_num(max), 16 << 20);
	run(client, "admin", &reply, "{\"getParameter\": 1, \"wiredTigerEngineRuntimeConfig\": 1}");
	assert_string_equal(str(&reply, "wiredTigerEngineRuntimeConfig"),
		"cache_size=16MB,eviction_dirty_trigger=30");
	bson_destroy(&reply);
	assert_int_equal(
		code_of("admin", "{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
				 "\"statistics=(none)\"}"),
		2);
	assert_int_equal(
		code_of("admin", "{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
				 "\"eviction_target=5\"}"),
		2);
	assert_int_equal(code_of("admin", "{\"setParameter\": 1, \"noSuch\": 1}"), 72);
	run_quietly("admin", "{\"setParameter\": 1, \"wiredTigerEngineRuntimeConfig\": "
			     "\"cache_size=8MB\"}");
	assert_int_equal(status_num(max), CACHE_BYTES);
	run(client, "admin", &reply, "{\"getParameter\": \"*\"}");
	assert_int_equal(num(&reply, "transactionLifetimeLimitSeconds"), 60);
	bson_destroy(&reply);
}

/* ---- what else can come in at the port --------------------------------------------------------
 */

static int raw_connect(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET, .sin_port = htons((uint16_t)shared.port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

/* Sends all that it can; the node may close in the middle. */
static void raw_send(int fd, const void *data, size_t len)
{
	const uint8_t *p = data;

	while (len > 0) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n <= 0) {
			return;
		}
		p += n;
		len -= (size_t)n;
	}
}

/* Reads up to len bytes; fewer at the end of the stream. Fails the test when nothing comes. */
static size_t raw_read(int fd, uint8_t *data, size_t len)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t got = 0;

	while (got < len) {
		assert_int_equal(poll(&p, 1, WAIT_MS), 1);
		ssize_t n = read(fd, data + got, len - got);

		if (n <= 0) {
			break;
		}
		got += (size_t)n;
	}
	return got;
}

static void put_i32(uint8_t *p, int32_t value)
{
	for (int i = 0; i < 4; i++) {
		p[i] = (uint8_t)((uint32_t)value >> (8 * i));
	}
}

static int32_t get_i32(const uint8_t *p)
{
	return (int32_t)((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			 (uint32_t)p[3] << 24);
}

/* An OP_MSG around the document's bytes; returns its length. */
static size_t op_msg(
	uint8_t *out, size_t size, int32_t id, uint32_t flags, const uint8_t *doc, size_t len)
{
	size_t total = 21 + len;

	assert_true(total <= size);
	memset(out, 0, 21);
	put_i32(out, (int32_t)total);
	put_i32(out + 4, id);
	put_i32(out + 12, 2013);
	put_i32(out + 16, (int32_t)flags);
	memcpy(out + 21, doc, len);
	return total;
}

static size_t op_msg_json(uint8_t *out, size_t size, int32_t id, uint32_t flags, const char *json)
{
	bson_t *doc = bson_new_from_json((const uint8_t *)json, -1, NULL);

	assert_non_null(doc);
	size_t len = op_msg(out, size, id, flags, bson_get_data(doc), doc->len);
	bson_destroy(doc);
	return len;
}

/* The node still answers, on a new connection. */
static void assert_serving(void)
{
	mongoc_client_t *c = connect_as(&shared, "probe");
	bson_t reply;

	run(c, "admin", &reply, "{\"ping\": 1}");
	bson_destroy(&reply);
	mongoc_client_destroy(c);
}

/* Sends the bytes and expects the connection to end, with or without an error before. */
static void assert_hangs_up(const void *data, size_t len)
{
	static uint8_t sink[65536];
	int fd = raw_connect();

	raw_send(fd, data, len);
	while (raw_read(fd, sink, sizeof(sink)) == sizeof(sink)) {
	}
	close(fd);
	assert_serving();
}

static void test_bad_lengths(void **state)
{
	static const int32_t lengths[] = {0, 15, -1, INT32_MIN, INT32_MAX, 48000001};
	uint8_t header[16] = {0};

	(void)state;
	NEEDS_NODE();
	put_i32(header + 12, 2013);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_i32(header, lengths[i]);
		assert_hangs_up(header, sizeof(header));
	}
}

static void test_random_bytes(void **state)
{
	uint8_t data[4096];
	uint64_t seed = 42;

	(void)state;
	NEEDS_NODE();
	for (int round = 0; round < 50; round++) {
		for (size_t i = 0; i < sizeof(data); i++) {
			data[i] = (uint8_t)test_random(&seed);
		}
		/* every other round in a frame that is sound */
		if (round % 2 == 1) {
			put_i32(data, (int32_t)sizeof(data));
			put_i32(data + 12, round % 4 == 1 ? 2013 : 2004);
			data[16] = 0;
			data[17] = 0;
		} else {
			data[3] = 0xff;
		}
		assert_hangs_up(data, sizeof(data));
	}
}

/* Every truncation and many a change of a byte of a sound message. */
static void test_broken_bson(void **state)
{
	const char *json =
		"{\"find\": \"a\", \"filter\": {\"v\": {\"$gt\": 1}, \"t\": [1, \"x\"]}, "
		"\"limit\": 3, \"$db\": \"crud\"}";
	uint8_t msg[512], broken[512], reply[16];
	uint64_t seed = 1;
	size_t len;

	(void)state;
	NEEDS_NODE();
	len = op_msg_json(msg, sizeof(msg), 9, 0, json);
	for (size_t cut = 22; cut < len; cut += 5) {
		memcpy(broken, msg, cut);
		put_i32(broken, (int32_t)cut);
		assert_hangs_up(broken, cut);
	}
	for (int i = 0; i < 300; i++) {
		int fd = raw_connect();

		memcpy(broken, msg, len);
		broken[20 + test_random(&seed) % (len - 20)] ^=
			(uint8_t)(1 + test_random(&seed) % 255);
		raw_send(fd, broken, len);
		shutdown(fd, SHUT_WR);
		raw_read(fd, reply, sizeof(reply));
		close(fd);
	}
	assert_serving();
}

/* A document that is broken inside is not stored. */
static void test_broken_document(void **state)
{
	uint8_t msg[256];
	size_t len;

	(void)state;
	NEEDS_NODE();
	len = op_msg_json(msg, sizeof(msg), 1, 0,
		"{\"insert\": \"broken\", \"documents\": [{\"_id\": 1, \"d\": {\"s\": \"abc\"}}], "
		"\"$db\": \"lab\"}");
	uint8_t *text = memmem(msg, len, "abc", 4);
	assert_non_null(text);
	put_i32(text - 4, 1000); /* the length of the string */
	assert_hangs_up(msg, len);
	assert_int_equal(count("{\"count\": \"broken\"}"), 0);
}

/* A million documents inside each other must not be walked by recursion. */
static void test_deep_nesting(void **state)
{
	size_t levels = 1000000, len = 5 + levels * 8;
	uint8_t *doc = calloc(1, len), *msg = malloc(len + 21);

	(void)state;
	if (client == NULL) {
		free(doc);
		free(msg);
		skip();
	}
	for (size_t i = 0; i < levels; i++) {
		uint8_t *p = doc + i * 7;

		put_i32(p, (int32_t)(len - i * 8));
		p[4] = 3;
		p[5] = 'a';
	}
	put_i32(doc + levels * 7, 5);
	len = op_msg(msg, len + 21, 1, 0, doc, len);
	assert_hangs_up(msg, len);
	free(doc);
	free(msg);
}

/* A client that stops in the middle of a message, or sends it byte by byte, hurts nobody. */
static void test_partial_message(void **state)
{
	uint8_t msg[256], reply[16];
	size_t len;

	(void)state;
	NEEDS_NODE();
	len = op_msg_json(msg, sizeof(msg), 77, 0, "{\"ping\": 1, \"$db\": \"admin\"}");
	int half = raw_connect();
	raw_send(half, msg, len / 2);
	assert_serving();
	int slow = raw_connect();
	for (size_t i = 0; i < len; i++) {
		raw_send(slow, msg + i, 1);
	}
	assert_int_equal(raw_read(slow, reply, sizeof(reply)), sizeof(reply));
	assert_int_equal(get_i32(reply + 8), 77);
	close(half);
	close(slow);
	assert_serving();
}

/* An unacknowledged write is made and gets no reply: the next one belongs to the next request. */
static void test_more_to_come(void **state)
{
	uint8_t msg[512], reply[16];
	size_t len;

	(void)state;
	NEEDS_NODE();
	int fd = raw_connect();
	len = op_msg_json(msg, sizeof(msg), 100, 2,
		"{\"insert\": \"w0\", \"documents\": [{\"_id\": 1}], \"$db\": \"lab\"}");
	len += op_msg_json(
		msg + len, sizeof(msg) - len, 101, 0, "{\"ping\": 1, \"$db\": \"admin\"}");
	raw_send(fd, msg, len);
	assert_int_equal(raw_read(fd, reply, sizeof(reply)), sizeof(reply));
	assert_int_equal(get_i32(reply + 8), 101);
	close(fd);
	assert_int_equal(count("{\"count\": \"w0\"}"), 1);
}

/* Connections beyond the bound are closed at once, and served again when others have gone. */
static void test_connection_bound(void **state)
{
	int fds[CONNECTIONS + 20];
	uint8_t byte;

	(void)state;
	NEEDS_NODE();
	for (int i = 0; i < CONNECTIONS + 20; i++) {
		fds[i] = raw_connect();
	}
	assert_int_equal(raw_read(fds[CONNECTIONS + 19], &byte, 1), 0);
	for (int i = 0; i < CONNECTIONS + 20; i++) {
		close(fds[i]);
	}
	struct timespec begin, now;
	bool served = false;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		mongoc_client_t *c = connect_as(&shared, "after");
		bson_t reply, *ping = BCON_NEW("ping", BCON_INT32(1));

		served = mongoc_client_command_simple(c, "admin", ping, NULL, &reply, NULL);
		bson_destroy(&reply);
		bson_destroy(ping);
		mongoc_client_destroy(c);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!served && now.tv_sec - begin.tv_sec < WAIT_MS / 1000);
	assert_true(served);
}

/* ---- start and end ----------------------------------------------------------------------------
 */

/* Runs the program with an option that makes it end; returns its exit status. */
static int exit_status(const char *option)
{
	struct node node = {.pid = fork()};

	if (node.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (freopen("/dev/null", "w", stdout) == NULL ||
			freopen("/dev/null", "w", stderr) == NULL) {
			_exit(126);
		}
		execl(program(), "wtnode", option, (char *)NULL);
		_exit(127);
	}
	node.out = dup(STDIN_FILENO);
	return reap(&node);
}

static void test_options(void **state)
{
	(void)state;
	NEEDS_NODE();
	assert_int_equal(exit_status("--help"), 0);
	assert_int_equal(exit_status("--version"), 0);
	assert_int_equal(exit_status("--no-such-option"), 2);
	assert_int_equal(exit_status("--cache-size=12"), 2);
	assert_int_equal(exit_status("--port=65536"), 2);
}

/* Only who read the token can end the node; what was written is there after the restart. */
static void test_shutdown_and_restart(void **state)
{
	struct node node = {.dir = NULL};
	char json[128];
	bson_t reply;
	mongoc_client_t *c;

	(void)state;
	NEEDS_NODE();
	node.dir = test_dir_create();
	start(&node, "0");
	c = connect_as(&node, "owner");
	run(c, "keep", &reply, "{\"insert\": \"k\", \"documents\": [{\"_id\": 1, \"v\": 8}]}");
	bson_destroy(&reply);
	run(c, "keep", &reply, "{\"insert\": \"gone\", \"documents\": [{\"_id\": 1}]}");
	bson_destroy(&reply);
	run(c, "keep", &reply, "{\"drop\": \"gone\"}");
	bson_destroy(&reply);
	assert_int_equal(try_run(c, "admin", &reply, "{\"shutdown\": 1}"), 13);
	bson_destroy(&reply);
	assert_int_equal(try_run(c, "admin", &reply,
				 "{\"shutdown\": 1, \"token\": "
				 "\"00000000000000000000000000000000\"}"),
		13);
	bson_destroy(&reply);
	assert_int_equal(kill(node.pid, 0), 0);
	snprintf(json, sizeof(json), "{\"shutdown\": 1, \"token\": \"%s\"}", node.token);
	run(c, "admin", &reply, json);
	bson_destroy(&reply);
	mongoc_client_destroy(c);
	assert_int_equal(reap(&node), 0);

	start(&node, "0");
	c = connect_as(&node, "owner");
	run(c, "keep", &reply, "{\"listCollections\": 1}");
	assert_int_equal(elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	run(c, "keep", &reply, "{\"insert\": \"k\", \"documents\": [{\"_id\": 2, \"v\": 9}]}");
	bson_destroy(&reply);
	run(c, "keep", &reply, "{\"count\": \"k\"}");
	assert_int_equal(num(&reply, "n"), 2);
	bson_destroy(&reply);
	run(c, "keep", &reply, "{\"find\": \"k\", \"filter\": {\"_id\": 1}}");
	assert_int_equal(num(&reply, "cursor.firstBatch.0.v"), 8);
	bson_destroy(&reply);
	/* SIGTERM ends it as well, with a client connected */
	assert_int_equal(stop(&node), 0);
	mongoc_client_destroy(c);
	test_dir_remove(node.dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_itself),
		cmocka_unit_test(test_refuses_unknown),
		cmocka_unit_test(test_insert_find_count),
		cmocka_unit_test(test_duplicate_keys),
		cmocka_unit_test(test_update_delete),
		cmocka_unit_test(test_huge_result),
		cmocka_unit_test(test_id_find),
		cmocka_unit_test(test_collscan),
		cmocka_unit_test(test_max_time),
		cmocka_unit_test(test_status_names),
		cmocka_unit_test(test_latency_histograms),
		cmocka_unit_test(test_exclusions),
		cmocka_unit_test(test_collection_stats),
		cmocka_unit_test(test_lists_and_drops),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_bad_lengths),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_broken_bson),
		cmocka_unit_test(test_broken_document),
		cmocka_unit_test(test_deep_nesting),
		cmocka_unit_test(test_partial_message),
		cmocka_unit_test(test_more_to_come),
		cmocka_unit_test(test_connection_bound),
		cmocka_unit_test(test_pinned_range),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_shutdown_and_restart),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
