/*
 * The command line as scripts use it: exit codes, one line per error on stderr and nothing on
 * stdout, valid JSON, CSV with a constant number of fields, no escape without a terminal, and no
 * failure when the reader goes away.
 */
#include "support.h"

#include <bson/bson.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hotset/clock.h"
#include "program.h"
#include "servers.h"
#include "../fake/fake.h"

#define LIMIT_MS 20000

static void assert_one_line(const char *s)
{
	const char *nl = strchr(s, '\n');

	if (!nl || nl[1] != '\0' || strncmp(s, "hotset: ", 8) != 0)
		fail_msg("not one line of hotset: '%s'", s);
}

static void fails(const char *line, int code, const char *part)
{
	struct run r = program_run(line, NULL, LIMIT_MS);

	if (r.code != code || !strstr(r.err, part) || r.out_len != 0)
		fail_msg("'%s' gave %d, '%s', '%s'", line, r.code, r.err, r.out);
	assert_one_line(r.err);
	program_free(&r);
}

static bson_t *json_of(const char *text)
{
	bson_error_t error;
	bson_t *doc = bson_new_from_json((const uint8_t *)text, -1, &error);

	if (!doc)
		fail_msg("%s in '%.300s'", error.message, text);
	return doc;
}

/* The status of the first endpoint of an object. */
static void assert_status(const char *json, const char *want)
{
	char part[64];

	bson_destroy(json_of(json));
	snprintf(part, sizeof(part), "\"status\":\"%s\"", want);
	if (!strstr(json, part))
		fail_msg("status is not %s in '%.300s'", want, json);
}

static void usage_errors(void **state)
{
	(void)state;
	fails("--frobnicate", 2, "--frobnicate");
	fails("frobnicate", 2, "frobnicate");
	fails("proc: 0", 2, "0.1");
	fails("--mouse", 2, "not supported yet");
	fails("--format yaml proc:", 2, "openmetrics");
	fails("replay", 2, "recording");
	fails("check", 3, "target");
	fails("check --frobnicate", 3, "--frobnicate");
	fails("--config tests/none proc:", 2, "tests/none");
	fails("lab nonesuch", 2, "nonesuch");
	/* one line: the driver's own words stay in the log */
	fails("redis://h:x mongodb://h/?foo=bar", 2, "the port must be");
	fails("mongodb://h/?foo=bar redis://u:secret/h", 2, "redis://u:***");
	fails("replay --at yesterday tests/fixtures/rec/v1-scan.rec --once", 2, "yesterday");
}

static void runtime_errors(void **state)
{
	(void)state;
	fails("replay tests/none.rec", 1, "tests/none.rec");
	fails("replay Makefile", 1, "no recording");
	fails("replay tests", 1, "diagnostic.data");
	fails("replay metrics.2026-11-30T20-00-00Z-00000", 1, "metrics.2026");
	fails("inspect tests/none", 1, "tests/none");
	fails("inspect Makefile", 1, "--kind");
	fails("inspect tests/fixtures", 1, "tests/fixtures");
	fails("--theme /tests/none.theme --script Makefile proc:", 2, "none.theme");
}

static void help_and_version_are_plain(void **state)
{
	(void)state;
	static const char *const lines[] = {"--help", "-h", "--version", "-V", "--default-config",
		"metrics", "metrics --markdown"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct run r = program_run(lines[i], NULL, LIMIT_MS);
		assert_int_equal(r.code, 0);
		assert_string_equal(r.err, "");
		assert_true(r.out_len > 5);
		assert_null(strchr(r.out, 27));
		program_free(&r);
	}
}

static void this_host_once(void **state)
{
	(void)state;
	struct run r = program_run("proc: --once -d 0.2 --format json", NULL, LIMIT_MS);

	assert_int_equal(r.code, 0);
	assert_string_equal(r.err, "");
	assert_status(r.out, "ok");
	assert_null(strstr(r.out, "needs a second sample")); /* two samples, so rates exist */
	program_free(&r);
}

