/*
 * Who serves a miss, on a real engine of this host: past the page cache the device serves all of
 * it, with a warm page cache next to nothing; and a node behind a forwarded port proves nothing,
 * whatever its address looks like. Skipped where wtnode was not built.
 */
#include "support.h"

#include <arpa/inet.h>
#include <mongoc/mongoc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "fake.h"
#include "hotset/model.h"
#include "servers.h"
#include "watched.h"

#define DOCS      16000 /* of 2 KB, four times the cache */
#define PAD       2000
#define BATCH     500
#define ALMOST    80.0 /* percent */
#define NEXT_TO_0 20.0
#define TMPFS     0x01021994 /* statfs: no device below */

/* ---- a node with more data than cache ---- */

static void make_pad(char pad[PAD + 1], uint64_t *seed)
{
	for (unsigned i = 0; i < PAD; i++)
		pad[i] = (char)('!' + test_random(seed) % 90);
	pad[PAD] = '\0';
}

static void insert_batch(mongoc_client_t *client, int from, uint64_t *seed)
{
	bson_t cmd = BSON_INITIALIZER, docs;
	bson_error_t error;
	char pad[PAD + 1];

	BSON_APPEND_UTF8(&cmd, "insert", "items");
	BSON_APPEND_ARRAY_BEGIN(&cmd, "documents", &docs);
	for (int i = 0; i < BATCH; i++) {
		bson_t *doc;
		char key[16];

		make_pad(pad, seed);
		doc = BCON_NEW("_id", BCON_INT32(from + i), "pad", BCON_UTF8(pad));
		snprintf(key, sizeof(key), "%d", i);
		bson_append_document(&docs, key, -1, doc);
		bson_destroy(doc);
	}
	bson_append_array_end(&cmd, &docs);
	if (!mongoc_client_command_simple(client, "lab", &cmd, NULL, NULL, &error))
		fail_msg("insert: %s", error.message);
	bson_destroy(&cmd);
}

static void load_documents(mongoc_client_t *client)
{
	uint64_t seed = 1;

	for (int i = 0; i < DOCS; i += BATCH)
		insert_batch(client, i, &seed);
}

static void scan(mongoc_client_t *client)
{
	bson_t *cmd = BCON_NEW("count", "items", "query", "{", "none", BCON_INT32(1), "}");
	bson_error_t error;

	if (!mongoc_client_command_simple(client, "lab", cmd, NULL, NULL, &error))
		fail_msg("count: %s", error.message);
	bson_destroy(cmd);
}

/* ---- what is concluded of a scan ---- */

static void push(struct model *m, struct watched *w)
{
	assert_status(watch_poll_slow(w), STATUS_OK);
	model_push(m, w->last);
	w->last = NULL;
}

/* The share between two polls, with a scan of all documents in between. */
static struct value share_of_scan(struct server *node, const char *uri)
{
	mongoc_client_t *client = mongoc_client_new(server_uri(node));
	struct model *m = model_create();
	struct watched w;
	struct value share;

	assert_true(client && m && model_add(m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
	load_documents(client);
	scan(client); /* what was not read since it was written is in the page cache now */
	watch_begin(&w, uri, 5);
	push(m, &w);
	scan(client);
	push(m, &w);
	assert_true(m->ep[0]->frame.v[METRIC_MONGO_BLOCK_BYTES_READ].v > 0);
	share = m->ep[0]->frame.v[METRIC_MONGO_READ_DEVICE_SHARE];
	watch_end(&w);
	model_destroy(m);
	mongoc_client_destroy(client);
	return share;
}

static bool has_device(const struct server *node)
{
	struct statfs fs;

	return statfs(server_dir(node), &fs) == 0 && fs.f_type != TMPFS;
}

static void the_device_serves_what_goes_past_the_page_cache(void **state)
{
	const char *const args[] = {"--cache-size", "8MB", "--direct-io", NULL};
	struct server *node = server_wtnode(args);
	struct value share;

	(void)state;
	if (!node || !has_device(node)) {
		server_stop(node);
		skip();
	}
	share = share_of_scan(node, server_uri(node));
	server_stop(node);
	assert_int_equal(share.why, REASON_OK);
	assert_true(share.v > ALMOST);
}

static void a_warm_page_cache_leaves_nothing_to_the_device(void **state)
{
	const char *const args[] = {"--cache-size", "8MB", NULL};
	struct server *node = server_wtnode(args);
	struct value share;

	(void)state;
	if (!node)
		skip();
	share = share_of_scan(node, server_uri(node));
	server_stop(node);
	assert_int_equal(share.why, REASON_OK);
	assert_true(share.v < NEXT_TO_0);
}

/* ---- a forwarded port ---- */

static int connect_to(uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static bool pass_on(int from, int to)
{
	char buf[16384];
	ssize_t n = read(from, buf, sizeof(buf)), sent = 0;

	while (sent < n) {
		ssize_t k = write(to, buf + sent, (size_t)(n - sent));

		if (k <= 0)
			return false;
		sent += k;
	}
	return n > 0;
}

/* As `ssh -L` does: bytes there and back. */
static void forward(struct fake_conn *c)
{
	int fd = connect_to(*(const uint16_t *)c->arg);
	struct pollfd both[] = {{.fd = c->fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	bool open = true;

	while (open && poll(both, 2, 20000) > 0) {
		if (both[0].revents)
			open = pass_on(c->fd, fd);
		if (open && both[1].revents)
			open = pass_on(fd, c->fd);
	}
	close(fd);
}

static void a_forwarded_port_proves_nothing(void **state)
{
	const char *const args[] = {"--cache-size", "8MB", NULL};
	struct server *node = server_wtnode(args);
	struct fake *tunnel;
	struct watched w;
	uint16_t port;

	(void)state;
	if (!node)
		skip();
	port = server_port(node);
	tunnel = fake_start(forward, &port);
	watch_begin(&w, fake_uri(tunnel, "mongodb", NULL), 5);
	assert_status(watch_poll(&w), STATUS_OK);
	assert_false(sample_has(w.last, METRIC_MONGO_READ_DEVICE_BYTES));
	assert_int_equal(w.last->raw[METRIC_MONGO_READ_DEVICE_BYTES].why, REASON_NOT_SAME_HOST);
	watch_end(&w);
	server_stop(node);
	fake_stop(tunnel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_serves_what_goes_past_the_page_cache),
		cmocka_unit_test(a_warm_page_cache_leaves_nothing_to_the_device),
		cmocka_unit_test(a_forwarded_port_proves_nothing),
	};

	source_quiet();
	source_global_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
