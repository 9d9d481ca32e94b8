/* hotset record: polls and writes, draws nothing. */
#include "hotset/app.h"

#include "hotset/clock.h"
#include "runner.h"

#include <unistd.h>

/* Polls until interrupted or until every endpoint was asked `count` times. */
static bool run(struct runner *r, const struct options *o, struct err *err)
{
	struct fleet *f = &r->fleet;
	int64_t delay_ns = (int64_t)(o->delay_s * (double)NS_PER_SEC);
	int64_t next = clock_mono_ns();

	for (unsigned tick = 0; o->count == 0 || tick < o->count; tick++) {
		if (!runner_wait(r, next, RUNNER_WHOLE_TIME, err))
			return false;
		if (r->interrupted)
			return true;
		int64_t now = clock_mono_ns();
		fleet_ask(f, now);
		next += ((now - next) / delay_ns + 1) * delay_ns;
	}
	return runner_wait(r, clock_mono_ns() + f->timeout_ns, 0, err);
}

int app_record(const struct options *o)
{
	struct runner r;
	struct err err = {.code = ERR_NONE};
	unsigned long polls = 0;

	if (!runner_open(&r, o, true, &err)) {
		complain(&err);
		return 1;
	}
	bool ok = fleet_record(&r.fleet, o->record_file, &err) && run(&r, o, &err);
	for (unsigned i = 0; i < r.fleet.model->n; i++)
		polls += r.fleet.model->ep[i]->polls;
	if (ok && isatty(STDERR_FILENO))
		fprintf(stderr, "hotset: %lu samples of %u endpoints in %s\n", polls,
			r.fleet.model->n, o->record_file);
	return runner_close(&r, ok ? 0 : 1, &err);
}
