/*
 * Drawing is paced by two rules. A key is answered at once, unless a frame was drawn less than
 * 50 ms ago. Samples of one tick arrive one by one; redrawing for each would cost as many frames as
 * there are endpoints, so data waits until nobody else is about to answer, or 50 ms.
 */
#include "loop.h"

#include "hotset/clock.h"
#include "signals.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>

#define KEYS_PER_TURN 256 /* a paste must not starve the samples */

bool loop_init(struct loop *l, const struct loop_clock *c, const struct loop_screen *s,
	const struct feed *f, const struct view_state *view, bool ascii, struct err *err)
{
	int w, h;

	*l = (struct loop){.clock = c, .screen = s, .feed = f, .view = *view};
	s->size(s->ctx, &w, &h);
	if (!canvas_init(&l->canvas, w, h))
		return err_set(err, ERR_SYSTEM, "no memory for a screen of %dx%d", w, h);
	l->canvas.ascii = ascii;
	l->urgent = true;
	l->drawn_ns = c->mono(c->ctx) - LOOP_FRAME_NS;
	return true;
}

void loop_finish(struct loop *l)
{
	canvas_finish(&l->canvas);
}

/* ---- drawing ---- */

static void end(struct loop *l, const char *why)
{
	l->quit = true;
	l->ended_by = why;
}

/* When the next frame is to be drawn; INT64_MAX when nothing changed. */
static int64_t draw_due(const struct loop *l)
{
	int64_t allowed = l->drawn_ns + LOOP_FRAME_NS;

	if (l->urgent || l->repaint)
		return allowed;
	if (!l->stale)
		return INT64_MAX;
	if (!l->feed->waits(l->feed->ctx))
		return allowed;
	return allowed > l->stale_ns + LOOP_FRAME_NS ? allowed : l->stale_ns + LOOP_FRAME_NS;
}

static void draw(struct loop *l, int64_t now)
{
	const struct loop_screen *s = l->screen;
	int w, h;

	s->size(s->ctx, &w, &h);
	if ((w != l->canvas.w || h != l->canvas.h) && !canvas_resize(&l->canvas, w, h))
		return; /* no memory for the new size: the old picture stays until the next try */
	canvas_clear(&l->canvas);
	l->view.lines = h;
	browse_settle(l->feed->model(l->feed->ctx), &l->view);
	screen_draw(l->feed->model(l->feed->ctx), &l->view, &l->canvas);
	if (!s->show(s->ctx, &l->canvas, l->repaint))
		end(l, "the terminal is gone");
	l->urgent = l->stale = l->repaint = false;
	l->drawn_ns = now;
	l->frames++;
}

static void mark_stale(struct loop *l, int64_t now)
{
	if (!l->stale)
		l->stale_ns = now;
	l->stale = true;
}

/* ---- keys and signals ---- */

static void next_theme(struct loop *l)
{
	struct theme t;
	struct err err;
	unsigned i = 0;
	const char *now = l->view.theme_name, *name;

	while ((name = theme_builtin(i)) && now && strcmp(name, now) != 0)
		i++;
	name = name && now ? theme_builtin(i + 1) : NULL;
	if (!name)
		name = theme_builtin(0);
	if (!theme_load(&t, name, NULL, &err)) {
		snprintf(l->view.message, sizeof l->view.message, "%.127s", err.msg);
		return;
	}
	l->view.theme_name = name;
	l->screen->set_theme(l->screen->ctx, &t);
	snprintf(l->view.message, sizeof l->view.message, "theme %s", name);
}

/* Terminals do not answer whether they took it. */
static void copy(struct loop *l)
{
	char line[ROW_LINE_MAX];

	if (!browse_copy(l->feed->model(l->feed->ctx), &l->view, line))
		return;
	snprintf(l->view.message, sizeof l->view.message, "%s",
		l->screen->copy(l->screen->ctx, line)
			? "copied 1 row (if the terminal allows it: OSC 52)"
			: "this terminal cannot copy");
}

static void suspend(struct loop *l)
{
	l->screen->suspend(l->screen->ctx);
	l->repaint = true;
}

