/*
 * The screen loop on a clock of its own: a key is answered within 50 ms also when nothing else
 * happens, frames never exceed 20 a second, the answers of one tick share a frame, a script's keys
 * take the same path, and the end of the terminal is the end of the program.
 */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/app/loop.h"
#include "hotset/clock.h"

/* A world in which time passes only in poll(). */
struct world {
	int64_t      now;
	struct key   keys[512];
	int64_t      key_at[512]; /* when it is typed */
	unsigned     nkeys, taken;
	int          signal;
	int64_t      signal_at;
	int64_t      sample_at[512];
	unsigned     nsamples, sampled;
	bool         pending;     /* other answers are expected */
	unsigned     frames;
	int64_t      frame_at[4096];
	int64_t      gone_at;
	int          w, h, suspends, last_w;
	enum reaction reacted;
	struct model *model;
	unsigned     polls;
};

static int64_t mono(void *ctx)
{
	return ((struct world *)ctx)->now;
}

static int64_t earliest(const struct world *w)
{
	int64_t t = INT64_MAX;

	if (w->taken < w->nkeys)
		t = w->key_at[w->taken];
	if (w->signal && w->signal_at < t)
		t = w->signal_at;
	if (w->sampled < w->nsamples && w->sample_at[w->sampled] < t)
		t = w->sample_at[w->sampled];
	if (w->gone_at < t)
		t = w->gone_at;
	return t;
}

static int fake_poll(void *ctx, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct world *w = ctx;
	int64_t until = w->now + timeout_ms * NS_PER_MS, event = earliest(w);

	assert_true(timeout_ms >= 0); /* the loop never sleeps without an end */
	for (nfds_t i = 0; i < n; i++)
		fds[i].revents = 0;
	if (++w->polls > 100000)
		fail_msg("the loop spins");
	if (event > until) {
		w->now = until;
		return 0;
	}
	w->now = event > w->now ? event : w->now;
	if (w->now >= w->gone_at)
		fds[0].revents = POLLHUP;
	return 1;
}

static int fake_signal(void *ctx)
{
	struct world *w = ctx;
	int sig = w->signal && w->now >= w->signal_at ? w->signal : 0;

	if (sig)
		w->signal = 0;
	return sig;
}

static int fd(void *ctx)
{
	(void)ctx;
	return 0;
}

static void size(void *ctx, int *w, int *h)
{
	*w = ((struct world *)ctx)->w;
	*h = ((struct world *)ctx)->h;
}

static bool show(void *ctx, const struct canvas *c, bool full)
{
	struct world *w = ctx;

	(void)full;
	assert_true(w->frames < 4096);
	w->frame_at[w->frames++] = w->now;
	w->last_w = c->w;
	return true;
}

static struct key key(void *ctx)
{
	struct world *w = ctx;

	if (w->taken < w->nkeys && w->key_at[w->taken] <= w->now)
		return w->keys[w->taken++];
	return (struct key){.code = KEYC_NONE};
}

static void suspend(void *ctx)
{
	((struct world *)ctx)->suspends++;
}

static void nothing(void *ctx)
{
	(void)ctx;
}

static void set_theme(void *ctx, const struct theme *t)
{
	(void)ctx;
	(void)t;
}

static bool copy(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
	return true;
}

static struct model *feed_model(void *ctx)
{
	return ((struct world *)ctx)->model;
}

static bool pump(void *ctx, struct view_state *s, int64_t mono_ns, int64_t wall_ns)
{
	struct world *w = ctx;
	bool any = false;

	(void)s;
	(void)wall_ns;
	for (; w->sampled < w->nsamples && w->sample_at[w->sampled] <= mono_ns; w->sampled++)
		any = true;
	return any;
}

static int64_t due(void *ctx, int64_t now_ns)
{
	(void)ctx;
	(void)now_ns;
	return INT64_MAX;
}

static bool waits(void *ctx)
{
	return ((struct world *)ctx)->pending;
}

static bool react(void *ctx, enum reaction r, struct view_state *s, int64_t mono_ns)
{
	(void)s;
	(void)mono_ns;
	((struct world *)ctx)->reacted = r;
	return true;
}

static struct world *new_world(void)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->now = 1000 * NS_PER_SEC;
	w->gone_at = INT64_MAX;
	w->w = 80;
	w->h = 24;
	w->model = model_create();
	assert_non_null(model_add(w->model, KIND_HOST, "proc:", "proc:", "this host", 10));
	return w;
}

static void free_world(struct world *w)
{
	model_destroy(w->model);
	free(w);
}

static void type(struct world *w, int64_t after_ms, enum key_code code, char32_t ch)
{
	w->keys[w->nkeys] = (struct key){code, ch};
	w->key_at[w->nkeys++] = w->now + after_ms * NS_PER_MS;
}

