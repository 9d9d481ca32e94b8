/*
 * Nothing that arrives on wtnode's port brings it down: broken lengths, random and mutated bytes,
 * a million nested documents, half a message, more connections than it serves. Skipped where
 * wtnode was not built.
 */
#include "../support/support.h"
#include "../support/wtnode.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static struct wtnode shared;
static mongoc_client_t *client;

static int setup(void **state)
{
	(void)state;
	client = wtnode_setup(&shared);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wtnode_teardown(&shared, client);
	return 0;
}

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
		assert_int_equal(poll(&p, 1, WTNODE_WAIT_MS), 1);
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
	mongoc_client_t *c = wtnode_connect(&shared, "probe");
	bson_t reply;

	wtnode_run(c, "admin", &reply, "{\"ping\": 1}");
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
	NEEDS_NODE(client);
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
	NEEDS_NODE(client);
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
	NEEDS_NODE(client);
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
	NEEDS_NODE(client);
	len = op_msg_json(msg, sizeof(msg), 1, 0,
		"{\"insert\": \"broken\", \"documents\": [{\"_id\": 1, \"d\": {\"s\": \"abc\"}}], "
		"\"$db\": \"lab\"}");
	uint8_t *text = memmem(msg, len, "abc", 4);
	assert_non_null(text);
	put_i32(text - 4, 1000); /* the length of the string */
	assert_hangs_up(msg, len);
	assert_int_equal(wtnode_count(client, "{\"count\": \"broken\"}"), 0);
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
	NEEDS_NODE(client);
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
	NEEDS_NODE(client);
	int fd = raw_connect();
	len = op_msg_json(msg, sizeof(msg), 100, 2,
		"{\"insert\": \"w0\", \"documents\": [{\"_id\": 1}], \"$db\": \"lab\"}");
	len += op_msg_json(
		msg + len, sizeof(msg) - len, 101, 0, "{\"ping\": 1, \"$db\": \"admin\"}");
	raw_send(fd, msg, len);
	assert_int_equal(raw_read(fd, reply, sizeof(reply)), sizeof(reply));
	assert_int_equal(get_i32(reply + 8), 101);
	close(fd);
	assert_int_equal(wtnode_count(client, "{\"count\": \"w0\"}"), 1);
}

/* Connections beyond the bound are closed at once, and served again when others have gone. */
static void test_connection_bound(void **state)
{
	int fds[WTNODE_CONNECTIONS + 20];
	uint8_t byte;

	(void)state;
	NEEDS_NODE(client);
	for (int i = 0; i < WTNODE_CONNECTIONS + 20; i++) {
		fds[i] = raw_connect();
	}
	assert_int_equal(raw_read(fds[WTNODE_CONNECTIONS + 19], &byte, 1), 0);
	for (int i = 0; i < WTNODE_CONNECTIONS + 20; i++) {
		close(fds[i]);
	}
	struct timespec begin, now;
	bool served = false;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		mongoc_client_t *c = wtnode_connect(&shared, "after");
		bson_t reply, *ping = BCON_NEW("ping", BCON_INT32(1));

		served = mongoc_client_command_simple(c, "admin", ping, NULL, &reply, NULL);
		bson_destroy(&reply);
		bson_destroy(ping);
		mongoc_client_destroy(c);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (!served && now.tv_sec - begin.tv_sec < WTNODE_WAIT_MS / 1000);
	assert_true(served);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_lengths),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_broken_bson),
		cmocka_unit_test(test_broken_document),
		cmocka_unit_test(test_deep_nesting),
		cmocka_unit_test(test_partial_message),
		cmocka_unit_test(test_more_to_come),
		cmocka_unit_test(test_connection_bound),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
