/* hotset replay: a recording, or diagnostic.data, on the screen, or frames as text, JSON or CSV. */
#include "hotset/app.h"

#include "diagnostic.h"
#include "hotset/clock.h"
#include "output.h"
#include "player.h"
#include "runner.h"
#include "screen.h"
#include "signals.h"

#include <stdlib.h>
#include <unistd.h>

/*
 * MongoDB's own recording is made one of ours in a private directory first, which is gone again
 * when the player has read it.
 */
static bool open_diagnostic(
	struct player *p, const struct options *o, int signal_fd, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	char dir[512], file[544];
	struct diagnostic_lost lost = {0, 0};
	bool ok;

	snprintf(dir, sizeof dir, "%.400s/hotset-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return err_sys(err, "%s", dir);
	snprintf(file, sizeof file, "%s/replay.rec.gz", dir);
	ok = diagnostic_convert(o->args[0], file, signal_fd, &lost, err) &&
	     player_open(p, file, o->speed, o->origin_ms * 1000, err);
	if (lost.damaged)
		fprintf(stderr, "hotset: %u damaged part%s of %s left out\n", lost.damaged,
			lost.damaged == 1 ? "" : "s", o->args[0]);
	if (lost.earlier)
		fprintf(stderr,
			"hotset: %u samples of %s were left out: their clock was set back\n",
			lost.earlier, o->args[0]);
	unlink(file);
	rmdir(dir);
	return ok;
}

/*
 * A recording is opened with signals as they were, since it may be a pipe that never answers; while
 * diagnostic.data is read they are events, so that nothing stays behind when one ends it.
 */
static bool open_player(
	struct player *p, const struct options *o, int *signal_fd, struct err *err)
{
	bool diagnostic = diagnostic_is(o->args[0]);

	if (!diagnostic && !player_open(p, o->args[0], o->speed, o->origin_ms * 1000, err))
		return false;
	*signal_fd = signals_open(err);
	return *signal_fd >= 0 && (!diagnostic || open_diagnostic(p, o, *signal_fd, err));
}

static void replay_view(struct view_state *s, const struct options *o)
{
	const char *slash = strrchr(o->args[0], '/');

	view_from_options(s, o);
	s->replay = true;
	s->replay_speed = o->speed;
	s->local_time = false; /* as --at takes it */
	snprintf(s->replay_file, sizeof s->replay_file, "%.63s", slash ? slash + 1 : o->args[0]);
}

/* Frames from the present one on; with --once only that. A signal ends it between frames. */
static bool print_frames(struct player *p, const struct options *o, struct output *out,
	int signal_fd, struct err *err)
{
	struct view_state view;
	int sig;

	replay_view(&view, o);
	view.paused = o->once;
	for (unsigned n = 1;; n++) {
		if (!output_frame(out, p->model, &view, player_previous_mono(p), err))
			return false;
		while ((sig = signals_take(signal_fd)) != 0)
			if (signals_is_end(sig))
				return true;
		if (o->once || n == o->count || p->pos == p->ngroups)
			return true;
		if (!player_seek(p, p->pos + 1, err))
			return false;
	}
}

static bool show(struct player *p, const struct options *o, int *signal_fd, struct err *err)
{
	struct feed feed = player_feed(p);
	struct view_state view;

	replay_view(&view, o);
	if (recording_damaged(p->rec) > 0)
		snprintf(view.message, sizeof view.message,
			"%u damaged lines of the recording were left out",
			recording_damaged(p->rec));
	p->playing = true;
	p->due_ns = clock_mono_ns() + NS_PER_SEC;
	return screen_run(o, &feed, signal_fd, &view, err);
}

static bool run(struct player *p, const struct options *o, int *signal_fd, struct output *out,
	struct err *err)
{
	bool print = !screen_is_wanted(o);
	unsigned start = o->once ? p->ngroups : 1;

	if (o->at && !player_at(p, o->at, &start, err))
		return false;
	if (!player_seek(p, start, err))
		return false;
	if (!print)
		return show(p, o, signal_fd, err);
	if (recording_damaged(p->rec) > 0)
		fprintf(stderr, "hotset: %u damaged lines of %s were left out\n",
			recording_damaged(p->rec), o->args[0]);
	return print_frames(p, o, out, *signal_fd, err);
}

int app_replay(const struct options *o)
{
	struct player p;
	struct err err = {.code = ERR_NONE};
	struct output out = {.o = o};
	int signal_fd = -1;

	if (!open_player(&p, o, &signal_fd, &err)) {
		complain(&err);
		if (signal_fd >= 0)
			close(signal_fd);
		return 1;
	}
	bool ok = run(&p, o, &signal_fd, &out, &err) || out.closed;
	if (!ok)
		complain(&err);
	player_close(&p);
	close(signal_fd);
	return ok ? 0 : err.code == ERR_USAGE ? 2 : 1;
}
