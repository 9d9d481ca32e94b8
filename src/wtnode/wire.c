#include "wire.h"

#include "bsonx.h"
#include "ops.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define OP_REPLY 1
#define OP_QUERY 2004
#define OP_MSG   2013

#define HEADER_LEN       16    /* length, request id, response to, opcode */
#define BUFFER_FIRST     16384 /* bytes */
#define BUFFER_KEEP      1048576
#define REPLY_AWAIT_FLAG 8 /* "AwaitCapable", which every server since 1.6 sets */

#define MSG_CHECKSUM     UINT32_C(1)
#define MSG_MORE_TO_COME UINT32_C(2)
#define MSG_REQUIRED     UINT32_C(0xffff) /* unknown bits among these must be refused */

static int32_t get_i32(const uint8_t *p)
{
	uint32_t v =
		(uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;

	return (int32_t)v;
}

static void put_i32(uint8_t *p, int32_t value)
{
	uint32_t v = (uint32_t)value;

	for (int i = 0; i < 4; i++) {
		p[i] = (uint8_t)(v >> (8 * i));
	}
}

/* ---- bytes ------------------------------------------------------------------------------------
 */

/* Waits for the socket; deadline_ns 0 waits for ever. */
static bool wait_for(int fd, short events, int64_t deadline_ns)
{
	struct pollfd p = {.fd = fd, .events = events};

	for (;;) {
		int64_t left_ms = -1;

		if (deadline_ns != 0) {
			left_ms = (deadline_ns - ops_now_ns()) / 1000000;
			if (left_ms <= 0) {
				return false;
			}
		}
		int n = poll(&p, 1, (int)left_ms);
		if (n > 0) {
			return true;
		}
		if (n < 0 && errno != EINTR) {
			return false;
		}
	}
}

static bool grow(struct wire_buffer *buf, size_t wanted)
{
	size_t size = buf->size == 0 ? BUFFER_FIRST : buf->size;

	while (size < wanted) {
		size *= 2;
	}
	if (size != buf->size) {
		uint8_t *data = realloc(buf->data, size);

		if (data == NULL) {
			return false;
		}
		buf->data = data;
		buf->size = size;
	}
	return true;
}

/* Reads until the buffer holds target bytes, doubling it at most as often as it was filled. */
static bool read_until(int fd, struct wire_buffer *buf, size_t target, int64_t *deadline_ns)
{
	while (buf->len < target) {
		if (buf->len == buf->size && !grow(buf, buf->len + 1)) {
			return false;
		}
		size_t room = buf->size - buf->len;
		size_t want = target - buf->len < room ? target - buf->len : room;

		if (!wait_for(fd, POLLIN, *deadline_ns)) {
			return false;
		}
		ssize_t n = recv(fd, buf->data + buf->len, want, MSG_DONTWAIT);
		if (n > 0) {
			buf->len += (size_t)n;
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			return false;
		}
		if (*deadline_ns == 0) {
			*deadline_ns = ops_now_ns() + INT64_C(1000000) * WIRE_MESSAGE_MS;
		}
	}
	return true;
}

bool wire_receive(int fd, struct wire_buffer *buf)
{
	int64_t deadline_ns = 0;

	buf->len = 0;
	if (!read_until(fd, buf, HEADER_LEN, &deadline_ns)) {
		return false;
	}
	int32_t len = get_i32(buf->data);
	if (len < HEADER_LEN || len > WIRE_MESSAGE_MAX) {
		return false;
	}
	return read_until(fd, buf, (size_t)len, &deadline_ns);
}

void wire_buffer_trim(struct wire_buffer *buf)
{
	if (buf->size > BUFFER_KEEP) {
		wire_buffer_finish(buf);
	}
}

void wire_buffer_finish(struct wire_buffer *buf)
{
	free(buf->data);
	*buf = (struct wire_buffer){0};
}

/* ---- requests ---------------------------------------------------------------------------------
 */

/* Takes one document off the front of *p; false when it is not sound or passes the end. */
static bool take_doc(const uint8_t **p, const uint8_t *end, const uint8_t **doc, size_t *len)
{
	if (end - *p < 5) {
		return false;
	}
	int32_t n = get_i32(*p);
	if (n < 5 || n > end - *p || !bsonx_check(*p, (size_t)n)) {
		return false;
	}
	*doc = *p;
	*len = (size_t)n;
	*p += n;
	return true;
}

/* Takes a string with its NUL off the front of *p. */
static const char *take_cstring(const uint8_t **p, const uint8_t *end)
{
	const uint8_t *start = *p;
	const uint8_t *nul = end > start ? memchr(start, 0, (size_t)(end - start)) : NULL;

	if (nul == NULL) {
		return NULL;
	}
	*p = nul + 1;
	return (const char *)start;
}

static bool valid_db(const char *db, size_t len)
{
	return len > 0 && len <= WIRE_DB_MAX && bson_utf8_validate(db, len, false) &&
	       strcspn(db, "/\\. \"$") == len;
}

static bool set_db(struct request *req, const char *db, size_t len, struct fail *fail)
{
	memset(req->db, 0, sizeof(req->db));
	if (len <= WIRE_DB_MAX) {
		memcpy(req->db, db, len);
	}
	if (!valid_db(req->db, len)) {
		req->db[0] = '\0';
		return fail_set(fail, FAIL_INVALID_NAMESPACE, "not a name for a database");
	}
	return true;
}

/* A section of kind 1: its name, then documents to its end. */
static bool parse_sequence(const uint8_t **p, const uint8_t *end, struct request *req)
{
	const uint8_t *doc = NULL;
	size_t len = 0;

	if (req->seq_name != NULL || end - *p < 5) {
		return false;
	}
	int32_t n = get_i32(*p);
	if (n < 5 || n > end - *p) {
		return false;
	}
	end = *p + n;
	*p += 4;
	req->seq_name = take_cstring(p, end);
	if (req->seq_name == NULL) {
		return false;
	}
	req->seq = *p;
	req->seq_len = (size_t)(end - *p);
	while (*p < end) {
		if (!take_doc(p, end, &doc, &len)) {
			return false;
		}
	}
	return true;
}

static bool parse_sections(const uint8_t *p, const uint8_t *end, struct request *req)
{
	const uint8_t *doc = NULL;
	size_t len = 0;
	bool body = false;

	while (p < end) {
		uint8_t kind = *p++;

		if (kind == 1) {
			if (!parse_sequence(&p, end, req)) {
				return false;
			}
		} else if (kind != 0 || body || !take_doc(&p, end, &doc, &len) ||
			   !bsonx_view(&req->body, doc, len)) {
			return false;
		} else {
			body = true;
		}
	}
	return body;
}

static bool parse_msg(const uint8_t *p, const uint8_t *end, struct request *req, struct fail *fail)
{
	bson_iter_t it;

	if (end - p < 5) {
		return fail_set(fail, FAIL_INVALID_BSON, "the message is too short");
	}
	uint32_t flags = (uint32_t)get_i32(p);
	p += 4;
	req->reply_wanted = (flags & MSG_MORE_TO_COME) == 0;
	if ((flags & MSG_REQUIRED & ~(MSG_CHECKSUM | MSG_MORE_TO_COME)) != 0) {
		return fail_set(fail, FAIL_FAILED_TO_PARSE, "unknown message flags 0x%x", flags);
	}
	if ((flags & MSG_CHECKSUM) != 0) {
		end -= end - p >= 4 ? 4 : 0;
	}
	if (!parse_sections(p, end, req)) {
		return fail_set(fail, FAIL_INVALID_BSON, "the message holds no sound BSON");
	}
	const char *db =
		bson_iter_init_find(&it, &req->body, "$db") ? bsonx_name(&it, WIRE_DB_MAX) : NULL;
	return set_db(req, db == NULL ? "" : db, db == NULL ? 0 : strlen(db), fail);
}

/* OP_QUERY on "db.$cmd": flags, name, skip, limit, one document (maybe wrapped in $query). */
static bool parse_query(
	const uint8_t *p, const uint8_t *end, struct request *req, struct fail *fail)
{
	const uint8_t *doc = NULL;
	size_t len = 0;
	bson_iter_t it;
	bson_t inner;

	req->legacy = true;
	p += end - p >= 4 ? 4 : end - p;
	const char *ns = take_cstring(&p, end);
	const char *dot = ns == NULL ? NULL : strstr(ns, ".$cmd");
	if (dot == NULL || dot[5] != '\0') {
		return fail_set(fail, FAIL_NOT_IMPLEMENTED, "OP_QUERY is for commands only");
	}
	p += end - p >= 8 ? 8 : end - p;
	if (!take_doc(&p, end, &doc, &len) || !bsonx_view(&req->body, doc, len)) {
		return fail_set(fail, FAIL_INVALID_BSON, "the message holds no sound BSON");
	}
	if (bson_iter_init_find(&it, &req->body, "$query") && bsonx_iter_view(&it, &inner) &&
		!bsonx_view(&req->body, bson_get_data(&inner), inner.len)) {
		return fail_set(fail, FAIL_INVALID_BSON, "the message holds no sound BSON");
	}
	return set_db(req, ns, (size_t)(dot - ns), fail);
}

bool wire_parse(const struct wire_buffer *buf, struct request *req, struct fail *fail)
{
	const uint8_t *p = buf->data, *end = buf->data + buf->len;
	int32_t opcode = get_i32(p + 12);

	*req = (struct request){.id = get_i32(p + 4), .reply_wanted = true};
	bson_init(&req->body);
	if (opcode == OP_MSG) {
		return parse_msg(p + HEADER_LEN, end, req, fail);
	}
	if (opcode == OP_QUERY) {
		return parse_query(p + HEADER_LEN, end, req, fail);
	}
	req->reply_wanted = false;
	return fail_set(fail, FAIL_NOT_IMPLEMENTED, "opcode %d is not supported", (int)opcode);
}

bool request_docs(
	const struct request *req, const char *name, struct doc_list *list, struct fail *fail)
{
	bson_iter_t it;
	bson_t doc;

	*list = (struct doc_list){0};
	if (req->seq_name != NULL && strcmp(req->seq_name, name) == 0) {
		list->next = req->seq;
		list->end = req->seq + req->seq_len;
		return true;
	}
	if (!bson_iter_init_find(&it, &req->body, name) || !BSON_ITER_HOLDS_ARRAY(&it) ||
		!bson_iter_recurse(&it, &list->it)) {
		return fail_set(fail, FAIL_FAILED_TO_PARSE, "the array '%s' is missing", name);
	}
	list->in_array = true;
	bson_iter_t check = list->it;
	while (bson_iter_next(&check)) {
		if (!BSON_ITER_HOLDS_DOCUMENT(&check) || !bsonx_iter_view(&check, &doc)) {
			return fail_set(fail, FAIL_TYPE_MISMATCH,
				"an element of '%s' is no document", name);
		}
	}
	return true;
}

bool doc_list_next(struct doc_list *list, bson_t *doc)
{
	if (list->in_array) {
		return bson_iter_next(&list->it) && bsonx_iter_view(&list->it, doc);
	}
	if (list->next >= list->end) {
		return false;
	}
	size_t len = (size_t)get_i32(list->next);
	bool ok = bsonx_view(doc, list->next, len);

	list->next += len;
	return ok;
}

/* ---- replies ----------------------------------------------------------------------------------
 */

static bool send_all(int fd, struct iovec *iov, size_t count)
{
	int64_t deadline_ns = ops_now_ns() + INT64_C(1000000) * WIRE_MESSAGE_MS;
	struct msghdr msg = {.msg_iov = iov, .msg_iovlen = count};

	while (msg.msg_iovlen > 0) {
		ssize_t n = sendmsg(fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && errno == EAGAIN) {
			if (!wait_for(fd, POLLOUT, deadline_ns)) {
				return false;
			}
			continue;
		}
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n < 0) {
			return false;
		}
		size_t sent = (size_t)n;
		while (msg.msg_iovlen > 0 && sent >= msg.msg_iov->iov_len) {
			sent -= msg.msg_iov->iov_len;
			msg.msg_iov++;
			msg.msg_iovlen--;
		}
		if (msg.msg_iovlen > 0) {
			msg.msg_iov->iov_base = (uint8_t *)msg.msg_iov->iov_base + sent;
			msg.msg_iov->iov_len -= sent;
		}
	}
	return true;
}

bool wire_reply(int fd, const struct request *req, const bson_t *doc)
{
	static atomic_int next_id = 1;
	uint8_t head[HEADER_LEN + 20] = {0};
	size_t head_len = HEADER_LEN + (req->legacy ? 20 : 5);
	struct iovec iov[2] = {{head, head_len}, {NULL, doc->len}};

	/* sendmsg does not write to it; iovec has no const variant. */
	const uint8_t *data = bson_get_data(doc);
	memcpy(&iov[1].iov_base, &data, sizeof(data));
	put_i32(head, (int32_t)(head_len + doc->len));
	put_i32(head + 4, atomic_fetch_add(&next_id, 1));
	put_i32(head + 8, req->id);
	put_i32(head + 12, req->legacy ? OP_REPLY : OP_MSG);
	if (req->legacy) {
		put_i32(head + 16, REPLY_AWAIT_FLAG); /* then cursor id 0 and position 0 */
		put_i32(head + 32, 1);                /* one document */
	}                                             /* else no flags, and a section of kind 0 */
	return send_all(fd, iov, 2);
}
