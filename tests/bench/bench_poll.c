/*
 * What a poll costs the MongoDB node that is watched. A fake node answers with what a real one
 * (5.0.7) answered, section by section as it is asked for; the bytes of all its replies stand beside
 * those of a full serverStatus a second. Where MONGOD= names a program, its time is measured, too.
 */
#include <hotset/clock.h>
#include <hotset/source.h>

#include <mongoc/mongoc.h>
#include <poll.h>
#include <stdlib.h>

#include "bench.h"
#include "capture.h"
#include "fake_mongo.h"
#include "servers.h"

#include "../../src/source/mongo_status.h"

#define CAPTURE "tests/fixtures/captures/collscan-slow-hot.bson.gz"
#define POLLS   30  /* one a second; the first ones, which ask for everything, are not counted */
#define WARM    10
#define ROUNDS  400 /* of each command on a real mongod */
#define BYTES_BUDGET 0.65 /* of a full serverStatus' bytes, and of its time on the server */
#define TIME_BUDGET  0.5

struct node {
	bson_t *status; /* a full reply */
	bson_t *ops;    /* $currentOp's documents */
	uint64_t bytes; /* of all replies so far */
};

static bson_t *copy_field(const bson_t *doc, const char *name)
{
	bson_iter_t it;
	const uint8_t *data = NULL;
	uint32_t len = 0;

	if (!bson_iter_init_find(&it, doc, name))
		return NULL;
	if (BSON_ITER_HOLDS_ARRAY(&it))
		bson_iter_array(&it, &len, &data);
	else if (BSON_ITER_HOLDS_DOCUMENT(&it))
		bson_iter_document(&it, &len, &data);
	return data ? bson_new_from_data(data, len) : NULL;
}

static bool leaves_out(const bson_t *cmd, const char *section)
{
	bson_iter_t it;

	return bson_iter_init_find(&it, cmd, section) && !bson_iter_as_bool(&it);
}

/* As mongod does: `mem` is a part of `metrics`. */
static void reply_status(const struct node *n, const bson_t *cmd, bson_t *reply)
{
	bson_iter_t it;

	if (!bson_iter_init(&it, n->status))
		return;
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (!leaves_out(cmd, strcmp(key, "mem") == 0 ? "metrics" : key))
			bson_append_value(reply, key, -1, bson_iter_value(&it));
	}
}

