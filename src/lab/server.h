/*
 * The servers of a stage: each of its own, private to it, on a unix socket where the engine has
 * them and on a free loopback port where it has not. A kind of server is one entry of a table in
 * server.c: how its program is called, what it is told, and how it shows that it is ready.
 */
#ifndef HOTSET_LAB_SERVER_H
#define HOTSET_LAB_SERVER_H

#include <stdint.h>
#include "stage.h"

#define SERVER_URI_MAX    384
#define SERVER_SOCKET_MAX 108 /* sun_path */

struct server_kind;

extern const struct server_kind server_redis;     /* 64 MB, allkeys-lru, nothing written to disk */
extern const struct server_kind server_memcached; /* small, with flash (extstore) beside it */
extern const struct server_kind server_wtnode;    /* WiredTiger with a cache of 64 MB */
extern const struct server_kind server_recorded;  /* a recording of a mongod, see player.h */

struct server {
	const struct server_kind *kind;
	struct stage_child       *child; /* NULL: not started */
	char     program[STAGE_PATH_MAX]; /* or the recording that is played */
	char     socket[SERVER_SOCKET_MAX]; /* "" where it listens on the port */
	uint16_t port;
	char     uri[SERVER_URI_MAX]; /* once it is ready */
};

const char *server_name(const struct server_kind *kind);
/*
 * Finds the program: beside ours, among what contrib/setup unpacked, on PATH. Says what is missing.
 */
MUST_CHECK bool server_find(const struct server_kind *kind, char *out, size_t cap, struct err *err);
/* Starts it; does not wait. */
MUST_CHECK bool server_start(struct server *s, const struct server_kind *kind, struct stage *stage,
	struct err *err);
/* Waits until it answers. */
MUST_CHECK bool server_await(struct server *s, struct stage *stage, int64_t deadline_ns,
	struct err *err);

#endif
