/*
 * Real-world inputs come out right, end to end: each file of tests/fixtures/cases goes through
 * `hotset inspect --format json`, and what it prints equals what expected.json of the same
 * directory demands. null there means: shown as not available, with a reason.
 *
 * Cases that need a server or a terminal are tests in faults/ and e2e/.
 */
#include "support.h"

#include <bson/bson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "hotset/parse.h"

static bson_t *expected;

/* Runs `hotset inspect` and returns its JSON as a document; *code gets the exit code. */
static bson_t *inspect(const char *kind, const char *file, const char *later, int *code)
{
	char cmd[1024];
	(void)snprintf(cmd, sizeof(cmd),
		"%s/hotset inspect --format json %s%s tests/fixtures/cases/%s %s%s 2>/dev/null",
		test_build_dir(), kind ? "--kind " : "", kind ? kind : "", file,
		later ? "tests/fixtures/cases/" : "", later ? later : "");
	FILE *p = popen(cmd, "re");
	assert_non_null(p);
	static char out[1 << 20];
	size_t n = fread(out, 1, sizeof(out) - 1, p);
	int st = pclose(p);
	*code = WIFEXITED(st) ? WEXITSTATUS(st) : -1;
	for (size_t i = 0; i < n; i++) /* E01: no raw control byte whatever the input holds */
		if ((unsigned char)out[i] < 0x20 && out[i] != '\n')
			fail_msg("%s: control byte 0x%02x in the output", file,
				(unsigned char)out[i]);
	struct err err;
	bool is_array;
	bson_t *doc = n ? parse_ejson(out, n, &is_array, &err) : NULL;
	if (!doc)
		fail_msg("%s: no JSON (exit %d)", file, *code);
	return doc;
}

/* The value at endpoints[0].SECTION.KEY, or endpoints[0].KEY when section is NULL. */
static bool lookup(const bson_t *doc, const char *section, const char *key, bson_iter_t *out)
{
	bson_iter_t it, ep, sub;
	if (!bson_iter_init(&it, doc) || !bson_iter_find_descendant(&it, "endpoints.0", &ep) ||
		!bson_iter_recurse(&ep, &sub))
		return false;
	if (section) {
		bson_iter_t in;
		if (!bson_iter_find(&sub, section) || !bson_iter_recurse(&sub, &in))
			return false;
		sub = in;
	}
	*out = sub;
	return bson_iter_find(out, key);
}

static bool want(const char *id, const char *key, bson_iter_t *out)
{
	bson_iter_t it, in;
	if (!bson_iter_init_find(&it, expected, id) || !bson_iter_recurse(&it, &in))
		return false;
	*out = in;
	return bson_iter_find(out, key);
}

struct figure {
	const char *id, *file, *kind; /* kind NULL: guessed */
	const char *section, *key;    /* where it stands in the JSON */
	const char *expect;           /* the key in expected.json */
	double      scale;            /* expected x scale = ours */
	double      tolerance;
};

static void check_figure(const struct figure *f, const bson_t *doc)
{
	bson_iter_t got, exp;
	if (!lookup(doc, f->section, f->key, &got))
		fail_msg("%s: no %s in the JSON", f->id, f->key);
	if (!want(f->id, f->expect, &exp))
		fail_msg("%s: no %s in expected.json", f->id, f->expect);
	if (BSON_ITER_HOLDS_NULL(&exp)) {
		if (!BSON_ITER_HOLDS_NULL(&got))
			fail_msg("%s: %s must not be available", f->id, f->key);
		bson_iter_t why;
		if (f->section && strcmp(f->section, "metrics") == 0)
			if (!lookup(doc, "why", f->key, &why) ||
				bson_iter_utf8(&why, NULL)[0] == '\0')
				fail_msg("%s: %s is null without a reason", f->id, f->key);
		return;
	}
	if (BSON_ITER_HOLDS_UTF8(&exp)) {
		if (!BSON_ITER_HOLDS_UTF8(&got))
			fail_msg("%s: %s is no text", f->id, f->key);
		if (strcmp(bson_iter_utf8(&got, NULL), bson_iter_utf8(&exp, NULL)) != 0)
			fail_msg("%s: %s is \"%s\", not \"%s\"", f->id, f->key,
				bson_iter_utf8(&got, NULL), bson_iter_utf8(&exp, NULL));
		return;
	}
	if (!BSON_ITER_HOLDS_NUMBER(&got))
		fail_msg("%s: %s is no number", f->id, f->key);
	double a = bson_iter_as_double(&got), b = bson_iter_as_double(&exp) * f->scale;
	if (!(fabs(a - b) <= f->tolerance))
		fail_msg("%s: %s is %.10g, not %.10g", f->id, f->key, a, b);
}

