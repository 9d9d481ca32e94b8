#include "fake_mongo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define OP_REPLY    1
#define OP_QUERY    2004
#define OP_MSG      2013
#define MESSAGE_MAX (1u << 20) /* bytes */

struct header {
	int32_t len, id, to, op;
};

static pthread_mutex_t answer_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local const struct fake_conn *answering;

const struct fake_conn *fake_mongo_conn(void)
{
	return answering;
}

void fake_mongo_limits(bson_t *reply)
{
	BSON_APPEND_INT32(reply, "minWireVersion", 0);
	BSON_APPEND_INT32(reply, "maxWireVersion", 13);
	BSON_APPEND_INT32(reply, "maxBsonObjectSize", 16777216);
	BSON_APPEND_INT32(reply, "maxMessageSizeBytes", 48000000);
	BSON_APPEND_INT32(reply, "maxWriteBatchSize", 100000);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

void fake_mongo_hello(bson_t *reply)
{
	BSON_APPEND_BOOL(reply, "ismaster", true);
	fake_mongo_limits(reply);
}

void fake_mongo_status(bson_t *reply)
{
	bson_t wt, cache;

	BSON_APPEND_UTF8(reply, "process", "mongod");
	BSON_APPEND_UTF8(reply, "version", "7.0.1");
	BSON_APPEND_INT64(reply, "uptimeMillis", 100000);
	BSON_APPEND_DOCUMENT_BEGIN(reply, "wiredTiger", &wt);
	BSON_APPEND_DOCUMENT_BEGIN(&wt, "cache", &cache);
	BSON_APPEND_INT64(&cache, "bytes currently in the cache", 1 << 20);
	BSON_APPEND_INT64(&cache, "maximum bytes configured", 1 << 28);
	bson_append_document_end(&wt, &cache);
	bson_append_document_end(reply, &wt);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

bool fake_mongo_is_hello(const char *name)
{
	return strcasecmp(name, "ismaster") == 0 || strcmp(name, "hello") == 0;
}

void fake_mongo_error(bson_t *reply, int code, const char *message)
{
	BSON_APPEND_DOUBLE(reply, "ok", 0);
	BSON_APPEND_INT32(reply, "code", code);
	BSON_APPEND_UTF8(reply, "errmsg", message);
}

/* The command within a message's payload; false if it makes no sense. */
static bool find_command(int32_t op, const uint8_t *p, size_t len, bson_t *cmd)
{
	size_t at = 5; /* OP_MSG: flags, kind 0 */
	int32_t doc_len;

	if (op == OP_QUERY) /* flags, name, skip, limit */
		at = 4 + (len > 4 ? strnlen((const char *)p + 4, len - 4) : 0) + 1 + 8;
	if ((op != OP_QUERY && op != OP_MSG) || at + sizeof(doc_len) > len)
		return false;
	memcpy(&doc_len, p + at, sizeof(doc_len));
	return doc_len > 0 && (size_t)doc_len <= len - at &&
	       bson_init_static(cmd, p + at, (size_t)doc_len);
}

static void send_reply(struct fake_conn *c, const struct header *h, const bson_t *reply, bool drip)
{
	bool query = h->op == OP_QUERY;
	size_t extra = query ? 20 : 5, total = sizeof(*h) + extra + reply->len;
	uint8_t *m = calloc(1, total);
	struct header out = {(int32_t)total, h->id + 1, h->id, query ? OP_REPLY : OP_MSG};
	int32_t one = 1, await = 8;

	if (!m)
		abort();
	memcpy(m, &out, sizeof(out));
	if (query) {
		memcpy(m + 16, &await, 4);
		memcpy(m + 32, &one, 4);
	}
	memcpy(m + sizeof(out) + extra, bson_get_data(reply), reply->len);
	if (drip)
		fake_drip(c, m, total, 1, 50);
	else
		fake_send(c, m, total);
	free(m);
}

static bool answer_one(
	struct fake_conn *c, const struct header *h, const uint8_t *payload, size_t len)
{
	const struct fake_mongo *m = c->arg;
	enum fake_mongo_act act = FAKE_CLOSE;
	bson_t cmd, reply = BSON_INITIALIZER;
	bson_iter_t it;

	if (find_command(h->op, payload, len, &cmd) && bson_iter_init(&it, &cmd) &&
		bson_iter_next(&it)) {
		answering = c;
		pthread_mutex_lock(&answer_lock);
		act = m->answer(m->arg, bson_iter_key(&it), &cmd, &reply);
		pthread_mutex_unlock(&answer_lock);
	}
	if (act == FAKE_REPLY || act == FAKE_DRIP)
		send_reply(c, h, &reply, act == FAKE_DRIP);
	else if (act == FAKE_SILENT)
		fake_hold(c);
	bson_destroy(&reply);
	return act == FAKE_REPLY || act == FAKE_DRIP;
}

static void serve_commands(struct fake_conn *c)
{
	struct header h;
	bool more = true;

	while (more && fake_read(c, &h, sizeof(h)) && h.len > (int32_t)sizeof(h) &&
		h.len < (int32_t)MESSAGE_MAX) {
		size_t len = (size_t)h.len - sizeof(h);
		uint8_t *payload = malloc(len);

		more = payload && fake_read(c, payload, len) && answer_one(c, &h, payload, len);
		free(payload);
	}
}

void fake_mongo_serve(struct fake_conn *c)
{
	const struct fake_mongo *m = c->arg;

	if (m->tls && !fake_tls_begin(c, m->tls))
		return;
	serve_commands(c);
	if (m->tls)
		fake_tls_end(c);
}
