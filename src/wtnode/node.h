/*
 * The node: what all connections share. Made by main before the first connection, finished after
 * the last.
 */
#ifndef WTNODE_NODE_H
#define WTNODE_NODE_H

#include "catalog.h"
#include "engine.h"
#include "logring.h"
#include "ops.h"
#include "top.h"
#include "txn.h"

#define NODE_TOKEN_BYTES 16

struct node {
	int argc; /* as started, for getCmdLineOpts */
	char **argv;
	const char *dbpath;
	const char *engine_config; /* of the command line, or NULL */
	uint64_t cache_bytes;
	uint16_t port;
	char host[320];                       /* "hostname:port" */
	char version[64];                     /* "wtnode (WiredTiger 3.2.1)" */
	char token[2 * NODE_TOKEN_BYTES + 1]; /* what shutdown must show */
	int64_t start_ns;                     /* of ops_now_ns */
	int stop_fd;                          /* an eventfd; writing to it ends the program */
	atomic_bool stopping;
	struct logring log;
	struct engine engine;
	struct catalog catalog;
	struct ops ops;
	struct top top;
	struct txns txns;
	/* parameters that can be set */
	atomic_uint transaction_lifetime_s;
	pthread_mutex_t params_lock;
	char runtime_config[256]; /* the last string set, under params_lock */
};

/* One client. */
struct conn {
	struct node *node;
	int fd;
	unsigned slot; /* of op, in node->ops.slots */
	struct op_slot *op;
	WT_SESSION *session; /* NULL until a command needs it */
	bool end_node;       /* stop the node once the reply is sent */
};

#endif