/* Themes are found beside the program, wherever it was installed or built, and by their path. */
static void themes_are_found_by_name(void **state)
{
	(void)state;
	char line[600], path[512];
	char *dir = test_dir_create();
	FILE *f;

	snprintf(path, sizeof(path), "%s/hotset", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/hotset/themes", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/hotset/themes/mine.theme", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("warn = yellow bold\n", f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/keys", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(":wait this host\nq\n", f);
	fclose(f);
	char *whole = realpath(dir, NULL);
	assert_non_null(whole);
	setenv("XDG_CONFIG_HOME", whole, 1);
	free(whole);
	snprintf(line, sizeof(line), "proc: --theme mine --script %s", path);
	struct run r = program_run(line, NULL, LIMIT_MS);
	unsetenv("XDG_CONFIG_HOME");
	if (r.code != 0)
		fail_msg("%s", r.err);
	program_free(&r);
	snprintf(line, sizeof(line), "proc: --theme nobodys --script %s", path);
	fails(line, 2, "nobodys");
	test_dir_remove(dir);
}

static void a_screen_without_a_terminal_is_text(void **state)
{
	(void)state;
	struct run r = program_run("proc: -n 2 -d 0.1 --size 90x20", NULL, LIMIT_MS);
	unsigned lines = 0;

	assert_int_equal(r.code, 0);
	assert_null(strchr(r.out, 27));
	assert_non_null(strstr(r.out, "hotset"));
	for (const char *p = r.out; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 40);
	program_free(&r);
}

static void batch_prints_an_object_per_tick(void **state)
{
	(void)state;
	struct run r = program_run("proc: -b -n 3 -d 0.1 --format json", NULL, LIMIT_MS);
	unsigned n = 0;
	char *save = NULL;

	assert_int_equal(r.code, 0);
	for (char *l = strtok_r(r.out, "\n", &save); l; l = strtok_r(NULL, "\n", &save), n++)
		assert_status(l, "ok");
	assert_int_equal(n, 3);
	program_free(&r);
}

static void csv_has_five_fields(void **state)
{
	(void)state;
	struct run r = program_run("proc: --once -d 0.1 --format csv", NULL, LIMIT_MS);
	char *save = NULL;
	unsigned n = 0;

	assert_int_equal(r.code, 0);
	for (char *l = strtok_r(r.out, "\n", &save); l; l = strtok_r(NULL, "\n", &save), n++) {
		unsigned commas = 0;
		bool quoted = false;
		for (const char *p = l; *p; p++) {
			quoted ^= *p == '"';
			commas += *p == ',' && !quoted;
		}
		assert_int_equal(commas, 4);
		assert_int_equal(
			strncmp(l, n ? "20" : "time,endpoint,metric,value,unit", n ? 2 : 31), 0);
	}
	assert_true(n > 20);
	program_free(&r);
}

static void what_answers_nothing_is_code_1(void **state)
{
	(void)state;
	char line[128];

	snprintf(line, sizeof(line), "redis://127.0.0.1:%u --once --format json -d 0.1",
		server_free_port());
	struct run r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 1);
	assert_status(r.out, "refused");
	program_free(&r);
	snprintf(line, sizeof(line), "redis://127.0.0.1:%u -b -n 1 --format json",
		server_free_port());
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 1);
	program_free(&r);
	/* one that answers is enough */
	snprintf(line, sizeof(line), "redis://127.0.0.1:%u proc: --once -d 0.1 --format json",
		server_free_port());
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 0);
	program_free(&r);
}

static void silent(struct fake_conn *c)
{
	fake_hold(c);
}

/* One target is silent: the others go on, and the ticks keep their time. */
static void a_dead_target_blocks_nobody(void **state)
{
	(void)state;
	struct fake *f = fake_start(silent, NULL);
	char line[256], *save = NULL;
	unsigned n = 0;

	snprintf(line, sizeof(line), "%s proc: -b -n 8 -d 0.3 --timeout 0.6 --format json",
		fake_uri(f, "redis", NULL));
	int64_t start = clock_mono_ns();
	struct run r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 0);
	assert_true(clock_mono_ns() - start < 10 * NS_PER_SEC); /* 8 x 0.3 s, the first answer */
	for (char *l = strtok_r(r.out, "\n", &save); l; l = strtok_r(NULL, "\n", &save), n++) {
		bson_destroy(json_of(l));
		if (!strstr(l, "\"id\":\"proc:\",\"kind\":\"host\",\"status\":\"ok\""))
			fail_msg("tick %u without the host: %.200s", n, l);
	}
	assert_int_equal(n, 8);
	program_free(&r);
	snprintf(line, sizeof(line), "check %s --timeout 0.5 -d 0.1", fake_uri(f, "redis", NULL));
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 2);
	program_free(&r);
	fake_stop(f);
}

