/*
 * The stages of an aggregation that come after its source, over documents in memory: $match as far
 * as match.h goes, $sort by numbers, $limit and $facet. A stage that is none of these, or says more
 * than they do, is passed over.
 */
#ifndef WTNODE_STAGES_H
#define WTNODE_STAGES_H

#include "fail.h"

#include <bson/bson.h>

/* Documents, owned by the list; freed by docs_clear. */
struct docs {
	bson_t **doc;
	unsigned count, room;
};

/* Takes a copy; false without memory. */
bool docs_add(struct docs *docs, const bson_t *doc);
void docs_clear(struct docs *docs);

/*
 * Runs the stages that the iterator has yet to reach. False, with the failure, for a pipeline that
 * is none.
 */
bool stages_run(struct docs *docs, bson_iter_t *stages, struct fail *fail);

#endif
