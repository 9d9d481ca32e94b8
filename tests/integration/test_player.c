/*
 * The recording that plays in the place of wtnode must pass for a MongoDB node with a real driver,
 * tell this time, leave out what it is asked to leave out, and refuse what it does not know.
 */
#include "support.h"

#include <mongoc/mongoc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../src/lab/player.h"

#define RECORDING "tests/fixtures/captures/collscan-slow-cool.bson.gz"

struct played {
	pid_t            pid;
	mongoc_client_t *client;
};

static int start(void **state)
{
	static struct played p;
	char line[128] = "", uri[160];
	int out[2];
	unsigned port;
	FILE *f;

	assert_int_equal(pipe(out), 0);
	p.pid = fork();
	if (p.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], STDOUT_FILENO);
		_exit(player_run(RECORDING));
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_int_equal(sscanf(line, "listening on 127.0.0.1:%u", &port), 1);
	snprintf(uri, sizeof(uri), "mongodb://127.0.0.1:%u/?serverSelectionTimeoutMS=5000", port);
	mongoc_init();
	p.client = mongoc_client_new(uri);
	assert_non_null(p.client);
	*state = &p;
	return 0;
}

static int stop(void **state)
{
	struct played *p = *state;

	mongoc_client_destroy(p->client);
	kill(p->pid, SIGTERM);
	waitpid(p->pid, NULL, 0);
	mongoc_cleanup();
	return 0;
}

static bool ask(struct played *p, bson_t *command, bson_t *reply, bson_error_t *error)
{
	bool ok = mongoc_client_command_simple(p->client, "admin", command, NULL, reply, error);

	bson_destroy(command);
	return ok;
}

static void test_tells_status_of_now(void **state)
{
	bson_t reply;
	bson_error_t error;
	bson_iter_t it, field;

	assert_true(ask(*state, BCON_NEW("serverStatus", BCON_INT32(1), "metrics", BCON_INT32(0)),
		&reply, &error));
	assert_true(bson_iter_init(&it, &reply));
	assert_true(bson_iter_find_descendant(&it,
		"wiredTiger.cache.bytes currently in the cache", &field));
	assert_true(bson_iter_as_int64(&field) > 0);
	assert_false(bson_iter_init_find(&it, &reply, "metrics"));
	assert_true(bson_iter_init_find(&it, &reply, "localTime"));
	assert_true(llabs(bson_iter_date_time(&it) / 1000 - (long long)time(NULL)) < 60);
	bson_destroy(&reply);
}

static void test_lists_operations(void **state)
{
	bson_t reply;
	bson_error_t error;
	bson_iter_t it, batch;

	assert_true(ask(*state,
		BCON_NEW("aggregate", BCON_INT32(1), "pipeline", "[", "{", "$currentOp", "{", "}",
			"}", "]", "cursor", "{", "}"),
		&reply, &error));
	assert_true(bson_iter_init(&it, &reply));
	assert_true(bson_iter_find_descendant(&it, "cursor.firstBatch", &batch));
	assert_true(BSON_ITER_HOLDS_ARRAY(&batch));
	bson_destroy(&reply);
}

static void test_refuses_the_unknown(void **state)
{
	bson_t reply;
	bson_error_t error;

	assert_false(ask(*state, BCON_NEW("dropDatabase", BCON_INT32(1)), &reply, &error));
	assert_int_equal(error.code, 59);
	bson_destroy(&reply);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tells_status_of_now),
		cmocka_unit_test(test_lists_operations),
		cmocka_unit_test(test_refuses_the_unknown),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
