/*
 * The program on a pseudo-terminal: keys are answered also while a server hangs, every size and
 * TERM is survived, and however it ends (a key, a signal, a crash, the terminal's death) the
 * terminal is as it was and the process is gone.
 */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "hotset/clock.h"
#include "program.h"

#define WAIT_MS 10000

struct tty {
	int            master, slave;
	pid_t          pid;
	struct termios before;
	char          *out;
	size_t         len;
	int            control; /* to the mini shell, where there is one */
	int            report;
};

struct setup {
	int         w, h;
	const char *env[12]; /* pairs; a NULL value unsets */
	const char *args[8];
	bool        ignore_hup;
	bool        shell;   /* under a shell with job control */
};

/* ---- the terminal ---- */

static void set_env(const struct setup *s)
{
	static const char *const cleared[] = {"LC_ALL", "LC_CTYPE", "NO_COLOR", "COLUMNS", "LINES",
		"HOTSET_CONFIG", "XDG_CONFIG_HOME", "HOME"};

	for (size_t i = 0; i < sizeof(cleared) / sizeof(cleared[0]); i++)
		unsetenv(cleared[i]);
	setenv("TERM", "xterm-256color", 1);
	setenv("LANG", "C.UTF-8", 1);
	for (int i = 0; s->env[i]; i += 2)
		setenv(s->env[i], s->env[i + 1], 1);
}

