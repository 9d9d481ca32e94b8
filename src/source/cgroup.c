/*
 * A limit may be set at any level above the process; the smallest one counts, and the use of that
 * level is what is compared with it. In a container the mount shows the hierarchy from the
 * container's own group down (its root), so the part of the path that is above it is dropped.
 */
#include "cgroup.h"

#include "hotset/num.h"
#include "hotset/parse.h"
#include "mounts.h"
#include "procfile.h"

#define TEXT_MAX   65536 /* bytes of /proc/self/mountinfo and of memory.stat */
#define NUMBER_MAX 64    /* bytes of a file that holds one number */
#define LEVELS_MAX 32
#define LIMIT_NONE (UINT64_C(1) << 60) /* v1 says "none" by a number near 2^63 */

/* ---- finding ---- */

static bool has_option(const char *options, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = options; (p = strstr(p, name)); p += n)
		if ((p == options || p[-1] == ',') && (p[n] == ',' || p[n] == '\0'))
			return true;
	return false;
}

/* The path of a line of /proc/self/cgroup: "0::/x" of v2, or "4:memory:/x" of v1. */
static bool find_path(const char *text, int version, char *out, size_t cap)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *names = strchr(line, ':'),
			   *path = names ? strchr(names + 1, ':') : NULL;
		size_t len = strcspn(line, "\n"), n;
		char list[128];

		if (!path || path > line + len)
			continue;
		n = (size_t)(path - names - 1);
		if (n >= sizeof(list))
			continue;
		memcpy(list, names + 1, n);
		list[n] = '\0';
		if (version == 2 ? n != 0 : !has_option(list, "memory"))
			continue;
		n = len - (size_t)(path + 1 - line);
		if (n >= cap)
			return false;
		memcpy(out, path + 1, n);
		out[n] = '\0';
		return true;
	}
	return false;
}

static bool find_mount(const char *mountinfo, int version, struct mount *m)
{
	while (mounts_next(&mountinfo, m))
		if (version == 2 ? strcmp(m->type, "cgroup2") == 0
				 : strcmp(m->type, "cgroup") == 0 &&
					   has_option(m->options, "memory"))
			return true;
	return false;
}

/* The part of the path that the mount shows; "" when the group is the mount's root or not in it. */
static const char *below_root(const char *path, const char *root)
{
	size_t n = strlen(root);

	if (strcmp(root, "/") == 0)
		n = 0;
	if (strncmp(path, root, n) != 0 || strstr(path, "/..") || strcmp(path + n, "/") == 0)
		return "";
	return path + n;
}

static bool has_memory(const struct cgroup *c, const char *prefix)
{
	char file[2 * CGROUP_PATH_MAX + 32];

	snprintf(file, sizeof(file), "%s%s/%s", c->mount, c->path,
		c->version == 2 ? "memory.current" : "memory.usage_in_bytes");
	return procfile_exists(prefix, file);
}

