/*
 * wtnode's transactions: a snapshot does not change while others write, its writes appear at once
 * or never, conflicts and wrong numbers are told with mongod's codes, an open one pins history and
 * is in $currentOp, and none outlives its limit. Skipped where wtnode was not built.
 */
#include "../support/support.h"
#include "../support/wtnode.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SNAPSHOT "\"startTransaction\": true, \"readConcern\": {\"level\": \"snapshot\"}, "
#define START    "\"startTransaction\": true, "

static struct wtnode shared;
static mongoc_client_t *client;

static int setup(void **state)
{
	(void)state;
	client = wtnode_setup(&shared);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wtnode_teardown(&shared, client);
	return 0;
}

/* The fields of a statement of that session's transaction, with start as one of the above or "". */
static const char *statement(
	char *out, size_t size, const char *command, const char *start, char session, int number)
{
	snprintf(out, size,
		"{%s, %s\"autocommit\": false, \"txnNumber\": {\"$numberLong\": \"%d\"}, "
		"\"lsid\": {\"id\": {\"$binary\": {\"base64\": \"%cAAAAAAAAAAAAAAAAAAAAA==\", "
		"\"subType\": \"04\"}}}}",
		command, start, number, session);
	return out;
}

/* Runs a statement on a connection; returns 0 or the code, and the reply where it is wanted. */
static uint32_t say(mongoc_client_t *c, bson_t *reply, const char *command, const char *start,
	char session, int number)
{
	char json[1024];
	bson_t own;
	bool ends = strstr(command, "Transaction\"") != NULL;
	uint32_t code = wtnode_try(c, ends ? "admin" : "txn", reply != NULL ? reply : &own,
		statement(json, sizeof(json), command, start, session, number));

	if (reply == NULL) {
		bson_destroy(&own);
	}
	return code;
}

static uint32_t commit(char session, int number)
{
	return say(client, NULL, "\"commitTransaction\": 1", "", session, number);
}

static uint32_t rollback(char session, int number)
{
	return say(client, NULL, "\"abortTransaction\": 1", "", session, number);
}

/* What a find in the transaction reads at firstBatch.0.v. */
static int64_t read_v(const char *find, const char *start, char session, int number)
{
	bson_t reply;

	assert_int_equal(say(client, &reply, find, start, session, number), 0);
	int64_t v = doc_num(&reply, "cursor.firstBatch.0.v");
	bson_destroy(&reply);
	return v;
}