static void exec_hotset(const struct setup *s)
{
	const char *argv[12] = {program_path()};
	int n = 1;

	for (; s->args[n - 1]; n++)
		argv[n] = s->args[n - 1];
	if (n == 1)
		argv[n++] = "proc:";
	argv[n] = NULL;
	execv(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* A shell with one job: reports when it stopped ('S') or ended ('E'), continues it when told. */
static void run_shell(const struct setup *s, int control, int report)
{
	int status;
	char c;
	pid_t job = fork();

	signal(SIGTTOU, SIG_IGN);
	if (job == 0) {
		setpgid(0, 0);
		tcsetpgrp(0, getpid());
		signal(SIGTTOU, SIG_DFL);
		exec_hotset(s);
	}
	setpgid(job, job);
	tcsetpgrp(0, job);
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		tcsetpgrp(0, getpgrp());
		if (write(report, "S", 1) != 1 || read(control, &c, 1) != 1)
			_exit(1);
		tcsetpgrp(0, job);
		kill(-job, SIGCONT);
	}
	if (write(report, "E", 1) != 1)
		_exit(1);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static struct tty start(struct setup s)
{
	struct tty t = {.control = -1, .report = -1};
	struct winsize ws = {.ws_row = (unsigned short)s.h, .ws_col = (unsigned short)s.w};
	int control[2], report[2];

	t.out = calloc(1, 1);
	assert_int_equal(openpty(&t.master, &t.slave, NULL, NULL, &ws), 0);
	fcntl(t.master, F_SETFD, FD_CLOEXEC);
	fcntl(t.slave, F_SETFD, FD_CLOEXEC);
	assert_int_equal(tcgetattr(t.slave, &t.before), 0);
	assert_int_equal(pipe2(control, O_CLOEXEC), 0);
	assert_int_equal(pipe2(report, O_CLOEXEC), 0);
	t.pid = fork();
	assert_true(t.pid >= 0);
	if (t.pid == 0) {
		setsid();
		ioctl(t.slave, TIOCSCTTY, 0);
		dup2(t.slave, 0);
		dup2(t.slave, 1);
		dup2(t.slave, 2);
		set_env(&s);
		if (s.ignore_hup)
			signal(SIGHUP, SIG_IGN);
		if (s.shell)
			run_shell(&s, control[0], report[1]);
		exec_hotset(&s);
	}
	close(control[0]);
	close(report[1]);
	t.control = control[1];
	t.report = report[0];
	return t;
}

/* Reads what the program wrote within ms. */
static void read_some(struct tty *t, int ms)
{
	char chunk[65536];
	struct pollfd p = {.fd = t->master, .events = POLLIN};
	ssize_t n;

	if (poll(&p, 1, ms) <= 0 || (n = read(t->master, chunk, sizeof(chunk))) <= 0)
		return;
	t->out = realloc(t->out, t->len + (size_t)n + 1);
	assert_non_null(t->out);
	for (ssize_t i = 0; i < n; i++)
		t->out[t->len++] = chunk[i] ? chunk[i] : ' ';
	t->out[t->len] = '\0';
}

/* Waits until the text appears in what was written since `from`. */
static void expect_from(struct tty *t, size_t from, const char *text)
{
	int64_t end = clock_mono_ns() + WAIT_MS * NS_PER_MS;

	while (!strstr(t->out + from, text)) {
		if (clock_mono_ns() > end)
			fail_msg("'%s' did not appear", text);
		read_some(t, 50);
	}
}

static void expect(struct tty *t, const char *text)
{
	expect_from(t, 0, text);
}

static void send_keys(struct tty *t, const char *keys)
{
	assert_int_equal(write(t->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Waits for its end, at most limit_ms; returns waitpid's status. */
static int wait_end(struct tty *t, int limit_ms)
{
	int64_t end = clock_mono_ns() + limit_ms * NS_PER_MS;
	int status;

	for (;;) {
		pid_t got = waitpid(t->pid, &status, WNOHANG);
		if (got == t->pid)
			break;
		if (clock_mono_ns() > end) {
			kill(t->pid, SIGKILL);
			waitpid(t->pid, &status, 0);
			fail_msg("the program did not end within %d ms", limit_ms);
		}
		if (t->master >= 0)
			read_some(t, 20);
		else
			poll(NULL, 0, 20);
	}
	while (t->master >= 0) {
		size_t before = t->len;
		read_some(t, 20);
		if (t->len == before)
			break;
	}
	return status;
}

static void finish(struct tty *t)
{
	if (t->master >= 0)
		close(t->master);
	close(t->slave);
	close(t->control);
	close(t->report);
	free(t->out);
}

/* The last of two sequences wins. */
static const char *last_of(const char *text, const char *part)
{
	const char *found = NULL;

	for (const char *p = text; (p = strstr(p, part)); p++)
		found = p;
	return found;
}

static void assert_restored(struct tty *t)
{
	static const char *const never[] = {
		"?1000h", "?1002h", "?1003h", "?1006h", "?2004h", "\033]0;"};
	struct termios now;

	assert_int_equal(tcgetattr(t->slave, &now), 0);
	assert_int_equal(now.c_iflag, t->before.c_iflag);
	assert_int_equal(now.c_oflag, t->before.c_oflag);
	assert_int_equal(now.c_cflag, t->before.c_cflag);
	assert_int_equal(now.c_lflag, t->before.c_lflag);
	assert_memory_equal(now.c_cc, t->before.c_cc, sizeof(now.c_cc));
	if (strstr(t->out, "?1049h"))
		assert_true(last_of(t->out, "?1049l") > last_of(t->out, "?1049h"));
	if (strstr(t->out, "?25l"))
		assert_true(last_of(t->out, "?25h") > last_of(t->out, "?25l"));
	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_null(strstr(t->out, never[i]));
}

static void assert_exit(int status, int code)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
		fail_msg("status %#x, wanted exit code %d", (unsigned)status, code);
}

static void quit_and_check(struct tty *t)
{
	send_keys(t, "q");
	assert_exit(wait_end(t, WAIT_MS), 0);
	assert_restored(t);
	finish(t);
}

/* A server that takes connections and says nothing. */
static int silent_server(char *uri, size_t cap)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 16), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	snprintf(uri, cap, "redis://127.0.0.1:%u", ntohs(a.sin_port));
	return fd;
}

/* ---- tests ---- */

static void starts_answers_and_quits(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 100, .h = 30});

	expect(&t, "hotset");
	expect(&t, "memory");
	size_t from = t.len;
	send_keys(&t, "?");
	expect_from(&t, from, "closes");
	from = t.len;
	send_keys(&t, "\033\014"); /* closed, and painted anew */
	expect_from(&t, from, "memory");
	send_keys(&t, "2\t\033[Z\033OA\033OB\033[5~\033[6~xyz\001 p+-tG"); /* whatever comes */
	quit_and_check(&t);
}

static void ends_after_count_polls(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 100, .h = 30, .args = {"proc:", "0.1", "3"}});

	assert_exit(wait_end(&t, WAIT_MS), 0);
	expect(&t, "memory");
	assert_restored(&t);
	finish(&t);
}

