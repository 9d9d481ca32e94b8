/*
 * The command line is a contract: what is accepted means what the manual says, everything else is
 * one clear line; strength is flag, environment, user's file, system's file; no password stays in
 * argv or comes into a message.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hotset/options.h"

/* The environment of the test: pairs, NULL-terminated; no file of the machine is read. */
static const char *const *env_pairs;

static const char *env(const char *name)
{
	for (unsigned i = 0; env_pairs && env_pairs[i]; i += 2)
		if (strcmp(env_pairs[i], name) == 0)
			return env_pairs[i + 1];
	return NULL;
}

#define ARGS_MAX 32
static char storage[ARGS_MAX][256];
static char *args[ARGS_MAX + 1];

/* Splits a line at blanks into a writable argv and parses it. */
static bool parse(struct options *o, const char *line, struct err *err)
{
	int argc = 1;

	snprintf(storage[0], sizeof(storage[0]), "hotset");
	args[0] = storage[0];
	while (*line) {
		size_t n = strcspn(line, " ");
		snprintf(storage[argc], sizeof(storage[argc]), "%.*s", (int)n, line);
		args[argc] = storage[argc];
		argc++;
		line += n + (line[n] == ' ');
	}
	args[argc] = NULL;
	return options_parse(o, argc, args, env, err);
}

static struct options good(const char *line)
{
	struct options o;
	struct err err;

	if (!parse(&o, line, &err))
		fail_msg("'%s' refused: %s", line, err.msg);
	return o;
}

static void bad(const char *line, const char *part)
{
	struct options o;
	struct err err;

	if (parse(&o, line, &err))
		fail_msg("'%s' accepted", line);
	assert_int_equal(err.code, ERR_USAGE);
	if (!strstr(err.msg, part))
		fail_msg("'%s' says '%s', not '%s'", line, err.msg, part);
	assert_null(strchr(err.msg, '\n'));
}

static void defaults(void **state)
{
	(void)state;
	struct options o = good("");

	assert_int_equal(o.command, COMMAND_LIVE);
	assert_true(o.delay_s == 1 && o.timeout_s == 5 && o.speed == 1 && o.count == 0);
	assert_true(o.no_targets);
	assert_false(o.ascii || o.no_color || o.once || o.batch);
	options_finish(&o);
}

static void targets_interval_and_count(void **state)
{
	(void)state;
	struct options o = good("db=mongodb://h1 h2:6379 proc: 0.5 10");

	assert_int_equal(o.ntargets, 3);
	assert_string_equal(o.targets[0].name, "db");
	assert_string_equal(o.targets[1].id, "redis@h2:6379");
	assert_true(o.delay_s == 0.5 && o.count == 10);
	assert_false(o.no_targets);
	options_finish(&o);
	o = good("2");
	assert_true(o.delay_s == 2 && o.no_targets);
	options_finish(&o);
	bad("proc: 0.05", "0.1");
	bad("proc: 1 0", "count");
	bad("proc: 1 2 3", "one number too many");
	bad("proc: 1 h:6379", "behind the interval");
	bad("proc: nan", "neither a command nor a target");
	bad("proc: proc:", "named twice");
	bad("frobnicate", "neither a command nor a target");
	bad("ftp://h", "ftp");
}

static void options_in_all_spellings(void **state)
{
	(void)state;
	struct options o =
		good("-bn3 -d0.2 --format=json --size 100x30 proc: --timeout 2 --view host");

	assert_true(o.batch && o.count == 3 && o.delay_s == 0.2 && o.timeout_s == 2);
	assert_int_equal(o.format, FORMAT_JSON);
	assert_true(o.cols == 100 && o.rows == 30);
	assert_string_equal(o.view, "host");
	options_finish(&o);
	o = good("inspect -- -b");
	assert_string_equal(o.args[0], "-b");
	options_finish(&o);
	o = good("--once --ascii --no-color --log l --script s --theme mono proc:");
	assert_true(o.once && o.ascii && o.no_color);
	assert_string_equal(o.log_file, "l");
	assert_string_equal(o.script_file, "s");
	assert_string_equal(o.theme, "mono");
	options_finish(&o);
	bad("--frob", "--frob");
	bad("-Z", "-Z");
	bad("--once=1", "takes no value");
	bad("--format", "needs a value");
	bad("-d", "needs a value");
	bad("-d x", "'x'");
	bad("-d 0", "0.1");
	bad("-n -1", "-1");
	bad("--format xml", "openmetrics");
	bad("--size 0x5", "0x5");
	bad("--size 80", "80");
	bad("--timeout 0", "'0'");
	bad("--origin-ms 0", "'0'");
	bad("--origin-ms fast", "fast");
	bad("--probe redis://h", "memcached://HOST");
	bad("replay --probe f", "watched live or recorded");
	bad("--probe-key=a\tb memcached://h", "no blanks");
	bad("--view lab2", "lab2");
	bad("inspect --kind oracle f", "oracle");
}

