/* The two things asked of /proc/self/mountinfo: where the cgroups are, and what lies under a path.
 */
#ifndef HOTSET_SOURCE_MOUNTS_H
#define HOTSET_SOURCE_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define MOUNT_FIELD_MAX 256

struct mount {
	char root[MOUNT_FIELD_MAX]; /* of the file system, what is mounted here */
	char point[MOUNT_FIELD_MAX];
	char type[32];
	char source[MOUNT_FIELD_MAX];
	char options[MOUNT_FIELD_MAX]; /* of the file system */
};

/* The next mount of a mountinfo text; *pos moves on. Lines with too long a field are passed over.
 */
bool mounts_next(const char **pos, struct mount *out);
/* The mount that a path lies in: the longest matching point, the last of several. */
bool mounts_of_path(const char *text, const char *path, struct mount *out);

#endif
