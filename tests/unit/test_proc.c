/*
 * The host's files: cgroups of both versions with the limit that counts, mounts, a PSI that is
 * switched off, and a directory in place of / for all of it.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "watched.h"

#include "../../src/source/cgroup.h"
#include "../../src/source/mounts.h"
#include "../../src/source/virt.h"

/*
 * Stands in for libc's: files whose content is "EOPNOTSUPP" or "EACCES" fail so when read, which
 * is what a kernel with PSI switched off does.
 */
static unsigned denied;

ssize_t read(int fd, void *buf, size_t n)
{
	long got = syscall(SYS_read, fd, buf, n);

	if (got == 10 && memcmp(buf, "EOPNOTSUPP", 10) == 0) {
		denied++;
		errno = EOPNOTSUPP;
		return -1;
	}
	if (got == 6 && memcmp(buf, "EACCES", 6) == 0) {
		errno = EACCES;
		return -1;
	}
	return got;
}

/* ---- a host in a directory ---- */

static void put(const char *dir, const char *path, const char *text)
{
	char full[512];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", dir, path);
	for (char *p = full + strlen(dir) + 1; (p = strchr(p, '/')) != NULL; *p++ = '/') {
		*p = '\0';
		mkdir(full, 0700);
	}
	f = fopen(full, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char *make_host(void)
{
	char *dir = test_dir_create();

	put(dir, "/proc/meminfo",
		"MemTotal: 16777216 kB\nMemFree: 1000 kB\nMemAvailable: 8388608 kB\n");
	put(dir, "/proc/vmstat", "pgmajfault 5\npgpgin 7\npgpgout 8\n");
	put(dir, "/proc/stat", "cpu 1 2 3 4\nctxt 77\nbtime 1700000000\n");
	put(dir, "/proc/diskstats", "   8       0 sda 1 0 16 0 0 0 0 0 0 0 0\n");
	put(dir, "/proc/sys/kernel/osrelease", "6.1.0-test\n");
	return dir;
}

static struct sample *poll_host(const char *dir, struct watched *w)
{
	char uri[512], *full = realpath(dir, NULL);

	snprintf(uri, sizeof(uri), "proc:%s", full);
	free(full);
	watch_begin(w, uri, 5);
	watch_poll(w);
	return w->last;
}

static void a_directory_stands_in_for_the_host(void **state)
{
	char *dir = make_host();
	struct watched w;
	struct sample *s = poll_host(dir, &w);

	(void)state;
	assert_status(s, STATUS_OK);
	assert_string_equal(s->product, "linux");
	assert_string_equal(s->version, "6.1.0-test");
	test_near(sample_f64(s, METRIC_HOST_MEM_TOTAL), 16777216.0 * 1024, 0);
	assert_int_equal(s->raw[METRIC_HOST_CGROUP_USED].why, REASON_NO_CGROUP);
	assert_int_equal(s->raw[METRIC_HOST_PSI_MEM_SOME_TOTAL].why, REASON_NO_PSI);
	watch_end(&w);
	test_dir_remove(dir);
}

static void what_is_missing_makes_it_partial(void **state)
{
	char *dir = make_host(), path[512];
	struct watched w;

	(void)state;
	snprintf(path, sizeof(path), "%s/proc/vmstat", dir);
	unlink(path);
	assert_status(poll_host(dir, &w), STATUS_PARTIAL);
	assert_says(w.last, "vmstat");
	watch_end(&w);
	snprintf(path, sizeof(path), "%s/proc/meminfo", dir);
	unlink(path);
	assert_status(poll_host(dir, &w), STATUS_ERROR);
	watch_end(&w);
	test_dir_remove(dir);
}

static void a_line_of_many_interrupts_is_read(void **state)
{
	char *dir = make_host(), *line = malloc(200000);
	struct watched w;

	(void)state;
	assert_non_null(line);
	memset(line, ' ', 199999);
	line[199999] = '\0';
	memcpy(line, "intr 1", 6);
	memcpy(line + 199900, "\nctxt 12345\nbtime 1700000000\n", 29);
	line[199929] = '\0';
	put(dir, "/proc/stat", line);
	free(line);
	assert_status(poll_host(dir, &w), STATUS_OK);
	test_near(sample_f64(w.last, METRIC_HOST_CONTEXT_SWITCHES_TOTAL), 12345, 0);
	test_near(sample_f64(w.last, METRIC_HOST_BTIME), 1700000000, 0);
	watch_end(&w);
	test_dir_remove(dir);
}

/* ---- PSI ---- */

static void psi_that_is_off_is_asked_once(void **state)
{
	char *dir = make_host();
	struct watched w;
	struct sample *s;

	(void)state;
	put(dir, "/proc/pressure/memory", "EOPNOTSUPP");
	put(dir, "/proc/pressure/io", "EOPNOTSUPP");
	denied = 0;
	s = poll_host(dir, &w);
	assert_status(s, STATUS_OK);
	assert_int_equal(s->raw[METRIC_HOST_PSI_MEM_SOME_TOTAL].why, REASON_PSI_OFF);
	assert_int_equal(s->raw[METRIC_HOST_PSI_IO_FULL_TOTAL].why, REASON_PSI_OFF);
	for (unsigned i = 0; i < 3; i++)
		watch_poll(&w);
	assert_int_equal(w.last->raw[METRIC_HOST_PSI_IO_FULL_TOTAL].why, REASON_PSI_OFF);
	assert_int_equal(denied, 1);
	watch_end(&w);
	put(dir, "/proc/pressure/memory", "EACCES");
	s = poll_host(dir, &w);
	assert_int_equal(s->raw[METRIC_HOST_PSI_MEM_SOME_TOTAL].why, REASON_NO_PRIVILEGE);
	watch_end(&w);
	test_dir_remove(dir);
}

/* ---- cgroups ---- */

static const char v2_mount[] = "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

static void the_smallest_limit_counts(void **state)
{
	char *dir = make_host();
	struct watched w;
	struct sample *s;

	(void)state;
	put(dir, "/proc/self/mountinfo", v2_mount);
	put(dir, "/proc/self/cgroup", "0::/a/b/c\n");
	put(dir, "/sys/fs/cgroup/a/memory.max", "1073741824\n");
	put(dir, "/sys/fs/cgroup/a/memory.current", "536870912\n");
	put(dir, "/sys/fs/cgroup/a/memory.stat", "anon 1\nfile 4096\n");
	put(dir, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	put(dir, "/sys/fs/cgroup/a/b/memory.current", "300\n");
	put(dir, "/sys/fs/cgroup/a/b/c/memory.max", "2147483648\n");
	put(dir, "/sys/fs/cgroup/a/b/c/memory.current", "100\n");
	put(dir, "/sys/fs/cgroup/a/b/c/io.stat", "8:0 rbytes=500 wbytes=1 rios=1 wios=1\n");
	s = poll_host(dir, &w);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_MAX), 1073741824, 0);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_USED), 536870912, 0);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_FILE), 4096, 0);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_RBYTES_TOTAL), 500, 0);
	watch_end(&w);
	test_dir_remove(dir);
}