static void ctrl_c_quits(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 80, .h = 24});

	expect(&t, "hotset");
	send_keys(&t, "\003");
	assert_exit(wait_end(&t, WAIT_MS), 0);
	assert_restored(&t);
	finish(&t);
}

static int compare_times(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* From a key press to what it shows, once: the help opens, and is closed again. */
static int64_t time_key(struct tty *t)
{
	int64_t quiet = clock_mono_ns() + 120 * NS_PER_MS;

	while (clock_mono_ns() < quiet) /* a frame just drawn would put off the next */
		read_some(t, 20);
	size_t from = t->len;
	int64_t typed = clock_mono_ns();
	send_keys(t, "?");
	expect_from(t, from, "closes");
	int64_t took = clock_mono_ns() - typed;
	send_keys(t, "\033");
	return took;
}

/* A poll of the silent server takes 5 s; the median of keys pressed meanwhile stays below 50 ms. */
static void a_hanging_server_freezes_nothing(void **state)
{
	(void)state;
	enum { KEYS = 9 };
	char uri[64];
	int fd = silent_server(uri, sizeof(uri));
	struct tty t = start((struct setup){.w = 100, .h = 30, .args = {uri, "proc:"}});
	int64_t took[KEYS];

	expect(&t, "hotset");
	for (int i = 0; i < KEYS; i++)
		took[i] = time_key(&t);
	qsort(took, KEYS, sizeof(took[0]), compare_times);
	if (took[KEYS / 2] > 50 * NS_PER_MS)
		fail_msg("a key took %d ms", (int)(took[KEYS / 2] / NS_PER_MS));
	int64_t typed = clock_mono_ns();
	send_keys(&t, "q");
	assert_exit(wait_end(&t, WAIT_MS), 0);
	assert_true(clock_mono_ns() - typed < 4 * NS_PER_SEC);
	assert_restored(&t);
	finish(&t);
	close(fd);
}

static void signals_that_ask_end_it_well(void **state)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct tty t = start((struct setup){.w = 80, .h = 24});
		expect(&t, "hotset");
		kill(t.pid, SIGPIPE); /* ignored */
		kill(t.pid, signals[i]);
		assert_exit(wait_end(&t, WAIT_MS), 0);
		assert_restored(&t);
		finish(&t);
	}
}

static void signals_that_kill_leave_a_terminal(void **state)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT};

	(void)state;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct tty t = start((struct setup){.w = 80, .h = 24});
		expect(&t, "hotset");
		kill(t.pid, signals[i]);
		int status = wait_end(&t, WAIT_MS);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_restored(&t);
		finish(&t);
	}
}

/* The terminal vanishes: plain, with SIGHUP ignored (nohup), and with a poll in flight. */
static void a_vanished_terminal_ends_it(void **state)
{
	(void)state;
	for (int variant = 0; variant < 3; variant++) {
		char uri[64];
		int fd = silent_server(uri, sizeof(uri));
		struct setup s = {.w = 80, .h = 24, .ignore_hup = variant > 0};

		if (variant == 2)
			s.args[0] = uri;
		struct tty t = start(s);
		expect(&t, "hotset");
		close(t.slave);
		t.slave = -1;
		close(t.master);
		t.master = -1;
		wait_end(&t, 3000); /* 2 s, and some for a loaded machine */
		finish(&t);
		close(fd);
	}
}

static char report_of(struct tty *t)
{
	char c = '?';
	int64_t end = clock_mono_ns() + WAIT_MS * NS_PER_MS;
	struct pollfd p = {.fd = t->report, .events = POLLIN};

	while (poll(&p, 1, 0) == 0 && clock_mono_ns() < end)
		read_some(t, 20);
	if (p.revents)
		assert_int_equal(read(t->report, &c, 1), 1);
	return c;
}

static void suspends_and_comes_back(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 100, .h = 30, .shell = true});

	expect(&t, "hotset");
	for (int i = 0; i < 2; i++) {
		send_keys(&t, "\032");
		assert_int_equal(report_of(&t), 'S');
		read_some(&t, 50);
		assert_restored(&t);
		size_t from = t.len;
		assert_int_equal(write(t.control, "c", 1), 1);
		expect_from(&t, from, "?1049h");
		expect_from(&t, from, "hotset");
	}
	send_keys(&t, "q");
	assert_int_equal(report_of(&t), 'E');
	assert_exit(wait_end(&t, WAIT_MS), 0);
	assert_restored(&t);
	finish(&t);
}

