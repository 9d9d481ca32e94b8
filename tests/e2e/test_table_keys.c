/*
 * The operations view on a terminal: what is typed into a search is no key, details open and close,
 * and the copied row arrives at the terminal as one OSC 52 beside an undisturbed screen. Consoles
 * that would print such a sequence are not sent one. Scripts can press the same keys.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../bench/pty.h"
#include "busy.h"
#include "hotset/clock.h"
#include "hotset/record.h"
#include "program.h"
#include "support.h"

#define LIMIT_NS (10 * NS_PER_SEC)
#define OUT_MAX  (1u << 20)

struct tty {
	struct pty pty;
	char *out; /* all that it wrote */
	size_t len;
};

static char *dir;
static char file[512];

static int set_up(void **state)
{
	struct model *m = busy_model(0);
	struct recorder *r;
	struct err err;

	(void)state;
	dir = test_dir_create();
	snprintf(file, sizeof(file), "%s/busy.rec", dir);
	r = recorder_open(file, &err);
	assert_non_null(r);
	assert_true(recorder_endpoint(r, m->ep[0], &err));
	for (unsigned t = 0; t < 2; t++) {
		struct sample *s = busy_sample(m->ep[0], t);

		assert_true(recorder_sample(r, s, &err));
		sample_destroy(s);
	}
	assert_true(recorder_close(r, &err));
	model_destroy(m);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	test_dir_remove(dir);
	return 0;
}

/* ---- the terminal ---- */

static void read_some(struct tty *t)
{
	struct pollfd p = {.fd = t->pty.fd, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, 50) <= 0)
		return;
	n = read(t->pty.fd, t->out + t->len, OUT_MAX - t->len - 1);
	t->len += n > 0 ? (size_t)n : 0;
	t->out[t->len] = '\0';
}

/* Waits for the text in what came after `from`; where it ends. */
static size_t expect(struct tty *t, size_t from, const char *text)
{
	int64_t end = clock_mono_ns() + LIMIT_NS;
	const char *found;

	while (!(found = strstr(t->out + from, text))) {
		if (clock_mono_ns() > end)
			fail_msg("'%s' did not appear", text);
		read_some(t);
	}
	return (size_t)(found - t->out) + strlen(text);
}

static struct tty start(const char *term)
{
	const char *argv[] = {
		program_path(), "replay", file, "--view", "ops", "--theme", "mono", NULL};
	struct tty t = {.out = calloc(1, OUT_MAX)};