static void set_v(const char *coll, int v)
{
	char json[256];

	snprintf(json, sizeof(json),
		"{\"update\": \"%s\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": {\"$set\": "
		"{\"v\": "
		"%d}}, \"upsert\": true}]}",
		coll, v);
	wtnode_run_quietly(client, "txn", json);
}

static int64_t count_all(const char *coll)
{
	char json[128];
	bson_t reply;

	snprintf(json, sizeof(json), "{\"count\": \"%s\"}", coll);
	wtnode_run(client, "txn", &reply, json);
	int64_t n = doc_num(&reply, "n");
	bson_destroy(&reply);
	return n;
}

/* ---- what it sees and what others see --------------------------------------------------------
 */

/* The same answer by _id and by a scan, before and after others wrote, also on another connection.
 */
static void test_snapshot_stands_still(void **state)
{
	mongoc_client_t *other;
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	set_v("still", 10);
	assert_int_equal(
		read_v("\"find\": \"still\", \"filter\": {\"_id\": 1}", SNAPSHOT, 'A', 1), 10);
	set_v("still", 11);
	wtnode_run_quietly(
		client, "txn", "{\"insert\": \"still\", \"documents\": [{\"_id\": 2, \"v\": 2}]}");
	assert_int_equal(read_v("\"find\": \"still\", \"filter\": {\"_id\": 1}", "", 'A', 1), 10);
	other = wtnode_connect(&shared, "other");
	assert_int_equal(
		say(other, &reply, "\"find\": \"still\", \"filter\": {\"v\": {\"$gt\": 0}}", "",
			'A', 1),
		0);
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.v"), 10);
	bson_destroy(&reply);
	mongoc_client_destroy(other);
	assert_int_equal(commit('A', 1), 0);
	/* the next transaction of the session sees what is there now */
	assert_int_equal(
		read_v("\"find\": \"still\", \"filter\": {\"_id\": 1}", SNAPSHOT, 'A', 2), 11);
	assert_int_equal(rollback('A', 2), 0);
}

/* Writes are seen by the transaction itself, and by others after the commit; also the count. */
static void test_commit(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	set_v("made", 1);
	assert_int_equal(say(client, &reply,
				 "\"insert\": \"made\", \"documents\": [{\"_id\": 2, \"v\": 2}, "
				 "{\"_id\": 3, \"v\": 3}]",
				 START, 'B', 1),
		0);
	assert_int_equal(doc_num(&reply, "n"), 2);
	bson_destroy(&reply);
	assert_int_equal(say(client, NULL,
				 "\"update\": \"made\", \"updates\": [{\"q\": {\"_id\": 2}, \"u\": "
				 "{\"$inc\": {\"v\": 20}}}]",
				 "", 'B', 1),
		0);
	assert_int_equal(say(client, NULL,
				 "\"delete\": \"made\", \"deletes\": [{\"q\": {\"_id\": 1}, "
				 "\"limit\": 1}]",
				 "", 'B', 1),
		0);
	assert_int_equal(read_v("\"find\": \"made\", \"filter\": {\"_id\": 2}", "", 'B', 1), 22);
	assert_int_equal(count_all("made"), 1);
	wtnode_run(client, "txn", &reply, "{\"find\": \"made\"}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 1);
	bson_destroy(&reply);
	assert_int_equal(commit('B', 1), 0);
	assert_int_equal(count_all("made"), 2);
	wtnode_run(client, "txn", &reply, "{\"find\": \"made\"}");
	assert_int_equal(doc_elements(&reply, "cursor.firstBatch"), 2);
	assert_int_equal(doc_num(&reply, "cursor.firstBatch.0.v"), 22);
	bson_destroy(&reply);
	/* a commit that was lost on the way is sent again */
	assert_int_equal(commit('B', 1), 0);
	assert_int_equal(rollback('B', 1), 256);
	assert_int_equal(say(client, NULL, "\"find\": \"made\"", "", 'B', 1), 256);
}

static void test_abort(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	set_v("undone", 1);
	assert_int_equal(say(client, NULL, "\"insert\": \"undone\", \"documents\": [{\"_id\": 2}]",
				 START, 'C', 1),
		0);
	assert_int_equal(rollback('C', 1), 0);
	assert_int_equal(count_all("undone"), 1);
	assert_int_equal(say(client, NULL, "\"find\": \"undone\"", "", 'C', 1), 251);
	assert_int_equal(commit('C', 1), 251);
	assert_int_equal(rollback('C', 1), 251);
}

/* ---- what is refused -------------------------------------------------------------------------
 */

static bool is_transient(const bson_t *reply)
{
	return strcmp(doc_str(reply, "errorLabels.0"), "TransientTransactionError") == 0;
}

/* Who comes second to a document is told, and has to begin anew. */
static void test_write_conflict(void **state)
{
	const char *update = "\"update\": \"war\", \"updates\": [{\"q\": {\"_id\": 1}, \"u\": "
			     "{\"$inc\": {\"v\": 1}}}]";
	int64_t before;
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	set_v("war", 1);
	before = wtnode_status_num(client, "metrics.operation.writeConflicts");
	assert_int_equal(say(client, NULL, update, SNAPSHOT, 'D', 1), 0);
	assert_int_equal(say(client, &reply, update, SNAPSHOT, 'E', 1), 112);
	assert_true(is_transient(&reply));
	bson_destroy(&reply);
	assert_int_equal(say(client, &reply, "\"find\": \"war\"", "", 'E', 1), 251);
	assert_true(is_transient(&reply));
	bson_destroy(&reply);
	/* a write outside waits for the end of the transaction, if it may wait so long */
	wtnode_run(client, "txn", &reply,
		"{\"update\": \"war\", \"maxTimeMS\": 20, \"updates\": [{\"q\": {\"_id\": 1}, "
		"\"u\": {\"$set\": {\"v\": 100}}}]}");
	assert_int_equal(doc_num(&reply, "writeErrors.0.code"), 50);
	bson_destroy(&reply);
	assert_int_equal(commit('D', 1), 0);
	assert_int_equal(read_v("\"find\": \"war\", \"filter\": {\"_id\": 1}", START, 'E', 2), 2);
	assert_int_equal(rollback('E', 2), 0);
	assert_true(wtnode_status_num(client, "metrics.operation.writeConflicts") > before);
}

/* A failed statement ends the transaction, also where its reply is ok. */
static void test_failed_statement(void **state)
{
	bson_t reply;

	(void)state;
	NEEDS_NODE(client);
	set_v("failing", 1);
	assert_int_equal(say(client, NULL, "\"insert\": \"failing\", \"documents\": [{\"_id\": 5}]",
				 START, 'F', 1),
		0);
	assert_int_equal(say(client, &reply,
				 "\"insert\": \"failing\", \"ordered\": false, \"documents\": "
				 "[{\"_id\": 6}, {\"_id\": 5}, {\"_id\": 7}]",
				 "", 'F', 1),
		0);
	assert_int_equal(doc_num(&reply, "writeErrors.0.index"), 1);
	assert_int_equal(doc_num(&reply, "writeErrors.0.code"), 11000);
	assert_int_equal(doc_elements(&reply, "writeErrors"), 1);
	bson_destroy(&reply);
	assert_int_equal(commit('F', 1), 251);
	assert_int_equal(count_all("failing"), 1);
}

static void test_wrong_numbers(void **state)
{
	char json[1024];

	(void)state;
	NEEDS_NODE(client);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'G', 1), 251);
	assert_int_equal(commit('G', 1), 251);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'G', 5), 0);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'G', 5), 50911);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'G', 4), 225);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'G', 4), 225);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'G', 6), 251);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'G', 5), 0);
	/* a newer one ends an older one */
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'G', 6), 0);
	assert_int_equal(commit('G', 5), 225);
	assert_int_equal(commit('G', 6), 0);
	/* parts that need each other */
	assert_int_equal(wtnode_code_of(client, "txn",
				 "{\"find\": \"x\", \"autocommit\": false, \"txnNumber\": 1}"),
		72);
	assert_int_equal(
		wtnode_code_of(client, "txn", "{\"find\": \"x\", \"startTransaction\": true}"), 72);
	assert_int_equal(wtnode_code_of(client, "admin", "{\"commitTransaction\": 1}"), 72);
	statement(json, sizeof(json), "\"commitTransaction\": 1", "", 'G', 6);
	assert_int_equal(wtnode_code_of(client, "txn", json), 13);
}

