/*
 * A replica set of fake members that name each other. The test changes states while they serve; what
 * hello and replSetGetStatus say follows from them.
 */
#ifndef HOTSET_TEST_FAKE_SET_H
#define HOTSET_TEST_FAKE_SET_H

#include <stdatomic.h>

#include "fake_mongo.h"

#define FAKE_SET_MAX 6

enum fake_state { /* as replSetGetStatus numbers them */
	FAKE_STARTUP = 0,
	FAKE_PRIMARY = 1,
	FAKE_SECONDARY = 2,
	FAKE_RECOVERING = 3,
	FAKE_STARTUP2 = 5,
	FAKE_ARBITER = 7,
	FAKE_ROLLBACK = 9,
};

struct fake_set;

struct fake_member {
	struct fake_set *set;
	_Atomic enum fake_state state;
	atomic_bool hidden;         /* hello does not name it */
	atomic_int status_code;     /* if not 0, the error of serverStatus instead */
	atomic_int set_status_code; /* of replSetGetStatus */
	atomic_uint statuses, hellos;
	char name[64]; /* in the set's configuration: its address, unless the test says otherwise */
	struct fake *fake;
	struct fake_mongo mongo;
	bson_oid_t run;
};

struct fake_set {
	unsigned n;
	struct fake_member m[FAKE_SET_MAX];
	bson_t status; /* what every member answers to serverStatus, but for opcounters.query */
};

/* What each adds to its opcounters.query from reply to reply, and how far apart they are. */
#define FAKE_SET_QUERIES 100
#define FAKE_SET_APART   10000000
/* The first is the primary, the rest secondaries. */
void fake_set_start(struct fake_set *s, unsigned n, const bson_t *status);
void fake_set_stop(struct fake_set *s);
/* Of one listed member, or of all of them: "mongodb://a:1,b:2/?replicaSet=rs0". */
void fake_set_uri(const struct fake_set *s, unsigned listed, char *uri, size_t cap);

#endif