#define M "metrics"
#define I "info"
static const struct figure figures[] = {
	{"A01", "A01.info", NULL, M, "redis.mem.frag_bytes", "mem_fragmentation_bytes", 1, 0},
	{"A01", "A01.info", NULL, M, "redis.mem.rss_overhead", "rss_overhead_bytes", 1, 0},
	{"A01", "A01.info", NULL, M, "redis.mem.frag_rss", "mem_fragmentation_ratio", 1, 0.005},
	{"A03", "A03.info", NULL, M, "redis.mem.dataset", "used_memory_dataset", 1, 0},
	{"A05", "A05.raw", NULL, NULL, "status", "state", 1, 0},
	{"A06", "A06.info", NULL, M, "redis.keys", "keys_total", 1, 0},
	{"A06", "A06.info", NULL, M, "redis.expires", "expires_total", 1, 0},
	{"A08", "A08.info", NULL, M, "redis.uptime", "uptime", 1, 0},
	{"A08", "A08.info", NULL, M, "redis.net.in", "net_in", 1, 0},
	{"A12", "A12.info", NULL, M, "redis.repl.links", "masters", 1, 0},
	{"A12", "A12.info", NULL, I, "redis.repl.link", "worst_link", 1, 0},
	{"A14", "A14.info", NULL, M, "redis.mem.fill", "fill_percent", 1, 0},
	{"A14", "A14.info", NULL, M, "redis.mem.of_ram", "percent_of_ram", 1, 0.05},
	{"A16", "A16.info", NULL, "server", "version", "version", 1, 0},
	{"A16", "A16b.info", NULL, "server", "version", "b_version", 1, 0},
	{"A18", "A18.info", NULL, I, "redis.mode", "mode", 1, 0},
	{"A18", "A18.info", NULL, I, "redis.state", "worst", 1, 0},
	{"A18", "A18.info", NULL, M, "redis.mem.used", "used_memory", 1, 0},
	{"A20", "A20.info", NULL, M, "redis.hit_ratio", "hit_ratio", 1, 0},
	{"A20", "A20.info", NULL, M, "redis.hit_ratio_total", "hit_ratio", 1, 0},
	{"A20", "A20.info", NULL, M, "redis.keys", "keys_total", 1, 0},
	{"A22", "A22.info", NULL, M, "redis.cpu.sys_total", "used_cpu_sys", 1, 1e-9},
	{"A22", "A22.info", NULL, M, "redis.net.in_reported", "instantaneous_input_kbps", 1, 1e-9},
	{"A22", "A22.info", NULL, M, "redis.mem.used", "used_memory", 1, 0},
	{"A28", "A28.info", NULL, M, "redis.mem.of_ram", "percent_of_ram", 1, 0.05},
	{"A28", "A28.info", NULL, M, "redis.mem.frag_rss", "mem_fragmentation_ratio", 1, 0.005},
	{"B01", "B01.stats", NULL, M, "memcached.hit_ratio_total", "hit_ratio_percent", 1, 0.005},
	{"B01", "B01.stats", NULL, M, "memcached.mem.fill", "fill_percent", 1, 0.005},
	{"B01", "B01.stats", NULL, M, "memcached.max_conns", "max_connections", 1, 0},
	{"B03", "B03.stats", NULL, I, "memcached.kind", "kind", 1, 0},
	{"B03", "B03.stats", NULL, M, "memcached.mem.fill", "fill_percent", 1, 0},
	{"B03", "B03.stats", NULL, M, "memcached.hit_ratio", "hit_ratio", 1, 0},
	{"B09", "B09.stats", NULL, M, "memcached.mem.max", "limit_pib", 1125899906842624.0, 5.7e12},
	{"B11", "B11.stats", NULL, M, "memcached.uptime", "uptime", 1, 0},
	{"B15", "B15.stats", NULL, M, "memcached.slabs.active", "active_slabs", 1, 0},
	{"B15", "B15.stats", NULL, M, "memcached.slabs.malloced", "total_malloced", 1, 0},
	{"B17", "B17a.stats", NULL, M, "memcached.hit_ratio_total", "a_hit_ratio", 1, 0},
	{"B17", "B17b.stats", NULL, M, "memcached.hit_ratio_total", "b_hit_ratio_percent", 1,
		0.005},
	{"B19", "B19.stats", NULL, M, "memcached.item_size_max", "item_size_max", 1, 0},
	{"C01", "C01.json", NULL, "server", "role", "role", 1, 0},
	{"C01", "C01.json", NULL, M, "mongo.cache.fill", "cache_percent", 1, 0},
	{"C01", "C01.json", NULL, M, "mongo.conn.fill", "conn_percent", 1, 0.005},
	{"C09", "C09.json", NULL, M, "mongo.cache.fill", "cache_percent", 1, 0},
	{"C11", "C11.json", NULL, M, "mongo.cache.fill", "cache_percent", 1, 0},
	{"C19", "C19.json", NULL, M, "mongo.cache.fill", "cache_percent", 1, 0.005},
	{"D01", "D01.meminfo", NULL, M, "host.mem.available", "available_kb", 1024, 0},
	{"D01", "D01.meminfo", NULL, M, "host.mem.used_share", "used_percent", 1, 0.0051},
	{"D03", "D03.meminfo", NULL, M, "host.mem.used_share", "used_percent", 1, 0.0051},
	{"D05", "D05.meminfo", NULL, M, "host.swap.used", "swap_used_kb", 1024, 0},
	{"D07", "D07.meminfo", NULL, M, "host.mem.used_share", "used_percent", 1, 0.0051},
	{"D07", "D07.meminfo", NULL, M, "host.swap.used", "swap_used", 1, 0},
	{"D11", "D11.json", NULL, M, "host.cgroup.max", "limit", 1, 0},
	{"D11", "D11.json", NULL, M, "host.cgroup.fill", "used_percent", 1, 0.05},
	{"D13", "D13.meminfo", NULL, M, "host.mem.huge_total", "huge_pool_kb", 1024, 0},
	{"D15", "D15a.vmstat", NULL, M, "host.vm.scan_total", "a_scan", 1, 0},
	{"D15", "D15a.vmstat", NULL, M, "host.vm.steal_total", "a_steal", 1, 0},
	{"D15", "D15b.vmstat", NULL, M, "host.vm.scan_total", "b_scan", 1, 0},
	{"D17", "D17.vmstat", NULL, M, "host.vm.oom_kill_total", "oom_kill", 1, 0},
	{"D17", "D17.vmstat", NULL, M, "host.vm.majfault_total", "pgmajfault", 1, 0},
	{"D19", "D19.stat", NULL, M, "host.btime", "btime", 1, 0},
	{"D19", "D19.stat", NULL, M, "host.cpu.switches_total", "ctxt", 1, 0},
	{"D21", "D21.json", NULL, M, "host.cgroup.swap_max", "swap_limit", 1, 0},
	{"D21", "D21.json", NULL, M, "host.cgroup.swap_used", "swap_used", 1, 0},
	{"F17", "F17.metrics", NULL, M, "host.mem.used_share", "used_percent", 1, 0.0051},
	{"F21", "F21a.metrics", NULL, M, "host.mem.used_share", "a_used_percent", 1, 0.005},
};

