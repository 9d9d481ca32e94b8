/*
 * A wtnode with a cache of 8 MB in a child process, and a driver's client to it: commands written
 * as JSON, and what their replies hold at a dotted path.
 */
#ifndef TESTS_SUPPORT_WTNODE_H
#define TESTS_SUPPORT_WTNODE_H

#include "support.h"

#include <mongoc/mongoc.h>
#include <sys/types.h>

#define WTNODE_WAIT_MS     20000
#define WTNODE_CACHE_BYTES (8 << 20)
#define WTNODE_DOCS        12000 /* of 2 KB: three times the cache */
#define WTNODE_CONNECTIONS 200   /* that the node serves at once */

struct wtnode {
	pid_t pid; /* 0 = not running */
	int port, out;
	char token[64];
	char *dir;
	const char *cache;         /* its size; NULL: 8MB */
	const char *engine_config; /* added to WiredTiger's configuration; NULL: nothing */
	bool has_items;
};

/* Skips a test where there is no node for it. */
#define NEEDS_NODE(client)                                                                         \
	do {                                                                                       \
		if (client == NULL) {                                                              \
			skip();                                                                    \
		}                                                                                  \
	} while (0)

/* Starts the node that a program's tests share; returns NULL where wtnode was not built. */
mongoc_client_t *wtnode_setup(struct wtnode *node);
void wtnode_teardown(struct wtnode *node, mongoc_client_t *client); /* NULL is fine */

const char *wtnode_program(void);
/* Starts a node on node->dir; the window is the history's, in seconds. */
void wtnode_start(struct wtnode *node, const char *window);
/* Waits for the end and returns the exit status, or -1 for a signal. */
int wtnode_reap(struct wtnode *node);
int wtnode_stop(struct wtnode *node); /* SIGTERM, then the same */
mongoc_client_t *wtnode_connect(const struct wtnode *node, const char *app);

/* Runs a command written as JSON; returns 0 or the error's code. The caller destroys the reply. */
uint32_t wtnode_try(mongoc_client_t *c, const char *db, bson_t *reply, const char *json);
/* The same for a command that must succeed: fails the test if it does not. */
void wtnode_run(mongoc_client_t *c, const char *db, bson_t *reply, const char *json);
void wtnode_run_quietly(mongoc_client_t *c, const char *db, const char *json);
uint32_t wtnode_code_of(mongoc_client_t *c, const char *db, const char *json);
int64_t wtnode_status_num(mongoc_client_t *c, const char *path); /* of serverStatus */
int64_t wtnode_count(mongoc_client_t *c, const char *json);      /* a count in lab: its n */
/* lab.items: WTNODE_DOCS documents of 2 KB that do not compress well; loaded once. */
void wtnode_load_items(struct wtnode *node, mongoc_client_t *c);

/* What to find among the running operations: who runs it, by which plan; and then the entry. */
struct wtnode_op {
	const char *app, *plan;
	bson_t found;
	bool is_found;
};

/*
 * Repeats the command in lab on another connection until $currentOp shows it; fails the test if it
 * does not. The caller destroys op->found.
 */
void wtnode_see_running(
	struct wtnode *node, mongoc_client_t *c, struct wtnode_op *op, const char *command);

bool doc_at(const bson_t *doc, const char *path, bson_iter_t *found);
bool doc_has(const bson_t *doc, const char *path);
/* A number at the dotted path; fails the test where there is none. */
int64_t doc_num(const bson_t *doc, const char *path);
/* A string at the dotted path, "" where there is none; it lives as long as the document. */
const char *doc_str(const bson_t *doc, const char *path);
/* How many elements the array or document at the path has; fails the test where there is none. */
unsigned doc_elements(const bson_t *doc, const char *path);

#endif
