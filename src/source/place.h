/*
 * Where a watched server runs, if that is provably here: its process and the memory that its cgroup
 * leaves it.
 */
#ifndef HOTSET_SOURCE_PLACE_H
#define HOTSET_SOURCE_PLACE_H

#include "cgroup.h"
#include "hotset/source.h"

struct place {
	bool tried;
	uint64_t epoch; /* of the run that was looked for */
	enum reason why;
	pid_t pid;
	struct cgroup group;
};

/* Once per run of the server: looks for its process by the listening socket and its own pid. */
void place_find(struct place *p, const struct target *t, const struct sample *s);
/* The same where the process is known already, or why it is not. */
void place_set(struct place *p, enum reason why, pid_t pid, uint64_t epoch);
/* The cgroup's limit and use, or why they are not known, into two metrics. */
void place_take(const struct place *p, enum metric_id max, enum metric_id used, struct sample *out);

#endif