static void test_refused_statements(void **state)
{
	char json[1024];

	(void)state;
	NEEDS_NODE(client);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'H', 1), 0);
	assert_int_equal(say(client, NULL, "\"count\": \"x\"", "", 'H', 1), 263);
	assert_int_equal(say(client, NULL, "\"drop\": \"x\"", "", 'H', 1), 263);
	assert_int_equal(say(client, NULL,
				 "\"aggregate\": \"x\", \"cursor\": {}, \"pipeline\": "
				 "[{\"$collStats\": {}}]",
				 "", 'H', 1),
		263);
	statement(json, sizeof(json), "\"find\": \"x\"", "", 'H', 1);
	assert_int_equal(wtnode_code_of(client, "admin", json), 263);
	assert_int_equal(
		say(client, NULL, "\"find\": \"x\"", &SNAPSHOT[strlen(START)], 'H', 1), 72);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"",
				 START "\"readConcern\": {\"level\": \"linearizable\"}, ", 'H', 2),
		72);
	/* none of them was a statement, so the transaction is as it was */
	assert_int_equal(commit('H', 1), 0);
}

/* ---- time ------------------------------------------------------------------------------------
 */

/* The entry of $currentOp that holds a transaction; false when there is none. */
static bool find_open(bson_t *out, const char *extra)
{
	char json[256];
	bson_iter_t it;
	bson_t reply, doc;
	const uint8_t *data;
	uint32_t len;

	snprintf(json, sizeof(json),
		"{\"aggregate\": 1, \"cursor\": {}, \"pipeline\": [{\"$currentOp\": {%s}}, "
		"{\"$match\": {\"transaction\": {\"$exists\": true}}}]}",
		extra);
	wtnode_run(client, "admin", &reply, json);
	bool found = doc_at(&reply, "cursor.firstBatch.0", &it);
	if (found) {
		bson_iter_document(&it, &len, &data);
		assert_true(bson_init_static(&doc, data, len));
		bson_copy_to(&doc, out);
	}
	bson_destroy(&reply);
	return found;
}

