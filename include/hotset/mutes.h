/*
 * Verdicts that the user has put aside for this run: they lead the screen no more, and are counted.
 * One comes back when it gets worse. The list of view 7 has them all the same.
 */
#ifndef HOTSET_MUTES_H
#define HOTSET_MUTES_H

#include "hotset/model.h"

#define MUTES_MAX 64

struct mutes {
	unsigned n;
	struct {
		const char *code; /* of the verdict, static */
		uint16_t endpoint;
		enum level level;
	} list[MUTES_MAX];
};

bool mutes_has(const struct mutes *mutes, const struct verdict *v);
/* False when there is no room for one more. */
bool mutes_add(struct mutes *mutes, const struct verdict *v);
/* How many of the verdicts that hold now are muted. */
unsigned mutes_count(const struct mutes *mutes, const struct model *m);
/* The worst that is not muted, NULL if there is none. */
const struct verdict *mutes_first(const struct mutes *mutes, const struct model *m);

#endif
