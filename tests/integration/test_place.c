/*
 * Where a server runs: a Redis and a memcached on this host, put into a memory cgroup that is
 * smaller than their caches, are found there, and the alarm says so. The cgroup is a real one;
 * where none can be made (not root, no v1 hierarchy to write to) these tests are skipped.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hotset/model.h"
#include "servers.h"
#include "watched.h"

#define MIB 1048576.0

static char group[128];

static bool put(const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", group, file);
	f = fopen(path, "we");
	if (!f)
		return false;
	bool ok = fputs(text, f) >= 0;
	return fclose(f) == 0 && ok;
}

/* v1 has its limit in one file, v2 in another and must hand the controller down. */
static bool make_group(pid_t pid)
{
	static const char *const parents[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"};
	char text[32];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(group, sizeof(group), "%s/hotset-test-%d", parents[i], (int)getpid());
		if (mkdir(group, 0755) != 0)
			continue;
		snprintf(text, sizeof(text), "%d", (int)pid);
		if (put(i == 0 ? "memory.limit_in_bytes" : "memory.max", "50331648") &&
			put("cgroup.procs", text))
			return true;
		rmdir(group);
	}
	return false;
}

static bool is_removed(void *arg)
{
	(void)arg;
	return rmdir(group) == 0 || errno == ENOENT;
}

static const struct verdict *verdict(const struct model *m)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (strcmp(m->verdicts[i].code, "host.cache_exceeds_limit") == 0)
			return &m->verdicts[i];
	return NULL;
}

static void check(struct server *s, enum kind kind, enum metric_id max, const char *says)
{
	struct model *m = model_create();
	struct watched w;
	bool grouped;

	if (!s)
		skip();
	assert_non_null(model_add(m, kind, "x", "x", "x", 60));
	grouped = make_group(server_pid(s));
	watch_begin(&w, server_uri(s), 5);
	watch_poll(&w);
	model_push(m, w.last);
	w.last = NULL; /* the model's now */
	if (grouped) {
		struct value v = m->ep[0]->frame.v[max];

		if (!value_ok(v))
			fail_msg("no limit: %s", reason_text((enum reason)v.why));
		test_near(v.v, 48 * MIB, 0);
		assert_true(value_ok(m->ep[0]->frame.v[max + 1]));
		assert_non_null(verdict(m));
		assert_int_equal(verdict(m)->level, LEVEL_WARN);
		assert_non_null(strstr(verdict(m)->text, says));
	}
	watch_end(&w);
	model_destroy(m);
	server_stop(s);
	if (!grouped)
		skip();
	assert_true(test_wait(is_removed, NULL, 5000));
}

static void a_redis_in_a_small_cgroup(void **state)
{
	const char *const args[] = {"--maxmemory", "64mb", NULL};

	(void)state;
	check(server_redis(args), KIND_REDIS, METRIC_REDIS_CGROUP_MAX,
		"maxmemory is 64.0 MiB, and its cgroup may use 48.0 MiB");
}

static void a_memcached_in_a_small_cgroup(void **state)
{
	(void)state;
	check(server_memcached(NULL), KIND_MEMCACHED, METRIC_MEMCACHED_CGROUP_MAX,
		"-m is 64.0 MiB, and its cgroup may use 48.0 MiB");
}

static int setup(void **state)
{
	(void)state;
	source_quiet();
	source_global_init();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	source_global_finish();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_redis_in_a_small_cgroup),
		cmocka_unit_test(a_memcached_in_a_small_cgroup),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
