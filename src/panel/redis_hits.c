/* The hit ratio of the interval beside that since start, and the misses that somebody else answers.
 */
#include "hotset/widgets.h"

#include "panels.h"

static const struct bar bars[] = {
	{"now", METRIC_REDIS_HIT_RATIO, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
	{"start", METRIC_REDIS_HIT_RATIO_TOTAL, METRIC_COUNT, METRIC_COUNT, 100, METRIC_COUNT},
};

static const struct field fields[] = {
	{"hits", METRIC_REDIS_HITS},
	{"misses", METRIC_REDIS_MISSES},
};

static const struct sheet sheet = {
	.title = "hit ratio: now, since start",
	.bars = bars,
	.nbars = 2,
	.fields = fields,
	.nfields = 2,
	.graph = METRIC_REDIS_MISSES,
	.role = ROLE_GRAPH,
};

const struct panel_ops panel_redis_hits = {.name = "hits", .sheet = &sheet};
