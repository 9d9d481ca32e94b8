/*
 * Proof that a server runs on this host: the socket that listens on its address belongs to exactly
 * one process here, whose pid in its innermost namespace is the one that the server says it has.
 * An address alone proves nothing: a loopback port may be forwarded to another machine.
 */
#ifndef HOTSET_SOURCE_SAME_HOST_H
#define HOTSET_SOURCE_SAME_HOST_H

#include <stdint.h>
#include <sys/types.h>

#include "hotset/value.h"

/*
 * REASON_OK and the process' pid as this namespace sees it, or why there is no proof: NOT_SAME_HOST
 * or NO_PERMISSION (to look at other users' processes). Resolves the name and walks /proc: once per
 * run of the server, not per poll.
 */
enum reason same_host_prove(const char *host, uint16_t port, uint64_t server_pid, pid_t *pid);

/* The parts of it that only read text, for tests. */
#define SAME_HOST_INODES 8
/*
 * Inodes of the sockets that listen on the port, in the text of /proc/net/tcp or tcp6; `addresses`
 * are hexadecimal as there, NULL-terminated. Returns how many (at most SAME_HOST_INODES).
 */
unsigned same_host_listeners(const char *text, const char *const *addresses, uint16_t port,
	uint64_t inodes[SAME_HOST_INODES], unsigned n);
/* The innermost of the pids in the text of /proc/PID/status; 0 where there is none. */
uint64_t same_host_inner_pid(const char *status);

#endif
