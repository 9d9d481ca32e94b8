/* Rules of MongoDB that fill a file of their own; rules_mongo.c lists them. */
#ifndef HOTSET_RULES_MONGO_H
#define HOTSET_RULES_MONGO_H

#include "hotset/rules.h"

/* Pinned timestamps: rules_pinned.c */
void rules_held(const struct model *m, const struct endpoint *ep, struct finding *out);
void rules_majority(const struct model *m, const struct endpoint *ep, struct finding *out);
/* What a full cache costs its users: rules_stall.c */
void rules_app_stall(const struct model *m, const struct endpoint *ep, struct finding *out);
/* Who serves the misses: rules_read.c */
void rules_masked(const struct model *m, const struct endpoint *ep, struct finding *out);

#endif