static void react(struct loop *l, enum reaction r, int64_t now)
{
	switch (r) {
	case REACT_NONE:
		return;
	case REACT_QUIT:
		end(l, NULL);
		return;
	case REACT_SUSPEND:
		suspend(l);
		return;
	case REACT_THEME:
		next_theme(l);
		break;
	case REACT_COPY:
		copy(l);
		break;
	case REACT_RESIZE:
	case REACT_REPAINT:
		l->repaint = true;
		break;
	case REACT_REFRESH:
		l->repaint = true;
		l->feed->react(l->feed->ctx, r, &l->view, now);
		break;
	case REACT_REDRAW:
		break;
	case REACT_STEP_BACK:
	case REACT_STEP_FORWARD:
	case REACT_GO_FIRST:
	case REACT_GO_LAST:
	case REACT_INTERVAL:
	case REACT_PAUSE:
	case REACT_RECORD:
		l->feed->react(l->feed->ctx, r, &l->view, now);
		break;
	}
	l->urgent = true;
}

static void take_keys(struct loop *l, int64_t now)
{
	for (int n = 0; n < KEYS_PER_TURN && !l->quit; n++) {
		struct key k = l->screen->key(l->screen->ctx);

		if (k.code == KEYC_NONE)
			return;
		if (k.code == KEYC_EOF)
			end(l, "end of input on the terminal");
		else
			react(l, screen_key(l->feed->model(l->feed->ctx), &l->view, &k), now);
	}
}

static void take_signals(struct loop *l)
{
	int sig;

	while (!l->quit && (sig = l->clock->signal(l->clock->ctx)) != 0) {
		if (signals_is_end(sig)) {
			end(l, NULL);
		} else if (sig == SIGTSTP) {
			suspend(l);
		} else if (sig == SIGCONT) {
			l->screen->resume(l->screen->ctx);
			l->repaint = true;
		} else if (sig == SIGWINCH) {
			l->urgent = true;
		}
	}
}

/* ---- the turn ---- */

static int timeout_ms(int64_t from, int64_t to)
{
	if (to <= from)
		return 0;
	int64_t ms = (to - from) / NS_PER_MS + ((to - from) % NS_PER_MS != 0);
	return ms > INT_MAX ? INT_MAX : (int)ms;
}

static bool is_broken(const struct pollfd *p)
{
	return p->fd >= 0 && (p->revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
}

static void wait(struct loop *l, int64_t now)
{
	const struct loop_clock *c = l->clock;
	struct pollfd fds[] = {
		{.fd = l->screen->fd(l->screen->ctx), .events = POLLIN},
		{.fd = l->feed->fd, .events = POLLIN},
		{.fd = c->signal_fd, .events = POLLIN},
	};
	int64_t until = l->feed->due(l->feed->ctx, now), drawing = draw_due(l);
	int64_t second_end = (l->second + 1) * NS_PER_SEC;

	until = drawing < until ? drawing : until;
	until = second_end < until ? second_end : until;
	if (c->poll(c->ctx, fds, 3, timeout_ms(now, until)) < 0) {
		if (errno != EINTR)
			end(l, "poll failed");
		return;
	}
	if (is_broken(&fds[0]) && !(fds[0].revents & POLLIN))
		end(l, "the terminal hung up");
}

bool loop_turn(struct loop *l)
{
	const struct loop_clock *c = l->clock;
	int64_t now = c->mono(c->ctx);

	if (l->feed->pump(l->feed->ctx, &l->view, now, c->wall(c->ctx)))
		mark_stale(l, now);
	if (now / NS_PER_SEC != l->second) { /* the clock and the ages on the screen move on */
		l->second = now / NS_PER_SEC;
		if (!l->view.replay && !l->view.paused)
			mark_stale(l, now);
	}
	if (draw_due(l) <= now)
		draw(l, now);
	if (l->feed->ended && l->feed->ended(l->feed->ctx))
		end(l, NULL);
	if (!l->quit)
		wait(l, now);
	if (!l->quit)
		take_signals(l);
	if (!l->quit)
		take_keys(l, c->mono(c->ctx));
	return !l->quit;
}

void loop_run(struct loop *l)
{
	while (loop_turn(l))
		;
}