static void timestamp_at(const bson_t *doc, const char *path, uint32_t *t, uint32_t *i)
{
	bson_iter_t it;

	assert_true(doc_at(doc, path, &it) && BSON_ITER_HOLDS_TIMESTAMP(&it));
	bson_iter_timestamp(&it, t, i);
}

/* An idle transaction is listed with the fields of mongod 5.0 and no others that it lacks. */
static void test_current_op(void **state)
{
	mongoc_client_t *job;
	bson_iter_t it;
	bson_t doc;
	uint32_t t, i;

	(void)state;
	NEEDS_NODE(client);
	set_v("seen", 1);
	assert_false(find_open(&doc, ""));
	job = wtnode_connect(&shared, "report-job");
	assert_int_equal(say(job, NULL, "\"find\": \"seen\"", SNAPSHOT, 'I', 7), 0);
	assert_true(find_open(&doc, "\"allUsers\": true"));
	assert_string_equal(doc_str(&doc, "type"), "idleSession");
	assert_string_equal(doc_str(&doc, "desc"), "inactive transaction");
	assert_string_equal(doc_str(&doc, "appName"), "report-job");
	assert_string_equal(doc_str(&doc, "clientMetadata.application.name"), "report-job");
	assert_memory_equal(doc_str(&doc, "client"), "127.0.0.1:", 10);
	assert_true(doc_num(&doc, "connectionId") > 0);
	assert_int_equal(doc_num(&doc, "active"), 0);
	assert_false(doc_has(&doc, "opid") || doc_has(&doc, "op") || doc_has(&doc, "ns"));
	assert_true(doc_at(&doc, "lsid.id", &it) && BSON_ITER_HOLDS_BINARY(&it));
	assert_int_equal(doc_num(&doc, "transaction.parameters.txnNumber"), 7);
	assert_int_equal(doc_num(&doc, "transaction.parameters.autocommit"), 0);
	assert_string_equal(doc_str(&doc, "transaction.parameters.readConcern.level"), "snapshot");
	assert_string_equal(
		doc_str(&doc, "transaction.parameters.readConcern.provenance"), "clientSupplied");
	timestamp_at(&doc, "transaction.readTimestamp", &t, &i);
	assert_true(t > 0);
	assert_true(doc_num(&doc, "transaction.timeOpenMicros") > 0);
	assert_int_equal(doc_num(&doc, "transaction.timeOpenMicros"),
		doc_num(&doc, "transaction.timeActiveMicros") +
			doc_num(&doc, "transaction.timeInactiveMicros"));
	assert_int_equal(strlen(doc_str(&doc, "transaction.startWallClockTime")),
		strlen("2026-11-30T21:12:49.923+00:00"));
	assert_int_equal(strlen(doc_str(&doc, "transaction.expiryTime")),
		strlen("2026-11-30T21:22:49.923+00:00"));
	bson_destroy(&doc);
	assert_false(find_open(&doc, "\"idleSessions\": false"));
	assert_int_equal(wtnode_status_num(client, "transactions.currentOpen"), 1);
	assert_int_equal(wtnode_status_num(client, "transactions.currentInactive"), 1);
	/* it outlives its connection, as its session does */
	mongoc_client_destroy(job);
	assert_int_equal(commit('I', 7), 0);
	assert_false(find_open(&doc, ""));
	assert_int_equal(wtnode_status_num(client, "transactions.currentOpen"), 0);
}