static void wants_a_password(struct fake_conn *c)
{
	char words[FAKE_WORDS][FAKE_WORD_MAX];

	while (fake_read_command(c, words) > 0)
		if (!fake_puts(c, "-NOAUTH Authentication required.\r\n"))
			return;
}

/* It lives, and nothing is known of it: neither a warning nor critical. */
static void check_without_a_password_is_unknown(void **state)
{
	(void)state;
	struct fake *f = fake_start(wants_a_password, NULL);
	char line[128];

	snprintf(line, sizeof(line), "check %s -d 0.1", fake_uri(f, "redis", NULL));
	struct run r = program_run(line, NULL, LIMIT_MS);
	if (r.code != 3)
		fail_msg("%d: %s", r.code, r.out);
	assert_int_equal(strncmp(r.out, "unknown: ", 9), 0);
	assert_null(strstr(r.out, "more)")); /* one problem, said once */
	program_free(&r);
	fake_stop(f);
}

static void check_is_one_line_and_a_code(void **state)
{
	(void)state;
	char line[128];
	struct run r = program_run("check proc: -d 0.1", NULL, LIMIT_MS);

	assert_in_range(r.code, 0, 2); /* this machine may be in any state, but is known */
	assert_non_null(strchr(r.out, '\n'));
	assert_null(strchr(strchr(r.out, '\n') + 1, '\n'));
	program_free(&r);
	snprintf(line, sizeof(line), "check redis://127.0.0.1:%u", server_free_port());
	r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 2);
	assert_int_equal(strncmp(r.out, "critical: ", 10), 0);
	program_free(&r);
}

