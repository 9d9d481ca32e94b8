/* Rules about what kind of node it is, and about its replica set. */
#ifndef HOTSET_RULES_NODES_H
#define HOTSET_RULES_NODES_H

#include "hotset/rules.h"

void rules_no_primary(const struct model *m, const struct endpoint *ep, struct finding *out);
void rules_router(const struct model *m, const struct endpoint *ep, struct finding *out);
void rules_privileges(const struct model *m, const struct endpoint *ep, struct finding *out);

#endif
