/*
 * Whom a round of collection statistics asks: the busiest namespaces of `top`, the same as before
 * where nothing tells them apart, then others in turn; nothing of the server's own but the oplog.
 */
#include "support.h"

#include "../../src/source/mongo_coll.h"

#include <bson/bson.h>

#define CHOSEN (COLLECTIONS_ACTIVE + COLLECTIONS_IN_TURN)

/* A reply to `top`: times of `n` namespaces "db.c0"..., which `time` gives. */
static void look(struct mongo_nss *l, unsigned n, uint64_t (*time)(unsigned i))
{
	bson_t reply = BSON_INITIALIZER, totals;

	BSON_APPEND_DOCUMENT_BEGIN(&reply, "totals", &totals);
	BSON_APPEND_UTF8(&totals, "note", "all times in microseconds");
	for (unsigned i = 0; i < n; i++) {
		char name[32];
		bson_t *entry = BCON_NEW("total", "{", "time", BCON_INT64((int64_t)time(i)),
			"count", BCON_INT64((int64_t)time(i) / 10), "}");

		snprintf(name, sizeof(name), "db.c%u", i);
		bson_append_document(&totals, name, -1, entry);
		bson_destroy(entry);
	}
	bson_append_document_end(&reply, &totals);
	assert_true(mongo_nss_update(l, &reply));
	bson_destroy(&reply);
}

static uint64_t none(unsigned i)
{
	(void)i;
	return 0;
}

static uint64_t rising(unsigned i)
{
	return 1000 + i;
}

/* As before, but for the first one. */
static uint64_t first_works(unsigned i)
{
	return rising(i) + (i == 0 ? 500 : 0);
}

static bool has(struct mongo_ns *const *chosen, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(chosen[i]->name, name) == 0)
			return true;
	return false;
}

static void the_busiest_are_asked(void **state)
{
	struct mongo_nss l = {0};
	struct mongo_ns *chosen[CHOSEN];

	(void)state;
	look(&l, 100, rising);
	assert_int_equal(mongo_nss_choose(&l, chosen), CHOSEN);
	assert_string_equal(chosen[0]->name, "db.c99");
	for (unsigned i = 0; i < CHOSEN; i++)
		assert_true(chosen[i]->active == (i < COLLECTIONS_ACTIVE));
	assert_true(has(chosen, COLLECTIONS_ACTIVE, "db.c88"));
	assert_false(has(chosen, COLLECTIONS_ACTIVE, "db.c87"));
	mongo_nss_finish(&l);
}

/* Rates need the same rows twice: who rests now stays until somebody busy wants the place. */
static void who_was_asked_stays(void **state)
{
	struct mongo_nss l = {0};
	struct mongo_ns *chosen[CHOSEN];

	(void)state;
	look(&l, 100, rising);
	mongo_nss_choose(&l, chosen);
	look(&l, 100, first_works);
	mongo_nss_choose(&l, chosen);
	assert_string_equal(chosen[0]->name, "db.c0");
	for (unsigned i = 1; i < COLLECTIONS_ACTIVE; i++)
		assert_true(strcmp(chosen[i]->name, "db.c88") >= 0);
	mongo_nss_finish(&l);
}

/* Each was called once, by us. */
static uint64_t once_more(unsigned i)
{
	return rising(i) + 10;
}

static void our_own_call_makes_nobody_busy(void **state)
{
	struct mongo_nss l = {0};
	struct mongo_ns *chosen[CHOSEN];

	(void)state;
	look(&l, 3, rising);
	assert_int_equal(mongo_nss_choose(&l, chosen), 3);
	mongo_nss_keep(&l, chosen[0], bson_new());
	look(&l, 3, once_more);
	for (unsigned i = 0; i < 3; i++)
		assert_true((l.ns[i].busy_us == 0) == (l.ns[i].stats != NULL));
	mongo_nss_finish(&l);
}

static void the_others_have_their_turn(void **state)
{
	struct mongo_nss l = {0};
	struct mongo_ns *chosen[CHOSEN];
	unsigned asked = 0;

	(void)state;
	for (unsigned round = 0; round < 10; round++) {
		look(&l, 20, none);
		assert_int_equal(mongo_nss_choose(&l, chosen), COLLECTIONS_IN_TURN);
		for (unsigned i = 0; i < COLLECTIONS_IN_TURN; i++) {
			asked += !chosen[i]->asked;
			mongo_nss_keep(&l, chosen[i], bson_new());
		}
	}
	assert_int_equal(asked, 20);
	mongo_nss_finish(&l);
}

static void who_rests_is_asked_afterwards(void **state)
{
	struct mongo_nss l = {0};
	struct mongo_ns *chosen[CHOSEN];

	(void)state;
	look(&l, 3, rising);
	l.ns[1].rests = l.round + COLLECTIONS_REST;
	for (unsigned i = 0; i < COLLECTIONS_REST; i++) {
		assert_false(has(chosen, mongo_nss_choose(&l, chosen), "db.c1"));
		look(&l, 3, rising);
	}
	assert_true(has(chosen, mongo_nss_choose(&l, chosen), "db.c1"));
	mongo_nss_finish(&l);
}

static void what_is_gone_is_forgotten(void **state)
{
	struct mongo_nss l = {0};

	(void)state;
	look(&l, 10, rising);
	look(&l, 4, rising);
	assert_int_equal(l.n, 4);
	look(&l, 0, rising);
	assert_int_equal(l.n, 0);
	mongo_nss_finish(&l);
}

static void few_replies_are_kept(void **state)
{
	struct mongo_nss l = {0};
	unsigned kept = 0;

	(void)state;
	look(&l, 3 * COLLECTIONS_KEPT, none);
	for (unsigned i = 0; i < l.n; i++)
		mongo_nss_keep(&l, &l.ns[i], bson_new());
	for (unsigned i = 0; i < l.n; i++)
		kept += l.ns[i].stats != NULL;
	assert_int_equal(kept, COLLECTIONS_KEPT);
	mongo_nss_finish(&l);
}

static void the_servers_own_are_left_out(void **state)
{
	static const char *const names[] = {"admin.system.users", "config.transactions",
		"local.startup_log", "local.oplog.rs", "shop.system.profile", "shop.orders",
		"strange", "shop."};
	bson_t reply = BSON_INITIALIZER, totals;
	struct mongo_nss l = {0};

	(void)state;
	BSON_APPEND_DOCUMENT_BEGIN(&reply, "totals", &totals);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bson_t *entry =
			BCON_NEW("total", "{", "time", BCON_INT64(5), "count", BCON_INT64(1), "}");

		bson_append_document(&totals, names[i], -1, entry);
		bson_destroy(entry);
	}
	bson_append_document_end(&reply, &totals);
	assert_true(mongo_nss_update(&l, &reply));
	bson_destroy(&reply);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.ns[0].name, "local.oplog.rs");
	assert_string_equal(l.ns[1].name, "shop.orders");
	mongo_nss_finish(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_busiest_are_asked),
		cmocka_unit_test(who_was_asked_stays),
		cmocka_unit_test(our_own_call_makes_nobody_busy),
		cmocka_unit_test(the_others_have_their_turn),
		cmocka_unit_test(who_rests_is_asked_afterwards),
		cmocka_unit_test(what_is_gone_is_forgotten),
		cmocka_unit_test(few_replies_are_kept),
		cmocka_unit_test(the_servers_own_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
