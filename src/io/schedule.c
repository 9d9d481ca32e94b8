#include "hotset/worker.h"

#include "hotset/clock.h"

#define BACK_OFF_MAX_NS (30 * NS_PER_SEC)

void schedule_init(struct schedule *s, int64_t interval_ns, int64_t now_ns)
{
	*s = (struct schedule){.interval_ns = interval_ns, .due_ns = now_ns};
}

/* The first point of the grid after `t`, which is how a gap is skipped in one step. */
static int64_t grid_after(const struct schedule *s, int64_t t)
{
	if (t < s->due_ns)
		return s->due_ns;
	return s->due_ns + ((t - s->due_ns) / s->interval_ns + 1) * s->interval_ns;
}

void schedule_sent(struct schedule *s, int64_t now_ns)
{
	s->due_ns = grid_after(s, now_ns);
}

static int64_t back_off_ns(const struct schedule *s)
{
	int64_t d = s->interval_ns;

	for (unsigned i = 0; i < s->failures && d < BACK_OFF_MAX_NS; i++)
		d *= 2;
	if (d > BACK_OFF_MAX_NS)
		d = BACK_OFF_MAX_NS;
	return d > s->interval_ns ? d : s->interval_ns;
}

void schedule_result(struct schedule *s, bool ok, int64_t now_ns)
{
	if (ok) {
		s->failures = 0;
		return;
	}
	s->failures++;
	/* On the grid again: an answer that failed at once waits 2, 4, 8 ... intervals since it was
	 * sent. */
	s->due_ns = grid_after(s, now_ns + back_off_ns(s) - s->interval_ns);
}

void schedule_now(struct schedule *s, int64_t now_ns)
{
	s->due_ns = now_ns;
}

bool schedule_is_due(const struct schedule *s, int64_t now_ns)
{
	return now_ns >= s->due_ns;
}
