/*
 * Real servers for tests: each in its own process and temporary directory, on a free port of
 * 127.0.0.1, killed with the test. A program that is not installed gives NULL, and the test skips;
 * one that is there and does not start ends the test program with a message.
 */
#ifndef HOTSET_TEST_SERVERS_H
#define HOTSET_TEST_SERVERS_H

#include <stdint.h>
#include <sys/types.h>

struct server;

/* extra_args: NULL-terminated, appended to the command line; NULL for none. */
struct server *server_redis(const char *const *extra_args); /* TCP and unix socket */
struct server *server_memcached(const char *const *extra_args);
struct server *server_memcached_unix(void); /* memcached listens on one or the other */
/* prometheus-node-exporter; its URI is that of /metrics. */
struct server *server_node_exporter(const char *const *extra_args);
struct server *server_wtnode(const char *const *extra_args);
/* The program that MONGOD= names, a standalone with a cache of 256 MB; NULL where it names none. */
struct server *server_mongod(const char *const *extra_args);

const char *server_uri(const struct server *s);      /* "redis://127.0.0.1:40123" */
const char *server_unix_uri(const struct server *s); /* "redis+unix:///tmp/.../s"; "" if none */
const char *server_dir(const struct server *s);
uint16_t server_port(const struct server *s);
pid_t server_pid(const struct server *s);
void server_stop(struct server *s); /* kills, waits, removes the directory; NULL is fine */

/* A port of 127.0.0.1 that was free a moment ago. */
uint16_t server_free_port(void);

#endif
