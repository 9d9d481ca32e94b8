/* The memory cgroup of a process: finds it once, reads its files at each poll. */
#ifndef HOTSET_SOURCE_CGROUP_H
#define HOTSET_SOURCE_CGROUP_H

#include <sys/types.h>

#include "hotset/sample.h"

#define CGROUP_PATH_MAX 768

struct cgroup {
	int version;                 /* 1 or 2; 0: there is none here */
	char mount[CGROUP_PATH_MAX]; /* below the prefix: "/sys/fs/cgroup" */
	char path[CGROUP_PATH_MAX];  /* of the group below the mount: "/system.slice/x.service", ""
				      */
};

/* PREFIX is that of proc:/DIR, "" for this host; pid 0 is this process. */
void cgroup_find(struct cgroup *c, const char *prefix, pid_t pid);
/*
 * The smallest limit on the way to the root, and what that level uses. NO_CGROUP, NO_LIMIT, or
 * NO_PERMISSION where the files cannot be read.
 */
enum reason cgroup_limit(const struct cgroup *c, const char *prefix, uint64_t *max, uint64_t *used);
/* host_total in bytes, 0 unknown: a limit above it is none. */
void cgroup_read(
	const struct cgroup *c, const char *prefix, uint64_t host_total, struct sample *out);

#endif