#define PINNED_BY_READER                                                                           \
	"wiredTiger.transaction.transaction range of timestamps pinned by the oldest active "      \
	"read timestamp"

static bool pinned_for_3_s(void *arg)
{
	(void)arg;
	set_v("clock", 1);
	set_v("clock", 2);
	return wtnode_status_num(client, PINNED_BY_READER) >> 32 >= 3;
}

static bool nothing_pinned(void *arg)
{
	(void)arg;
	return wtnode_status_num(client, PINNED_BY_READER) == 0;
}

/* The reader's range grows with the time it is open and is gone when it ends; history it holds can
 * be read by another at that time, and by nobody once it is gone. */
static void test_read_timestamp(void **state)
{
	char at[256];
	uint32_t t, i;
	bson_t doc;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(client, "admin",
		"{\"setParameter\": 1, \"minSnapshotHistoryWindowInSeconds\": 60}");
	set_v("past", 1);
	assert_int_equal(
		read_v("\"find\": \"past\", \"filter\": {\"_id\": 1}", SNAPSHOT, 'J', 1), 1);
	assert_true(find_open(&doc, ""));
	timestamp_at(&doc, "transaction.readTimestamp", &t, &i);
	bson_destroy(&doc);
	set_v("past", 2);
	assert_true(test_wait(pinned_for_3_s, NULL, WTNODE_WAIT_MS));
	assert_int_equal(rollback('J', 1), 0);
	assert_true(test_wait(nothing_pinned, NULL, WTNODE_WAIT_MS));

	snprintf(at, sizeof(at),
		START "\"readConcern\": {\"level\": \"snapshot\", \"atClusterTime\": "
		      "{\"$timestamp\": {\"t\": %u, \"i\": %u}}}, ",
		t, i);
	assert_int_equal(read_v("\"find\": \"past\", \"filter\": {\"_id\": 1}", at, 'J', 2), 1);
	assert_true(find_open(&doc, ""));
	assert_true(doc_has(&doc, "transaction.parameters.readConcern.atClusterTime"));
	bson_destroy(&doc);
	assert_int_equal(rollback('J', 2), 0);

	/* without a window it becomes too old */
	wtnode_run_quietly(
		client, "admin", "{\"setParameter\": 1, \"minSnapshotHistoryWindowInSeconds\": 0}");
	int64_t errors = wtnode_status_num(client,
		"wiredTiger.snapshot-window-settings.total number of SnapshotTooOld errors");
	set_v("past", 3);
	int number = 3;
	uint32_t code = 0;
	while (code == 0 && number < 200) {
		code = say(client, NULL, "\"find\": \"past\"", at, 'J', number++);
	}
	assert_int_equal(code, 239);
	assert_int_equal(wtnode_status_num(client, "wiredTiger.snapshot-window-settings.total "
						   "number of SnapshotTooOld errors"),
		errors + 1);
	snprintf(at, sizeof(at),
		START "\"readConcern\": {\"level\": \"snapshot\", \"atClusterTime\": "
		      "{\"$timestamp\": {\"t\": %u, \"i\": %u}}}, ",
		t + 10000, i);
	assert_int_equal(say(client, NULL, "\"find\": \"past\"", at, 'J', number), 72);
	wtnode_run_quietly(
		client, "admin", "{\"setParameter\": 1, \"minSnapshotHistoryWindowInSeconds\": 2}");
}