static void every_figure_is_the_expected_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		int code;
		bson_t *doc = inspect(figures[i].kind, figures[i].file, NULL, &code);
		check_figure(&figures[i], doc);
		bson_destroy(doc);
	}
}

static void check_status(const char *kind, const char *file, const char *status)
{
	int code;
	bson_t *doc = inspect(kind, file, NULL, &code);
	bson_iter_t got, error;
	assert_true(lookup(doc, NULL, "status", &got));
	if (strcmp(bson_iter_utf8(&got, NULL), status) != 0)
		fail_msg("%s: status \"%s\", not \"%s\"", file, bson_iter_utf8(&got, NULL), status);
	if (strcmp(status, "ok") != 0 && strcmp(status, "partial") != 0) {
		assert_true(lookup(doc, NULL, "error", &error));
		assert_true(BSON_ITER_HOLDS_UTF8(&error));
	}
	bson_destroy(doc);
}

static void replies_that_are_no_statistics_get_their_status(void **state)
{
	(void)state;
	check_status(NULL, "A05.raw", "loading");
	check_status(NULL, "A26.raw", "auth");
	check_status(NULL, "A26b.raw", "auth");
	check_status(NULL, "A18.info", "unsupported");
	check_status(NULL, "B03.stats", "unsupported");
	check_status("memcached", "B05.raw", "unsupported");
	check_status("memcached", "B05b.raw", "unsupported");
	check_status(NULL, "B13.raw", "refused");
	check_status(NULL, "C15.json", "auth");
	check_status("redis", "F05.raw", "tls");
	check_status("memcached", "F05.raw", "tls");
	static const char *const f07[] = {
		"F07a.raw", "F07b.raw", "F07c.raw", "F07d.raw", "F07e.raw", "F07g.raw"};
	for (size_t i = 0; i < sizeof(f07) / sizeof(f07[0]); i++)
		check_status("redis", f07[i], "protocol");
	check_status("redis", "F09.raw", "protocol");
	check_status("memcached", "F09b.raw", "protocol");
	check_status("metrics", "F19a.metrics", "unsupported");
	check_status("metrics", "F19b.metrics", "unsupported");
	check_status("metrics", "F19c.metrics", "unsupported");
}

