/*
 * /proc, PSI and cgroup files: bytes are bytes, nothing is counted twice, an impossible size is
 * none, and what a kernel does not have is not zero.
 */
#include "hotset/parse.h"
#include "parsed.h"

#include <bson/bson.h>
#include <math.h>
#include <string.h>

#define KB 1024.0

static struct sample *meminfo(const char *name)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "cases/%s", name);
	return parsed_fixture(parse_meminfo, path);
}

static double used_share(const struct sample *s)
{
	return parsed_derived(s, KIND_HOST, METRIC_HOST_MEM_USED_SHARE);
}

/* D01 */
static void estimates_available_memory_and_says_so(void **state)
{
	(void)state;
	struct sample *s = meminfo("D01.meminfo");
	assert_number(s, METRIC_HOST_MEM_AVAILABLE, 7864320 * KB);
	assert_text(s, METRIC_HOST_MEM_AVAILABLE_SOURCE, "est.");
	test_near(used_share(s), 53.125, 1e-9);
	assert_string_equal(s->product, "linux");
	sample_destroy(s);

	/* scopes that do not fit together: never more than there is */
	s = parsed_text(parse_meminfo, "MemTotal: 1000000 kB\nMemFree: 990000 kB\nCached: 8000 kB\n"
				       "SReclaimable: 66000 kB\nShmem: 20000 kB\n");
	test_near(used_share(s), 0, 0);
	sample_destroy(s);
	/* nothing to estimate from */
	s = parsed_text(parse_meminfo, "MemTotal: 1000000 kB\nCached: 8000 kB\n");
	assert_missing(s, METRIC_HOST_MEM_AVAILABLE, REASON_NO_KERNEL);
	assert_missing(s, METRIC_HOST_MEM_AVAILABLE_SOURCE, REASON_NOT_SENT);
	sample_destroy(s);
}

/* D03 */
static void takes_the_kernels_word_for_available_memory(void **state)
{
	(void)state;
	struct sample *s = meminfo("D03.meminfo");
	test_near(used_share(s), 1.0, 1e-9);
	assert_text(s, METRIC_HOST_MEM_AVAILABLE_SOURCE, "kernel");
	assert_number(s, METRIC_HOST_SWAP_USED, 2000 * KB);
	sample_destroy(s);
	s = parsed_text(parse_meminfo, "MemTotal: 1000 kB\nMemAvailable: 1001 kB\n");
	assert_missing(s, METRIC_HOST_MEM_AVAILABLE, REASON_IMPLAUSIBLE);
	sample_destroy(s);
}

