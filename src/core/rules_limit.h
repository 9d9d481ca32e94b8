/* Caches that are configured larger than what is there: rules_limit.c, for the tables of all kinds.
 */
#ifndef HOTSET_RULES_LIMIT_H
#define HOTSET_RULES_LIMIT_H

#include "hotset/rules.h"

#define LIMIT_CODE "host.cache_exceeds_limit"

/* A server's cache against the cgroup of its process; Redis also against its machine. */
void rules_limit(const struct model *m, const struct endpoint *ep, struct finding *out);
/* All caches that are proven to be on this host against its memory. */
void rules_limit_of_host(const struct model *m, const struct endpoint *ep, struct finding *out);

#endif