static void inspect_gives_levels_then_rates(void **state)
{
	(void)state;
	struct run r =
		program_run("inspect --format json tests/fixtures/cases/A14.info", NULL, LIMIT_MS);

	assert_int_equal(r.code, 0);
	assert_status(r.out, "ok");
	assert_non_null(strstr(r.out, "\"id\":\"file:A14.info\""));
	assert_non_null(strstr(r.out, "\"rtt_ms\":null"));
	assert_non_null(strstr(r.out, "\"redis.mem.max\":\"no limit\""));
	program_free(&r);
	static const char one[] =
		"# Server\r\nrun_id:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
		"redis_version:7.0.15\r\nuptime_in_seconds:100\r\n"
		"server_time_usec:1796072400000000\r\n"
		"# Stats\r\nkeyspace_hits:1000\r\nkeyspace_misses:0\r\n";
	static const char two[] =
		"# Server\r\nrun_id:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
		"redis_version:7.0.15\r\nuptime_in_seconds:110\r\n"
		"server_time_usec:1796072410000000\r\n"
		"# Stats\r\nkeyspace_hits:1500\r\nkeyspace_misses:0\r\n";
	char line[600], path[512];
	char *dir = test_dir_create();
	snprintf(path, sizeof(path), "%s/one", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(one, f);
	fclose(f);
	snprintf(line, sizeof(line), "inspect --format json %s", path);
	r = program_run(line, NULL, LIMIT_MS);
	assert_non_null(strstr(r.out, "\"redis.hits\":null"));
	assert_non_null(strstr(r.out, "\"redis.hits\":\"one dump\""));
	program_free(&r);
	snprintf(line, sizeof(line), "inspect --format json %s -", path);
	r = program_run(line, two, LIMIT_MS);
	assert_status(r.out, "ok");
	assert_non_null(strstr(r.out, "\"redis.hits\":50,"));
	assert_non_null(strstr(r.out, "\"time\":\"2026-11-30T21:00:10.000Z\""));
	program_free(&r);
	test_dir_remove(dir);
}

static void dumps_without_a_time_give_no_rates(void **state)
{
	(void)state;
	struct run r = program_run("inspect --format json tests/fixtures/cases/D15a.vmstat "
				   "tests/fixtures/cases/D15b.vmstat", NULL, LIMIT_MS);

	assert_int_equal(r.code, 0);
	assert_status(r.out, "partial");
	assert_non_null(strstr(r.out, "no time in the dumps"));
	assert_non_null(strstr(r.out, "\"host.vm.scan\":null"));
	program_free(&r);
}

static void every_kind_of_dump_is_recognised(void **state)
{
	static const struct {
		const char *file, *kind, *status;
	} dumps[] = {
		{"A01.info", "redis", "ok"},
		{"A05.raw", "redis", "loading"},
		{"A26.raw", "redis", "auth"},
		{"B01.stats", "memcached", "ok"},
		{"B03.stats", "memcached", "unsupported"},
		{"B13.raw", "memcached", "refused"},
		{"C01.json", "mongo", "ok"},
		{"C03.json", "mongo", "ok"},
		{"C05.json", "mongo", "ok"},
		{"C15.json", "mongo", "auth"},
		{"C21.json", "mongo", "ok"},
		{"D01.meminfo", "host", "ok"},
		{"D11.json", "host", "ok"},
		{"D15a.vmstat", "host", "ok"},
		{"D19.stat", "host", "ok"},
		{"D21.json", "host", "ok"},
		{"F17.metrics", "host", "ok"},
	};
	char line[128], part[64];

	(void)state;
	for (size_t i = 0; i < sizeof(dumps) / sizeof(dumps[0]); i++) {
		snprintf(line, sizeof(line), "inspect --format json tests/fixtures/cases/%s",
			dumps[i].file);
		struct run r = program_run(line, NULL, LIMIT_MS);
		if (r.code != 0)
			fail_msg("%s: %s", dumps[i].file, r.err);
		assert_status(r.out, dumps[i].status);
		snprintf(part, sizeof(part), "\"kind\":\"%s\"", dumps[i].kind);
		assert_non_null(strstr(r.out, part));
		program_free(&r);
	}
	struct run r = program_run("inspect --format json --kind psi -",
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n"
		"full avg10=0.00 avg60=0.00 avg300=0.00 total=3\n", LIMIT_MS);
	assert_status(r.out, "ok");
	assert_non_null(strstr(r.out, "\"host.psi.mem.full_total\":3"));
	program_free(&r);
	r = program_run("inspect --format json -",
		"/sys/fs/cgroup/memory.current:4096\n/sys/fs/cgroup/memory.max:max\n"
		"/sys/fs/cgroup/memory.stat:file 1024\n",
		LIMIT_MS);
	assert_non_null(strstr(r.out, "\"host.cgroup.used\":4096"));
	assert_non_null(strstr(r.out, "\"host.cgroup.file\":1024"));
	assert_non_null(strstr(r.out, "\"host.cgroup.max\":\"no limit\""));
	program_free(&r);
}

/* No control byte of a dump reaches the output, in no format. */
static void hostile_names_stay_harmless(void **state)
{
	static const char *const formats[] = {"text", "json", "csv"};
	char line[128];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "inspect --format %s tests/fixtures/cases/E01.info",
			formats[i]);
		struct run r = program_run(line, NULL, LIMIT_MS);
		assert_int_equal(r.code, 0);
		for (size_t k = 0; k < r.out_len; k++)
			if ((unsigned char)r.out[k] < 0x20 && r.out[k] != '\n')
				fail_msg("byte 0x%02x in %s", r.out[k], formats[i]);
		program_free(&r);
	}
}

