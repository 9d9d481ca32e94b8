#include "player.h"

#include <arpa/inet.h>
#include <bson/bson.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>
#include "hotset/clock.h"

#define UNPACKED_MAX  (64u << 20)
#define FRAMES_MAX    4096
#define MESSAGE_MAX   (64u << 10) /* requests are small */
#define VERSION       "5.0.7"    /* of the node that was recorded */
#define WIRE_VERSION  13

enum { OP_REPLY = 1, OP_QUERY = 2004, OP_MSG = 2013 };
enum { CODE_COMMAND_NOT_FOUND = 59 };

struct recording {
	uint8_t *data; /* lives as long as the process */
	size_t   len;
	unsigned n;
	bson_t   frame[FRAMES_MAX]; /* each a view of data */
};

/* A connection, in a process of its own: its place in the recording is its own as well. */
struct player {
	const struct recording *rec;
	int      fd;
	unsigned frame;
	int64_t  shown_ns; /* when serverStatus was last asked for; 0: never */
	uint8_t  body[MESSAGE_MAX]; /* of the request */
};

struct header {
	int32_t length, request_id, response_to, opcode;
};

static int32_t le32(int32_t v)
{
	return (int32_t)BSON_UINT32_TO_LE((uint32_t)v);
}

/* ---- the recording --------------------------------------------------------------------------- */

static bool unpack(const char *path, struct recording *rec)
{
	gzFile f = gzopen(path, "rbe");
	int got = 0;

	if (!f) {
		return false;
	}
	rec->data = malloc(UNPACKED_MAX);
	while (rec->data && rec->len < UNPACKED_MAX &&
		(got = gzread(f, rec->data + rec->len, UNPACKED_MAX - (unsigned)rec->len)) > 0) {
		rec->len += (size_t)got;
	}
	gzclose(f);
	return rec->data && got == 0 && rec->len > 0;
}

static bool load(const char *path, struct recording *rec)
{
	size_t at = 0;
	int32_t len;

	if (!unpack(path, rec)) {
		return false;
	}
	while (rec->n < FRAMES_MAX && at + sizeof(len) <= rec->len) {
		memcpy(&len, rec->data + at, sizeof(len));
		len = le32(len);
		if (len < 5 || (size_t)len > rec->len - at ||
			!bson_init_static(&rec->frame[rec->n], rec->data + at, (size_t)len)) {
			return false;
		}
		rec->n++;
		at += (size_t)len;
	}
	return rec->n > 1;
}

/* A frame for each second since the last one, so that a poll a little early never repeats one. */
static const bson_t *current_frame(struct player *p, bool advance)
{
	int64_t now = clock_mono_ns(), passed = now - p->shown_ns + NS_PER_SEC / 2;

	if (p->shown_ns == 0) {
		p->shown_ns = now;
	} else if (advance && passed >= NS_PER_SEC) {
		p->frame = (p->frame + (unsigned)(passed / NS_PER_SEC)) % p->rec->n;
		p->shown_ns = now;
	}
	return &p->rec->frame[p->frame];
}

/* ---- commands -------------------------------------------------------------------------------- */

static void reply_hello(struct player *p, const bson_t *request, bson_t *out)
{
	(void)p;
	(void)request;
	BSON_APPEND_BOOL(out, "ismaster", true);
	BSON_APPEND_BOOL(out, "isWritablePrimary", true);
	BSON_APPEND_INT32(out, "maxBsonObjectSize", 16777216);
	BSON_APPEND_INT32(out, "maxMessageSizeBytes", 48000000);
	BSON_APPEND_INT32(out, "maxWriteBatchSize", 100000);
	BSON_APPEND_INT32(out, "minWireVersion", 0);
	BSON_APPEND_INT32(out, "maxWireVersion", WIRE_VERSION);
}

static void reply_build_info(struct player *p, const bson_t *request, bson_t *out)
{
	(void)p;
	(void)request;
	BSON_APPEND_UTF8(out, "version", VERSION);
}

static void reply_ping(struct player *p, const bson_t *request, bson_t *out)
{
	(void)p;
	(void)request;
	(void)out;
}

static bool find_document(const bson_t *frame, const char *key, bson_t *out, bool array)
{
	bson_iter_t it;
	const uint8_t *data;
	uint32_t len;

	if (!bson_iter_init_find(&it, frame, key) || bson_iter_type(&it) !=
		(array ? BSON_TYPE_ARRAY : BSON_TYPE_DOCUMENT)) {
		return false;
	}
	if (array) {
		bson_iter_array(&it, &len, &data);
	} else {
		bson_iter_document(&it, &len, &data);
	}
	return bson_init_static(out, data, len);
}

/* As it was, at this time; sections that the request leaves out are left out. */
static void reply_server_status(struct player *p, const bson_t *request, bson_t *out)
{
	bson_iter_t it, option;
	bson_t status;

	if (!find_document(current_frame(p, true), "serverStatus", &status, false) ||
		!bson_iter_init(&it, &status)) {
		return;
	}
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (strcmp(key, "localTime") == 0) {
			BSON_APPEND_DATE_TIME(out, key, clock_wall_ns() / NS_PER_MS);
		} else if (strcmp(key, "ok") != 0 &&
			!(bson_iter_init_find(&option, request, key) &&
				!bson_iter_as_bool(&option))) {
			bson_append_iter(out, NULL, 0, &it);
		}
	}
}

