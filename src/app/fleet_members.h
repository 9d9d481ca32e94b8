/* Members of a replica set that answers named, as further endpoints. */
#ifndef HOTSET_APP_FLEET_MEMBERS_H
#define HOTSET_APP_FLEET_MEMBERS_H

#include "fleet.h"

#define FLEET_SET_MAX 50 /* members of a set; MongoDB has no larger ones */

/* Looks at the members that the model knows of and adds those that nobody watches yet. */
void fleet_learn(struct fleet *f, int64_t now_ns, struct err *err);

#endif