	assert_non_null(t.out);
	setenv("TERM", term, 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	assert_true(pty_start(&t.pty, argv));
	(void)expect(&t, 0, "the end of the recording");
	return t;
}

/* Types, then has all of the screen painted anew; what comes from here on is the new screen. */
static size_t press(struct tty *t, const char *keys)
{
	size_t from = t->len;

	assert_int_equal(write(t->pty.fd, keys, strlen(keys)), (ssize_t)strlen(keys));
	assert_int_equal(write(t->pty.fd, "\014", 1), 1);
	return expect(t, from, "hotset");
}

static void quit(struct tty *t)
{
	int64_t end = clock_mono_ns() + LIMIT_NS;
	int status;

	assert_int_equal(write(t->pty.fd, "q", 1), 1);
	while (waitpid(t->pty.pid, &status, WNOHANG) == 0) {
		assert_true(clock_mono_ns() < end);
		read_some(t);
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(t->pty.fd);
	free(t->out);
}

/* ---- OSC 52 ---- */

static size_t decode(const char *code, size_t len, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t n = 0;
	unsigned bits = 0, held = 0;

	for (size_t i = 0; i < len && code[i] != '='; i++) {
		const char *at = strchr(digits, code[i]);

		assert_true(at && code[i]);
		bits = (bits << 6 | (unsigned)(at - digits)) & 0xffffff;
		held += 6;
		if (held >= 8) {
			held -= 8;
			out[n++] = (char)(bits >> held & 0xff);
		}
	}
	out[n] = '\0';
	return n;
}

static void a_row_arrives_as_one_line(void **state)
{
	struct tty t = start("xterm-256color");
	size_t from = t.len, begin, end, n;
	char line[8192];

	(void)state;
	assert_int_equal(write(t.pty.fd, "y", 1), 1);
	begin = expect(&t, from, "\033]52;c;");
	end = expect(&t, begin, "\a") - 1;
	assert_true(end - begin < sizeof(line));
	n = decode(t.out + begin, end - begin, line);
	assert_int_equal(n, strlen(line)); /* no NUL in it */
	assert_non_null(strstr(line, "endpoint=mongo@127.0.0.1:27017\t"));
	assert_non_null(strstr(line, "\topid=8100\tsecs=4\tplan=COLLSCAN\tns=shop.items\t"));
	for (const char *p = line; *p; p++)
		assert_true((unsigned char)*p >= 0x20 || *p == '\t');
	(void)expect(&t, end, "copied 1 row");
	assert_null(strstr(t.out + end, "\033]52")); /* once */
	(void)expect(&t, press(&t, "j"), "report-job"); /* the screen is there as before */
	quit(&t);
}

static void a_console_is_not_sent_what_it_would_print(void **state)
{
	static const char *const types[] = {"linux", "vt100"};

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct tty t = start(types[i]);

		assert_int_equal(write(t.pty.fd, "y", 1), 1);
		(void)expect(&t, 0, "cannot copy");
		assert_null(strstr(t.out, "\033]52"));
		quit(&t);
	}
}

/* ---- keys ---- */

static void letters_of_a_search_are_no_keys(void **state)
{
	struct tty t = start("xterm-256color");
	size_t from = press(&t, "/q1x");

	(void)state;
	(void)expect(&t, from, "/q1x");
	(void)expect(&t, from, "0 of 33");
	from = press(&t, "\177\177\177REPORT"); /* Backspace */
	(void)expect(&t, from, "/REPORT");
	(void)expect(&t, from, "1 of 33");
	from = press(&t, "\rG"); /* kept, and keys are keys again */
	(void)expect(&t, from, "/REPORT: 1 of 33");
	from = press(&t, "/\025Größe\r"); /* Ctrl-U */
	(void)expect(&t, from, "/Größe: 10 of 33");
	from = press(&t, "\033");
	(void)expect(&t, from, "idle txn");
	quit(&t);
}

static void details_open_and_close(void **state)
{
	struct tty t = start("xterm-256color");
	size_t from = press(&t, "\033OB\r"); /* Down, Enter: the idle transaction */

	(void)state;
	(void)expect(&t, from, "open for 71 s, idle");
	from = press(&t, "\033");
	(void)expect(&t, from, "IDHACK");
	assert_null(strstr(t.out + from, "open for"));
	from = press(&t, "c\r");
	(void)expect(&t, from, "scanned to searched");
	quit(&t);
}

static void a_script_presses_the_same_keys(void **state)
{
	char script[1024], path[600], shot[600], line[2048];
	struct run r;
	char *text;
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/keys", dir);
	snprintf(shot, sizeof(shot), "%s/shot", dir);
	snprintf(script, sizeof(script),
		":wait report-job\nSpace\n/\nq\nBSpace\nc\nC-u\nw\ne\nb\nEnter\n"
		":wait /web: 10 of 33\nEscape\ns\nS\nc\nEnter\n:wait scanned to searched\n"
		":dump %s\nq\n", shot);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(script, f) >= 0);
	fclose(f);
	snprintf(line, sizeof(line), "replay %s --view ops --size 120x36 --script %s", file, path);
	r = program_run(line, NULL, 20000);
	if (r.code != 0)
		fail_msg("%s", r.err);
	text = test_read_file(shot, NULL);
	assert_non_null(text);
	assert_non_null(strstr(text, "▶ collec"));
	free(text);
	program_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_arrives_as_one_line),
		cmocka_unit_test(a_console_is_not_sent_what_it_would_print),
		cmocka_unit_test(letters_of_a_search_are_no_keys),
		cmocka_unit_test(details_open_and_close),
		cmocka_unit_test(a_script_presses_the_same_keys),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