/* A10, A24: the commands of a table by name. */
static void commands_keep_their_names(void **state)
{
	(void)state;
	static const struct {
		const char *id, *file;
	} t[] = {{"A10", "A10.info"}, {"A24", "A24.info"}};
	for (size_t i = 0; i < 2; i++) {
		int code;
		bson_t *doc = inspect(NULL, t[i].file, NULL, &code);
		bson_iter_t exp, cmds, rows, row;
		assert_true(want(t[i].id, "commands", &exp) && bson_iter_recurse(&exp, &cmds));
		while (bson_iter_next(&cmds)) {
			bool found = false;
			assert_true(lookup(doc, "tables", "redis.cmd", &rows));
			bson_iter_t each;
			assert_true(bson_iter_recurse(&rows, &each));
			while (bson_iter_next(&each)) {
				bson_iter_t name, calls;
				assert_true(bson_iter_recurse(&each, &row));
				name = calls = row;
				assert_true(bson_iter_find(&name, "command") &&
					    bson_iter_find(&calls, "calls"));
				const char *command = bson_iter_utf8(&name, NULL);
				if (strcmp(command, bson_iter_key(&cmds)) == 0) {
					found = true;
					test_near(bson_iter_as_double(&calls),
						bson_iter_as_double(&cmds), 0);
				}
			}
			if (!found)
				fail_msg("%s: no command %s", t[i].id, bson_iter_key(&cmds));
		}
		bson_destroy(doc);
	}
}