static void what_is_not_built_is_said(void **state)
{
	(void)state;
	bad("--mouse", "not supported yet");
}

static void commands(void **state)
{
	(void)state;
	struct options o = good("record -o f.rec proc: 2");

	assert_int_equal(o.command, COMMAND_RECORD);
	assert_string_equal(o.record_file, "f.rec");
	assert_true(o.delay_s == 2);
	options_finish(&o);
	o = good("replay f.rec --at -10m --speed 8 --once");
	assert_int_equal(o.command, COMMAND_REPLAY);
	assert_string_equal(o.args[0], "f.rec");
	assert_string_equal(o.at, "-10m");
	assert_true(o.speed == 8);
	options_finish(&o);
	o = good("inspect --kind psi 1 2");
	assert_int_equal(o.nargs, 2);
	assert_string_equal(o.kind, "psi");
	options_finish(&o);
	o = good("metrics --markdown");
	assert_true(o.markdown);
	options_finish(&o);
	o = good("lab sweep --target redis://h --yes");
	assert_int_equal(o.command, COMMAND_LAB);
	assert_int_equal(o.ntargets, 1);
	assert_true(o.yes);
	options_finish(&o);
	o = good("check --help");
	assert_int_equal(o.command, COMMAND_HELP);
	options_finish(&o);
	o = good("-V");
	assert_int_equal(o.command, COMMAND_VERSION);
	options_finish(&o);
	bad("record proc:", "-o");
	bad("replay", "recording");
	bad("replay a b", "recording");
	bad("inspect", "file");
	bad("inspect a b c", "file");
	bad("lab a b", "'b'");
	bad("metrics x", "'x'");
	bad("--at 10:00 proc:", "replay");
	bad("--kind redis proc:", "inspect");
	bad("--target redis://h", "lab");
}

/* The exit code of a usage error depends on the command, so it must be known. */
static void check_is_known_even_when_refused(void **state)
{
	(void)state;
	struct options o;
	struct err err;

	assert_false(parse(&o, "check", &err));
	assert_int_equal(o.command, COMMAND_CHECK);
	assert_false(parse(&o, "check --frob", &err));
	assert_int_equal(o.command, COMMAND_CHECK);
}

static void no_password_stays_in_argv(void **state)
{
	(void)state;
	struct options o = good("redis://u:s3cret@h:6379/1 mongodb://u:s3cret@h/?authSource=admin");

	for (int i = 0; args[i]; i++)
		for (size_t k = 0; k < sizeof(storage[i]) - 6; k++)
			assert_memory_not_equal(storage[i] + k, "s3cret", 6);
	assert_string_equal(o.targets[0].password, "s3cret");
	options_finish(&o);
}

static void no_password_comes_into_a_message(void **state)
{
	static const char *const lines[] = {"redis://u:s3cret@", "frob://u:s3cret@h",
		"mongodb://u:s3cret@h:99999", "redis://u:s3cret@h redis://u:s3cret@h",
		"proc: 1 redis://u:s3cret@h", "x=redis://u:s3cret@h:0"};
	struct options o;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_false(parse(&o, lines[i], &err));
		assert_null(strstr(err.msg, "s3cret"));
	}
}

/* ---- files ---- */

