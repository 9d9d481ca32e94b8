/*
 * A scrape of a node_exporter, old or new, Linux or BSD, into host.*: special values are none,
 * what is not exported is not zero, and a page that is no metrics is refused with the reason.
 */
#include "hotset/parse.h"
#include "parsed.h"

#include <math.h>
#include <string.h>

static struct sample *text(const char *lines)
{
	return parsed_text(parse_node_metrics, lines);
}

static double used_share(const struct sample *s)
{
	return parsed_derived(s, KIND_HOST, METRIC_HOST_MEM_USED_SHARE);
}

static void reads_a_real_scrape(void **state)
{
	(void)state;
	struct sample *s =
		parsed_fixture(parse_node_metrics, "replies/node_exporter-1.5.0.metrics");
	assert_string_equal(s->product, "node_exporter");
	assert_string_equal(s->version, "1.5.0");
	assert_text(s, METRIC_HOST_KERNEL, "6.1.0-13-amd64");
	assert_number(s, METRIC_HOST_MEM_TOTAL, 25276063744);
	assert_text(s, METRIC_HOST_MEM_AVAILABLE_SOURCE, "kernel");
	assert_number(s, METRIC_HOST_PSI_IO_FULL_TOTAL, 24214842);
	assert_number(s, METRIC_HOST_PSI_IO_SOME_TOTAL, 31979617);
	assert_number(s, METRIC_HOST_PSI_MEM_SOME_TOTAL, 0);
	assert_number(s, METRIC_HOST_DISK_READ_TOTAL, 3131175936);
	assert_int_equal(s->tables[TABLE_HOST_DISK].n, 1);
	assert_number(s, METRIC_HOST_VM_PGIN_TOTAL, 3057789 * 1024.0);
	assert_number(s, METRIC_HOST_VM_OOM_KILL_TOTAL, 0);
	assert_missing(s, METRIC_HOST_VM_SCAN_TOTAL, REASON_NOT_EXPORTED);
	assert_missing(s, METRIC_HOST_VM_REFAULT_TOTAL, REASON_NOT_EXPORTED);
	assert_missing(s, METRIC_HOST_CGROUP_USED, REASON_NOT_EXPORTED);
	assert_number(s, METRIC_HOST_CONTEXT_SWITCHES_TOTAL, 5929900);
	assert_number(s, METRIC_HOST_BTIME, 1796075603);
	assert_number(s, METRIC_HOST_UPTIME, 1796078071 - 1796075603);
	assert_true(s->start_s == 1796075603);
	sample_destroy(s);
}

/* F17 */
static void passes_over_special_values(void **state)
{
	(void)state;
	struct sample *s = parsed_fixture(parse_node_metrics, "cases/F17.metrics");
	test_near(used_share(s), 50, 1e-9);
	sample_destroy(s);
	s = text("node_memory_MemTotal_bytes 4096\nnode_memory_MemFree_bytes "
		 "NaN\nnode_memory_Cached_bytes +Inf\n"
		 "node_memory_Buffers_bytes -Infinity\nnode_memory_Dirty_bytes "
		 "0x10\nnode_memory_Shmem_bytes 1_000\n"
		 "node_memory_Writeback_bytes -5\nnode_memory_SReclaimable_bytes "
		 "1e+300\nnode_vmstat_pswpin nan\n");
	assert_number(s, METRIC_HOST_MEM_TOTAL, 4096);
	assert_missing(s, METRIC_HOST_MEM_FREE, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_MEM_CACHED, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_MEM_BUFFERS, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_MEM_WRITEBACK, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_MEM_SRECLAIMABLE, REASON_IMPLAUSIBLE);
	assert_missing(s, METRIC_HOST_SWAP_IN_TOTAL, REASON_IMPLAUSIBLE);
	assert_missing(
		s, METRIC_HOST_MEM_DIRTY, REASON_NOT_EXPORTED); /* these lines are no metrics */
	assert_missing(s, METRIC_HOST_MEM_SHMEM, REASON_NOT_EXPORTED);
	sample_destroy(s);
}

/* F19 */
static void refuses_what_is_no_metrics(void **state)
{
	(void)state;
	static const char *const files[] = {
		"cases/F19a.metrics", "cases/F19b.metrics", "cases/F19c.metrics"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *data = test_fixture(files[i], NULL);
		assert_non_null(strstr(parsed_refused(parse_node_metrics, data, ERR_UNSUPPORTED),
			"no metrics in the reply"));
		free(data);
	}
	static const char *const others[] = {
		"\n\n<html>\n<pre>\nnode_memory_MemTotal_bytes 1\n</pre>\n",
		"\x1f\x8b\x08something",
		"401 Unauthorized\n",
		"# HELP only a comment\n# EOF\n",
		"node_memory_MemTotal_bytes\n",
		"node_memory_MemTotal_bytes 12", /* cut off */
		"{\"status\":\"error\"}\n",
		"Error 404\n",
		"go_goroutines 5\nprocess_open_fds 3\n",
	};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		(void)parsed_refused(parse_node_metrics, others[i], ERR_UNSUPPORTED);
}