/* D05, D07 */
static void finds_impossible_swap(void **state)
{
	(void)state;
	struct sample *s = meminfo("D05.meminfo");
	assert_missing(s, METRIC_HOST_SWAP_TOTAL, REASON_IMPLAUSIBLE);
	assert_number(s, METRIC_HOST_SWAP_USED, 7000 * KB);
	sample_destroy(s);

	s = meminfo("D07.meminfo");
	assert_number(s, METRIC_HOST_SWAP_TOTAL, 700000000 * KB);
	assert_missing(s, METRIC_HOST_SWAP_USED, REASON_IMPLAUSIBLE);
	test_near(used_share(s), 50, 1e-9);
	sample_destroy(s);

	/* too large for bytes in 64 bits; no unit, so perhaps cut off; not a number */
	s = parsed_text(parse_meminfo,
		"MemTotal: 5 kB\nSwapTotal:99999999999999999 kB\nSwapFree:1 kB\n"
		"Cached: 123\nBuffers: abc kB\nDirty:18446744073709551615 kB\nShmem:\n");
	assert_missing(s, METRIC_HOST_SWAP_TOTAL, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_SWAP_USED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_MEM_CACHED, REASON_TEXT);
	assert_missing(s, METRIC_HOST_MEM_BUFFERS, REASON_TEXT);
	assert_missing(s, METRIC_HOST_MEM_DIRTY, REASON_IMPLAUSIBLE);
	assert_number(s, METRIC_HOST_MEM_TOTAL, 5 * KB);
	sample_destroy(s);
	s = parsed_text(parse_meminfo, "MemTotal: 5 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
	assert_number(s, METRIC_HOST_SWAP_TOTAL, 0);
	assert_number(s, METRIC_HOST_SWAP_USED, 0);
	sample_destroy(s);
}

/* D13 */
static void counts_huge_pages_by_their_size(void **state)
{
	(void)state;
	struct sample *s = meminfo("D13.meminfo");
	double total = sample_f64(s, METRIC_HOST_MEM_HUGE_TOTAL);
	double free = sample_f64(s, METRIC_HOST_MEM_HUGE_FREE);
	double reserved = sample_f64(s, METRIC_HOST_MEM_HUGE_RESERVED);
	test_near(total, 65536000 * KB, 0);
	test_near(total - free, 47104000 * KB, 0);
	test_near(reserved, 14336000 * KB, 0);
	test_near(free - reserved, 4096000 * KB, 0);
	test_near(parsed_derived(s, KIND_HOST, METRIC_HOST_MEM_USED), 71072000 * KB, 0);
	sample_destroy(s);
}

/* D15 */
static void counts_scanned_pages_once(void **state)
{
	(void)state;
	struct sample *s = parsed_fixture(parse_vmstat, "cases/D15a.vmstat");
	assert_number(s, METRIC_HOST_VM_SCAN_TOTAL, 130900);
	assert_number(s, METRIC_HOST_VM_STEAL_TOTAL, 117810);
	sample_destroy(s);
	s = parsed_fixture(parse_vmstat, "cases/D15b.vmstat");
	assert_number(s, METRIC_HOST_VM_SCAN_TOTAL, 32100);
	assert_number(s, METRIC_HOST_VM_STEAL_TOTAL, 28000);
	sample_destroy(s);
	/* 6.x has one reclaimer more; 2.6 named the zone at once; both views at once count as the
	 * new one */
	s = parsed_text(parse_vmstat,
		"pgscan_kswapd 1\npgscan_direct 2\npgscan_khugepaged 4\npgscan_proactive 8\n"
		"pgscan_kswapd_normal 16\npgscan_anon 32\npgsteal_dma 1\npgsteal_high 2\n"
		"pgsteal_kswapd_movable 4\n");
	assert_number(s, METRIC_HOST_VM_SCAN_TOTAL, 15);
	assert_number(s, METRIC_HOST_VM_STEAL_TOTAL, 7);
	sample_destroy(s);
}

/* D17 */
static void tells_zero_from_not_in_this_kernel(void **state)
{
	(void)state;
	struct sample *s = parsed_fixture(parse_vmstat, "cases/D17.vmstat");
	assert_missing(s, METRIC_HOST_VM_OOM_KILL_TOTAL, REASON_NO_KERNEL);
	assert_missing(s, METRIC_HOST_VM_REFAULT_TOTAL, REASON_NO_KERNEL);
	assert_missing(s, METRIC_HOST_VM_SCAN_TOTAL, REASON_NO_KERNEL);
	assert_number(s, METRIC_HOST_VM_MAJFAULT_TOTAL, 1294);
	assert_number(s, METRIC_HOST_SWAP_IN_TOTAL, 0);
	sample_destroy(s);
	s = parsed_text(parse_vmstat,
		"pgpgin 3\npgpgout 5\nworkingset_refault 7\noom_kill 0\npswpout x\npgmajfault 9");
	assert_number(s, METRIC_HOST_VM_PGIN_TOTAL, 3072);
	assert_number(s, METRIC_HOST_VM_PGOUT_TOTAL, 5120);
	assert_number(s, METRIC_HOST_VM_REFAULT_TOTAL, 7);
	assert_number(s, METRIC_HOST_VM_OOM_KILL_TOTAL, 0);
	assert_missing(s, METRIC_HOST_SWAP_OUT_TOTAL, REASON_TEXT);
	assert_missing(s, METRIC_HOST_VM_MAJFAULT_TOTAL, REASON_NO_KERNEL); /* cut off */
	sample_destroy(s);
	s = parsed_text(
		parse_vmstat, "workingset_refault_anon 1\nworkingset_refault_file 2\npgfault 1\n");
	assert_number(s, METRIC_HOST_VM_REFAULT_TOTAL, 2);
	sample_destroy(s);
}

/* D19 */
static void finds_lines_behind_a_very_long_one(void **state)
{
	(void)state;
	struct sample *s = parsed_fixture(parse_stat, "cases/D19.stat");
	assert_number(s, METRIC_HOST_BTIME, 1700000000);
	assert_number(s, METRIC_HOST_CONTEXT_SWITCHES_TOTAL, 12345);
	assert_true(s->start_s == 1700000000 && s->epoch != 0);
	sample_destroy(s);
}

static void counts_whole_disks_once(void **state)
{
	(void)state;
	struct sample *s = parsed_text(parse_diskstats,
		"   8       0 sda 10 0 100 0 5 0 50 0 0 0 0 0 0 0 0 0 0\n"
		"   8       1 sda1 9 0 90 0 5 0 50 0 0 0 0\n"
		" 259       0 nvme0n1 1 0 7 0 1 0 3 0 0 0 0\n"
		" 259       1 nvme0n1p1 1 0 7 0 1 0 3 0 0 0 0\n"
		" 202       1 xvda1 1 0 1000 0 1 0 1 0 0 0 0\n" /* a whole disk on some clouds */
		" 253       0 dm-0 9 0 90 0 1 0 1 0 0 0 0\n"
		"   9       0 md0 9 0 90 0 1 0 1 0 0 0 0\n"
		"   7       0 loop0 9 0 90 0 1 0 1 0 0 0 0\n"
		"   1       0 ram0 9 0 90 0 1 0 1 0 0 0 0\n"
		"   8      16 sdb 9 0\n"
		"   8      32 sdc 9 0 5");
	assert_number(s, METRIC_HOST_DISK_READ_TOTAL, (100 + 7 + 1000) * 512.0);
	assert_int_equal(s->tables[TABLE_HOST_DISK].n, 5);
	test_near(
		raw_f64(parsed_cell(s, TABLE_HOST_DISK, "sda", COL_HOST_DISK_WRITE)), 50 * 512, 0);
	test_near(
		raw_f64(parsed_cell(s, TABLE_HOST_DISK, "dm-0", COL_HOST_DISK_READ)), 90 * 512, 0);
	assert_null(parsed_cell(s, TABLE_HOST_DISK, "sda1", COL_HOST_DISK_READ));
	sample_destroy(s);
	s = parsed_text(parse_diskstats, ""); /* a container without any */
	assert_missing(s, METRIC_HOST_DISK_READ_TOTAL, REASON_NOT_SENT);
	sample_destroy(s);
}

static bool psi_memory(const char *buf, size_t len, struct sample *out, struct err *err)
{
	return parse_psi(buf, len, PSI_MEMORY, out, err);
}

static bool psi_io(const char *buf, size_t len, struct sample *out, struct err *err)
{
	return parse_psi(buf, len, PSI_IO, out, err);
}

static void reads_pressure(void **state)
{
	(void)state;
	static const char both[] = "some avg10=0.12 avg60=0.00 avg300=0.00 total=58761459\n"
				   "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
	struct sample *s = parsed_text(psi_memory, both);
	assert_number(s, METRIC_HOST_PSI_MEM_SOME_TOTAL, 58761459);
	assert_number(s, METRIC_HOST_PSI_MEM_FULL_TOTAL, 0);
	assert_missing(s, METRIC_HOST_PSI_IO_SOME_TOTAL, REASON_NOT_SENT);
	sample_destroy(s);
	s = parsed_text(psi_io, "some avg10=0.00 total=7\nfull avg10=0.00 total=58");
	assert_number(s, METRIC_HOST_PSI_IO_SOME_TOTAL, 7);
	assert_missing(s, METRIC_HOST_PSI_IO_FULL_TOTAL, REASON_NO_KERNEL);
	sample_destroy(s);
	(void)parsed_refused(psi_io, "", ERR_FORMAT);
}

/* A case is a JSON object of file names and contents. */
static struct sample *cgroup(const char *name, bson_t **doc)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "cases/%s", name);
	char *json = test_fixture(path, NULL);
	*doc = bson_new_from_json((const uint8_t *)json, -1, NULL);
	assert_non_null(*doc);
	free(json);
	struct cgroup_texts t = {0};
	bson_iter_t it;
	assert_true(bson_iter_init(&it, *doc));
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);
		const char *text = BSON_ITER_HOLDS_UTF8(&it) ? bson_iter_utf8(&it, NULL) : NULL;
		if (strcmp(key, "version") == 0)
			t.version = (int)bson_iter_as_int64(&it);
		else if (strcmp(key, "host_memtotal_bytes") == 0)
			t.host_total = (uint64_t)bson_iter_as_int64(&it);
		else if (strcmp(key, "memory.current") == 0 ||
			 strcmp(key, "memory.usage_in_bytes") == 0)
			t.current = text;
		else if (strcmp(key, "memory.max") == 0 ||
			 strcmp(key, "memory.limit_in_bytes") == 0)
			t.max = text;
		else if (strcmp(key, "memory.swap.current") == 0 ||
			 strcmp(key, "memory.memsw.usage_in_bytes") == 0)
			t.swap_current = text;
		else if (strcmp(key, "memory.swap.max") == 0 ||
			 strcmp(key, "memory.memsw.limit_in_bytes") == 0)
			t.swap_max = text;
	}
	struct sample *s = sample_create(0);
	assert_non_null(s);
	parse_cgroup(&t, s);
	return s;
}