static char *write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
	char *path = malloc(512);
	FILE *f;

	assert_non_null(path);
	snprintf(path, 512, "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void strength_of_settings(void **state)
{
	(void)state;
	char *dir = test_dir_create();
	char *path = write_file(dir, "config",
		"delay = 3\ntimeout = 7\nascii = yes\ntheme = light\nview = host\n"
		"[targets]\ncache = redis://h1\n",
		0644);
	const char *const pairs[] = {"HOTSET_CONFIG", path, "NO_COLOR", "1", NULL};

	env_pairs = pairs;
	struct options o = good("");
	assert_true(o.delay_s == 3 && o.timeout_s == 7 && o.ascii && o.no_color);
	assert_string_equal(o.theme, "light");
	assert_string_equal(o.view, "host");
	assert_int_equal(o.ntargets, 1);
	assert_string_equal(o.targets[0].name, "cache");
	assert_false(o.no_targets);
	options_finish(&o);
	o = good("-d 0.5 --theme mono --view redis proc:");
	assert_true(o.delay_s == 0.5);
	assert_string_equal(o.theme, "mono");
	assert_string_equal(o.view, "redis");
	assert_int_equal(o.ntargets, 1);
	assert_string_equal(o.targets[0].id, "proc:");
	options_finish(&o);
	o = good("proc: 4");
	assert_true(o.delay_s == 4); /* the positional interval is a flag, too */
	options_finish(&o);
	env_pairs = NULL;
	free(path);
	test_dir_remove(dir);
}

static void an_empty_no_color_means_nothing(void **state)
{
	(void)state;
	const char *const pairs[] = {"NO_COLOR", "", NULL};

	env_pairs = pairs;
	struct options o = good("proc:");
	assert_false(o.no_color);
	options_finish(&o);
	env_pairs = NULL;
}

static void errors_of_a_file_name_the_line(void **state)
{
	static const struct {
		const char *text, *part;
	} files[] = {
		{"# a comment\n\ndelai = 1\n", "config:3: unknown key 'delai'"},
		{"delay = soon\n", "config:1:"},
		{"delay = 0\n", "config:1:"},
		{"ascii = perhaps\n", "config:1:"},
		{"view = attic\n", "config:1: no such view: 'attic'"},
		{"delay = 1\nrubbish\n", "config:2:"},
		{"[tragets]\nx = proc:\n", "config:2: unknown section 'tragets'"},
		{"[targets]\nx = redis://u:s3cret@h\n", "chmod 600"},
		{"[targets]\nx = gopher://h\n", "gopher"},
	};
	char line[600];
	char *dir = test_dir_create();

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char *path = write_file(dir, "config", files[i].text, 0644);
		snprintf(line, sizeof(line), "--config %s", path);
		bad(line, files[i].part);
		free(path);
	}
	snprintf(line, sizeof(line), "--config %s/none", dir);
	struct options o;
	struct err err;
	assert_false(parse(&o, line, &err));
	test_dir_remove(dir);
}

static void credentials_from_a_private_file(void **state)
{
	(void)state;
	char line[600];
	char *dir = test_dir_create();
	char *path = write_file(dir, "c", "# who\nh1 admin pass word \ncache - only\n", 0600);

	snprintf(line, sizeof(line), "--credentials %s redis://h1 cache=redis://h2 redis://h3",
		path);
	struct options o = good(line);
	assert_string_equal(o.targets[0].user, "admin");
	assert_string_equal(o.targets[0].password, "pass word ");
	assert_string_equal(o.targets[1].user, "");
	assert_string_equal(o.targets[1].password, "only");
	assert_string_equal(o.targets[2].password, "");
	options_finish(&o);
	assert_int_equal(chmod(path, 0640), 0);
	bad(line, "chmod 600");
	free(path);
	path = write_file(dir, "c", "h1 admin\n", 0600);
	bad(line, "c:1:");
	free(path);
	test_dir_remove(dir);
}

static void passwords_from_the_environment(void **state)
{
	(void)state;
	const char *const pairs[] = {"REDISCLI_AUTH", "fromenv", "HOTSET_PASSWORD", "other", NULL};

	env_pairs = pairs;
	struct options o = good("redis://h1 redis://:own@h2 redis://u@h3 proc:");
	assert_string_equal(o.targets[0].password, "fromenv");
	assert_string_equal(o.targets[1].password, "own");
	assert_string_equal(o.targets[2].password, "other");
	assert_string_equal(o.targets[3].password, "");
	options_finish(&o);
	env_pairs = NULL;
}

static void the_default_configuration_is_accepted(void **state)
{
	(void)state;
	char line[600];
	size_t len;
	char *dir = test_dir_create();
	char path[512];

	snprintf(path, sizeof(path), "%s/config", dir);
	snprintf(line, sizeof(line), "%s/hotset --default-config > %s", test_build_dir(), path);
	assert_int_equal(system(line), 0);
	free(test_read_file(path, &len));
	assert_true(len > 200);
	snprintf(line, sizeof(line), "--config %s", path);
	struct options o = good(line);
	assert_true(o.delay_s == 1 && o.no_targets);
	options_finish(&o);
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(targets_interval_and_count),
		cmocka_unit_test(options_in_all_spellings),
		cmocka_unit_test(what_is_not_built_is_said),
		cmocka_unit_test(commands),
		cmocka_unit_test(check_is_known_even_when_refused),
		cmocka_unit_test(no_password_stays_in_argv),
		cmocka_unit_test(no_password_comes_into_a_message),
		cmocka_unit_test(strength_of_settings),
		cmocka_unit_test(an_empty_no_color_means_nothing),
		cmocka_unit_test(errors_of_a_file_name_the_line),
		cmocka_unit_test(credentials_from_a_private_file),
		cmocka_unit_test(passwords_from_the_environment),
		cmocka_unit_test(the_default_configuration_is_accepted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
