/*
 * What proves that a server runs here: who listens, by the kernel's table, and a pid as the
 * innermost namespace counts it.
 */
#include "support.h"

#include "../../src/source/same_host.h"

static const char table[] =
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
	"inode\n"
	"   0: 0100007F:6989 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
	"4711 1 0000000000000000 100 0 0 10 0\n"
	"   1: 0100007F:6989 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 "
	"4712 1 0000000000000000 20 4 30 10 -1\n"
	"   2: 0200A8C0:6989 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
	"4713 1 0000000000000000 100 0 0 10 0\n"
	"   3: 00000000:6990 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
	"4714 1 0000000000000000 100 0 0 10 0\n";

/* Port 27017 is 0x6989. */
static void only_listeners_on_the_address_count(void **state)
{
	static const char *const loopback[] = {"0100007F", "00000000", NULL};
	uint64_t inodes[SAME_HOST_INODES];

	(void)state;
	assert_int_equal(same_host_listeners(table, loopback, 27017, inodes, 0), 1);
	assert_int_equal(inodes[0], 4711);
	assert_int_equal(same_host_listeners(table, loopback, 27024, inodes, 0), 1);
	assert_int_equal(inodes[0], 4714); /* any address */
	assert_int_equal(same_host_listeners(table, loopback, 27018, inodes, 0), 0);
	assert_int_equal(same_host_listeners("", loopback, 27017, inodes, 0), 0);
	assert_int_equal(same_host_listeners("nonsense\n\n:::\n", loopback, 27017, inodes, 0), 0);
}

static void more_listeners_than_room_are_cut(void **state)
{
	static const char *const loopback[] = {"0100007F", NULL};
	uint64_t inodes[SAME_HOST_INODES] = {0};

	(void)state;
	assert_int_equal(
		same_host_listeners(table, loopback, 27017, inodes, SAME_HOST_INODES),
		SAME_HOST_INODES);
}

static void the_innermost_pid_counts(void **state)
{
	(void)state;
	assert_int_equal(same_host_inner_pid("Name:\tmongod\nPid:\t812\nNSpid:\t812\t1\nx:\n"), 1);
	assert_int_equal(same_host_inner_pid("Name:\tmongod\nPid:\t812\nNSpid:\t812\nx:\n"), 812);
	assert_int_equal(same_host_inner_pid("Name:\tmongod\nPid:\t812\nPPid:\t1\n"), 812);
	assert_int_equal(same_host_inner_pid("Name:\tmongod\n"), 0);
	assert_int_equal(same_host_inner_pid(""), 0);
	assert_int_equal(same_host_inner_pid("x\nNSpid:"), 0);
}

/* A name may not be made to look like the field: it stands in a line of its own. */
static void a_process_name_forges_nothing(void **state)
{
	(void)state;
	assert_int_equal(
		same_host_inner_pid("Name:\tNSpid:\\t7\nPid:\t812\nNSpid:\t812\t3\n"), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_listeners_on_the_address_count),
		cmocka_unit_test(more_listeners_than_room_are_cut),
		cmocka_unit_test(the_innermost_pid_counts),
		cmocka_unit_test(a_process_name_forges_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
