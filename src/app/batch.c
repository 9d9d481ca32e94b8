/*
 * --once and --batch. A frame of --batch belongs to a tick: requests go out, and the frame is
 * printed when those asked in this tick have answered, or right before the next tick. An endpoint
 * that hangs is asked once and then not waited for. Only the first frame waits longer: a connection
 * takes its time, and "-b -n 1" should have something to print.
 */
#include "hotset/app.h"

#include "hotset/clock.h"
#include "output.h"
#include "runner.h"

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The first point of the grid start + k x delay after now. */
static int64_t next_tick(int64_t start, int64_t delay_ns, int64_t now)
{
	return start + ((now - start) / delay_ns + 1) * delay_ns;
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
		int64_t wait_until = tick == 0 ? later(next, now + f->timeout_ns) : next;

		int hanging = (int)fleet_pending(f);

		if (fleet_ask(f, now) > 0 && !runner_wait(r, wait_until, hanging, err))
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
		if (!runner_wait(r, now < next ? next : next_tick(start, delay_ns, now),
			    RUNNER_WHOLE_TIME, err))
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