/* D11, D21 */
static void reads_cgroup_cases(void **state)
{
	(void)state;
	bson_t *doc;
	struct sample *s = cgroup("D11.json", &doc);
	assert_missing(s, METRIC_HOST_CGROUP_MAX, REASON_NO_LIMIT);
	assert_number(s, METRIC_HOST_CGROUP_USED, 4194304000);
	assert_number(s, METRIC_HOST_CGROUP_SWAP_MAX, 0);
	test_near(parsed_derived(s, KIND_HOST, METRIC_HOST_CGROUP_FILL), 24.4, 0.05);
	sample_destroy(s);
	bson_destroy(doc);

	s = cgroup("D21.json", &doc);
	assert_number(s, METRIC_HOST_CGROUP_MAX, 1073741824);
	assert_number(s, METRIC_HOST_CGROUP_SWAP_MAX, 1073741824);
	assert_number(s, METRIC_HOST_CGROUP_SWAP_USED, 268435456);
	sample_destroy(s);
	bson_destroy(doc);

	s = cgroup("D21b.json", &doc);
	assert_number(s, METRIC_HOST_CGROUP_SWAP_USED, 12582912);
	assert_missing(s, METRIC_HOST_CGROUP_SWAP_MAX, REASON_NO_KERNEL);
	assert_missing(s, METRIC_HOST_CGROUP_USED, REASON_NO_CGROUP);
	assert_missing(s, METRIC_HOST_CGROUP_MAX, REASON_NO_CGROUP);
	sample_destroy(s);
	bson_destroy(doc);
}

