/* The state of one watched MongoDB node, shared by the mongo*.c of this directory. */
#ifndef HOTSET_SOURCE_MONGO_H
#define HOTSET_SOURCE_MONGO_H

#include "mongo_coll.h"
#include "mongo_conn.h"
#include "mongo_status.h"
#include "place.h"

#include "hotset/parse.h"

/* How much of $currentOp the server lets us have; each step down is remembered. */
enum ops_mode { OPS_ALL, OPS_OWN, OPS_COMMAND, OPS_NONE };

/* Actions that roles grant, and what they are for: see mongo_rights.c. */
enum mongo_right {
	RIGHT_INPROG,
	RIGHT_CMD_LINE,
	RIGHT_PARAMETER,
	RIGHT_LOG,
	RIGHT_REPLSET,
	RIGHT_SHARDS,
	RIGHT_DIAGNOSTIC,
	RIGHT_TOP,
	RIGHT_COLL_STATS,
	RIGHT_COUNT
};

/* Whether TLS is why nothing answers, see mongo_tls.h. */
enum tls_asked { TLS_NOT_ASKED, TLS_IS_THE_REASON, TLS_IS_NOT };

struct mongo_params {
	bool readable;        /* at least one of the two commands was answered */
	char *startup_config; /* NULL: not readable */
	char *runtime_config; /* NULL: not readable */
	struct mongo_log log; /* what was set at run time, as far as it is known */
	bool log_known;       /* the log was read, or nothing had been set before we came */
	double dirty_target_gb, dirty_max_gb;
	int64_t window_s, limit_s; /* -1: not readable */
};

/* Errors of the server that are more than a failure. */
enum {
	CODE_FAILED_TO_PARSE = 9,
	CODE_UNAUTHORIZED = 13,
	CODE_COMMAND_NOT_FOUND = 59,
	CODE_ON_VIEW = 166,
	CODE_UNKNOWN_STAGE = 40324
};

#define MONGO_HOST_LEVELS 3 /* of mongo.host.*, in mongo_diag.c */

struct mongo {
	struct mongo_conn conn;
	struct source_options opts;
	struct server_run run;
	bson_t *hello;     /* the last reply, NULL before it */
	bool arbiter;      /* found by a hello without login: nothing else is asked */
	bool no_arbiter;   /* looked for by the same, and it is none */
	bool plain_status; /* this server refuses our options of serverStatus */
	enum tls_asked tls_asked; /* since it last answered */
	unsigned denied;   /* 1 << enum mongo_right: what this login may not do */
	bson_t *replset;   /* the last reply to replSetGetStatus, also an error; or NULL */
	enum ops_mode ops_mode;
	struct mongo_params params;
	uint64_t own_ops;
	unsigned wants; /* of this poll: enum want */
	int64_t poll_begin_ns, poll_ns; /* of this poll, and the time it may take */
	/* when each part was asked for, 0 never */
	int64_t hello_ns, metrics_ns, params_ns, replset_ns, ops_ns, shards_ns;
	bool hello_is_new; /* in this poll */
	/* replSetGetStatus, -1: unknown */
	int64_t majority_lag_s, repl_lag_s;
	/* whether this run of the server is a process of this host, and which one */
	struct {
		bool tried;
		uint64_t epoch;
		enum reason why;
		pid_t pid;
		bool group; /* its bytes are those of its cgroup */
	} here;
	struct place place;
	/* getDiagnosticData: not to be had; the levels as last sent, < 0 unknown */
	bool no_diagnostic;
	int64_t diag_ns, diag_taken_ms; /* when asked, and when the server took what it said */
	double host_levels[MONGO_HOST_LEVELS];
	/* collections: not to be had; only the command collStats is known; when last asked */
	bool no_collections, plain_coll_stats;
	bool coll_off; /* for a while: too many, or `top` failed */
	int64_t coll_ns;
	unsigned coll_rounds;
	char coll_said[64]; /* of the last round, for each sample */
	struct mongo_nss nss;
	double resident; /* mem.resident in bytes as last sent, -1 unknown */
	/* checkpoints, as seen by us */
	int64_t ckpt_count, ckpt_ended_ns; /* -1, 0: unknown */
	bool ckpt_running;
	/* read storm: pages read per second, and their usual level */
	double pages_read, pages_usual; /* < 0: unknown */
	int64_t pages_ns;
	bool storm, storm_began;
};

bool mongo_find(const bson_t *doc, const char *path, bson_iter_t *it);
/* A number of any BSON type, false if there is none at the path. */
bool mongo_number(const bson_t *doc, const char *path, double *out);
/* Whether a part is due that was asked for at *last (0: never); then *last becomes now. */
bool mongo_is_due(struct mongo *m, int64_t *last, int64_t every_ns);
/* Early enough in this poll to begin a command that could stall. */
bool mongo_has_time(const struct mongo *m);

/* getCmdLineOpts and getParameter, now and then; thresholds, window and limit in each sample. */
void mongo_take_params(struct mongo *m, struct sample *out);
/* After getParameter: keeps the list of what was set at run time, reading the log once for it. */
void mongo_follow_runtime(struct mongo *m, const char *config);
/*
 * On members of a set replSetGetStatus, now and then: lags, the true state, and the members
 * whenever something new is known of them.
 */
void mongo_take_replset(struct mongo *m, struct sample *out);
/* On routers listShards, now and then. */
void mongo_take_shards(struct mongo *m, struct sample *out);
/* After serverStatus: bytes read from the device, if the node is provably on this host. */
void mongo_take_device(struct mongo *m, const bson_t *status, struct sample *out);
/* getDiagnosticData: the host of a node elsewhere, while a view wants it. */
void mongo_take_diagnostic(struct mongo *m, struct sample *out);
/* `top` and $collStats of some, while a view wants them: see mongo_coll.h. */
void mongo_take_collections(struct mongo *m, struct sample *out);
/* $currentOp: every 2 s, every second in a read storm, and at once when one begins. */
void mongo_take_ops(struct mongo *m, struct sample *out);

/* Remembers that a command was refused for want of a privilege; other failures are none. */
void mongo_note_refusal(struct mongo *m, enum mongo_right right, const struct mongo_failure *f);
bool mongo_is_denied(const struct mongo *m, enum mongo_right right);
/* At the end of a poll: says once what is missing and which role has it. */
void mongo_say_denied(const struct mongo *m, struct sample *out);

#endif