static void record_then_replay(void **state)
{
	(void)state;
	char line[600];
	char *dir = test_dir_create();
	struct stat st;

	snprintf(line, sizeof(line), "record -o %s/a.rec.gz proc: 0.1 4", dir);
	struct run r = program_run(line, NULL, LIMIT_MS);
	assert_int_equal(r.code, 0);
	assert_int_equal(r.out_len, 0);
	program_free(&r);
	snprintf(line, sizeof(line), "%s/a.rec.gz", dir);
	assert_int_equal(stat(line, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	snprintf(line, sizeof(line), "replay %s/a.rec.gz -b --format json", dir);
	r = program_run(line, NULL, LIMIT_MS);
	unsigned n = 0;
	char *save = NULL;
	for (char *l = strtok_r(r.out, "\n", &save); l; l = strtok_r(NULL, "\n", &save), n++)
		assert_status(l, "ok");
	assert_int_equal(n, 4);
	program_free(&r);
	snprintf(line, sizeof(line), "record -o %s/a.rec.gz proc:", dir);
	fails(line, 1, "exists");
	snprintf(line, sizeof(line), "record -o %s/none/a.rec proc:", dir);
	fails(line, 1, "none/a.rec");
	test_dir_remove(dir);
}

/* "hotset -b | head -1" ends quietly. */
static void a_closed_pipe_is_no_failure(void **state)
{
	(void)state;
	int out[2], status;
	char line[64];
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], 1);
		execl(program_path(), "hotset", "proc:", "-b", "-d", "0.1", "--format", "json",
			(char *)NULL);
		_exit(127);
	}
	close(out[1]);
	assert_true(read(out[0], line, sizeof(line)) > 0);
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void signals_end_it_with_0(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		int out[2], status;
		char line[64];
		pid_t pid;

		assert_int_equal(pipe2(out, O_CLOEXEC), 0);
		pid = fork();
		if (pid == 0) {
			dup2(out[1], 1);
			execl(program_path(), "hotset", "proc:", "-b", "-d", "60", (char *)NULL);
			_exit(127);
		}
		close(out[1]);
		assert_true(read(out[0], line, sizeof(line)) > 0); /* it is up */
		kill(pid, signals[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
		close(out[0]);
	}
}

static void a_script_drives_the_screen_without_a_terminal(void **state)
{
	(void)state;
	char line[600], path[512];
	char *dir = test_dir_create(), *text;
	size_t len;

	snprintf(path, sizeof(path), "%s/keys", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f,
		"# a comment\n:wait this host\n?\n:wait Esc\nEscape\n5\n"
		":wait memory\n:dump %s/screen\n",
		dir);
	fclose(f);
	snprintf(line, sizeof(line), "proc: --size 100x30 --script %s", path);
	struct run r = program_run(line, NULL, LIMIT_MS);
	if (r.code != 0)
		fail_msg("%s", r.err);
	assert_int_equal(r.out_len, 0);
	program_free(&r);
	snprintf(path, sizeof(path), "%s/screen", dir);
	text = test_read_file(path, &len);
	assert_non_null(text);
	assert_non_null(strstr(text, "memory"));
	free(text);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("\n\nFrob\n", f);
	fclose(f);
	snprintf(line, sizeof(line), "proc: --script %s", path);
	fails(line, 1, "script line 3: unknown key 'Frob'");
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usage_errors),
		cmocka_unit_test(runtime_errors),
		cmocka_unit_test(help_and_version_are_plain),
		cmocka_unit_test(this_host_once),
		cmocka_unit_test(themes_are_found_by_name),
		cmocka_unit_test(a_screen_without_a_terminal_is_text),
		cmocka_unit_test(batch_prints_an_object_per_tick),
		cmocka_unit_test(csv_has_five_fields),
		cmocka_unit_test(what_answers_nothing_is_code_1),
		cmocka_unit_test(a_dead_target_blocks_nobody),
		cmocka_unit_test(check_without_a_password_is_unknown),
		cmocka_unit_test(check_is_one_line_and_a_code),
		cmocka_unit_test(inspect_gives_levels_then_rates),
		cmocka_unit_test(dumps_without_a_time_give_no_rates),
		cmocka_unit_test(every_kind_of_dump_is_recognised),
		cmocka_unit_test(hostile_names_stay_harmless),
		cmocka_unit_test(record_then_replay),
		cmocka_unit_test(a_closed_pipe_is_no_failure),
		cmocka_unit_test(signals_end_it_with_0),
		cmocka_unit_test(a_script_drives_the_screen_without_a_terminal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
