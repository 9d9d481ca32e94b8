#include "hotset/fields.h"
#include "hotset/parse.h"
#include "hotset/text.h"

#define START_TOLERANCE_S 5

void field_set_run(struct sample *out, uint64_t pid, int64_t start_s)
{
	uint64_t id[2] = {pid, (uint64_t)start_s};
	out->pid = pid;
	out->start_s = start_s;
	out->epoch = text_hash(TEXT_HASH_INIT, id, sizeof(id));
}

static bool is_same_run(const struct server_run *last, const struct sample *s)
{
	int64_t a = last->start_s, b = s->start_s;
	return a != 0 && last->pid == s->pid && (a > b ? a - b : b - a) <= START_TOLERANCE_S;
}

/*
 * The start is compared with that of the sample before and not with the run's first one: a server
 * whose clock is slewed for months drifts by more than the tolerance, but never within one poll.
 */
void parse_settle_epoch(struct server_run *last, struct sample *s)
{
	if (s->start_s == 0)
		return;
	if (is_same_run(last, s))
		s->epoch = last->epoch;
	*last = (struct server_run){s->pid, s->start_s, s->epoch};
}
