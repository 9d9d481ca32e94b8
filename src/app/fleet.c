#include "fleet.h"

#include "fleet_members.h"
#include "hotset/clock.h"
#include "hotset/log.h"

#include <strings.h>

#define STOP_MS 500 /* quitting takes less than a second, whatever a library waits for */

static int64_t to_ns(double seconds)
{
	return (int64_t)(seconds * (double)NS_PER_SEC);
}

/* The user's name for it; without one "this host" says more than "proc:". */
static const char *display_name(const struct target *t)
{
	if (*t->name)
		return t->name;
	return strcmp(t->id, "proc:") == 0 ? t->address : t->id;
}

/* ---- adding ---- */

static bool is_watched(const struct fleet *f, const char *id)
{
	for (unsigned i = 0; i < f->model->n; i++)
		if (strcasecmp(f->model->ep[i]->id, id) == 0)
			return true;
	return false;
}

/* Room for one more endpoint in the arrays beside the model's. */
static bool make_room(struct fleet *f)
{
	unsigned n = f->model->n + 1;
	struct worker **workers = realloc(f->workers, n * sizeof(struct worker *));

	if (!workers)
		return false;
	f->workers = workers;
	f->workers[n - 1] = NULL;

	struct schedule *schedules = realloc(f->schedules, n * sizeof *schedules);

	if (!schedules)
		return false;
	f->schedules = schedules;

	const struct target **targets = realloc(f->targets, n * sizeof(const struct target *));

	if (targets)
		f->targets = targets;
	return targets != NULL;
}

static bool start_endpoint(
	struct fleet *f, const struct target *t, int64_t now_ns, struct err *err)
{
	unsigned n = f->model->n, all = f->ntargets > n ? f->ntargets : n + 1;
	struct endpoint *ep = NULL;

	if (make_room(f))
		ep = model_add(f->model, t->ops->kind, t->id, display_name(t), t->address,
			record_history_steps(all));
	if (!ep)
		return err_set(err, ERR_SYSTEM, "no memory for %s", t->id);
	ep->interval_s = f->source_options.interval_s;
	f->targets[n] = t;
	schedule_init(&f->schedules[n], to_ns(ep->interval_s), now_ns);
	if (f->recorder && !recorder_endpoint(f->recorder, ep, err))
		return false;
	f->workers[n] = worker_start((uint16_t)n, t, &f->source_options, f->mail, err);
	return f->workers[n] != NULL;
}

static void drop_target(struct target *t)
{
	target_finish(t);
	free(t);
}

bool fleet_add(struct fleet *f, struct target *take, int64_t now_ns, struct err *err)
{
	struct target **own = NULL;

	if (is_watched(f, take->id)) {
		drop_target(take);
		return true;
	}
	own = realloc(f->own, (f->nown + 1) * sizeof(struct target *));
	if (!own) {
		drop_target(take);
		return err_set(err, ERR_SYSTEM, "no memory for one more endpoint");
	}
	f->own = own;
	f->own[f->nown++] = take;
	return start_endpoint(f, take, now_ns, err);
}

/* One endpoint for a target, or one for each host that its URI names. */
static bool add_target(struct fleet *f, const struct target *t, int64_t now_ns, struct err *err)
{
	unsigned n = target_host_count(t);
	bool ok = true;

	if (n == 1)
		return is_watched(f, t->id) || start_endpoint(f, t, now_ns, err);
	for (unsigned i = 0; ok && i < n; i++) {
		struct target *one = malloc(sizeof *one);

		if (!one)
			return err_set(err, ERR_SYSTEM, "no memory for %s", t->id);
		ok = target_at_host(t, i, one, err);
		if (ok)
			ok = fleet_add(f, one, now_ns, err);
		else
			free(one);
	}
	return ok;
}

bool fleet_open(struct fleet *f, const struct options *o, bool all_parts, int64_t now_ns,
	struct err *err)
{
	*f = (struct fleet){
		.timeout_ns = to_ns(o->timeout_s),
		.wants = WANT_ALL,
		.hot_keys = -1,
		.source_options = {.interval_s = o->delay_s,
			.timeout_s = o->timeout_s,
			.collections = o->collections,
			.probe = o->probe,
			.probe_key = o->probe_key,
			.all_parts = all_parts},
		.ntargets = o->ntargets,
	};
	f->model = model_create();
	f->mail = mailbox_create(err);
	f->held = calloc(FLEET_HELD_MAX, sizeof(struct sample *));
	bool ok = f->mail &&
		((f->model && f->held) || err_set(err, ERR_SYSTEM, "no memory for the endpoints"));

	if (ok) {
		f->model->mono_ns = now_ns;
		f->model->wall_ns = clock_wall_ns();
		f->model->origin_us = o->origin_ms * 1000;
	}
	for (unsigned i = 0; ok && i < o->ntargets; i++)
		ok = add_target(f, &o->targets[i], now_ns, err);
	if (!ok) {
		struct err ignored;
		(void)fleet_close(f, &ignored);
	}
	return ok;
}

