/* What the files of the serverStatus and hello parsers share. */
#ifndef HOTSET_MONGO_STATUS_H
#define HOTSET_MONGO_STATUS_H

#include <bson/bson.h>

#include "hotset/sample.h"

/* false and err if the reply is a failed command's; a reply without `ok` is a dump, and fine. */
bool mongo_reply_ok(const bson_t *doc, struct err *err);

/* Identity of the run: topologyVersion.processId, else, unless it is known, pid and start. */
void mongo_take_run(struct sample *s, const bson_t *doc);
/* Sets the role and mongo.repl.state. */
void mongo_set_role(struct sample *s, const char *role);
/* The member's role from the fields of hello, below `path` ("" for hello itself). */
void mongo_take_role(struct sample *s, const bson_t *doc, const char *path);

/* Sections of serverStatus that are more than named numbers. */
void mongo_take_latencies(struct sample *s, const bson_t *doc);
void mongo_take_tickets(struct sample *s, const bson_t *doc);
/* Needs the version in the sample: the meaning of the bits depends on it. */
void mongo_take_eviction_state(struct sample *s, const bson_t *doc);

/* ---- kinds of node ---- */
bool mongo_is_in_memory(const struct sample *s);
/* A copy in which the engine's section has its usual name; NULL if it has. */
bson_t *mongo_in_memory_as_wiredtiger(const bson_t *doc);
/* What the status can be at best, from what there was to watch. */
void mongo_judge_status(struct sample *s, const bson_t *doc);

#endif
