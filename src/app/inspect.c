/* hotset inspect: dumps go through the same model as live samples, on a clock of their own. */
#include "hotset/app.h"

#include "dump.h"
#include "hotset/clock.h"
#include "output.h"
#include "runner.h"

#include <errno.h>
#include <math.h>
#include <signal.h>

static const char no_time[] = "no time in the dumps, so no rates: levels of the last one";

/* The dumps from the returned index on follow each other in time, so rates follow from them. */
static unsigned first_in_time(const struct dumps *d)
{
	unsigned first = d->n - 1;

	while (first > 0 && dump_seconds(&d->d[first - 1], &d->d[first]) > 0)
		first--;
	return first;
}

static int64_t wall_of(const struct dump *d)
{
	return isnan(d->time_s) ? clock_wall_ns() : (int64_t)(d->time_s * (double)NS_PER_SEC);
}

static void push_all(struct model *m, struct dumps *d, unsigned first)
{
	int64_t mono = NS_PER_SEC;

	for (unsigned i = first; i < d->n; i++) {
		struct sample *s = d->d[i].sample;

		if (i > first) {
			double dt = dump_seconds(&d->d[i - 1], &d->d[i]);
			mono += (int64_t)(dt * (double)NS_PER_SEC);
			m->ep[0]->interval_s = dt;
		}
		s->mono_ns = mono;
		s->wall_ns = wall_of(&d->d[i]);
	}
	for (unsigned i = first; i < d->n; i++) {
		model_push(m, d->d[i].sample);
		d->d[i].sample = NULL; /* the model's now */
	}
}

static struct model *build(struct dumps *d, const char *path, struct err *err)
{
	struct model *m = model_create();
	const char *slash = strrchr(path, '/');
	unsigned first = first_in_time(d);
	char id[96];

	snprintf(id, sizeof id, "file:%.90s", slash ? slash + 1 : path);
	if (!m || !model_add(m, d->kind, id, id, path, HISTORY_STEPS)) {
		model_destroy(m);
		err_set(err, ERR_SYSTEM, "no memory for the dumps");
		return NULL;
	}
	m->one_dump = first == d->n - 1;
	struct sample *last = d->d[d->n - 1].sample;
	if (m->one_dump && d->n > 1 && last->status == STATUS_OK) {
		last->status = STATUS_PARTIAL;
		err_set(&last->err, ERR_FORMAT, "%s", no_time);
	}
	push_all(m, d, first);
	return m;
}

static void choose_view(struct view_state *s, const struct options *o, enum kind k)
{
	static const enum view views[KIND_COUNT] = {
		[KIND_MONGO] = VIEW_MONGO,
		[KIND_REDIS] = VIEW_REDIS,
		[KIND_MEMCACHED] = VIEW_MEMCACHED,
		[KIND_HOST] = VIEW_HOST,
	};

	view_from_options(s, o);
	s->local_time = false;
	s->paused = true;
	if (!o->view)
		s->view = views[k];
}

int app_inspect(const struct options *o)
{
	struct dumps d = {0};
	struct err err = {.code = ERR_NONE};
	struct output out = {.o = o};
	struct view_state view;
	struct model *m = NULL;
	bool ok = true;

	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; ok && i < o->nargs; i++)
		ok = dumps_read(&d, o->args[i], o->kind, &err);
	if (ok)
		m = build(&d, o->args[o->nargs - 1], &err);
	if (m) {
		choose_view(&view, o, d.kind);
		ok = output_frame(&out, m, &view, INT64_MIN, &err) || out.closed;
	}
	ok = ok && m;
	if (!ok)
		complain(&err);
	model_destroy(m);
	dumps_finish(&d);
	return ok ? 0 : 1;
}
