/*
 * --once and --batch. A frame of --batch belongs to a tick: requests go out, and the frame is
 * printed when those asked in this tick have answered, or shortly before the next tick. An endpoint
 * that hangs is asked once and then not waited for. Only the first frame may come later, while
 * nobody has answered yet: a connection takes its time, and there should be something to print.
 */
#include "hotset/app.h"

#include "hotset/clock.h"
#include "output.h"
#include "runner.h"

#define ONLY_FRAME_NS (2 * NS_PER_SEC) /* waited for all; longer, and what is there grows stale */

/* The first point of the grid start + k x delay after now. */
static int64_t next_tick(int64_t start, int64_t delay_ns, int64_t now)
{
	return start + ((now - start) / delay_ns + 1) * delay_ns;
}

static bool has_answer(const struct fleet *f)
{
	for (unsigned i = 0; i < f->model->n; i++)
		if (f->model->ep[i]->polls > 0)
			return true;
	return false;
}

/* Waits for those asked in this tick; `hanging` were asked before. */
static bool wait_for_answers(struct runner *r, int64_t until_ns, unsigned hanging, struct err *err)
{
	struct fleet *f = &r->fleet;

	if (!runner_wait(r, until_ns, (int)hanging, err))
		return false;
	if (r->interrupted || has_answer(f))
		return true;
	return runner_wait(r, clock_mono_ns() + f->timeout_ns, (int)fleet_pending(f) - 1, err);
}

static bool run_ticks(struct runner *r, const struct options *o, struct output *out,
	struct err *err)
{
	struct fleet *f = &r->fleet;
	struct view_state view;
	int64_t start = clock_mono_ns(), delay_ns = (int64_t)(o->delay_s * (double)NS_PER_SEC);
	int64_t since = INT64_MIN;

	view_from_options(&view, o);
	for (unsigned tick = 0; o->count == 0 || tick < o->count; tick++) {
		int64_t now = clock_mono_ns(), next = next_tick(start, delay_ns, now);
		int64_t until = o->count == 1 ? now + ONLY_FRAME_NS : next - delay_ns / 10;
		unsigned hanging = fleet_pending(f);

		if (o->format == FORMAT_TEXT) /* the others print all there is */
			f->wants = view_wants(f->model, &view);
		if (fleet_ask(f, now) > 0 && !wait_for_answers(r, until, hanging, err))
			return false;
		if (r->interrupted)
			return true;
		now = clock_mono_ns();
		model_tick(f->model, now, clock_wall_ns());
		if (!output_frame(out, f->model, &view, since, err))
			return false;
		since = now;
		if (tick + 1 == o->count)
			return true;
		if (!runner_wait(r, next, RUNNER_WHOLE_TIME, err))
			return false;
		if (r->interrupted)
			return true;
	}
	return true;
}

static bool run_once(struct runner *r, const struct options *o, struct output *out, struct err *err)
{
	struct view_state view;

	view_from_options(&view, o);
	if (!runner_once(r, o, err))
		return false;
	if (r->interrupted)
		return true;
	model_tick(r->fleet.model, clock_mono_ns(), clock_wall_ns());
	return output_frame(out, r->fleet.model, &view, INT64_MIN, err);
}

int app_batch(const struct options *o)
{
	struct runner r;
	struct err err = {.code = ERR_NONE};
	struct output out = {.o = o};

	if (!runner_open(&r, o, o->once, &err)) {
		complain(&err);
		return 1;
	}
	if (o->record_file && !fleet_record(&r.fleet, o->record_file, &err))
		return runner_close(&r, 1, &err);
	bool ok = o->once ? run_once(&r, o, &out, &err) : run_ticks(&r, o, &out, &err);
	if (out.closed) { /* "| head": not our failure */
		err.code = ERR_NONE;
		return runner_close(&r, 0, &err);
	}
	if (ok && !r.interrupted && !fleet_has_data(&r.fleet))
		ok = false; /* said by the frames themselves */
	return runner_close(&r, ok ? 0 : 1, &err);
}
