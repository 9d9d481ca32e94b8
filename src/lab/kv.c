#include "kv.h"

#include <hiredis/hiredis.h>
#include "hotset/clock.h"
#include "hotset/source.h"
#include "hotset/transport.h"

#define CALL_TIMEOUT_MS 2000
#define REPLY_MAX       (64 * 1024)

struct kv {
	struct target     target;
	struct transport *transport;
	redisReader      *reader; /* NULL: it speaks memcached's protocol */
	char              buf[REPLY_MAX];
};

struct kv *kv_create(const char *uri, struct err *err)
{
	struct kv *kv = calloc(1, sizeof(*kv));

	if (!kv) {
		err_sys(err, "no memory for a client");
		return NULL;
	}
	if (!target_parse(uri, &kv->target, err)) {
		free(kv);
		return NULL;
	}
	kv->transport = transport_create(&kv->target);
	if (strncmp(kv->target.scheme, "redis", 5) == 0) {
		kv->reader = redisReaderCreate();
	}
	return kv;
}

void kv_destroy(struct kv *kv)
{
	if (kv) {
		if (kv->reader) {
			redisReaderFree(kv->reader);
		}
		transport_destroy(kv->transport);
		target_finish(&kv->target);
		free(kv);
	}
}

static int64_t call_deadline(void)
{
	return clock_mono_ns() + CALL_TIMEOUT_MS * NS_PER_MS;
}

/* ---- Redis ----------------------------------------------------------------------------------- */

/* The reply, for freeReplyObject(); NULL on failure. An error reply is a failure. */
static redisReply *redis_call(struct kv *kv, int argc, const char **argv, const size_t *lens,
	struct err *err)
{
	int64_t deadline = call_deadline();
	char *command = NULL;
	int len = redisFormatCommandArgv(&command, argc, argv, lens);
	void *reply = NULL;
	bool ok = len > 0 && transport_open(kv->transport, deadline, err) &&
		transport_send(kv->transport, command, (size_t)len, deadline, err);

	redisFreeCommand(command);
	while (ok && !reply) {
		size_t got = 0;

		ok = transport_recv(kv->transport, kv->buf, sizeof(kv->buf), &got, deadline, err);
		if (ok && (got == 0 || redisReaderFeed(kv->reader, kv->buf, got) != REDIS_OK ||
			redisReaderGetReply(kv->reader, &reply) != REDIS_OK)) {
			ok = err_set(err, ERR_PROTOCOL,
				"Redis closed the connection or broke the protocol");
		}
	}
	if (ok && ((redisReply *)reply)->type == REDIS_REPLY_ERROR) {
		ok = err_set(err, ERR_PROTOCOL, "Redis: %s", ((redisReply *)reply)->str);
		freeReplyObject(reply);
	} else if (!ok) {
		/* what is half read belongs to this call: begin anew */
		transport_close(kv->transport);
		redisReaderFree(kv->reader);
		kv->reader = redisReaderCreate();
	}
	return ok ? reply : NULL;
}

static bool redis_get(struct kv *kv, const char *key, bool *found, struct err *err)
{
	const char *argv[] = {"GET", key};
	redisReply *reply = redis_call(kv, 2, argv, NULL, err);

	if (!reply) {
		return false;
	}
	*found = reply->type == REDIS_REPLY_STRING;
	freeReplyObject(reply);
	return true;
}

static bool redis_set(struct kv *kv, const char *key, const char *value, size_t len,
	unsigned ttl_s, struct err *err)
{
	char ttl[16];
	const char *argv[] = {"SETEX", key, ttl, value};
	size_t lens[] = {5, strlen(key), 0, len};
	redisReply *reply;

	lens[2] = (size_t)snprintf(ttl, sizeof(ttl), "%u", ttl_s);
	reply = redis_call(kv, 4, argv, lens, err);
	if (reply) {
		freeReplyObject(reply);
	}
	return reply != NULL;
}

/* ---- memcached ------------------------------------------------------------------------------- */

/* Sends a request and reads until the reply ends in `end` or in another line (an error). */
static bool memcached_call(struct kv *kv, const char *request, size_t len, size_t *reply_len,
	struct err *err)
{
	int64_t deadline = call_deadline();
	size_t used = 0, got = 1;

	if (!transport_open(kv->transport, deadline, err) ||
		!transport_send(kv->transport, request, len, deadline, err)) {
		return false;
	}
	while (got > 0 && used < sizeof(kv->buf)) {
		if (!transport_recv(kv->transport, kv->buf + used, sizeof(kv->buf) - used, &got,
			    deadline, err)) {
			return false;
		}
		used += got;
		/* a value's own bytes never end in a line of ours: loads write letters only */
		if (used >= 2 && memcmp(kv->buf + used - 2, "\r\n", 2) == 0 &&
			(kv->buf[0] != 'V' ||
				(used >= 5 && memcmp(kv->buf + used - 5, "END\r\n", 5) == 0))) {
			*reply_len = used;
			return true;
		}
	}
	transport_close(kv->transport);
	return err_set(err, ERR_PROTOCOL, "memcached closed the connection or sent too much");
}

static bool memcached_get(struct kv *kv, const char *key, bool *found, struct err *err)
{
	char request[300];
	int len = snprintf(request, sizeof(request), "get %s\r\n", key);
	size_t used;

	if (!memcached_call(kv, request, (size_t)len, &used, err)) {
		return false;
	}
	*found = kv->buf[0] == 'V';
	return true;
}

static bool memcached_set(struct kv *kv, const char *key, const char *value, size_t len,
	unsigned ttl_s, struct err *err)
{
	char request[REPLY_MAX];
	int head = snprintf(request, sizeof(request), "set %s 0 %u %zu\r\n", key, ttl_s, len);
	size_t used;

	if (head < 0 || (size_t)head + len + 2 > sizeof(request)) {
		return err_set(err, ERR_LIMIT, "a value of %zu bytes is too large", len);
	}
	memcpy(request + head, value, len);
	memcpy(request + (size_t)head + len, "\r\n", 2);
	if (!memcached_call(kv, request, (size_t)head + len + 2, &used, err)) {
		return false;
	}
	if (used < 6 || memcmp(kv->buf, "STORED", 6) != 0) {
		return err_set(err, ERR_PROTOCOL, "memcached did not store: %.*s", (int)used,
			kv->buf);
	}
	return true;
}

bool kv_get(struct kv *kv, const char *key, bool *found, struct err *err)
{
	return (kv->reader ? redis_get : memcached_get)(kv, key, found, err);
}

bool kv_set(struct kv *kv, const char *key, const char *value, size_t len, unsigned ttl_s,
	struct err *err)
{
	return (kv->reader ? redis_set : memcached_set)(kv, key, value, len, ttl_s, err);
}