/* The only aggregation that is asked of it is $currentOp. */
static void reply_aggregate(struct player *p, const bson_t *request, bson_t *out)
{
	bson_t cursor, ops, none = BSON_INITIALIZER;

	(void)request;
	BSON_APPEND_DOCUMENT_BEGIN(out, "cursor", &cursor);
	BSON_APPEND_INT64(&cursor, "id", 0);
	BSON_APPEND_UTF8(&cursor, "ns", "admin.$cmd.aggregate");
	BSON_APPEND_ARRAY(&cursor, "firstBatch",
		find_document(current_frame(p, false), "currentOp", &ops, true) ? &ops : &none);
	bson_append_document_end(out, &cursor);
}

static const struct {
	const char *name;
	void (*reply)(struct player *p, const bson_t *request, bson_t *out);
} commands[] = {
	{"hello", reply_hello},
	{"isMaster", reply_hello},
	{"ping", reply_ping},
	{"endSessions", reply_ping},
	{"buildInfo", reply_build_info},
	{"serverStatus", reply_server_status},
	{"aggregate", reply_aggregate},
};

static void answer(struct player *p, const bson_t *request, bson_t *out)
{
	bson_iter_t it;
	const char *name =
		bson_iter_init(&it, request) && bson_iter_next(&it) ? bson_iter_key(&it) : "";

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcasecmp(commands[i].name, name) == 0) {
			commands[i].reply(p, request, out);
			BSON_APPEND_DOUBLE(out, "ok", 1);
			return;
		}
	}
	BSON_APPEND_DOUBLE(out, "ok", 0);
	BSON_APPEND_UTF8(out, "errmsg", "this is a recording: it knows no such command");
	BSON_APPEND_INT32(out, "code", CODE_COMMAND_NOT_FOUND);
	BSON_APPEND_UTF8(out, "codeName", "CommandNotFound");
}

/* ---- the wire -------------------------------------------------------------------------------- */

static bool read_all(int fd, void *buf, size_t len)
{
	for (uint8_t *at = buf; len > 0;) {
		ssize_t got = read(fd, at, len);

		if (got <= 0) {
			return false;
		}
		at += got;
		len -= (size_t)got;
	}
	return true;
}

static bool write_all(int fd, const void *buf, size_t len)
{
	for (const uint8_t *at = buf; len > 0;) {
		ssize_t put = send(fd, at, len, MSG_NOSIGNAL);

		if (put <= 0) {
			return false;
		}
		at += put;
		len -= (size_t)put;
	}
	return true;
}

/* OP_QUERY: flags, name, skip, return, document. OP_MSG: flags, section 0, document. */
static bool find_request(int32_t opcode, const uint8_t *body, size_t len, bson_t *request)
{
	size_t at = 5;

	if (opcode == OP_QUERY) {
		const uint8_t *end = len > 4 ? memchr(body + 4, 0, len - 4) : NULL;

		if (!end) {
			return false;
		}
		at = (size_t)(end - body) + 1 + 8;
	} else if (opcode != OP_MSG || len < 5 || body[4] != 0) {
		return false;
	}
	if (at + 4 < len) {
		int32_t size;

		memcpy(&size, body + at, sizeof(size));
		size = le32(size);
		return size >= 5 && (size_t)size <= len - at &&
			bson_init_static(request, body + at, (size_t)size);
	}
	return false;
}

static bool send_reply(int fd, const struct header *to, const bson_t *doc)
{
	/* OP_REPLY: flags (await capable), cursor id, start, document; OP_MSG: flags, section 0 */
	static const uint8_t query_head[20] = {8, [16] = 1}, msg_head[5] = {0};
	bool query = to->opcode == OP_QUERY;
	size_t head = query ? sizeof(query_head) : sizeof(msg_head);
	struct header h = {le32((int32_t)(sizeof(h) + head + doc->len)), 0, le32(to->request_id),
		le32(query ? OP_REPLY : OP_MSG)};

	return write_all(fd, &h, sizeof(h)) && write_all(fd, query ? query_head : msg_head, head) &&
		write_all(fd, bson_get_data(doc), doc->len);
}

static bool serve_one(struct player *p)
{
	struct header h;
	bson_t request, reply = BSON_INITIALIZER;
	size_t len;
	bool ok;

	if (!read_all(p->fd, &h, sizeof(h))) {
		return false;
	}
	h = (struct header){
		le32(h.length), le32(h.request_id), le32(h.response_to), le32(h.opcode)};
	if (h.length < (int32_t)sizeof(h) || (size_t)h.length - sizeof(h) > MESSAGE_MAX) {
		return false;
	}
	len = (size_t)h.length - sizeof(h);
	if (!read_all(p->fd, p->body, len) || !find_request(h.opcode, p->body, len, &request)) {
		return false;
	}
	answer(p, &request, &reply);
	ok = send_reply(p->fd, &h, &reply);
	bson_destroy(&reply);
	return ok;
}

static int listen_loopback(uint16_t *port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&sin, len) != 0 || listen(fd, 16) != 0 ||
		getsockname(fd, (struct sockaddr *)&sin, &len) != 0) {
		return -1;
	}
	*port = ntohs(sin.sin_port);
	return fd;
}

static void serve_connection(const struct recording *rec, int fd)
{
	struct player p = {.rec = rec, .fd = fd};

	while (serve_one(&p)) {
	}
}

int player_run(const char *path)
{
	struct recording *rec = calloc(1, sizeof(*rec));
	uint16_t port;
	int listener = listen_loopback(&port);

	if (!rec || listener < 0 || !load(path, rec)) {
		printf("cannot play %s\n", path);
		free(rec);
		return 1;
	}
	signal(SIGCHLD, SIG_IGN);
	printf("listening on 127.0.0.1:%u\n", port);
	fflush(stdout);
	for (;;) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		pid_t parent = getpid();

		if (fd >= 0 && fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			if (getppid() == parent) {
				serve_connection(rec, fd);
			}
			_exit(0);
		}
		if (fd >= 0) {
			close(fd);
		}
	}
}
