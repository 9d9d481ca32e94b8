/*
 * A mongod's diagnostic.data is replayed like a recording, with the conclusions that its captures
 * have; it has no operations, so nobody is named.
 */
#include "program.h"
#include "support.h"

#include <bson/bson.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_MS 60000
#define ROOT     "tests/fixtures/ftdc/"
#define LAST     "ftdc/base/metrics.2026-11-30T21-10-54Z-00000" /* chunks of 1, 10, 12, 74 */
#define BEFORE   "ftdc/base/metrics.2026-11-30T21-10-02Z-00000"

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

/* The last sample of a server that ends has no cache, and that makes it no other product. */
static void a_server_that_ends_is_still_a_mongod(void **state)
{
	struct run r = replay(ROOT "base/metrics.2026-11-30T21-10-02Z-00000 --once --format json");

	(void)state;
	assert_clean(&r);
	assert_non_null(strstr(r.out, "\"status\":\"partial\""));
	assert_non_null(strstr(r.out, "it is busy, or starts or ends"));
	assert_null(strstr(r.out, "emulation"));
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

static unsigned frames_of(const struct run *r)
{
	unsigned n = 0;

	for (const char *p = r->out; (p = strstr(p, "{\"hotset\":1")); p++)
		n++;
	return n;
}

static void write_file(const char *dir, const char *name, const char *data, size_t len)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* Where the n-th document of a file begins. */
static size_t document_at(const char *file, unsigned n)
{
	size_t at = 0;

	while (n--) {
		int32_t len;

		memcpy(&len, file + at, sizeof(len));
		at += (size_t)BSON_UINT32_FROM_LE(len);
	}
	return at;
}

/* A part that makes no sense costs its own samples and no others. */
static void reading_goes_on_behind_damage(void **state)
{
	static const struct {
		unsigned document, offset, frames;
		const char *what;
	} c[] = {
		{1, 4, 96, "the type of a field"},
		{2, 3, 87, "the length of a document"},
		{2, 200, 87, "packed data"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		char *dir = test_dir_create(), words[560];
		size_t len;
		char *data = test_fixture(LAST, &len);
		struct run r;

		data[document_at(data, c[i].document) + c[i].offset] ^= 0x7f;
		write_file(dir, "metrics.x", data, len);
		snprintf(words, sizeof(words), "%s -b --format json", dir);
		r = replay(words);
		assert_clean(&r);
		if (frames_of(&r) != c[i].frames)
			fail_msg("%s: %u frames", c[i].what, frames_of(&r));
		assert_non_null(strstr(r.err, "1 damaged part"));
		program_free(&r);
		free(data);
		test_dir_remove(dir);
	}
}

/* A recording only goes forward; what does not fit is not lost without a word. */
static void samples_of_an_earlier_clock_are_counted(void **state)
{
	char *dir = test_dir_create(), words[560];
	size_t len, len_before;
	char *data = test_fixture(LAST, &len), *before = test_fixture(BEFORE, &len_before);
	struct run r;

	(void)state;
	write_file(dir, "metrics.a", data, len);
	write_file(dir, "metrics.b", before, len_before);
	write_file(dir, "metrics.interim", data, len); /* repeats: that is its nature */
	snprintf(words, sizeof(words), "%s -b --format json", dir);
	r = replay(words);
	assert_clean(&r);
	assert_int_equal(frames_of(&r), 97);
	assert_non_null(strstr(r.err, " 52 samples of ")); /* 10 + 12 + 29 + 1 */
	program_free(&r);
	free(data);
	free(before);
	test_dir_remove(dir);
}

/* ---- an end in the middle ---- */

static bool has_entries(void *dir)
{
	DIR *d = opendir(dir);
	bool has = false;
	struct dirent *e;

	assert_non_null(d);
	while ((e = readdir(d)))
		has = has || e->d_name[0] != '.';
	closedir(d);
	return has;
}

/* So many samples that the signal comes before they are read. */
static void fill_directory(const char *dir)
{
	size_t len;
	char *data = test_fixture(LAST, &len), name[32];

	for (unsigned i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "metrics.%03u", i);
		write_file(dir, name, data, len);
	}
	free(data);
}

static void nothing_stays_behind_when_a_signal_ends_it(void **state)
{
	char *dir = test_dir_create(), *tmp = test_dir_create();
	int status;
	pid_t pid;

	(void)state;
	fill_directory(dir);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setenv("TMPDIR", tmp, 1);
		execl(program_path(), "hotset", "replay", dir, "--once", "--format", "json", NULL);
		_exit(127);
	}
	assert_true(test_wait(has_entries, tmp, LIMIT_MS));
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_false(has_entries(tmp));
	test_dir_remove(dir);
	test_dir_remove(tmp);
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
	assert_int_equal(fwrite(whole, 1, len, f), len);
	assert_int_equal(fwrite(whole, 1, len / 2, f), len / 2); /* the server died here */
	assert_int_equal(fclose(f), 0);
	free(whole);
	snprintf(words, sizeof(words), "%s --once --format json", path);
	r = replay(words);
	assert_clean(&r);
	assert_non_null(strstr(r.err, "1 damaged part of"));
	assert_non_null(strstr(r.out, "2026-11-30T21:10:54.000Z")); /* its last whole sample */
	program_free(&r);
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_idle_server_is_calm),
		cmocka_unit_test(a_hold_is_found_and_nobody_blamed),
		cmocka_unit_test(heavy_writes_cross_their_targets),
		cmocka_unit_test(a_server_that_ends_is_still_a_mongod),
		cmocka_unit_test(a_directory_is_one_recording),
		cmocka_unit_test(a_single_file_and_a_time),
		cmocka_unit_test(reading_goes_on_behind_damage),
		cmocka_unit_test(samples_of_an_earlier_clock_are_counted),
		cmocka_unit_test(nothing_stays_behind_when_a_signal_ends_it),
		cmocka_unit_test(a_torn_file_gives_what_is_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