/* Runs until the loop ends, or for so long. */
static bool run(struct world *w, int64_t for_ms)
{
	struct loop_clock c = {w, mono, mono, fake_poll, -1, fake_signal};
	struct loop_screen s = {w, fd, size, show, key, suspend, nothing, set_theme, copy};
	struct feed f = {w, -1, feed_model, pump, due, waits, react, NULL};
	struct view_state view;
	struct loop l;
	struct err err;
	int64_t end = w->now + for_ms * NS_PER_MS;
	bool going = true;

	view_state_init(&view);
	assert_true(loop_init(&l, &c, &s, &f, &view, true, &err));
	while (going && w->now < end)
		going = loop_turn(&l);
	loop_finish(&l);
	return !going;
}

static void the_first_frame_comes_at_once(void **state)
{
	(void)state;
	struct world *w = new_world();
	int64_t start = w->now;

	w->pending = true;
	run(w, 10);
	assert_true(w->frames >= 1);
	assert_true(w->frame_at[0] == start);
	free_world(w);
}

static void a_key_is_drawn_within_50_ms_while_servers_hang(void **state)
{
	(void)state;
	struct world *w = new_world();
	int64_t start = w->now;

	w->pending = true;
	type(w, 333, KEYC_CHAR, U'?');
	run(w, 900);
	bool found = false;
	for (unsigned i = 0; i < w->frames; i++) {
		int64_t ms = (w->frame_at[i] - start) / NS_PER_MS;
		found = found || (ms >= 333 && ms <= 383);
	}
	assert_true(found);
	free_world(w);
}

static void frames_are_bounded(void **state)
{
	(void)state;
	struct world *w = new_world();

	for (int i = 0; i < 200; i++)
		type(w, i * 5, KEYC_CHAR, i % 2 ? U'1' : U'2');
	run(w, 1000);
	assert_int_equal(w->taken, 200);
	assert_true(w->frames <= 21);
	for (unsigned i = 1; i < w->frames; i++)
		assert_true(w->frame_at[i] - w->frame_at[i - 1] >= LOOP_FRAME_NS);
	free_world(w);
}

/* Four answers 5 ms apart, twice: two frames for them, not eight. */
static void the_answers_of_a_tick_share_a_frame(void **state)
{
	(void)state;
	struct world *w = new_world();

	w->pending = true;
	for (int tick = 0; tick < 2; tick++)
		for (int i = 0; i < 4; i++)
			w->sample_at[w->nsamples++] =
				w->now + (200 + 400 * tick + 5 * i) * NS_PER_MS;
	run(w, 900);
	assert_int_equal(w->sampled, 8);
	assert_in_range(w->frames, 3, 4); /* with the first one, and that of the clock's second */
	free_world(w);
}

static void a_quiet_screen_is_drawn_once_a_second(void **state)
{
	(void)state;
	struct world *w = new_world();

	run(w, 10000);
	assert_in_range(w->frames, 10, 13);
	free_world(w);
}

static void keys_and_signals_end_it(void **state)
{
	(void)state;
	static const int signals[] = {SIGTERM, SIGHUP, SIGINT};
	struct world *w = new_world();

	type(w, 100, KEYC_CHAR, U'q');
	assert_true(run(w, 5000));
	free_world(w);
	w = new_world();
	type(w, 100, KEYC_CTRL_C, 0);
	assert_true(run(w, 5000));
	free_world(w);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		w = new_world();
		w->signal = signals[i];
		w->signal_at = w->now + 100 * NS_PER_MS;
		assert_true(run(w, 5000));
		assert_true(w->now - 1000 * NS_PER_SEC < 200 * NS_PER_MS);
		free_world(w);
	}
}

static void the_end_of_the_terminal_ends_it(void **state)
{
	(void)state;
	struct world *w = new_world();

	type(w, 100, KEYC_EOF, 0);
	assert_true(run(w, 5000));
	free_world(w);
	w = new_world();
	w->gone_at = w->now + 100 * NS_PER_MS;
	assert_true(run(w, 5000));
	assert_true(w->now - 1000 * NS_PER_SEC < 200 * NS_PER_MS);
	free_world(w);
}

static void suspend_resize_and_refresh(void **state)
{
	(void)state;
	struct world *w = new_world();

	type(w, 100, KEYC_CTRL_Z, 0);
	run(w, 300);
	assert_int_equal(w->suspends, 1);
	w->signal = SIGTSTP;
	w->signal_at = w->now;
	run(w, 100);
	assert_int_equal(w->suspends, 2);
	w->w = 100;
	w->signal = SIGWINCH;
	w->signal_at = w->now + NS_PER_MS;
	run(w, 300);
	assert_int_equal(w->last_w, 100);
	type(w, 1, KEYC_CTRL_L, 0);
	run(w, 100);
	assert_int_equal(w->reacted, REACT_REFRESH);
	free_world(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_frame_comes_at_once),
		cmocka_unit_test(a_key_is_drawn_within_50_ms_while_servers_hang),
		cmocka_unit_test(frames_are_bounded),
		cmocka_unit_test(the_answers_of_a_tick_share_a_frame),
		cmocka_unit_test(a_quiet_screen_is_drawn_once_a_second),
		cmocka_unit_test(keys_and_signals_end_it),
		cmocka_unit_test(the_end_of_the_terminal_ends_it),
		cmocka_unit_test(suspend_resize_and_refresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
