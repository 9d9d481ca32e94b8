/*
 * Caches that are configured larger than what is there: against the cgroup of their process, and
 * together against the memory of this host. What is not proven to be here counts for nothing.
 */
#include "support.h"

#include <string.h>

#include "hotset/clock.h"
#include "hotset/model.h"

#define MIB (UINT64_C(1) << 20)

static struct model *m;

static int start(void **state)
{
	(void)state;
	m = model_create();
	return m && model_add(m, KIND_HOST, "proc:", "here", "this host", 60) &&
			       model_add(m, KIND_MONGO, "mongo@x", "m", "x", 60) &&
			       model_add(m, KIND_MEMCACHED, "memcached@x", "c", "x", 60) &&
			       model_add(m, KIND_HOST, "http://far", "far", "far", 60)
		       ? 0
		       : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

static struct sample *at(uint16_t endpoint)
{
	static int64_t now;
	struct sample *s = sample_create(endpoint);

	s->status = STATUS_OK;
	s->mono_ns = ++now * NS_PER_SEC;
	s->wall_ns = INT64_C(1764536400000000000) + s->mono_ns;
	s->epoch = 7;
	return s;
}

static void push_host(uint16_t endpoint, uint64_t total)
{
	struct sample *s = at(endpoint);

	sample_set_u64(s, METRIC_HOST_MEM_TOTAL, total);
	model_push(m, s);
}

/* limit 0: why says why there is none. */
static void push_mongo(uint64_t cache, uint64_t used, uint64_t limit, enum reason why)
{
	struct sample *s = at(1);

	sample_set_u64(s, METRIC_MONGO_CACHE_MAX, cache);
	sample_set_u64(s, METRIC_MONGO_CACHE_USED, used);
	if (limit)
		sample_set_u64(s, METRIC_MONGO_CGROUP_MAX, limit);
	else
		sample_set_missing(s, METRIC_MONGO_CGROUP_MAX, why);
	model_push(m, s);
}

static void push_memcached(uint64_t cache, enum reason why)
{
	struct sample *s = at(2);

	sample_set_u64(s, METRIC_MEMCACHED_MEM_MAX, cache);
	sample_set_missing(s, METRIC_MEMCACHED_CGROUP_MAX, why);
	model_push(m, s);
}

static const struct verdict *verdict(uint16_t endpoint)
{
	for (unsigned i = 0; i < m->nverdicts; i++)
		if (m->verdicts[i].endpoint == endpoint &&
			strcmp(m->verdicts[i].code, "host.cache_exceeds_limit") == 0)
			return &m->verdicts[i];
	return NULL;
}

static void a_cgroup_leaves_less_than_the_cache(void **state)
{
	(void)state;
	push_mongo(256 * MIB, 10 * MIB, 512 * MIB, REASON_OK);
	assert_null(verdict(1));
	push_mongo(256 * MIB, 10 * MIB, 270 * MIB, REASON_OK);
	assert_int_equal(verdict(1)->level, LEVEL_WARN);
	push_mongo(512 * MIB, 10 * MIB, 256 * MIB, REASON_OK);
	assert_int_equal(verdict(1)->level, LEVEL_WARN);
	push_mongo(512 * MIB, 250 * MIB, 256 * MIB, REASON_OK);
	assert_int_equal(verdict(1)->level, LEVEL_CRIT);
	assert_non_null(strstr(verdict(1)->text,
		"the WiredTiger cache is 512 MiB, and its cgroup may use 256 MiB"));
}

static void caches_of_this_host_are_added_up(void **state)
{
	(void)state;
	push_mongo(600 * MIB, 0, 0, REASON_NO_LIMIT);
	push_memcached(600 * MIB, REASON_NO_CGROUP);
	push_host(0, 2048 * MIB);
	assert_null(verdict(0));
	push_host(0, 1024 * MIB);
	assert_int_equal(verdict(0)->level, LEVEL_WARN);
	assert_non_null(strstr(verdict(0)->text,
		"the sum of the 2 caches here is 1.17 GiB, and the machine has 1.00 GiB"));
	/* they are not on the other host */
	push_host(3, 1024 * MIB);
	assert_null(verdict(3));
}

static void what_is_not_proven_to_be_here_counts_for_nothing(void **state)
{
	(void)state;
	push_mongo(600 * MIB, 0, 0, REASON_NO_LIMIT);
	push_memcached(600 * MIB, REASON_NOT_SAME_HOST);
	push_host(0, 1024 * MIB);
	assert_null(verdict(0));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(a_cgroup_leaves_less_than_the_cache),
		TEST(caches_of_this_host_are_added_up),
		TEST(what_is_not_proven_to_be_here_counts_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
