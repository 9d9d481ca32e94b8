/*
 * One command and its reply over a transport, in RESP2. hiredis encodes and decodes; the guard
 * looks at every byte before hiredis does, since hiredis takes any length that a header states.
 */
#ifndef HOTSET_SOURCE_RESP_H
#define HOTSET_SOURCE_RESP_H

#include <hiredis/hiredis.h>

#include "hotset/transport.h"

/* Bounds of one reply. Buffer and decoded copy together stay below 20 MiB. */
#define RESP_BULK_MAX  (8ul * 1024 * 1024) /* bytes of one string, and of the whole reply */
#define RESP_LINE_MAX  (64ul * 1024)       /* bytes of a header, status or error line */
#define RESP_ITEMS_MAX 65536u              /* elements in all */
#define RESP_DEPTH_MAX 7u                  /* arrays within arrays: what hiredis can hold */

struct resp_guard {
	size_t total;
	size_t bulk;   /* bytes of a string still to come, its CRLF included; 0: in a line */
	char head[24]; /* the beginning of the present line */
	size_t line;   /* bytes of it so far */
	char last;     /* the newest of them */
	unsigned items, depth;
	unsigned pending[RESP_DEPTH_MAX + 1]; /* elements to come, by depth */
	bool done;
};

void resp_guard_init(struct resp_guard *g);
/* Checks the next bytes; `done` is set when they complete the reply. ERR_PROTOCOL on a bad one. */
MUST_CHECK bool resp_guard_feed(struct resp_guard *g, const char *buf, size_t len, struct err *err);

/*
 * Sends a command and returns its reply, which the caller frees with freeReplyObject(); an error
 * reply of the server is a reply. NULL with err on failure: the transport is closed then. A peer
 * that closed before the first byte is ERR_REFUSED.
 */
redisReply *resp_call(struct transport *c, int argc, const char *const *argv, int64_t deadline_ns,
	struct err *err);

#endif
