/*
 * A hold from end to end: a transaction that a client opened and left idle on a real node is found
 * by polling it, as the one whose timestamp the oldest reader has, with the time that the node
 * still gives it; and it is gone when it ends. Skipped where wtnode was not built.
 */
#include "../support/support.h"
#include "../support/watched.h"
#include "../support/wtnode.h"

#include "hotset/hold.h"

#define WINDOW_S 2 /* of the node's history */
#define LIMIT_S  60

static struct wtnode node;
static mongoc_client_t *client, *job;
static struct watched watched;
static struct model *m;

static int setup(void **state)
{
	(void)state;
	client = wtnode_setup(&node);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wtnode_teardown(&node, client);
	return 0;
}

static void begin(void)
{
	char uri[64];

	snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%d", node.port);
	watch_begin(&watched, uri, 5);
	m = model_create();
	assert_non_null(m);
	assert_non_null(model_add(m, KIND_MONGO, "mongo@x", "x", "x", 600));
	job = wtnode_connect(&node, "report-job");
}

static void end(void)
{
	mongoc_client_destroy(job);
	watch_end(&watched);
	model_destroy(m);
}

/* Time goes on by writes alone; then what there is to see now. */
static void look(struct hold *h)
{
	wtnode_run_quietly(client, "lab",
		"{\"update\": \"clock\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": {\"$inc\": "
		"{\"n\": 1}}, \"upsert\": true}]}");
	watch_poll_slow(&watched);
	assert_true(status_has_data(watched.last->status));
	model_push(m, watched.last);
	watched.last = NULL; /* the model's now */
	hold_find(m->ep[0], h);
}

static bool is_held_by_an_idle_one(void *arg)
{
	look(arg);
	return ((struct hold *)arg)->cause == HOLD_IDLE;
}

static bool is_held_no_longer(void *arg)
{
	struct hold *h = arg;

	look(h);
	return h->cause == HOLD_WINDOW && !h->holder.row &&
	       m->ep[0]->frame.v[METRIC_MONGO_PINNED_READER_TS].why == REASON_NOT_SET;
}

#define SESSION                                                                                    \
	"\"lsid\": {\"id\": {\"$binary\": {\"base64\": \"PAAAAAAAAAAAAAAAAAAAAA==\", "             \
	"\"subType\": \"04\"}}}, \"txnNumber\": {\"$numberLong\": \"1\"}, \"autocommit\": false"

static void a_forgotten_transaction_is_found_and_goes(void **state)
{
	char who[HOLD_WHO_MAX];
	struct hold h;

	(void)state;
	NEEDS_NODE(client);
	begin();
	look(&h); /* there is something to read */
	wtnode_run_quietly(job, "lab",
		"{\"find\": \"clock\", \"startTransaction\": true, \"readConcern\": {\"level\": "
		"\"snapshot\"}, " SESSION "}");
	assert_true(test_wait(is_held_by_an_idle_one, &h, WTNODE_WAIT_MS));
	assert_true(h.proven);
	hold_who(who, &h.holder);
	assert_memory_equal(who, "report-job from 127.0.0.1:", 26);
	/* what is pinned is what the transaction is open */
	test_near(h.holder.open_s, m->ep[0]->frame.v[METRIC_MONGO_PINNED_READER].v, 2);
	assert_true(h.holder.open_s > WINDOW_S);
	test_near(h.holder.limit_s, LIMIT_S, 0.1);
	test_near(h.holder.open_s + h.holder.left_s, LIMIT_S, 0.1);

	wtnode_run_quietly(job, "admin", "{\"abortTransaction\": 1, " SESSION "}");
	assert_true(test_wait(is_held_no_longer, &h, WTNODE_WAIT_MS));
	end();
}

#define SESSION_2                                                                                  \
	"\"lsid\": {\"id\": {\"$binary\": {\"base64\": \"PBAAAAAAAAAAAAAAAAAAAA==\", "             \
	"\"subType\": \"04\"}}}, \"txnNumber\": {\"$numberLong\": \"1\"}, \"autocommit\": false"
#define OTHERS 63 /* with the one, as many as the node has room for */

static void others(const char *command, const char *db, const char *start)
{
	char json[512];

	for (unsigned i = 0; i < OTHERS; i++) {
		snprintf(json, sizeof(json),
			"{%s, %s \"lsid\": {\"id\": {\"$binary\": {\"base64\": "
			"\"PQAAAAAAAAAAAAAAAA%c%cAA==\", \"subType\": \"04\"}}}, "
			"\"txnNumber\": {\"$numberLong\": \"1\"}, \"autocommit\": false}",
			command, start, (char)('a' + i / 26), (char)('a' + i % 26));
		wtnode_run_quietly(client, db, json);
	}
}

static bool is_asked_again(void *arg)
{
	look(arg);
	return m->ep[0]->last->tables[TABLE_MONGO_OP].n > 0;
}

/* More open transactions than rows are asked for: the one that was first is among the rows. */
static void many_transactions_do_not_hide_the_oldest(void **state)
{
	struct hold h;

	(void)state;
	NEEDS_NODE(client);
	begin();
	look(&h);
	wtnode_run_quietly(job, "lab",
		"{\"find\": \"clock\", \"startTransaction\": true, \"readConcern\": {\"level\": "
		"\"snapshot\"}, " SESSION_2 "}");
	others("\"find\": \"clock\"", "lab",
		"\"startTransaction\": true, \"readConcern\": {\"level\": \"snapshot\"},");
	assert_true(test_wait(is_asked_again, &h, WTNODE_WAIT_MS));
	assert_int_equal(m->ep[0]->last->tables[TABLE_MONGO_OP].n, 60);
	assert_string_equal(
		sample_row(m->ep[0]->last, TABLE_MONGO_OP, 0)[COL_MONGO_OP_APP].s, "report-job");
	wtnode_run_quietly(job, "admin", "{\"abortTransaction\": 1, " SESSION_2 "}");
	others("\"abortTransaction\": 1", "admin", "");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_forgotten_transaction_is_found_and_goes),
		cmocka_unit_test(many_transactions_do_not_hide_the_oldest),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