/* F21 */
static void knows_old_and_foreign_names(void **state)
{
	(void)state;
	struct sample *s = parsed_fixture(parse_node_metrics, "cases/F21a.metrics");
	test_near(used_share(s), 56.49, 0.005);
	assert_text(s, METRIC_HOST_MEM_AVAILABLE_SOURCE, "est.");
	sample_destroy(s);

	s = parsed_fixture(parse_node_metrics, "cases/F21b.metrics");
	assert_number(s, METRIC_HOST_MEM_TOTAL, 4.1e9);
	assert_number(s, METRIC_HOST_MEM_AVAILABLE, 0.66e9 + 2.5e9);
	assert_text(s, METRIC_HOST_MEM_AVAILABLE_SOURCE, "est.: free + inactive + cache");
	test_near(used_share(s), 22.93, 0.005);
	assert_missing(s, METRIC_HOST_MEM_CACHED, REASON_NOT_EXPORTED);
	sample_destroy(s);

	s = text("node_memory_size_bytes 100\nnode_memory_free_bytes "
		 "60\nnode_memory_inactive_bytes 50\n");
	assert_missing(s, METRIC_HOST_MEM_AVAILABLE, REASON_NOT_EXPORTED); /* more than there is */
	sample_destroy(s);
	s = text("node_memory_size_bytes 100\nnode_memory_free_bytes 60\n");
	assert_missing(s, METRIC_HOST_MEM_AVAILABLE, REASON_NOT_EXPORTED);
	sample_destroy(s);

	s = text(
		"node_memory_MemTotal 8192\nnode_memory_MemAvailable 4096\nnode_boot_time 1.7e9\n"
		"node_disk_bytes_read{device=\"sda\"} 7\nnode_disk_sectors_read{device=\"sdb\"} 2\n"
		"node_context_switches 5\nnode_vmstat_pgmajfault 3\n");
	test_near(used_share(s), 50, 0);
	assert_number(s, METRIC_HOST_DISK_READ_TOTAL, 7 + 1024);
	assert_number(s, METRIC_HOST_BTIME, 1700000000);
	assert_number(s, METRIC_HOST_CONTEXT_SWITCHES_TOTAL, 5);
	assert_number(s, METRIC_HOST_VM_MAJFAULT_TOTAL, 3);
	sample_destroy(s);
}

static void reads_labels_as_the_format_says(void **state)
{
	(void)state;
	struct sample *s =
		text("# TYPE node_disk_read_bytes counter\n"
		     "node_disk_read_bytes_total{note=\"a } \\\" b, device=\\\"no\\\"\", "
		     "device=\"sda\"} 5 1700000000\n"
		     "node_disk_read_bytes_total{device=\"sda1\"} 4\n"
		     "node_disk_read_bytes_total{device=\"dm-0\",} 3\n"
		     "node_disk_read_bytes_total{device=\"sdb\"} 6 # {trace_id=\"x\"} 1\n"
		     "node_disk_read_bytes_total{device=\"sdc} 100\n"
		     "node_disk_read_bytes_total{device=sdd} 100\n"
		     "node_disk_read_bytes_total 100\n"
		     "node_disk_written_bytes_total{device=\"sda\"} 9\n"
		     "node_exporter_build_info{branch=\"b\",goversion=\"go1.22\",version=\"1.8\x1b["
		     "2J\"} 1\n"
		     "  node_memory_MemTotal_bytes\t4096\n"
		     "# EOF\n"
		     "node_memory_MemTotal_bytes 1\n");
	assert_number(s, METRIC_HOST_DISK_READ_TOTAL, 11);
	test_near(raw_f64(parsed_cell(s, TABLE_HOST_DISK, "sda", COL_HOST_DISK_WRITE)), 9, 0);
	assert_null(parsed_cell(s, TABLE_HOST_DISK, "sda1", COL_HOST_DISK_READ));
	assert_string_equal(s->version, "1.8\xef\xbf\xbd[2J");
	assert_number(s, METRIC_HOST_MEM_TOTAL, 4096);
	sample_destroy(s);
}

static void keeps_to_its_bound_of_disks(void **state)
{
	(void)state;
	size_t cap = 600 * 64, n = 0;
	char *lines = malloc(cap);
	assert_non_null(lines);
	for (int i = 0; i < 600; i++)
		n += (size_t)snprintf(
			lines + n, cap - n, "node_disk_read_bytes_total{device=\"d%dx\"} 1\n", i);
	struct sample *s = text(lines);
	assert_int_equal(s->tables[TABLE_HOST_DISK].n, 512);
	assert_true(s->tables[TABLE_HOST_DISK].cut);
	assert_missing(s, METRIC_HOST_DISK_READ_TOTAL, REASON_TOO_MANY);
	free(lines);
	sample_destroy(s);
}

static void survives_damage(void **state)
{
	(void)state;
	static const char *const files[] = {"replies/node_exporter-1.5.0.metrics",
		"cases/F17.metrics", "cases/F19a.metrics", "cases/F21a.metrics",
		"cases/F21b.metrics"};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		size_t len;
		char *data = test_fixture(files[i], &len);
		parsed_damaged(parse_node_metrics, data, len);
		free(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_real_scrape),
		cmocka_unit_test(passes_over_special_values),
		cmocka_unit_test(refuses_what_is_no_metrics),
		cmocka_unit_test(knows_old_and_foreign_names),
		cmocka_unit_test(reads_labels_as_the_format_says),
		cmocka_unit_test(keeps_to_its_bound_of_disks),
		cmocka_unit_test(survives_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
