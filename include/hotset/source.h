/*
 * Where samples come from. A source is one file in src/source and a line in kinds.c; it runs in
 * the worker thread of its endpoint, owns its driver handle there, and is read-only towards what
 * it watches.
 */
#ifndef HOTSET_SOURCE_H
#define HOTSET_SOURCE_H

#include "hotset/sample.h"

struct source_ops;

/*
 * A parsed target. Holds secrets: never print it whole; `id`, `address` and `display` are safe.
 * Owned by the app; a worker reads it only.
 */
struct target {
	const struct source_ops *ops;
	char     id[96];       /* "redis@127.0.0.1:6379" */
	char     name[64];     /* what the user called it, "" if nothing */
	char     address[64];  /* "127.0.0.1:6379", "[::1]:27017", "/run/x.sock", "this host" */
	char     scheme[24];   /* "redis", "rediss", "redis+unix", ... */
	bool     tls;
	char     host[256];    /* without brackets; "" for unix sockets and proc: */
	uint16_t port;
	char     path[256];    /* unix socket path, proc: directory prefix, http path */
	char     user[128], password[256];
	unsigned db;
	char     ca_file[256], cert_file[256]; /* cert_file: certificate and key in one PEM */
	bool     tls_insecure;
	char    *uri;          /* the whole URI for the drivers that want it; secret; owned */
	bool     learns;       /* MongoDB: all members of its set are to be watched */
	bool     learned;      /* it was such a member, known by the name that its set has for it */
};

/*
 * Parses "URI", "name=URI" or "host:port" (guessed by port). Errors name the input with its
 * password redacted. Fills out; target_finish() frees (and wipes) it.
 */
MUST_CHECK bool target_parse(const char *text, struct target *out, struct err *err);
void target_finish(struct target *t);
/* Replaces user and password of a target (from --credentials); wipes the old ones. */
void target_set_credentials(struct target *t, const char *user, const char *password);
/* Copies a URI with any password replaced by "***", for messages. */
void target_redact(const char *text, char *out, size_t cap);
/* How many hosts the target names: 1, or more in a URI of MongoDB. */
unsigned target_host_count(const struct target *t);
/* The same target at the i-th of its hosts alone; the caller owns it. */
MUST_CHECK bool target_at_host(
	const struct target *t, unsigned i, struct target *out, struct err *err);
/* The same at a member of its set, "host:port" as the set's configuration has it. */
MUST_CHECK bool target_at_member(
	const struct target *t, const char *host_port, struct target *out, struct err *err);
/* What answers on this host's default ports within timeout_ms (27017, 6379, 11211), and proc:. */
unsigned target_discover(struct target *out, unsigned max, int timeout_ms);

struct source; /* private to its kind */

/* Statistics of collections: auto leaves them out where there are very many. */
enum collections { COLLECTIONS_AUTO, COLLECTIONS_ON, COLLECTIONS_OFF };

struct source_options {
	double interval_s;   /* as it was at start: how often to ask for expensive parts */
	double timeout_s;    /* of one poll, default 5 */
	enum collections collections;
	bool   probe;        /* memcached: time gets of our own */
	const char *probe_key; /* and of this key, at most 250 bytes; NULL: none */
	bool   all_parts;    /* --once, record: ask for every part each time */
};

/* One poll, as the UI thread asks for it. */
struct poll_request {
	int64_t  deadline_ns; /* clock_mono_ns() */
	unsigned wants;       /* enum want */
};

struct source_ops {
	const char       *name;     /* "redis" */
	const char *const *schemes; /* NULL-terminated: "redis", "rediss", "redis+unix" */
	enum kind         kind;     /* of its metrics */
	uint16_t          port;     /* default port, 0 none */
	uint16_t          tls_port; /* default port with TLS, 0 the same */
	/* In the worker thread. Cannot fail: a source that cannot work says so in each poll. */
	struct source *(*create)(const struct target *t, const struct source_options *o);
	/*
	 * Fills out: status, times, values. Cannot fail (an error is a status). Must return by
	 * the request's deadline. Never retries inside one poll.
	 */
	void (*poll)(struct source *s, const struct poll_request *r, struct sample *out);
	void (*destroy)(struct source *s); /* NULL is fine */
};

extern const struct source_ops *const source_kinds[]; /* NULL-terminated */
const struct source_ops *source_find_scheme(const char *scheme, size_t len);

/* From here on what libraries say goes to the log; before targets are parsed. */
void source_quiet(void);
/* Process-wide library set-up (mongoc_init, curl_global_init); once, before threads. */
void source_global_init(void);
void source_global_finish(void);

#endif
