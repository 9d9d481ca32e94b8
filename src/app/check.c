/*
 * hotset check: one line and an exit code, as monitoring systems expect. What is certainly bad
 * comes before what is unknown: critical or unreachable, then warning, then unknown, then ok.
 */
#include "hotset/app.h"

#include "output.h"
#include "runner.h"
#include "hotset/clock.h"


enum outcome { OUTCOME_OK, OUTCOME_WARN, OUTCOME_CRIT, OUTCOME_UNKNOWN }; /* the exit codes */

static const char *const words[] = {"ok", "warning", "critical", "unknown"};

static int rank(enum outcome o)
{
	static const int order[] = {
		[OUTCOME_OK] = 0, [OUTCOME_UNKNOWN] = 1, [OUTCOME_WARN] = 2, [OUTCOME_CRIT] = 3};

	return order[o];
}

static enum outcome of_status(enum status s)
{
	switch (s) {
	case STATUS_OK:
	case STATUS_PARTIAL:
		return OUTCOME_OK;
	case STATUS_LOADING:
		return OUTCOME_WARN;
	case STATUS_WAITING:
	case STATUS_TIMEOUT:
	case STATUS_REFUSED:
	case STATUS_DNS:
	case STATUS_TLS:
		return OUTCOME_CRIT;
	case STATUS_AUTH:
	case STATUS_PROTOCOL:
	case STATUS_UNSUPPORTED:
	case STATUS_ERROR:
	case STATUS_COUNT:
		break;
	}
	return OUTCOME_UNKNOWN;
}

static enum outcome of_level(enum level l)
{
	return l == LEVEL_CRIT ? OUTCOME_CRIT : l == LEVEL_WARN ? OUTCOME_WARN : OUTCOME_OK;
}

struct judgement {
	enum outcome worst;
	unsigned     problems;
	char         text[640];
};

/* Keeps the worst sentence, and counts the rest. */
static void add(struct judgement *j, enum outcome o, const char *who, const char *text)
{
	if (o == OUTCOME_OK)
		return;
	if (j->problems++ > 0 && rank(o) <= rank(j->worst))
		return;
	j->worst = o;
	snprintf(j->text, sizeof j->text, "%s: %s", who, text);
}

static void judge(struct judgement *j, const struct model *m)
{
	for (unsigned i = 0; i < m->nverdicts; i++) {
		const struct verdict *v = &m->verdicts[i];

		if (v->endpoint >= m->n)
			continue;
		/* that there is no data is judged by why, below */
		if (strcmp(v->code, "endpoint.stale") != 0 ||
			of_status(m->ep[v->endpoint]->status) == OUTCOME_OK)
			add(j, of_level(v->level), m->ep[v->endpoint]->id, v->text);
	}
	for (unsigned i = 0; i < m->n; i++) {
		const struct endpoint *ep = m->ep[i];

		add(j, of_status(ep->status), ep->id,
			ep->err.msg[0] ? ep->err.msg : status_word(ep->status));
	}
}

static bool print(const struct judgement *j, unsigned endpoints, struct err *err)
{
	char line[768];

	if (j->problems == 0)
		snprintf(line, sizeof line, "ok: %u endpoint%s, nothing to report\n", endpoints,
			endpoints == 1 ? "" : "s");
	else if (j->problems == 1)
		snprintf(line, sizeof line, "%s: %s\n", words[j->worst], j->text);
	else
		snprintf(line, sizeof line, "%s: %s (and %u more)\n", words[j->worst], j->text,
			j->problems - 1);
	return output_write(line, strlen(line), err);
}

int app_check(const struct options *o)
{
	struct runner r;
	struct err err = {.code = ERR_NONE};
	struct judgement j = {.worst = OUTCOME_OK};
	struct output out = {.o = o};
	struct view_state view;

	if (!runner_open(&r, o, true, &err)) {
		complain(&err);
		return OUTCOME_UNKNOWN;
	}
	r.fleet.wants = 0; /* the rules need none of it */
	bool ok = runner_once(&r, o, &err);
	if (ok && r.interrupted)
		ok = err_set(&err, ERR_SYSTEM, "interrupted before the check was done");
	if (ok) {
		view_from_options(&view, o);
		model_tick(r.fleet.model, clock_mono_ns(), clock_wall_ns());
		judge(&j, r.fleet.model);
		ok = o->format == FORMAT_TEXT
			? print(&j, r.fleet.model->n, &err)
			: output_frame(&out, r.fleet.model, &view, INT64_MIN, &err);
	}
	return runner_close(&r, ok ? (int)j.worst : OUTCOME_UNKNOWN, &err);
}
