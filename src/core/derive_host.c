/* What /proc, cgroups and node_exporter do not give ready-made. */
#include "hotset/derive.h"

/* A difference of sizes from different scopes (lxcfs) may come out negative: then it is none. */
static struct value size_sub(struct value a, struct value b)
{
	struct value v = value_sub(a, b);

	return value_ok(v) && v.v < 0 ? value_none(REASON_IMPLAUSIBLE) : v;
}

void derive_host(const struct derive_ctx *c)
{
	const struct value *v = c->f->v;
	struct value total = v[METRIC_HOST_MEM_TOTAL];
	struct value used = size_sub(total, v[METRIC_HOST_MEM_AVAILABLE]);
	struct value limit = v[METRIC_HOST_CGROUP_MAX];

	derive_put(c, METRIC_HOST_MEM_USED, used);
	derive_ratio(c, METRIC_HOST_MEM_USED_SHARE, used, total, 100, REASON_IMPLAUSIBLE);
	derive_put(c, METRIC_HOST_MEM_FILE_CACHE,
		value_add(size_sub(v[METRIC_HOST_MEM_CACHED], v[METRIC_HOST_MEM_SHMEM]),
			v[METRIC_HOST_MEM_BUFFERS]));

	/* without a limit a cgroup can grow to the memory of the host */
	if (limit.why == REASON_NO_LIMIT) {
		limit = total;
		c->f->info[METRIC_HOST_SCOPE] = "host-wide";
		derive_none(c, METRIC_HOST_SCOPE, REASON_TEXT);
	}
	derive_ratio(c, METRIC_HOST_CGROUP_FILL, v[METRIC_HOST_CGROUP_USED], limit, 100,
		REASON_IMPLAUSIBLE);
}
