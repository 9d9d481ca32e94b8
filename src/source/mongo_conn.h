/*
 * One client of the MongoDB driver and the member that it watches. The driver's timeouts are fixed
 * when it connects, so they are made from the poll's: a stalled command takes at most 0.8 of it.
 */
#ifndef HOTSET_SOURCE_MONGO_CONN_H
#define HOTSET_SOURCE_MONGO_CONN_H

#include <mongoc/mongoc.h>

#include "hotset/source.h"

#include "mongo_uri.h"

struct mongo_conn {
	const struct target *target;
	double timeout_s;
	mongoc_uri_t *uri; /* of the one server, with our options; NULL: no memory */
	bool tls;          /* by the URI's options */
	bool srv;          /* `uri` is to be looked up, see `place` */
	char place[MONGO_PLACE_MAX];   /* the server that is watched; "": SRV names it yet */
	char answers[MONGO_PLACE_MAX]; /* who answered last */
	mongoc_read_prefs_t *prefs;
	mongoc_client_t *client; /* NULL: not connected */
	uint32_t server_id;      /* the member that answers */
	int32_t socket_ms;
};

/* Why a command failed. */
struct mongo_failure {
	int code; /* the server's, 0 if it did not answer */
	enum status status;
	struct err err;
};

void mongo_conn_init(struct mongo_conn *c, const struct target *t, double timeout_s);
void mongo_conn_finish(struct mongo_conn *c);
void mongo_conn_close(struct mongo_conn *c);
/* Connects if it is not; a new client each time, which resolves and authenticates anew. */
MUST_CHECK bool mongo_conn_open(struct mongo_conn *c, struct mongo_failure *f);
/*
 * Runs a command; `reply` is initialised in any case, the caller destroys it. A failure that is no
 * answer of the server closes the connection.
 */
MUST_CHECK bool mongo_conn_run(struct mongo_conn *c, const char *db, const bson_t *cmd,
	bson_t *reply, struct mongo_failure *f);
/* hello from the same host without logging in, on a connection of its own. */
MUST_CHECK bool mongo_conn_hello_unauthenticated(const struct mongo_conn *c, bson_t *reply);

#endif
