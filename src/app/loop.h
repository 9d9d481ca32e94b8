/*
 * The screen loop: waits for keys, samples and signals, draws when something changed. It owns
 * neither a clock nor a terminal: both come in small tables of functions, so that tests (and
 * scripts without a terminal) drive the same loop.
 */
#ifndef HOTSET_APP_LOOP_H
#define HOTSET_APP_LOOP_H

#include "hotset/panel.h"
#include "hotset/theme.h"

#include <poll.h>

#define LOOP_FRAME_NS (50 * 1000000LL) /* at most 20 frames a second */

/* Time, waiting and signals. */
struct loop_clock {
	void *ctx;
	int64_t (*mono)(void *ctx);
	int64_t (*wall)(void *ctx);
	int (*poll)(void *ctx, struct pollfd *fds, nfds_t n, int timeout_ms);
	int signal_fd; /* -1: none */
	int (*signal)(void *ctx); /* the next signal's number, 0 when there is none */
};

/* Keys in, canvas out. */
struct loop_screen {
	void *ctx;
	int (*fd)(void *ctx); /* -1: none */
	void (*size)(void *ctx, int *w, int *h);
	/* false: the terminal is gone */
	bool (*show)(void *ctx, const struct canvas *c, bool full);
	struct key (*key)(void *ctx);
	void (*suspend)(void *ctx);
	void (*resume)(void *ctx);
	void (*set_theme)(void *ctx, const struct theme *t);
	bool (*copy)(void *ctx, const char *text); /* false: it has no clipboard */
};

/* What feeds the model: workers (live.c) or a recording (player.c). */
struct feed {
	void *ctx;
	int   fd; /* readable when something waits, -1: none */
	struct model *(*model)(void *ctx);
	/* Takes what is there and what is due. true: the model changed. */
	bool (*pump)(void *ctx, struct view_state *s, int64_t mono_ns, int64_t wall_ns);
	/* When pump has work next; INT64_MAX: only by fd. */
	int64_t (*due)(void *ctx, int64_t now_ns);
	bool (*waits)(void *ctx); /* more answers are on their way: a frame may wait for them */
	/* Does what a key asked for beyond the view. true: redraw. */
	bool (*react)(void *ctx, enum reaction r, struct view_state *s, int64_t mono_ns);
	bool (*ended)(void *ctx); /* nothing more will come, so the program ends; NULL: never */
};

struct loop {
	const struct loop_clock  *clock;
	const struct loop_screen *screen;
	const struct feed        *feed;
	struct view_state         view;
	const char               *ended_by; /* NULL: a key or signal; else why, for the log */

	struct canvas canvas;
	bool    quit;
	bool    urgent;        /* a key changed the picture: draw as soon as may be */
	bool    stale;         /* data changed it: a moment later, with others of its tick */
	bool    repaint;
	int64_t stale_ns, drawn_ns, second;
	unsigned long frames;  /* drawn so far */
};

MUST_CHECK bool loop_init(struct loop *l, const struct loop_clock *c, const struct loop_screen *s,
	const struct feed *f, const struct view_state *view, bool ascii, struct err *err);
void loop_finish(struct loop *l);
/* One turn: pump, draw, wait, signals, keys. false when the program is to end. */
bool loop_turn(struct loop *l);
/* Turns until the end. */
void loop_run(struct loop *l);

#endif