static bool none_open(void *arg)
{
	(void)arg;
	return wtnode_status_num(client, "transactions.currentOpen") == 0;
}

/* Also one that nobody asks about ends when its time is over, and not before. */
static void test_lifetime(void **state)
{
	int64_t aborted;
	bson_t doc;

	(void)state;
	NEEDS_NODE(client);
	wtnode_run_quietly(
		client, "admin", "{\"setParameter\": 1, \"transactionLifetimeLimitSeconds\": 2}");
	aborted = wtnode_status_num(client, "transactions.totalAborted");
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", SNAPSHOT, 'K', 1), 0);
	assert_true(find_open(&doc, ""));
	assert_true(doc_num(&doc, "transaction.timeOpenMicros") < 2000000);
	bson_destroy(&doc);
	assert_true(test_wait(none_open, NULL, WTNODE_WAIT_MS));
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'K', 1), 251);
	assert_int_equal(wtnode_status_num(client, "transactions.totalAborted"), aborted + 1);
	/* opLatencies.transactions counts what it was open: two seconds or more */
	assert_true(wtnode_status_num(client, "opLatencies.transactions.latency") >= 2000000);
	wtnode_run_quietly(
		client, "admin", "{\"setParameter\": 1, \"transactionLifetimeLimitSeconds\": 60}");
}

static void test_kill_sessions(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'L', 1), 0);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", START, 'M', 1), 0);
	wtnode_run_quietly(client, "admin",
		"{\"killSessions\": [{\"id\": {\"$binary\": {\"base64\": "
		"\"LAAAAAAAAAAAAAAAAAAAAA==\", \"subType\": \"04\"}}}]}");
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'L', 1), 251);
	assert_int_equal(say(client, NULL, "\"find\": \"x\"", "", 'M', 1), 0);
	wtnode_run_quietly(client, "admin",
		"{\"endSessions\": [{\"id\": {\"$binary\": {\"base64\": "
		"\"MAAAAAAAAAAAAAAAAAAAAA==\", \"subType\": \"04\"}}}]}");
	assert_int_equal(commit('M', 1), 251);
	assert_int_equal(wtnode_code_of(client, "admin", "{\"killSessions\": [1]}"), 14);
}

/* A driver passes the fields on also when they are given as options, which is how labs send them.
 */
static void test_fields_as_options(void **state)
{
	static const uint8_t id[16] = {'o', 'p', 't'};
	bson_error_t error;
	bson_t reply, lsid, *find, *opts = bson_new();

	(void)state;
	NEEDS_NODE(client);
	BSON_APPEND_DOCUMENT_BEGIN(opts, "lsid", &lsid);
	BSON_APPEND_BINARY(&lsid, "id", BSON_SUBTYPE_UUID, id, sizeof(id));
	bson_append_document_end(opts, &lsid);
	BSON_APPEND_INT64(opts, "txnNumber", 1);
	BSON_APPEND_BOOL(opts, "autocommit", false);
	BSON_APPEND_BOOL(opts, "startTransaction", true);
	find = BCON_NEW("find", BCON_UTF8("x"));
	assert_true(
		mongoc_client_command_with_opts(client, "txn", find, NULL, opts, &reply, &error));
	bson_destroy(&reply);
	assert_int_equal(wtnode_status_num(client, "transactions.currentOpen"), 1);
	/* the same again is the same transaction */
	assert_false(
		mongoc_client_command_with_opts(client, "txn", find, NULL, opts, &reply, &error));
	assert_int_equal(error.code, 50911);
	bson_destroy(&reply);
	bson_destroy(find);
	bson_destroy(opts);
	wtnode_run_quietly(client, "admin", "{\"killAllSessions\": []}");
}

