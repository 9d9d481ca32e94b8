/* CLUSTER NODES of several versions, and what is no line of it. */
#include "support.h"

#include <string.h>

#include "hotset/parse.h"

static const char reply[] =
	"07c37df 192.0.2.1:30004@31004,node-four slave e7d1eec 0 1426238317239 4 connected\n"
	"67ed2db [2001:db8::2]:30002@31002 master - 0 1426238316232 2 connected 5461-10922\n"
	"292f8b3 192.0.2.3:30003 master,fail? - 0 1426238318243 3 disconnected 10923-16383 "
	"[77->-e7d1eec]\r\n"
	"e7d1eec :30001@31001 myself,master - 0 0 1 connected 0-5459 5460\n"
	"824fe11 :0@0 master,noaddr - 142 142 1 disconnected\n"
	"vars currentEpoch 6\n"
	"x y z\n";

static void nodes_are_listed(void **state)
{
	static const struct {
		const char *address, *role, *state;
		double self, slots;
	} want[] = {
		{"192.0.2.1:30004", "replica", "ok", 0, 0},
		{"[2001:db8::2]:30002", "master", "ok", 0, 5462},
		{"192.0.2.3:30003", "master", "fail?", 0, 5461},
		{":30001", "master", "ok", 1, 5461},
		{":0", "master", "handshake", 0, 0},
	};
	struct sample *s = sample_create(0);

	(void)state;
	parse_redis_nodes(reply, strlen(reply), s);
	assert_int_equal(s->tables[TABLE_REDIS_NODE].n, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct raw *row = sample_row(s, TABLE_REDIS_NODE, i);

		assert_string_equal(row[COL_REDIS_NODE_ADDRESS].s, want[i].address);
		assert_string_equal(row[COL_REDIS_NODE_ROLE].s, want[i].role);
		assert_string_equal(row[COL_REDIS_NODE_STATE].s, want[i].state);
		test_near(raw_f64(&row[COL_REDIS_NODE_SELF]), want[i].self, 0);
		test_near(raw_f64(&row[COL_REDIS_NODE_SLOTS]), want[i].slots, 0);
	}
	sample_destroy(s);
}

static void absurd_slots_count_for_nothing(void **state)
{
	static const char text[] =
		"a 192.0.2.1:1@2 master - 0 0 1 connected 9-3 0-99999999999 x-y 7 -\n";
	struct sample *s = sample_create(0);

	(void)state;
	parse_redis_nodes(text, strlen(text), s);
	test_near(raw_f64(&sample_row(s, TABLE_REDIS_NODE, 0)[COL_REDIS_NODE_SLOTS]), 1, 0);
	sample_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_listed),
		cmocka_unit_test(absurd_slots_count_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