bool fleet_record(struct fleet *f, const char *path, struct err *err)
{
	f->recorder = recorder_open(path, err);
	if (!f->recorder)
		return false;
	for (unsigned i = 0; i < f->model->n; i++)
		if (!recorder_endpoint(f->recorder, f->model->ep[i], err))
			return false;
	return true;
}

bool fleet_end_record(struct fleet *f, struct err *err)
{
	struct recorder *r = f->recorder;

	f->recorder = NULL;
	return recorder_close(r, err);
}

unsigned fleet_ask(struct fleet *f, int64_t now_ns)
{
	unsigned asked = 0;

	if (!f->workers)
		return 0;
	for (unsigned i = 0; i < f->model->n; i++) {
		struct endpoint *ep = f->model->ep[i];

		if (!f->workers[i] || ep->asked_mono_ns != 0 ||
			!schedule_is_due(&f->schedules[i], now_ns))
			continue;
		struct poll_request r = {now_ns + f->timeout_ns,
			f->wants | ((int)i == f->hot_keys ? WANT_HOT_KEYS : 0)};
		/* refused: it is still at the last one, whose answer will come */
		asked += worker_request(f->workers[i], &r);
		schedule_sent(&f->schedules[i], now_ns);
		ep->asked_mono_ns = now_ns;
	}
	return asked;
}

/* Keeps a sample for later; past the bound the oldest one is lost, which leaves a gap. */
static void hold(struct fleet *f, struct sample *s)
{
	if (f->nheld == FLEET_HELD_MAX) {
		sample_destroy(f->held[0]);
		memmove(f->held, f->held + 1, (FLEET_HELD_MAX - 1) * sizeof f->held[0]);
		f->nheld--;
	}
	f->held[f->nheld++] = s;
}

static bool is_answer(enum status s)
{
	return status_has_data(s) || s == STATUS_LOADING;
}

unsigned fleet_take(struct fleet *f, int64_t now_ns, struct err *err)
{
	struct sample *s;
	bool named = false;
	unsigned n = 0;

	*err = (struct err){.code = ERR_NONE};
	for (; (s = mailbox_take(f->mail)) != NULL; n++) {
		named = named || s->tables[TABLE_MONGO_MEMBER].asked;
		if (s->endpoint < f->model->n) {
			f->model->ep[s->endpoint]->asked_mono_ns = 0;
			if (f->schedules)
				schedule_result(&f->schedules[s->endpoint], is_answer(s->status),
					now_ns);
		}
		if (f->recorder) {
			struct err failed;
			if (!recorder_sample(f->recorder, s, &failed))
				*err = failed;
		}
		if (f->paused)
			hold(f, s);
		else
			model_push(f->model, s);
	}
	if (named && f->workers && !f->paused)
		fleet_learn(f, now_ns, err);
	return n;
}

int64_t fleet_next_due(const struct fleet *f)
{
	int64_t due = INT64_MAX;

	if (!f->workers)
		return due;
	for (unsigned i = 0; i < f->model->n; i++)
		if (f->model->ep[i]->asked_mono_ns == 0 && f->schedules[i].due_ns < due)
			due = f->schedules[i].due_ns;
	return due;
}

unsigned fleet_pending(const struct fleet *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < f->model->n; i++)
		n += f->model->ep[i]->asked_mono_ns != 0;
	return n;
}

void fleet_poll_now(struct fleet *f, int64_t now_ns)
{
	for (unsigned i = 0; f->workers && i < f->model->n; i++)
		schedule_now(&f->schedules[i], now_ns);
}

void fleet_set_interval(struct fleet *f, double interval_s, int64_t now_ns)
{
	for (unsigned i = 0; i < f->model->n; i++) {
		f->model->ep[i]->interval_s = interval_s;
		if (f->schedules)
			schedule_init(&f->schedules[i], to_ns(interval_s), now_ns);
	}
}

void fleet_set_paused(struct fleet *f, bool paused)
{
	f->paused = paused;
	if (paused)
		return;
	for (unsigned i = 0; i < f->nheld; i++)
		model_push(f->model, f->held[i]);
	f->nheld = 0;
}

bool fleet_has_data(const struct fleet *f)
{
	for (unsigned i = 0; i < f->model->n; i++)
		if (f->model->ep[i]->samples > 0)
			return true;
	return false;
}

bool fleet_close(struct fleet *f, struct err *err)
{
	unsigned stuck = 0;

	if (f->workers && f->model)
		stuck = workers_stop(f->workers, f->model->n, STOP_MS);

	*err = (struct err){.code = ERR_NONE};
	if (!recorder_close(f->recorder, err))
		log_write("%s", err->msg);
	f->recorder = NULL;
	if (stuck > 0)
		return false;
	for (unsigned i = 0; i < f->nheld; i++)
		sample_destroy(f->held[i]);
	mailbox_destroy(f->mail);
	model_destroy(f->model);
	for (unsigned i = 0; i < f->nown; i++)
		drop_target(f->own[i]);
	free(f->own);
	free(f->targets);
	free(f->workers);
	free(f->schedules);
	free(f->held);
	*f = (struct fleet){0};
	return true;
}
