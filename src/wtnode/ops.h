/*
 * What is going on: one slot per connection with the operation that runs on it, for $currentOp;
 * counters and latency histograms, for serverStatus; read and write tickets.
 *
 * A slot is written by its own connection; others read it under its lock. Counters are atomic.
 */
#ifndef WTNODE_OPS_H
#define WTNODE_OPS_H

#include "wire.h"

#include <bson/bson.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#define OPS_SLOTS        200 /* connections at once */
#define OPS_TICKETS      128 /* reads, and writes, inside the engine at once; mongod 5.0's number */
#define OPS_BUCKETS      51  /* of a latency histogram */
#define OPS_NS_MAX       255 /* bytes of "db.collection" */
#define OPS_APP_MAX      128 /* bytes of an application's name, as drivers limit it */
#define OPS_METADATA_MAX 512 /* bytes of a client's metadata, as mongod limits it */
#define OPS_PLAN_MAX     255 /* bytes of a plan's summary */

/* The last is no class of operations: the time from a transaction's start to its end. */
enum ops_class { OPS_READ, OPS_WRITE, OPS_COMMAND, OPS_TRANSACTION, OPS_CLASSES };

enum ops_counter {
	OPS_INSERT,
	OPS_QUERY,
	OPS_UPDATE,
	OPS_DELETE,
	OPS_COMMANDS,
	OPS_SCANNED_KEYS,
	OPS_SCANNED_DOCS,
	OPS_COLLSCANS,
	OPS_WRITE_CONFLICTS,
	OPS_BYTES_IN,
	OPS_BYTES_OUT,
	OPS_REQUESTS,
	OPS_COUNTERS,
};

/* Who is at the other end of a connection. */
struct ops_client {
	int32_t connection_id;
	char address[64]; /* "address:port" */
	char app[OPS_APP_MAX + 1];
	uint8_t metadata[OPS_METADATA_MAX];
	uint32_t metadata_len;
};

struct txn;

struct op_slot {
	pthread_mutex_t lock;
	bool connected;
	struct ops_client client;
	/* the operation */
	bool active;
	enum ops_class class;
	int32_t opid;
	int64_t start_ns;
	const char *op;
	char plan[OPS_PLAN_MAX + 1]; /* empty until it is known */
	char ns[OPS_NS_MAX + 1];
	char db[WIRE_DB_MAX + 1];
	const uint8_t *command; /* borrowed from the request while active */
	size_t command_len;
	const struct txn *txn; /* that the operation is a statement of, or NULL */
	atomic_llong yields, keys, docs;
};

struct ops_histogram {
	atomic_llong latency_us, ops, buckets[OPS_BUCKETS];
};

struct ops {
	struct op_slot slots[OPS_SLOTS];
	struct ops_histogram latency[OPS_CLASSES];
	atomic_llong counters[OPS_COUNTERS];
	sem_t tickets[2]; /* by OPS_READ, OPS_WRITE */
	atomic_int next_opid, next_connection, connected;
};

/* Time for durations: CLOCK_MONOTONIC in nanoseconds. */
int64_t ops_now_ns(void);

void ops_init(struct ops *ops);
void ops_finish(struct ops *ops);

/* A free slot for a new connection from the client ("address:port"), or NULL when all are taken. */
struct op_slot *ops_connect(struct ops *ops, const char *client);
void ops_disconnect(struct ops *ops, struct op_slot *slot);

/* Keeps what the client said of itself in its first hello; later ones do not change it. */
void ops_set_client(struct op_slot *slot, const bson_t *client);

/*
 * Begins and ends an operation; between the two it is visible to others. Begin waits for a ticket
 * when the class needs one. The request is borrowed until the end.
 */
void ops_begin(struct ops *ops, struct op_slot *slot, enum ops_class class, const char *op,
	const char *ns, const struct request *req);
void ops_end(struct ops *ops, struct op_slot *slot);

/* How the operation finds its documents, such as "COLLSCAN". */
void ops_set_plan(struct op_slot *slot, const char *plan);

/* Shows the operation as a statement of that transaction, while it is checked out. */
void ops_set_txn(struct op_slot *slot, const struct txn *txn);

/* Adds one operation of that many microseconds to the class's histogram. */
void ops_latency(struct ops *ops, enum ops_class class, int64_t us);

void ops_count(struct ops *ops, enum ops_counter which, int64_t by);

/* The lower bound of a histogram's bucket in microseconds. */
int64_t ops_bucket_us(unsigned bucket);

#endif