static void a_container_sees_its_own_root(void **state)
{
	char *dir = make_host();
	struct watched w;
	struct sample *s;

	(void)state;
	/* of the host's hierarchy only the part below /docker/x is mounted */
	put(dir, "/proc/self/mountinfo",
		"30 1 0:26 /docker/x /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
	put(dir, "/proc/self/cgroup", "0::/docker/x\n");
	put(dir, "/sys/fs/cgroup/memory.max", "max\n");
	put(dir, "/sys/fs/cgroup/memory.current", "4194304000\n");
	put(dir, "/.dockerenv", "");
	s = poll_host(dir, &w);
	assert_int_equal(s->raw[METRIC_HOST_CGROUP_MAX].why, REASON_NO_LIMIT);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_USED), 4194304000.0, 0);
	assert_string_equal(sample_text(s, METRIC_HOST_CONTAINER), "docker");
	assert_string_equal(sample_text(s, METRIC_HOST_SCOPE), "host-wide");
	watch_end(&w);
	test_dir_remove(dir);
}

static void version_1_has_its_own_mount(void **state)
{
	char *dir = make_host();
	struct watched w;
	struct sample *s;

	(void)state;
	put(dir, "/proc/self/mountinfo",
		"30 1 0:26 / /cg/cpu rw - cgroup cgroup rw,cpu\n"
		"31 1 0:27 / /cg/mem\\040ory rw - cgroup cgroup rw,memory\n"
		"32 1 0:28 / /cg/unified rw - cgroup2 cgroup2 rw\n");
	put(dir, "/proc/self/cgroup", "3:cpu,cpuacct:/x\n2:memory:/svc\n0::/\n");
	put(dir, "/cg/mem ory/svc/memory.limit_in_bytes", "1073741824\n");
	put(dir, "/cg/mem ory/svc/memory.usage_in_bytes", "536870912\n");
	put(dir, "/cg/mem ory/svc/memory.memsw.limit_in_bytes", "2147483648\n");
	put(dir, "/cg/mem ory/svc/memory.memsw.usage_in_bytes", "805306368\n");
	put(dir, "/cg/mem ory/svc/memory.stat", "cache 8192\n");
	put(dir, "/cg/mem ory/memory.limit_in_bytes", "9223372036854771712\n");
	s = poll_host(dir, &w);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_MAX), 1073741824, 0);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_USED), 536870912, 0);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_SWAP_MAX), 1073741824, 0);
	test_near(sample_f64(s, METRIC_HOST_CGROUP_SWAP_USED), 268435456, 0);
	watch_end(&w);
	test_dir_remove(dir);
}