/* Neither ps nor the screen shows it, also while the server hangs. */
static void a_password_is_nowhere_to_be_seen(void **state)
{
	(void)state;
	char uri[64], secret[96], path[64];
	int fd = silent_server(uri, sizeof(uri));

	snprintf(secret, sizeof(secret), "redis://u:s3cret@%s", uri + strlen("redis://"));
	struct tty t = start((struct setup){.w = 100, .h = 30, .args = {secret}});
	expect(&t, "hotset");
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)t.pid);
	size_t len = 0;
	char *cmdline = test_read_file(path, &len);
	assert_true(len > 0);
	for (size_t i = 0; i + 6 <= len; i++)
		assert_memory_not_equal(cmdline + i, "s3cret", 6);
	free(cmdline);
	send_keys(&t, "3");
	read_some(&t, 200);
	assert_null(strstr(t.out, "s3cret"));
	quit_and_check(&t);
	close(fd);
}

/* A user without a password: asked for on the terminal, without echo, and Ctrl-C gives up. */
static void a_missing_password_is_asked_for(void **state)
{
	(void)state;
	char uri[64], named[96];
	int fd = silent_server(uri, sizeof(uri));

	snprintf(named, sizeof(named), "redis://u@%s", uri + strlen("redis://"));
	struct tty t = start((struct setup){.w = 100, .h = 30, .args = {named}});
	expect(&t, "Password for u at 127.0.0.1");
	send_keys(&t, "s3cret\r");
	expect(&t, "?1049h");
	assert_null(strstr(t.out, "s3c"));
	quit_and_check(&t);
	t = start((struct setup){.w = 100, .h = 30, .args = {named}});
	expect(&t, "Password for u");
	send_keys(&t, "s3\003");
	assert_exit(wait_end(&t, WAIT_MS), 1);
	assert_non_null(strstr(t.out, "no password"));
	assert_restored(&t);
	finish(&t);
	close(fd);
}

static void every_size_is_survived(void **state)
{
	static const int sizes[][2] = {
		{1, 1}, {2, 1}, {1, 200}, {38, 10}, {80, 1}, {0, 0}, {500, 300}, {40, 12}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tty t = start((struct setup){.w = sizes[i][0], .h = sizes[i][1]});
		expect(&t, "?1049h");
		send_keys(&t, "?\0331234567 ");
		quit_and_check(&t);
	}
}

static void without_a_size_the_environment_counts(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.env = {"COLUMNS", "100", "LINES", "40"}});

	expect(&t, "hotset");
	expect(&t, "\033[40;"); /* the last line is drawn */
	quit_and_check(&t);
}

static void follows_the_size(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 40, .h = 10});
	struct winsize ws = {.ws_row = 36, .ws_col = 120};

	expect(&t, "hotset");
	size_t from = t.len;
	assert_int_equal(ioctl(t.master, TIOCSWINSZ, &ws), 0);
	expect_from(&t, from, "\033[36;");
	ws = (struct winsize){.ws_row = 1, .ws_col = 1};
	assert_int_equal(ioctl(t.master, TIOCSWINSZ, &ws), 0);
	ws = (struct winsize){.ws_row = 24, .ws_col = 80};
	assert_int_equal(ioctl(t.master, TIOCSWINSZ, &ws), 0);
	from = t.len;
	expect_from(&t, from, "\033[24;");
	quit_and_check(&t);
}

/* Unknown types fall back; nothing is read through a path in TERM. */
static void unknown_terminal_types(void **state)
{
	static char longest[5001];
	const char *const types[] = {"xterm-ghostty", "garbage", "../../etc/passwd", longest, ""};

	(void)state;
	memset(longest, 'x', sizeof(longest) - 1);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct tty t = start((struct setup){.w = 80, .h = 24, .env = {"TERM", types[i]}});
		expect(&t, "hotset");
		quit_and_check(&t);
	}
}

static void a_terminal_without_a_cursor_is_refused_in_one_line(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 80, .h = 24, .env = {"TERM", "dumb"}});
	int status = wait_end(&t, WAIT_MS);

	assert_exit(status, 1);
	assert_non_null(strstr(t.out, "TERM=dumb"));
	assert_null(strchr(t.out, 27));
	assert_restored(&t);
	finish(&t);
}

