/*
 * The last lines of the log, in memory, for getLog: structured JSON as mongod writes it from 4.4
 * on.
 *
 * Functions may be called by any thread. A line that does not fit loses its attributes and says so.
 */
#ifndef WTNODE_LOGRING_H
#define WTNODE_LOGRING_H

#include <bson/bson.h>
#include <pthread.h>

#define LOGRING_LINES    256
#define LOGRING_LINE_MAX 8192 /* bytes */

/* Lines that clients look for, with mongod's numbers. */
enum logring_id {
	LOGRING_OPENING = 22315,
	LOGRING_RECONFIGURING = 22376,
	LOGRING_RECONFIGURE_FAILED = 22378,
};

struct logring {
	pthread_mutex_t lock;
	int64_t written; /* lines since the start */
	char *lines[LOGRING_LINES];
};

void logring_init(struct logring *log);
void logring_finish(struct logring *log);

/*
 * Writes a line of a component ("STORAGE") and a thread ("conn7"), severity 'I' or 'E', with one
 * attribute. Drops it when there is no memory.
 */
void logring_write(struct logring *log, char severity, const char *component, enum logring_id id,
	const char *context, const char *message, const char *attr, const char *value);

/* Appends the lines that are left as an array, oldest first; returns how many were ever written. */
int64_t logring_append(struct logring *log, const char *key, bson_t *out);

#endif