static bool try_version(struct cgroup *c, const char *prefix, int version, const char *groups,
	const char *mountinfo)
{
	struct mount m = {.root = "/"};
	char path[CGROUP_PATH_MAX] = "";

	c->version = version;
	if (!find_mount(mountinfo, version, &m))
		snprintf(m.point, sizeof(m.point),
			version == 2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
	snprintf(c->mount, sizeof(c->mount), "%s", m.point);
	if (find_path(groups, version, path, sizeof(path)))
		snprintf(c->path, sizeof(c->path), "%s", below_root(path, m.root));
	if (has_memory(c, prefix))
		return true;
	c->path[0] = '\0'; /* the mount may be of another namespace: its root is what we can see */
	return has_memory(c, prefix);
}

void cgroup_find(struct cgroup *c, const char *prefix, pid_t pid)
{
	char groups[8192], path[64], *mountinfo = malloc(TEXT_MAX);
	struct err err;
	size_t len;

	*c = (struct cgroup){.version = 0};
	if (!mountinfo)
		return;
	snprintf(path, sizeof(path), "/proc/self/cgroup");
	if (pid > 0)
		snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (!procfile_read(prefix, path, groups, sizeof(groups), &len, &err))
		groups[0] = '\0';
	if (!procfile_read(prefix, "/proc/self/mountinfo", mountinfo, TEXT_MAX, &len, &err))
		mountinfo[0] = '\0';
	if (!try_version(c, prefix, 2, groups, mountinfo) &&
		!try_version(c, prefix, 1, groups, mountinfo))
		c->version = 0;
	free(mountinfo);
}

/* ---- reading ---- */

struct level {
	const struct cgroup *c;
	const char *prefix;
	int path_len; /* of c->path: which level */
};

static bool read_file(const struct level *l, const char *name, char *buf, size_t cap)
{
	char file[2 * CGROUP_PATH_MAX + 64];
	struct err err;
	size_t len;

	snprintf(file, sizeof(file), "%s%.*s/%s", l->c->mount, l->path_len, l->c->path, name);
	return procfile_read(l->prefix, file, buf, cap, &len, &err);
}

static uint64_t read_limit(const struct level *l, const char *name)
{
	char buf[NUMBER_MAX];
	uint64_t v;

	if (!read_file(l, name, buf, sizeof(buf)) || !num_parse_u64(buf, strcspn(buf, "\n"), &v))
		return UINT64_MAX; /* "max", or the root, which has none */
	return v;
}

/* Moves from the process' own level to the one with the smallest limit. */
static void find_smallest(struct level *l, const char *limit_name)
{
	uint64_t smallest = read_limit(l, limit_name);
	struct level up = *l;

	for (unsigned i = 0; i < LEVELS_MAX && up.path_len > 0; i++) {
		const char *slash = memrchr(l->c->path, '/', (size_t)up.path_len);
		uint64_t v;

		up.path_len = slash ? (int)(slash - l->c->path) : 0;
		v = read_limit(&up, limit_name);
		if (v < smallest) {
			smallest = v;
			l->path_len = up.path_len;
		}
	}
}

static uint64_t read_used(const struct level *l)
{
	char buf[NUMBER_MAX];
	uint64_t v;
	const char *name = l->c->version == 2 ? "memory.current" : "memory.usage_in_bytes";

	return read_file(l, name, buf, sizeof(buf)) && num_parse_u64(buf, strcspn(buf, "\n"), &v)
		       ? v
		       : UINT64_MAX;
}

enum reason cgroup_limit(const struct cgroup *c, const char *prefix, uint64_t *max, uint64_t *used)
{
	struct level l = {c, prefix, (int)strlen(c->path)};
	const char *name = c->version == 2 ? "memory.max" : "memory.limit_in_bytes";

	if (c->version == 0)
		return REASON_NO_CGROUP;
	find_smallest(&l, name);
	*max = read_limit(&l, name);
	*used = read_used(&l);
	if (*used == UINT64_MAX)
		return REASON_NO_PERMISSION;
	return *max >= LIMIT_NONE ? REASON_NO_LIMIT : REASON_OK;
}

void cgroup_read(
	const struct cgroup *c, const char *prefix, uint64_t host_total, struct sample *out)
{
	static const char *const names[2][5] = {
		{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.memsw.usage_in_bytes",
			"memory.memsw.limit_in_bytes", NULL},
		{"memory.max", "memory.current", "memory.swap.current", "memory.swap.max",
			"io.stat"},
	};
	const char *const *name = names[c->version == 2];
	struct level l = {c, prefix, (int)strlen(c->path)}, own = l;
	char max[NUMBER_MAX], current[NUMBER_MAX], swap_current[NUMBER_MAX], swap_max[NUMBER_MAX];
	char *stat = malloc(TEXT_MAX), *io = malloc(TEXT_MAX);
	struct cgroup_texts t = {.version = c->version, .host_total = host_total};

	find_smallest(&l, name[0]);
	t.max = read_file(&l, name[0], max, sizeof(max)) ? max : NULL;
	t.current = read_file(&l, name[1], current, sizeof(current)) ? current : NULL;
	t.swap_current =
		read_file(&l, name[2], swap_current, sizeof(swap_current)) ? swap_current : NULL;
	t.swap_max = read_file(&l, name[3], swap_max, sizeof(swap_max)) ? swap_max : NULL;
	t.stat = stat && read_file(&l, "memory.stat", stat, TEXT_MAX) ? stat : NULL;
	t.io_stat = io && name[4] && read_file(&own, name[4], io, TEXT_MAX) ? io : NULL;
	parse_cgroup(&t, out);
	free(stat);
	free(io);
}
