#include "place.h"

#include "same_host.h"

void place_set(struct place *p, enum reason why, pid_t pid, uint64_t epoch)
{
	if (p->tried && p->epoch == epoch && p->pid == pid && p->why == why)
		return;
	*p = (struct place){.tried = true, .epoch = epoch, .why = why, .pid = pid};
	if (why == REASON_OK)
		cgroup_find(&p->group, "", pid);
}

void place_find(struct place *p, const struct target *t, const struct sample *s)
{
	enum reason why = REASON_NOT_SAME_HOST;
	pid_t pid = 0;

	if (p->tried && p->epoch == s->epoch)
		return;
	if (t->host[0] && s->pid > 0)
		why = same_host_prove(t->host, t->port, s->pid, &pid);
	place_set(p, why, pid, s->epoch);
}

void place_take(const struct place *p, enum metric_id max, enum metric_id used, struct sample *out)
{
	uint64_t limit = 0, use = 0;
	enum reason why = p->why;

	if (why == REASON_OK)
		why = cgroup_limit(&p->group, "", &limit, &use);
	if (why == REASON_OK)
		sample_set_u64(out, max, limit);
	else
		sample_set_missing(out, max, why);
	if (why == REASON_OK || why == REASON_NO_LIMIT)
		sample_set_u64(out, used, use);
	else
		sample_set_missing(out, used, why);
}
