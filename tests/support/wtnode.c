#include "wtnode.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS 20000

const char *wtnode_program(void)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/wtnode", test_build_dir());
	return path;
}

/* Replaces the child; the node dies with the test even when the test is killed. */
static void exec_node(const struct wtnode *node, int out, const char *dbpath, const char *window)
{
	const char *cache = node->cache ? node->cache : "8MB";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, STDOUT_FILENO);
	execl(wtnode_program(), "wtnode", "--dbpath", dbpath, "--cache-size", cache, "--port=0",
		"--history-window", window, "--parent-death",
		node->engine_config ? "--engine-config" : (char *)NULL, node->engine_config,
		(char *)NULL);
	_exit(127);
}

/* Reads what the node prints first, up to its second line. */
static bool read_start(struct wtnode *node)
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

void wtnode_start(struct wtnode *node, const char *window)
{
	char db[4096];
	int fds[2];

	snprintf(db, sizeof(db), "%s/db", node->dir);
	assert_int_equal(pipe(fds), 0);
	node->pid = fork();
	if (node->pid == 0) {
		exec_node(node, fds[1], db, window);
	}
	close(fds[1]);
	node->out = fds[0];
	assert_true(node->pid > 0);
	assert_true(read_start(node));
}

int wtnode_reap(struct wtnode *node)
{
	int status = 0;

	assert_int_equal(waitpid(node->pid, &status, 0), node->pid);
	node->pid = 0;
	close(node->out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int wtnode_stop(struct wtnode *node)
{
	kill(node->pid, SIGTERM);
	return wtnode_reap(node);
}

mongoc_client_t *wtnode_connect(const struct wtnode *node, const char *app)
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

mongoc_client_t *wtnode_setup(struct wtnode *node)
{
	if (access(wtnode_program(), X_OK) != 0) {
		return NULL;
	}
	mongoc_init();
	mongoc_log_set_handler(NULL, NULL);
	node->dir = test_dir_create();
	wtnode_start(node, "2");
	return wtnode_connect(node, "test");
}

void wtnode_teardown(struct wtnode *node, mongoc_client_t *client)
{
	if (client != NULL) {
		mongoc_client_destroy(client);
	}
	if (node->pid > 0) {
		wtnode_stop(node);
	}
	if (node->dir != NULL) {
		test_dir_remove(node->dir);
		mongoc_cleanup();
	}
}

uint32_t wtnode_try(mongoc_client_t *c, const char *db, bson_t *reply, const char *json)
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

void wtnode_run(mongoc_client_t *c, const char *db, bson_t *reply, const char *json)
{
	uint32_t code = wtnode_try(c, db, reply, json);

	if (code != 0) {
		fail_msg("%s failed with code %u", json, code);
	}
}

void wtnode_run_quietly(mongoc_client_t *c, const char *db, const char *json)
{
	bson_t reply;

	wtnode_run(c, db, &reply, json);
	bson_destroy(&reply);
}

uint32_t wtnode_code_of(mongoc_client_t *c, const char *db, const char *json)
{
	bson_t reply;
	uint32_t code = wtnode_try(c, db, &reply, json);

	bson_destroy(&reply);
	return code;
}

bool doc_at(const bson_t *doc, const char *path, bson_iter_t *found)
{
	bson_iter_t it;

	return bson_iter_init(&it, doc) && bson_iter_find_descendant(&it, path, found);
}

bool doc_has(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	return doc_at(doc, path, &it);
}

int64_t doc_num(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	if (!doc_at(doc, path, &it) ||
		!(BSON_ITER_HOLDS_NUMBER(&it) || BSON_ITER_HOLDS_BOOL(&it))) {
		fail_msg("no number at %s", path);
	}
	return bson_iter_as_int64(&it);
}

const char *doc_str(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	return doc_at(doc, path, &it) && BSON_ITER_HOLDS_UTF8(&it) ? bson_iter_utf8(&it, NULL) : "";
}

unsigned doc_elements(const bson_t *doc, const char *path)
{
	bson_iter_t it, sub;
	unsigned n = 0;

	assert_true(doc_at(doc, path, &it) && bson_iter_recurse(&it, &sub));
	while (bson_iter_next(&sub)) {
		n++;
	}
	return n;
}

int64_t wtnode_status_num(mongoc_client_t *c, const char *path)
{
	bson_t reply;
	int64_t n;

	wtnode_run(c, "admin", &reply, "{\"serverStatus\": 1}");
	n = doc_num(&reply, path);
	bson_destroy(&reply);
	return n;
}

int64_t wtnode_count(mongoc_client_t *c, const char *json)
{
	bson_t reply;
	int64_t n;

	wtnode_run(c, "lab", &reply, json);
	n = doc_num(&reply, "n");
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

void wtnode_load_items(struct wtnode *node, mongoc_client_t *c)
{
	static char pad[2000];
	uint64_t seed = 7;
	bson_error_t error;
	mongoc_collection_t *items;

	if (node->has_items) {
		return;
	}
	items = mongoc_client_get_collection(c, "lab", "items");
	for (int i = 0; i < WTNODE_DOCS; i += 1000) {
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
	node->has_items = true;
}

/* ---- what runs --------------------------------------------------------------------------------
 */

/* A client that repeats one command until it is told to stop. */
struct repeater {
	struct wtnode *node;
	const char *app, *command;
	atomic_bool stop;
	atomic_int runs;
	pthread_t thread;
};

static void *repeat(void *arg)
{
	struct repeater *r = arg;
	mongoc_client_t *c = wtnode_connect(r->node, r->app);

	while (!atomic_load(&r->stop)) {
		bson_t reply;

		if (wtnode_try(c, "lab", &reply, r->command) == 0) {
			atomic_fetch_add(&r->runs, 1);
		}
		bson_destroy(&reply);
	}
	mongoc_client_destroy(c);
	return NULL;
}

struct search {
	mongoc_client_t *client;
	struct wtnode_op *op;
};

static bool find_op(void *arg)
{
	struct search *s = arg;
	char json[512];
	bson_t reply, doc;
	bson_iter_t it;
	const uint8_t *data;
	uint32_t len;

	snprintf(json, sizeof(json),
		"{\"aggregate\": 1, \"cursor\": {}, \"pipeline\": [{\"$currentOp\": {\"allUsers\": "
		"true}}, {\"$match\": {\"appName\": \"%s\", \"planSummary\": \"%s\"}}, "
		"{\"$limit\": 5}]}",
		s->op->app, s->op->plan);
	wtnode_run(s->client, "admin", &reply, json);
	if (doc_at(&reply, "cursor.firstBatch.0", &it)) {
		bson_iter_document(&it, &len, &data);
		assert_true(bson_init_static(&doc, data, len));
		bson_copy_to(&doc, &s->op->found);
		s->op->is_found = true;
	}
	bson_destroy(&reply);
	return s->op->is_found;
}

void wtnode_see_running(
	struct wtnode *node, mongoc_client_t *c, struct wtnode_op *op, const char *command)
{
	struct repeater r = {.node = node, .app = op->app, .command = command};
	struct search s = {.client = c, .op = op};

	assert_int_equal(pthread_create(&r.thread, NULL, repeat, &r), 0);
	bool seen = test_wait(find_op, &s, WTNODE_WAIT_MS);
	atomic_store(&r.stop, true);
	pthread_join(r.thread, NULL);
	assert_true(seen);
	assert_true(atomic_load(&r.runs) > 0);
}