/* ---- mounts and machines ---- */

static void the_longest_mount_holds_a_path(void **state)
{
	static const char text[] = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
				   "garbage\n"
				   "2 1 8:2 / /var rw shared:1 master:2 - xfs /dev/sdb1 rw\n"
				   "3 1 8:2 / /var/lib/mongo rw - overlay overlay rw,lowerdir=x\n"
				   "4 1 8:2 / /var/lib/mon rw - tmpfs tmpfs rw\n";
	struct mount m;

	(void)state;
	assert_true(mounts_of_path(text, "/var/lib/mongo/data", &m));
	assert_string_equal(m.type, "overlay");
	assert_true(mounts_of_path(text, "/var/lib/mongodb", &m));
	assert_string_equal(m.type, "xfs");
	assert_string_equal(m.source, "/dev/sdb1");
	assert_true(mounts_of_path(text, "/etc", &m));
	assert_string_equal(m.type, "ext4");
	assert_false(mounts_of_path("", "/", &m));
}

static void machines_are_told_apart(void **state)
{
	static const struct {
		const char *path, *text, *vm, *container;
	} cases[] = {
		{"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse\n", "vm", "none"},
		{"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse\n", "none", "none"},
		{"/sys/class/dmi/id/sys_vendor", "VMware, Inc.\n", "vmware", "none"},
		{"/sys/class/dmi/id/product_name", "KVM\n", "kvm", "none"},
		{"/sys/class/dmi/id/product_name", "m5.metal\n", "none", "none"},
		{"/sys/hypervisor/type", "xen\n", "xen", "none"},
		{"/run/systemd/container", "lxc\n", "none", "lxc"},
		{"/run/.containerenv", "", "none", "podman"},
		{"/proc/sys/kernel/osrelease", "5.15.0-microsoft-WSL2\n", "none", "wsl"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_dir_create();
		struct virt v;

		put(dir, cases[i].path, cases[i].text);
		virt_find(&v, dir);
		assert_string_equal(v.vm, cases[i].vm);
		assert_string_equal(v.container, cases[i].container);
		test_dir_remove(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_stands_in_for_the_host),
		cmocka_unit_test(what_is_missing_makes_it_partial),
		cmocka_unit_test(a_line_of_many_interrupts_is_read),
		cmocka_unit_test(psi_that_is_off_is_asked_once),
		cmocka_unit_test(the_smallest_limit_counts),
		cmocka_unit_test(a_container_sees_its_own_root),
		cmocka_unit_test(version_1_has_its_own_mount),
		cmocka_unit_test(the_longest_mount_holds_a_path),
		cmocka_unit_test(machines_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