/* ---- others on the way -----------------------------------------------------------------------
 */

static void *drop_it(void *arg)
{
	mongoc_client_t *c = wtnode_connect(&shared, "dropper");

	(void)arg;
	wtnode_run_quietly(c, "txn", "{\"drop\": \"dropped\"}");
	mongoc_client_destroy(c);
	return NULL;
}

static bool is_gone(void *arg)
{
	(void)arg;
	return count_all("dropped") == 0;
}

/* A collection that a transaction wrote to is dropped after it, without harm to either. */
static void test_drop_waits(void **state)
{
	pthread_t thread;

	(void)state;
	NEEDS_NODE(client);
	set_v("dropped", 1);
	assert_int_equal(say(client, NULL, "\"insert\": \"dropped\", \"documents\": [{\"_id\": 2}]",
				 START, 'N', 1),
		0);
	assert_int_equal(pthread_create(&thread, NULL, drop_it, NULL), 0);
	assert_true(test_wait(is_gone, NULL, WTNODE_WAIT_MS));
	assert_int_equal(commit('N', 1), 0);
	pthread_join(thread, NULL);
	assert_int_equal(count_all("dropped"), 0);
}

/* There are at most 64 open at once; the next one is told, and the node goes on. */
static void test_bounded(void **state)
{
	static const char names[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	(void)state;
	NEEDS_NODE(client);
	for (int n = 0; n < 64; n++) { /* above the numbers that a wait came to */
		assert_int_equal(
			say(client, NULL, "\"find\": \"x\"", SNAPSHOT, names[n], 500), 0);
	}
	wtnode_run_quietly(client, "admin", "{\"ping\": 1}");
	char json[1024];
	snprintf(json, sizeof(json),
		"{\"find\": \"x\", \"startTransaction\": true, \"autocommit\": false, "
		"\"txnNumber\": 1, \"lsid\": {\"id\": {\"$binary\": {\"base64\": "
		"\"AAAAAAAAAAAAAAAAAAAAAQ==\", \"subType\": \"04\"}}}}");
	assert_int_equal(wtnode_code_of(client, "txn", json), 261);
	wtnode_run_quietly(client, "admin", "{\"killAllSessions\": []}");
	assert_int_equal(wtnode_code_of(client, "txn", json), 0);
	wtnode_run_quietly(client, "admin", "{\"killAllSessions\": []}");
	assert_int_equal(wtnode_status_num(client, "transactions.currentOpen"), 0);
}

/* A node that is told to end does so with a transaction open, and what was not committed is gone.
 */
static void test_stops_with_open(void **state)
{
	(void)state;
	NEEDS_NODE(client);
	set_v("last", 1);
	assert_int_equal(say(client, NULL, "\"insert\": \"last\", \"documents\": [{\"_id\": 2}]",
				 START, 'O', 1000),
		0);
	assert_int_equal(wtnode_stop(&shared), 0);
	mongoc_client_destroy(client);
	wtnode_start(&shared, "2");
	client = wtnode_connect(&shared, "test");
	assert_int_equal(count_all("last"), 1);
	assert_int_equal(commit('O', 200), 251);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshot_stands_still),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_abort),
		cmocka_unit_test(test_write_conflict),
		cmocka_unit_test(test_failed_statement),
		cmocka_unit_test(test_wrong_numbers),
		cmocka_unit_test(test_refused_statements),
		cmocka_unit_test(test_current_op),
		cmocka_unit_test(test_read_timestamp),
		cmocka_unit_test(test_lifetime),
		cmocka_unit_test(test_kill_sessions),
		cmocka_unit_test(test_fields_as_options),
		cmocka_unit_test(test_drop_waits),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_stops_with_open),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
