/*
 * The WiredTiger connection: opening it as mongod does, sessions, commits with timestamps, and the
 * thread that moves the stable and the oldest timestamp.
 *
 * A timestamp is seconds << 32 | increment, as in MongoDB, so a pinned range >> 32 is seconds.
 * Stable follows the newest commit below which none is under way, every ENGINE_STAMP_MS; oldest
 * follows stable at the distance of the history window, and never goes back. Where nothing is
 * written time stands still, as on a replica set between two no-ops.
 *
 * Functions may be called by any thread unless they say otherwise; a session belongs to one.
 */
#ifndef WTNODE_ENGINE_H
#define WTNODE_ENGINE_H

#include "fail.h"
#include "logring.h"
#include "ops.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <wiredtiger.h>

#define ENGINE_STAMP_MS 10

struct engine_options {
	const char *dbpath; /* created when it is missing */
	uint64_t cache_bytes;
	unsigned window_s;  /* the history window */
	bool direct_io;     /* data files bypass the page cache of the kernel */
	const char *config; /* what is added to the engine's configuration, or NULL */
	struct logring *log;
};

#define ENGINE_ERROR_MAX 200 /* bytes */

/* Where WiredTiger says what is wrong; it hands the first member back. */
struct engine_events {
	WT_EVENT_HANDLER handler;
	pthread_mutex_t lock;
	bool listening; /* keep what the thread is told */
	pthread_t thread;
	char text[ENGINE_ERROR_MAX];
};

struct engine {
	WT_CONNECTION *wt;
	struct engine_events events;
	struct logring *log;
	bool compressed;      /* snappy was found */
	atomic_uint window_s; /* may be changed while running */
	atomic_llong too_old; /* snapshots asked for that were older than the oldest timestamp */
	/* timestamps, under lock */
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t stamper;
	bool stop;
	uint64_t newest;             /* handed out */
	uint64_t stable, oldest;     /* as the engine knows them */
	uint64_t pending[OPS_SLOTS]; /* taken and not yet committed, 0 = none */
};

/* Opens the engine, recovering what a crash left, and starts the stamper. */
bool engine_open(struct engine *e, const struct engine_options *opt, struct fail *fail);

/* Closes with a checkpoint; every session must be idle. False when WiredTiger reports an error. */
bool engine_close(struct engine *e, struct fail *fail);

/*
 * Changes what can be changed at run time, as WiredTiger's configuration strings say, and logs it
 * for the thread of that name. One at a time. On false fail has the engine's own words.
 */
bool engine_reconfigure(
	struct engine *e, const char *config, const char *context, struct fail *fail);

/* A session with snapshot isolation. Returns 0 or WiredTiger's error. */
int engine_session(struct engine *e, WT_SESSION **session);

/*
 * Commits the session's transaction with the next timestamp; slot says whose it is. Returns 0 or
 * WiredTiger's error, after which the transaction is gone as well.
 */
int engine_commit(struct engine *e, WT_SESSION *session, unsigned slot);

/*
 * Begins a transaction of the session that reads at *stamp, or with 0 at the newest timestamp below
 * which everything is committed; *stamp becomes what it is. It pins the history from there on.
 */
bool engine_begin_at(struct engine *e, WT_SESSION *session, uint64_t *stamp, struct fail *fail);

/* The newest timestamp that was handed out, and a new one that nothing is committed at. */
uint64_t engine_newest(struct engine *e);
uint64_t engine_tick(struct engine *e);

/* The stable and the oldest timestamp. */
void engine_stamps(struct engine *e, uint64_t *stable, uint64_t *oldest);

#endif
