/*
 * What one poll of one endpoint gave: raw numbers, texts and table rows, nothing derived. Sources
 * make samples, recorders write them, replay reads them; derive turns two of them into a frame.
 *
 * One owner: the worker until it is queued, then the UI thread (model_push takes it). All texts
 * lie in the sample's arena and are already sanitised.
 */
#ifndef HOTSET_SAMPLE_H
#define HOTSET_SAMPLE_H

#include "hotset/err.h"
#include "hotset/metric.h"
#include "hotset/value.h"

/* X(enum, word in JSON and on the screen) */
#define STATUS_LIST(X)                                                                             \
	X(OK, "ok")                                                                                \
	X(PARTIAL, "partial")                                                                      \
	X(WAITING, "waiting")                                                                      \
	X(LOADING, "loading")                                                                      \
	X(TIMEOUT, "timeout")                                                                      \
	X(REFUSED, "refused")                                                                      \
	X(DNS, "dns")                                                                              \
	X(TLS, "tls")                                                                              \
	X(AUTH, "auth")                                                                            \
	X(PROTOCOL, "protocol")                                                                    \
	X(UNSUPPORTED, "unsupported")                                                              \
	X(ERROR, "error")

enum status {
#define X(name, word) STATUS_##name,
	STATUS_LIST(X)
#undef X
	STATUS_COUNT
};
const char *status_word(enum status s);
bool        status_find(const char *word, enum status *out);
/* true for ok and partial: the sample has numbers. LOADING may have some, too. */
static inline bool status_has_data(enum status s)
{
	return s == STATUS_OK || s == STATUS_PARTIAL;
}
/* The status that an error code means, for sources. */
enum status status_from_err(enum err_code code);

/*
 * Expensive parts that are asked for only while somebody looks at them (or records): bits of
 * poll_request.wants, which the panels in view add up to.
 */
enum want {
	WANT_COLLECTIONS = 1 << 0, /* statistics of collections and indexes (mongo.coll) */
	WANT_NODE_HOST = 1 << 1,   /* the memory of a remote node's host (mongo.host) */
	WANT_REDIS_LATENCY = 1 << 2, /* LATENCY HISTOGRAM (redis.lat) */
	WANT_REDIS_NODES = 1 << 3,   /* CLUSTER NODES (redis.node) */
	WANT_HOT_KEYS = 1 << 4,      /* OBJECT FREQ of some keys (redis.hotkey): on demand only */
};
#define WANT_ALL (~(unsigned)WANT_HOT_KEYS)

enum raw_type { RAW_NONE, RAW_U64, RAW_I64, RAW_F64, RAW_TEXT };

struct raw {
	uint8_t type; /* enum raw_type */
	uint8_t why;  /* enum reason when type is RAW_NONE */
	union {
		uint64_t    u;
		int64_t     i;
		double      f;
		const char *s;
	};
};

struct rows {
	unsigned    n, cap;
	struct raw *cells; /* n x ncols, row by row */
	bool        asked; /* false: not part of this poll, so an empty table says nothing */
	bool        cut;   /* more rows existed than TABLE_ROWS_MAX */
};

#define TABLE_ROWS_MAX  4096u
#define SAMPLE_TEXT_MAX 512u           /* bytes of one text */
#define SAMPLE_ARENA_MAX (4u * 1024 * 1024) /* bytes of all texts and cells of a sample */

struct arena_block;

struct sample {
	uint16_t    endpoint; /* index in the model */
	enum status status;
	int64_t     mono_ns, wall_ns; /* middle between request and reply; mono is CLOCK_BOOTTIME */
	int64_t     rtt_ns;           /* -1: none (a file) */
	uint64_t    epoch;            /* identity of the server run; 0: unknown */
	uint64_t    pid;              /* of the server as it says, 0 unknown; for the epoch only */
	int64_t     start_s;          /* when its run began by its own clock, 0 unknown; likewise */
	struct err  err;              /* why the status is not ok; ERR_NONE and "" otherwise */
	char        product[24];      /* "redis", "valkey", "mongod", "memcached", "linux", ... */
	char        version[48];      /* "" when the server does not say */
	char        role[24];         /* "master", "PRIMARY", "mongos", ... "" */
	struct raw  raw[METRIC_COUNT];
	struct rows tables[TABLE_COUNT];
	struct arena_block *arena;
};

/* All values NOT_SENT, status WAITING, rtt -1. NULL when there is no memory. */
struct sample *sample_create(uint16_t endpoint);
void           sample_destroy(struct sample *s); /* NULL is fine */

void sample_set_u64(struct sample *s, enum metric_id id, uint64_t v);
void sample_set_i64(struct sample *s, enum metric_id id, int64_t v);
void sample_set_f64(struct sample *s, enum metric_id id, double v); /* NaN, inf: IMPLAUSIBLE */
/* Sanitises, cuts at SAMPLE_TEXT_MAX, copies. An empty text is NOT_SENT. */
void sample_set_text(struct sample *s, enum metric_id id, const char *text, size_t len);
void sample_set_missing(struct sample *s, enum metric_id id, enum reason why);
/* Every metric of the kind that has no value gets the reason (say ROUTER) instead of NOT_SENT. */
void sample_explain_missing(struct sample *s, enum kind k, enum reason why);

/* Sets status, err and, where the status has no data, nothing else. */
void sample_fail(struct sample *s, enum status status, const struct err *err);

bool        sample_has(const struct sample *s, enum metric_id id); /* a number or text is there */
double      sample_f64(const struct sample *s, enum metric_id id); /* 0 if there is none */
const char *sample_text(const struct sample *s, enum metric_id id); /* NULL if there is none */

/*
 * Appends a row whose cells are all NOT_SENT and returns its cells (ncols of them), or NULL past
 * the bounds (then `cut` is set). The pointer is valid until the next row is added.
 */
struct raw *sample_add_row(struct sample *s, enum table_id t);
const struct raw *sample_row(const struct sample *s, enum table_id t, unsigned row);
void raw_set_u64(struct raw *r, uint64_t v);
void raw_set_f64(struct raw *r, double v);
void raw_set_text(struct sample *owner, struct raw *r, const char *text, size_t len);
double raw_f64(const struct raw *r); /* NaN if it is no number */

#endif
