/*
 * What the program knows: endpoints with their newest frame and history, the verdicts that hold
 * and the events that happened. Belongs to the UI thread. Panels and exports read it const.
 */
#ifndef HOTSET_MODEL_H
#define HOTSET_MODEL_H

#include "hotset/history.h"
#include "hotset/stampede.h"

enum level { LEVEL_OK, LEVEL_INFO, LEVEL_WARN, LEVEL_CRIT };
const char *level_word(enum level l); /* "ok", "info", "warn", "crit" */

/* The figures of a verdict or event: "data" in JSON. */
#define DATA_MAX 16
struct datum {
	const char *key;      /* static */
	bool        is_text;
	bool        null;
	double      num;
	char        text[80]; /* sanitised */
};
struct data {
	unsigned     n;
	struct datum d[DATA_MAX];
};
void data_num(struct data *d, const char *key, double v); /* NaN becomes null */
void data_text(struct data *d, const char *key, const char *text);

struct verdict {
	enum level  level;
	const char *code;       /* static: "mongo.cache.dirty_above_target" */
	uint16_t    endpoint;
	int64_t     since_wall_ns;
	uint64_t    event_id;   /* the event that it began */
	bool        standing;   /* a lasting property of the place: after all others of its level */
	char        text[256];  /* the sentence, with its numbers */
	char        next[160];  /* what to do next */
	struct data data;
};

enum event_state { EVENT_BEGIN, EVENT_END, EVENT_POINT };
const char *event_state_word(enum event_state s);

struct event {
	uint64_t         id; /* begin and end of one thing share it; never 0 */
	int64_t          wall_ns, mono_ns;
	uint16_t         endpoint;
	const char      *code; /* static */
	enum level       level;
	enum event_state state;
	char             text[256];
	struct data      data;
};

struct skipped {
	const char *code;
	uint16_t    endpoint;
	char        reason[64];
};

#define ENDPOINTS_MAX 512
#define VERDICTS_MAX  64
#define EVENTS_MAX    512 /* the oldest are forgotten */
#define SKIPPED_MAX   64
#define NAME_MAX_LEN  64

/* The rows of a table when it was last asked for: expensive parts are not in every poll. */
struct kept_rows {
	bool               asked; /* at least once */
	int64_t            mono_ns;
	unsigned           n;
	struct cell_value *cells; /* n x ncols */
	char              *texts;
};

struct endpoint {
	uint16_t    index;
	enum kind   kind;
	char        id[96];              /* "redis@127.0.0.1:6379": JSON's id, never a secret */
	char        name[NAME_MAX_LEN];  /* the user's name for it, or the id */
	char        address[64];         /* "127.0.0.1:6379", "/run/redis.sock", "this host" */

	enum status    status;           /* of the newest sample; WAITING before the first */
	struct err     err;
	int64_t        asked_mono_ns;    /* when the pending request was sent; 0: none is pending */
	double         interval_s;       /* the polling interval at present */
	unsigned       samples;          /* with data, so far */
	unsigned       polls;            /* samples of any status, so far */

	char           product[24];      /* what the server last said that it is; "" unknown */
	char           version[48];
	char           role[24];
	struct sample *last;             /* the newest sample with data; NULL before it */
	struct frame   frame;            /* of `last`; all FIRST/NO_ANSWER before */
	struct kept_rows kept[TABLE_COUNT];
	struct derive *derive;
	struct history *history;
	void          *rule_state;       /* owned by the rules engine */
	struct stampede stampede;        /* Redis: the present burst of misses, or the last */
	int64_t        seen_mono_ns;     /* mono time of `last`; 0 before */
	int64_t        seen_wall_ns;
};

struct model {
	unsigned          n;
	struct endpoint **ep;            /* n of them */
	int64_t           mono_ns, wall_ns; /* the view clock: now, or the replay's time */
	double            origin_us;     /* of a refill of a cache (--origin-ms), 0: not told */
	bool              one_dump;      /* inspect of a single dump */
	unsigned          nverdicts;     /* sorted: worst first, then oldest first */
	struct verdict    verdicts[VERDICTS_MAX];
	unsigned          nevents;       /* in ring order, see model_event() */
	unsigned          event_head;
	struct event      events[EVENTS_MAX];
	uint64_t          next_event_id;
	unsigned          nskipped;
	struct skipped    skipped[SKIPPED_MAX];
};

struct model *model_create(void); /* NULL when there is no memory */
void          model_destroy(struct model *m);
/*
 * Adds an endpoint; texts are copied (and cut). NULL past ENDPOINTS_MAX or without memory.
 * history_steps: see history_create().
 */
struct endpoint *model_add(struct model *m, enum kind kind, const char *id, const char *name,
	const char *address, unsigned history_steps);
/* Takes the sample: derive, history, estimate, rules. Advances the view clock to its time. */
void model_push(struct model *m, struct sample *s_take);
/* Advances the view clock; staleness and hold times follow from it (endpoint.stale rises here). */
void model_tick(struct model *m, int64_t mono_ns, int64_t wall_ns);

/* Row of a table when it was last asked for; NULL past its end. */
const struct cell_value *kept_row(const struct endpoint *ep, enum table_id t, unsigned row);
void kept_step(struct endpoint *ep);   /* after ep->frame was made; model_push() calls it */
void kept_finish(struct endpoint *ep); /* frees */

/* Age of the newest data in seconds, or a negative number before the first. */
double model_age_s(const struct model *m, const struct endpoint *ep);
/* No data for longer than 2.5 intervals (at least 2.5 s). */
bool model_is_stale(const struct model *m, const struct endpoint *ep);
/* i-th newest event, NULL past the end. */
const struct event *model_event(const struct model *m, unsigned i);
/* Appends an event (rules and the app use it) and returns its id; id 0 asks for a new one. */
uint64_t model_add_event(struct model *m, uint64_t id, uint16_t endpoint, const char *code,
	enum level level, enum event_state state, const char *text, const struct data *data);
/* The worst level of a condition of one endpoint, of all if it is < 0; standing ones aside. */
enum level model_level(const struct model *m, int endpoint);

#endif