/* All documents, also those that the pipeline would leave out: more bytes than in truth. */
static void reply_ops(const struct node *n, bson_t *reply)
{
	bson_t cursor;

	BSON_APPEND_DOCUMENT_BEGIN(reply, "cursor", &cursor);
	BSON_APPEND_INT64(&cursor, "id", 0);
	BSON_APPEND_UTF8(&cursor, "ns", "admin.$cmd.aggregate");
	BSON_APPEND_ARRAY(&cursor, "firstBatch", n->ops);
	bson_append_document_end(reply, &cursor);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

/* As large as a real one: a serverStatus and 5.7 KB of other things. */
static void reply_diagnostic(const struct node *n, bson_t *reply)
{
	static const uint8_t others[5672];
	bson_t data, system;

	BSON_APPEND_DOCUMENT_BEGIN(reply, "data", &data);
	BSON_APPEND_DOCUMENT(&data, "serverStatus", n->status);
	BSON_APPEND_BINARY(&data, "others", BSON_SUBTYPE_BINARY, others, sizeof(others));
	BSON_APPEND_DOCUMENT_BEGIN(&data, "systemMetrics", &system);
	bson_append_document_end(&data, &system);
	bson_append_document_end(reply, &data);
	BSON_APPEND_DOUBLE(reply, "ok", 1);
}

static enum fake_mongo_act answer(void *arg, const char *name, const bson_t *cmd, bson_t *reply)
{
	struct node *n = arg;

	if (fake_mongo_is_hello(name))
		fake_mongo_hello(reply);
	else if (strcmp(name, "serverStatus") == 0)
		reply_status(n, cmd, reply);
	else if (strcmp(name, "getDiagnosticData") == 0)
		reply_diagnostic(n, reply);
	else if (strcmp(name, "aggregate") == 0)
		reply_ops(n, reply);
	else
		BSON_APPEND_DOUBLE(reply, "ok", 1);
	n->bytes += reply->len;
	return FAKE_REPLY;
}

static bool load(struct node *n)
{
	struct capture *c = capture_open(CAPTURE);
	const bson_t *doc = c ? capture_next(c) : NULL;

	*n = (struct node){0};
	if (doc) {
		n->status = copy_field(doc, "serverStatus");
		n->ops = copy_field(doc, "currentOp");
	}
	capture_close(c);
	return n->status && n->ops;
}

static void wait_until(int64_t at_ns)
{
	int64_t left = at_ns - clock_mono_ns();

	if (left > 0)
		poll(NULL, 0, (int)(left / NS_PER_MS));
}

/* The bytes of the polls from WARM on, by the same source that the dashboard uses. */
static bool poll_for_a_while(struct node *n, const char *uri, unsigned wants, uint64_t *bytes)
{
	struct source_options o = {.interval_s = 1, .timeout_s = 5};
	int64_t begin = clock_mono_ns();
	struct target t;
	struct err err;
	uint64_t before = 0;
	struct source *s;
	bool ok = true;

	if (!target_parse(uri, &t, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return false;
	}
	s = t.ops->create(&t, &o);
	for (int i = 0; ok && i < WARM + POLLS; i++) {
		struct poll_request r = {clock_mono_ns() + 5 * NS_PER_SEC, wants};
		struct sample *out = sample_create(0);

		if (i == WARM)
			before = n->bytes;
		t.ops->poll(s, &r, out);
		ok = status_has_data(out->status);
		if (!ok)
			fprintf(stderr, "poll %d: %s\n", i, out->err.msg);
		sample_destroy(out);
		wait_until(begin + (i + 1) * NS_PER_SEC);
	}
	*bytes = n->bytes - before;
	t.ops->destroy(s);
	target_finish(&t);
	return ok;
}

static void bench_bytes(const char *name, struct node *n, const char *uri, unsigned wants)
{
	uint64_t bytes;

	if (poll_for_a_while(n, uri, wants, &bytes))
		bench_report(name, (double)bytes / POLLS / n->status->len, "", BYTES_BUDGET);
}

/* ---- time, where there is a mongod ---- */

static double time_status(mongoc_client_t *client, bool full, bool with_metrics)
{
	int64_t begin = clock_mono_ns();

	for (int i = 0; i < ROUNDS; i++) {
		bson_t cmd = BSON_INITIALIZER, reply;
		bson_error_t error;

		mongo_status_command(&cmd, full, with_metrics);
		if (!mongoc_client_command_simple(client, "admin", &cmd, NULL, &reply, &error))
			fprintf(stderr, "serverStatus: %s\n", error.message);
		bson_destroy(&reply);
		bson_destroy(&cmd);
	}
	return (double)(clock_mono_ns() - begin) / 1e3 / ROUNDS;
}

static void bench_time(void)
{
	struct server *s = server_mongod(NULL);
	mongoc_client_t *client = s ? mongoc_client_new(server_uri(s)) : NULL;
	double full, with, without, share = 1.0 / MONGO_METRICS_EVERY_S;

	if (client) {
		(void)time_status(client, true, true); /* warm */
		full = time_status(client, true, true);
		with = time_status(client, false, true);
		without = time_status(client, false, false);
		bench_report("full serverStatus of MONGOD", full, "us", 0);
		bench_report("a poll's serverStatus beside it",
			(share * with + (1 - share) * without) / full, "", TIME_BUDGET);
		mongoc_client_destroy(client);
	}
	server_stop(s);
}

int main(void)
{
	struct node n;
	struct fake_mongo fake = {answer, &n, NULL};
	struct fake *server;

	if (!load(&n)) {
		fprintf(stderr, "%s cannot be read\n", CAPTURE);
		return 1;
	}
	source_quiet();
	source_global_init();
	server = fake_start(fake_mongo_serve, &fake);
	bench_report("full serverStatus of 5.0.7", n.status->len, "B", 0);
	bench_bytes("a poll's bytes beside it, overview", &n, fake_uri(server, "mongodb", NULL),
		WANT_NODE_HOST);
	fake_stop(server);
	bench_time();
	source_global_finish();
	bson_destroy(n.status);
	bson_destroy(n.ops);
	return 0;
}