/* B19, D01, D05, D13: what expected.json states in another form than a figure of ours. */
static void texts_and_sums_are_the_expected_ones(void **state)
{
	(void)state;
	int code;
	bson_iter_t it;
	bson_t *doc = inspect(NULL, "B19.stats", NULL, &code);
	assert_true(lookup(doc, "info", "memcached.slab_reassign", &it));
	assert_string_equal(bson_iter_utf8(&it, NULL), "yes");
	assert_true(!lookup(doc, "info", "memcached.inter", &it) || BSON_ITER_HOLDS_NULL(&it));
	bson_destroy(doc);
	doc = inspect(NULL, "D01.meminfo", NULL, &code);
	assert_true(lookup(doc, "info", "host.mem.available.source", &it));
	assert_string_equal(bson_iter_utf8(&it, NULL), "est.");
	bson_destroy(doc);
	doc = inspect(NULL, "D05.meminfo", NULL, &code);
	assert_true(lookup(doc, "metrics", "host.swap.total", &it) && BSON_ITER_HOLDS_NULL(&it));
	bson_destroy(doc);
	doc = inspect(NULL, "D13.meminfo", NULL, &code);
	double total, idle, reserved, free_pages;
	assert_true(lookup(doc, "metrics", "host.mem.huge_total", &it));
	total = bson_iter_as_double(&it);
	assert_true(lookup(doc, "metrics", "host.mem.huge_free", &it));
	free_pages = bson_iter_as_double(&it);
	assert_true(lookup(doc, "metrics", "host.mem.huge_reserved", &it));
	reserved = bson_iter_as_double(&it);
	idle = free_pages - reserved;
	assert_true(want("D13", "huge_touched_kb", &it));
	test_near(total - free_pages, bson_iter_as_double(&it) * 1024, 0);
	assert_true(want("D13", "huge_idle_kb", &it));
	test_near(idle, bson_iter_as_double(&it) * 1024, 0);
	bson_destroy(doc);
}

/* C03, C21: logs of commands and their replies, as an old server or an arbiter gives them. */
static void logs_of_commands_are_read(void **state)
{
	(void)state;
	int code;
	bson_iter_t it, exp;
	bson_t *doc = inspect(NULL, "C03.json", NULL, &code);
	assert_true(lookup(doc, "server", "role", &it) && want("C03", "role", &exp));
	assert_string_equal(bson_iter_utf8(&it, NULL), bson_iter_utf8(&exp, NULL));
	bson_destroy(doc);
	doc = inspect(NULL, "C21.json", NULL, &code);
	assert_true(lookup(doc, "metrics", "mongo.cache.fill", &it) &&
		    want("C21", "cache_percent", &exp));
	test_near(bson_iter_as_double(&it), bson_iter_as_double(&exp), 0.005);
	bson_destroy(doc);
}

/* C07: the same figure as int32, int64, double, and an answer that is ok by 1, 1.0 or true. */
static void number_types_do_not_matter(void **state)
{
	(void)state;
	int code;
	bson_iter_t it;
	bson_t *doc = inspect(NULL, "C07.json", NULL, &code);
	assert_true(lookup(doc, "metrics", "mongo.uptime", &it));
	test_near(bson_iter_as_double(&it), 86400, 1);
	assert_true(lookup(doc, "metrics", "mongo.conn.fill", &it));
	test_near(bson_iter_as_double(&it), 0.08, 0.005);
	bson_destroy(doc);
}

static int load_expected(void **state)
{
	(void)state;
	size_t n;
	char *text = test_fixture("cases/expected.json", &n);
	struct err err;
	bool is_array;
	expected = parse_ejson(text, n, &is_array, &err);
	free(text);
	return expected ? 0 : -1;
}

static int free_expected(void **state)
{
	(void)state;
	bson_destroy(expected);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_figure_is_the_expected_one),
		cmocka_unit_test(replies_that_are_no_statistics_get_their_status),
		cmocka_unit_test(commands_keep_their_names),
		cmocka_unit_test(texts_and_sums_are_the_expected_ones),
		cmocka_unit_test(logs_of_commands_are_read),
		cmocka_unit_test(number_types_do_not_matter),
	};
	return cmocka_run_group_tests(tests, load_expected, free_expected);
}
