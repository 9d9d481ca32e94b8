/* A mongod as far as a driver asks: OP_QUERY and OP_MSG, with the replies that the test gives. */
#ifndef HOTSET_TEST_FAKE_MONGO_H
#define HOTSET_TEST_FAKE_MONGO_H

#include <bson/bson.h>

#include "fake.h"
#include "fake_tls.h"

enum fake_mongo_act { FAKE_REPLY, FAKE_SILENT, FAKE_CLOSE, FAKE_DRIP };

/* Appends the reply to a command, "ok" included; name is its first key. One call at a time. */
typedef enum fake_mongo_act fake_mongo_fn(
	void *arg, const char *name, const bson_t *cmd, bson_t *reply);

struct fake_mongo {
	fake_mongo_fn *answer;
	void *arg;
	struct fake_tls *tls; /* NULL: plain */
};

/* The connection whose command is being answered. */
const struct fake_conn *fake_mongo_conn(void);

/* For fake_start(): `arg` is a struct fake_mongo. */
void fake_mongo_serve(struct fake_conn *c);
/* The reply of a standalone to hello and isMaster. */
void fake_mongo_hello(bson_t *reply);
/* The end of any reply to hello: limits of the protocol, and ok. */
void fake_mongo_limits(bson_t *reply);
bool fake_mongo_is_hello(const char *name);
/* The least of a serverStatus that has a cache to watch: 1 of 256 MiB. */
void fake_mongo_status(bson_t *reply);
/* {ok: 0, code, errmsg}. */
void fake_mongo_error(bson_t *reply, int code, const char *message);

#endif
