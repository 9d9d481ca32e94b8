/*
 * Rules look at frames and history and say what holds. A rule is a line in a table and a function
 * without memory: hysteresis (a level rises at the first frame on which it holds, and falls only
 * after hold_s), ids, since-times, begin and end events are the engine's.
 *
 * A rule with a course (a scan: begin, promotion, end, recovery) keeps its own small state, which
 * the engine allocates zeroed per endpoint (state_size) and passes in.
 */
#ifndef HOTSET_RULES_H
#define HOTSET_RULES_H

#include "hotset/model.h"
#include "hotset/num.h"

struct finding {
	enum level  level;      /* LEVEL_OK: does not hold */
	const char *code;       /* NULL: the rule's own; a promotion may name another */
	char        text[256];
	char        next[160];
	struct data data;
	char        skip[64];   /* not empty: cannot judge yet, why ("needs a base line of 60 s") */
	uint64_t    event_id;   /* of a course: the event that it began */
};

/* The sentence with its level, what to do next, or why the rule cannot judge yet. */
void finding_say(struct finding *f, enum level level, const char *fmt, ...) PRINTF_LIKE(3, 4);
void finding_next(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);
void finding_skip(struct finding *f, const char *fmt, ...) PRINTF_LIKE(2, 3);

struct rule {
	const char *code;
	enum kind   kind;
	double      hold_s;     /* how long it must not hold before the verdict goes */
	bool        quiet;      /* no begin and end events below warn: a normal state, say */
	bool        standing;   /* a lasting property of the place, not a condition: listed last */
	void (*eval)(const struct model *m, const struct endpoint *ep, struct finding *out);
	/* for courses, instead of eval; may emit its own events through model_add_event() */
	size_t state_size;
	void (*course)(
		struct model *m, const struct endpoint *ep, void *state, struct finding *out);
	/* before its state is dropped (restart, silence): ends what it began; may be NULL */
	void (*cut)(struct model *m, const struct endpoint *ep, void *state);
};

/* each ends with a code of NULL */
extern const struct rule rules_mongo[], rules_redis[], rules_memcached[], rules_host[];

/* Runs the rules of an endpoint after its sample was pushed; updates verdicts and events. */
void rules_step(struct model *m, struct endpoint *ep);
/* Staleness and restarts of every endpoint, at the view clock. */
void rules_tick(struct model *m);
void rules_forget(struct endpoint *ep); /* frees ep->rule_state */

#endif
