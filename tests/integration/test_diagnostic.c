/*
 * A mongod's diagnostic.data is replayed like a recording, with the conclusions that its captures
 * have; it has no operations, so nobody is named.
 */
#include "program.h"
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_MS 60000
#define ROOT     "tests/fixtures/ftdc/"

static struct run replay(const char *words)
{
	char line[640];

	snprintf(line, sizeof(line), "replay %s", words);
	return program_run(line, NULL, LIMIT_MS);
}

static void assert_clean(const struct run *r)
{
	if (r->code != 0)
		fail_msg("exit code %d: %.300s", r->code, r->err);
}

static void an_idle_server_is_calm(void **state)
{
	struct run r = replay(ROOT "idle -b --format json");

	(void)state;
	assert_clean(&r);
	assert_non_null(strstr(r.out, "\"version\":\"5.0.7\""));
	assert_null(strstr(r.out, "\"level\":\"warn\""));
	assert_null(strstr(r.out, "\"level\":\"crit\""));
	program_free(&r);
}

static void a_hold_is_found_and_nobody_blamed(void **state)
{
	struct run r = replay(ROOT "hold -b --format json");

	(void)state;
	assert_clean(&r);
	assert_non_null(strstr(r.out, "\"code\":\"mongo.pinned.held\""));
	assert_null(strstr(r.out, "report-job"));
	assert_non_null(strstr(r.out, "\"mongo.pinned.limit\":600"));
	assert_non_null(strstr(r.out, "\"role\":\"PRIMARY\""));
	program_free(&r);
}

/* Where the file has it, the order is the capture's. */
static void heavy_writes_cross_their_targets(void **state)
{
	struct run r = replay(ROOT "writes -b --format json");

	(void)state;
	assert_clean(&r);
	assert_non_null(strstr(r.out, "mongo.cache.updates_above_target"));
	assert_non_null(strstr(r.out, "mongo.cache.dirty_above_target"));
	assert_null(strstr(r.out, "\"code\":\"mongo.scan.storm\",\"level\"")); /* no event */
	program_free(&r);
}

/* Eleven files of a server that was restarted between them. */
static void a_directory_is_one_recording(void **state)
{
	struct run r = replay(ROOT "base -b --format json");
	unsigned frames = 0;

	(void)state;
	assert_clean(&r);
	for (const char *p = r.out; (p = strstr(p, "{\"hotset\":1")); p++)
		frames++;
	assert_int_equal(frames, 538);
	assert_non_null(strstr(r.out, "endpoint.restarted"));
	assert_null(strstr(r.out, "\"mongo.cache.pages_read\":-"));
	program_free(&r);
}

static void a_single_file_and_a_time(void **state)
{
	struct run r = replay(ROOT "hold/metrics.2026-11-30T21-12-31Z-00000 --at 21:14:00 --once "
				   "--format json");

	(void)state;
	assert_clean(&r);
	assert_non_null(strstr(r.out, "\"time\":\"2026-11-30T21:14:00.000Z\""));
	program_free(&r);
}

/* What was written when the server died is there, and the rest is said to be missing. */
static void a_torn_file_gives_what_is_whole(void **state)
{
	char *dir = test_dir_create(), path[512], words[560];
	size_t len;
	char *whole = test_fixture("ftdc/base/metrics.2026-11-30T21-10-02Z-00000", &len);
	struct run r;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/metrics.x", dir);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(whole, 1, len - 100, f), len - 100);
	assert_int_equal(fclose(f), 0);
	free(whole);
	snprintf(words, sizeof(words), "%s --once --format json", path);
	r = replay(words);
	if (r.code == 0)
		assert_non_null(strstr(r.err, "1 damaged part"));
	else
		assert_non_null(strstr(r.err, "holds no sample")); /* it was a single chunk */
	program_free(&r);
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_server_is_calm),
		cmocka_unit_test(a_hold_is_found_and_nobody_blamed),
		cmocka_unit_test(heavy_writes_cross_their_targets),
		cmocka_unit_test(a_directory_is_one_recording),
		cmocka_unit_test(a_single_file_and_a_time),
		cmocka_unit_test(a_torn_file_gives_what_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