static bool has_color(const char *out)
{
	for (const char *p = out; (p = strstr(p, "\033[")); p++) {
		const char *end = p + 2 + strspn(p + 2, "0123456789;");
		if (*end != 'm')
			continue;
		for (const char *q = p + 2; q < end; q += strcspn(q, ";m") + 1)
			if ((*q == '3' || *q == '4') && q[1] >= '0' && q[1] <= '8')
				return true;
	}
	return false;
}

static void colour_is_left_away_on_request(void **state)
{
	static const struct setup setups[] = {
		{.w = 100, .h = 30, .env = {"NO_COLOR", "1"}},
		{.w = 100, .h = 30, .args = {"proc:", "--no-color"}},
		{.w = 100, .h = 30, .env = {"TERM", "vt100"}},
	};

	(void)state;
	struct tty t = start((struct setup){.w = 100, .h = 30});
	expect(&t, "memory");
	assert_true(has_color(t.out));
	quit_and_check(&t);
	for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
		t = start(setups[i]);
		expect(&t, "memory");
		read_some(&t, 100);
		assert_false(has_color(t.out));
		quit_and_check(&t);
	}
}

static bool has_non_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s >= 0x80)
			return true;
	return false;
}

static void utf8_only_where_it_is_announced(void **state)
{
	static const struct {
		const char *env[6];
		bool        utf8;
	} cases[] = {
		{{"LANG", ""}, false},
		{{"LANG", "C"}, false},
		{{"LC_ALL", "POSIX", "LANG", "en_US.UTF-8"}, false},
		{{"LANG", "fr_FR.utf8"}, true},
		{{"LANG", "", "LC_CTYPE", "en_US.UTF-8"}, true},
		{{"LC_ALL", "C", "LANG", "de_DE.UTF-8"}, false},
		{{"LC_ALL", "", "LANG", "C.UTF-8"}, true},
		{{"LANG", "xx_YY.UTF-8"}, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct setup s = {.w = 100, .h = 30};
		memcpy(s.env, cases[i].env, sizeof(cases[i].env));
		struct tty t = start(s);
		expect(&t, "memory");
		expect(&t, "GiB");
		assert_int_equal(has_non_ascii(t.out), cases[i].utf8);
		quit_and_check(&t);
	}
}

static void a_start_that_fails_touches_nothing(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 80, .h = 24, .args = {"--frobnicate"}});

	assert_exit(wait_end(&t, WAIT_MS), 2);
	assert_null(strchr(t.out, 27));
	assert_restored(&t);
	finish(&t);
}

static void replay_plays_pauses_and_steps(void **state)
{
	(void)state;
	struct tty t = start((struct setup){.w = 120, .h = 36,
		.args = {"replay", "tests/fixtures/rec/v1-scan.rec", "--speed", "20"}});

	expect(&t, "replay");
	expect(&t, "21:00:29"); /* played to its end */
	expect(&t, "paused");
	size_t from = t.len;
	send_keys(&t, "\033[1~\033OH"); /* Home */
	expect_from(&t, from, "00");
	send_keys(&t, "\033OC\033OC\033OD"); /* right, right, left */
	quit_and_check(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_answers_and_quits),
		cmocka_unit_test(ends_after_count_polls),
		cmocka_unit_test(ctrl_c_quits),
		cmocka_unit_test(a_hanging_server_freezes_nothing),
		cmocka_unit_test(signals_that_ask_end_it_well),
		cmocka_unit_test(signals_that_kill_leave_a_terminal),
		cmocka_unit_test(a_vanished_terminal_ends_it),
		cmocka_unit_test(suspends_and_comes_back),
		cmocka_unit_test(a_password_is_nowhere_to_be_seen),
		cmocka_unit_test(a_missing_password_is_asked_for),
		cmocka_unit_test(every_size_is_survived),
		cmocka_unit_test(without_a_size_the_environment_counts),
		cmocka_unit_test(follows_the_size),
		cmocka_unit_test(unknown_terminal_types),
		cmocka_unit_test(a_terminal_without_a_cursor_is_refused_in_one_line),
		cmocka_unit_test(colour_is_left_away_on_request),
		cmocka_unit_test(utf8_only_where_it_is_announced),
		cmocka_unit_test(a_start_that_fails_touches_nothing),
		cmocka_unit_test(replay_plays_pauses_and_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
