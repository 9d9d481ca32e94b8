#include "screen.h"

#include "hotset/clock.h"
#include "hotset/log.h"
#include "hotset/term.h"
#include "output.h"
#include "script.h"
#include "signals.h"
#include "themes.h"

#include <fcntl.h>
#include <unistd.h>

/* ---- the real clock ---- */

static int64_t real_mono(void *ctx)
{
	(void)ctx;
	return clock_mono_ns();
}

static int64_t real_wall(void *ctx)
{
	(void)ctx;
	return clock_wall_ns();
}

static int real_poll(void *ctx, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	(void)ctx;
	return poll(fds, n, timeout_ms);
}

static int real_signal(void *ctx)
{
	return signals_take(*(const int *)ctx);
}

struct loop_clock clock_real(int *signal_fd)
{
	return (struct loop_clock){signal_fd, real_mono, real_wall, real_poll, *signal_fd,
		real_signal};
}

/* ---- the terminal as a screen ---- */

static int on_fd(void *ctx)
{
	return term_fd(ctx);
}

static void on_size(void *ctx, int *w, int *h)
{
	term_size(ctx, w, h);
}

static bool on_show(void *ctx, const struct canvas *c, bool full)
{
	return term_show(ctx, c, full);
}

static struct key on_key(void *ctx)
{
	return term_key(ctx);
}

static void on_suspend(void *ctx)
{
	term_suspend(ctx);
}

static void on_resume(void *ctx)
{
	term_resume(ctx);
}

static void on_theme(void *ctx, const struct theme *t)
{
	term_set_theme(ctx, t);
}

static bool on_copy(void *ctx, const char *text)
{
	return term_copy(ctx, text);
}

static struct loop_screen screen_of(struct term *t)
{
	return (struct loop_screen){t, on_fd, on_size, on_show, on_key, on_suspend, on_resume,
		on_theme, on_copy};
}

/* ---- */

bool screen_is_wanted(const struct options *o)
{
	if (o->once || o->batch || o->format != FORMAT_TEXT)
		return false;
	return o->script_file || isatty(STDOUT_FILENO);
}

/* What libraries print must not land on the screen: it goes to the log, or nowhere. */
static int divert_stderr(const char *log_file)
{
	int saved = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	int fd = open(log_file ? log_file : "/dev/null", O_WRONLY | O_APPEND | O_CLOEXEC);

	if (fd >= 0) {
		dup2(fd, STDERR_FILENO);
		close(fd);
	}
	return saved;
}

static void restore_stderr(int saved)
{
	if (saved < 0)
		return;
	dup2(saved, STDERR_FILENO);
	close(saved);
}

static bool run_scripted(const struct options *o, const struct feed *f,
	const struct loop_clock *clock, const struct loop_screen *base, const struct theme *theme,
	struct view_state *view, struct err *err)
{
	struct loop loop;
	int w, h;

	output_size(o, &w, &h);
	struct script *script = script_open(o->script_file, base, clock, theme, w, h, err);
	if (!script)
		return false;
	struct loop_screen screen = script_screen(script);
	struct loop_clock paced = script_clock(script);
	bool ok = loop_init(&loop, &paced, &screen, f, view, o->ascii, err);
	if (ok) {
		loop_run(&loop);
		loop_finish(&loop);
		ok = script_ok(script, err);
	}
	script_close(script);
	return ok;
}

static bool run_plain(const struct options *o, const struct feed *f, const struct loop_clock *clock,
	const struct loop_screen *screen, struct view_state *view, struct err *err)
{
	struct loop loop;

	if (!loop_init(&loop, clock, screen, f, view, o->ascii, err))
		return false;
	loop_run(&loop);
	if (loop.ended_by)
		log_write("ended: %s", loop.ended_by);
	loop_finish(&loop);
	return true;
}

bool screen_run(const struct options *o, const struct feed *f, int *signal_fd,
	struct view_state *view, struct err *err)
{
	struct loop_clock clock = clock_real(signal_fd);
	struct loop_screen screen;
	struct theme theme;
	struct term *term = NULL;
	int saved;

	if (!theme_from_options(&theme, o, err))
		return false;
	view->theme_name = o->theme ? o->theme : theme_builtin(0);
	if (isatty(STDOUT_FILENO)) {
		term = term_open(&theme, o->ascii, err);
		if (!term)
			return false;
		screen = screen_of(term);
	}
	saved = divert_stderr(o->log_file);
	bool ok = o->script_file
		? run_scripted(o, f, &clock, term ? &screen : NULL, &theme, view, err)
		: run_plain(o, f, &clock, &screen, view, err);
	term_close(term);
	restore_stderr(saved);
	return ok;
}
