/* The live screen: workers feed the model, the loop draws it. */
#include "hotset/app.h"

#include "fleet.h"
#include "hotset/clock.h"
#include "output.h"
#include "runner.h"
#include "screen.h"

#include <time.h>

struct live {
	struct fleet *fleet;
	unsigned count;  /* polls after which the screen ends; 0: never */
	char file[4096]; /* of the present recording, or the last */
};

static struct model *feed_model(void *ctx)
{
	return ((struct live *)ctx)->fleet->model;
}

/* One server alone, and only while it is in view: looking costs it. */
static int hot_keys_of(const struct model *m, const struct view_state *s)
{
	const struct endpoint *ep = view_endpoint(m, s, KIND_REDIS);

	return s->hot_keys && s->view == VIEW_REDIS && ep ? ep->index : -1;
}

static bool feed_pump(void *ctx, struct view_state *s, int64_t mono_ns, int64_t wall_ns)
{
	struct fleet *f = ((struct live *)ctx)->fleet;
	struct err err;
	bool changed = fleet_take(f, mono_ns, &err) > 0;

	if (err.code != ERR_NONE)
		snprintf(s->message, sizeof s->message, "%.127s", err.msg);
	s->recording = f->recorder != NULL;
	f->wants = f->recorder ? WANT_ALL : view_wants(f->model, s);
	f->hot_keys = hot_keys_of(f->model, s);
	fleet_ask(f, mono_ns);
	if (s->paused)
		return false;
	model_tick(f->model, mono_ns, wall_ns);
	return changed;
}

static int64_t feed_due(void *ctx, int64_t now_ns)
{
	(void)now_ns;
	return fleet_next_due(((struct live *)ctx)->fleet);
}

static bool feed_waits(void *ctx)
{
	return fleet_pending(((struct live *)ctx)->fleet) > 0;
}

static void begin_record(struct live *l, struct view_state *s)
{
	time_t now = (time_t)(clock_wall_ns() / NS_PER_SEC);
	struct tm tm;
	struct err err, ignored;

	localtime_r(&now, &tm);
	strftime(l->file, sizeof l->file, "hotset-%Y%m%d-%H%M%S.rec.gz", &tm);
	if (fleet_record(l->fleet, l->file, &err)) {
		snprintf(s->message, sizeof s->message, "recording to %.60s", l->file);
		return;
	}
	(void)!fleet_end_record(l->fleet, &ignored);
	snprintf(s->message, sizeof s->message, "%.127s", err.msg);
}

static void toggle_record(struct live *l, struct view_state *s)
{
	struct err err;

	if (!l->fleet->recorder)
		begin_record(l, s);
	else if (fleet_end_record(l->fleet, &err))
		snprintf(s->message, sizeof s->message, "recorded: hotset replay %.90s", l->file);
	else
		snprintf(s->message, sizeof s->message, "%.127s", err.msg);
	s->recording = l->fleet->recorder != NULL;
}

static bool feed_react(void *ctx, enum reaction r, struct view_state *s, int64_t mono_ns)
{
	struct live *live = ctx;
	struct fleet *f = live->fleet;

	switch (r) {
	case REACT_PAUSE:
		fleet_set_paused(f, s->paused);
		return true;
	case REACT_INTERVAL:
		fleet_set_interval(f, s->interval_s, mono_ns);
		return true;
	case REACT_REFRESH:
		fleet_poll_now(f, mono_ns);
		return true;
	case REACT_RECORD:
		toggle_record(live, s);
		return true;
	case REACT_GO_LAST:
		s->paused = false;
		fleet_set_paused(f, false);
		return true;
	case REACT_STEP_BACK:
	case REACT_STEP_FORWARD:
	case REACT_GO_FIRST:
		snprintf(s->message, sizeof s->message,
			"to step through time, record (key r) and replay");
		return true;
	default:
		return false;
	}
}

static bool feed_ended(void *ctx)
{
	const struct live *l = ctx;
	const struct model *m = l->fleet->model;

	for (unsigned i = 0; l->count > 0 && i < m->n; i++)
		if (m->ep[i]->polls >= l->count)
			return true;
	return false;
}

int app_live(const struct options *o)
{
	struct runner r;
	struct err err = {.code = ERR_NONE};
	struct view_state view;

	if (!screen_is_wanted(o))
		return app_batch(o);
	if (!runner_open(&r, o, false, &err)) {
		complain(&err);
		return 1;
	}
	struct live live = {.fleet = &r.fleet, .count = o->count};
	snprintf(live.file, sizeof live.file, "%s", o->record_file ? o->record_file : "");
	struct feed feed = {&live, mailbox_fd(r.fleet.mail), feed_model, feed_pump, feed_due,
		feed_waits, feed_react, feed_ended};
	view_from_options(&view, o);
	bool ok = (!o->record_file || fleet_record(&r.fleet, o->record_file, &err)) &&
		  screen_run(o, &feed, &r.signal_fd, &view, &err);
	return runner_close(&r, ok ? 0 : 1, &err);
}