static void reads_both_versions_of_cgroups(void **state)
{
	(void)state;
	struct cgroup_texts v2 = {.version = 2,
		.current = "1000\n",
		.max = "99999999\n",
		.host_total = 5000,
		.swap_max = "max\n",
		.swap_current = "oops\n",
		.stat = "anon 5\nfile 700\nfile_dirty 9\n",
		.io_stat = "8:0 rbytes=100 wbytes=1 rios=3\n8:16 wbytes=2 rbytes=11\n253:0 \n"};
	struct sample *s = sample_create(0);
	parse_cgroup(&v2, s);
	assert_missing(s, METRIC_HOST_CGROUP_MAX, REASON_NO_LIMIT); /* above what the host has */
	assert_missing(s, METRIC_HOST_CGROUP_SWAP_MAX, REASON_NO_LIMIT);
	assert_missing(s, METRIC_HOST_CGROUP_SWAP_USED, REASON_TEXT);
	assert_number(s, METRIC_HOST_CGROUP_FILE, 700);
	assert_number(s, METRIC_HOST_CGROUP_RBYTES_TOTAL, 111);
	sample_destroy(s);

	struct cgroup_texts v1 = {.version = 1, .current = "1000\n", .max = "9223372036854771712\n",
		.swap_max = "9223372036854771712\n", .swap_current = "900\n",
		.stat = "cache 5\nrss 6\ntotal_cache 77\n",
		.io_stat = "8:0 Read 100\n8:0 Write 7\n8:0 Total 107\n8:16 Read 3\nTotal 110\n"};
	s = sample_create(0);
	parse_cgroup(&v1, s);
	assert_missing(s, METRIC_HOST_CGROUP_MAX, REASON_NO_LIMIT);
	assert_missing(s, METRIC_HOST_CGROUP_SWAP_MAX, REASON_NO_LIMIT);
	assert_missing(s, METRIC_HOST_CGROUP_SWAP_USED, REASON_IMPLAUSIBLE); /* read at two times */
	assert_number(s, METRIC_HOST_CGROUP_FILE, 77);
	assert_number(s, METRIC_HOST_CGROUP_RBYTES_TOTAL, 103);
	sample_destroy(s);

	s = sample_create(0);
	parse_cgroup(&(struct cgroup_texts){.version = 2}, s);
	assert_missing(s, METRIC_HOST_CGROUP_USED, REASON_NO_CGROUP);
	assert_missing(s, METRIC_HOST_CGROUP_FILE, REASON_NO_CGROUP);
	assert_missing(s, METRIC_HOST_CGROUP_RBYTES_TOTAL, REASON_OFF); /* the io controller */
	sample_destroy(s);
}

static void refuses_other_files(void **state)
{
	(void)state;
	static const char other[] = "root:x:0:0:root:/root:/bin/sh\n";
	(void)parsed_refused(parse_meminfo, other, ERR_FORMAT);
	(void)parsed_refused(parse_vmstat, other, ERR_FORMAT);
	(void)parsed_refused(parse_stat, other, ERR_FORMAT);
	(void)parsed_refused(parse_diskstats, other, ERR_FORMAT);
	(void)parsed_refused(psi_memory, other, ERR_FORMAT);
}

/* This machine's own files have what every Linux has. */
static void reads_this_kernel(void **state)
{
	(void)state;
	static const struct {
		const char    *path;
		parse_fn      *parse;
		enum metric_id id;
	} files[] = {
		{"/proc/meminfo", parse_meminfo, METRIC_HOST_MEM_AVAILABLE},
		{"/proc/vmstat", parse_vmstat, METRIC_HOST_VM_MAJFAULT_TOTAL},
		{"/proc/stat", parse_stat, METRIC_HOST_BTIME},
	};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *data = test_read_file(files[i].path, NULL);
		assert_non_null(data);
		struct sample *s = parsed_text(files[i].parse, data);
		assert_true(sample_f64(s, files[i].id) > 0);
		sample_destroy(s);
		free(data);
	}
}

static void survives_damage(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		parse_fn   *parse;
	} files[] = {{"cases/D13.meminfo", parse_meminfo}, {"cases/D07.meminfo", parse_meminfo},
		{"cases/D15a.vmstat", parse_vmstat}, {"cases/D15b.vmstat", parse_vmstat},
		{"cases/D19.stat", parse_stat}};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t len;
		char *data = test_fixture(files[i].file, &len);
		parsed_damaged(files[i].parse, data, len < 4000 ? len : 4000);
		free(data);
	}
	static const char psi[] =
		"some avg10=0.12 avg60=0.00 avg300=0.00 total=58761459\nfull total=5\n";
	static const char disk[] =
		" 8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n 8 1 sda1 1 2 3 4 5 6 7 8 9 10 11\n";
	parsed_damaged(psi_memory, psi, strlen(psi));
	parsed_damaged(parse_diskstats, disk, strlen(disk));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_available_memory_and_says_so),
		cmocka_unit_test(takes_the_kernels_word_for_available_memory),
		cmocka_unit_test(finds_impossible_swap),
		cmocka_unit_test(counts_huge_pages_by_their_size),
		cmocka_unit_test(counts_scanned_pages_once),
		cmocka_unit_test(tells_zero_from_not_in_this_kernel),
		cmocka_unit_test(finds_lines_behind_a_very_long_one),
		cmocka_unit_test(counts_whole_disks_once),
		cmocka_unit_test(reads_pressure),
		cmocka_unit_test(reads_cgroup_cases),
		cmocka_unit_test(reads_both_versions_of_cgroups),
		cmocka_unit_test(refuses_other_files),
		cmocka_unit_test(reads_this_kernel),
		cmocka_unit_test(survives_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
