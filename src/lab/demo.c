/*
 * The demo: a stage with three servers and a shop's load on them, and the live screen in front.
 *
 * This process starts everything and then only waits: the screen is a child (the same program with
 * the targets as arguments), so that a crash of the screen still clears the stage, and so that the
 * libraries' threads never exist where processes are forked.
 */
#include "lab.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hotset/clock.h"
#include "load.h"
#include "server.h"

#define START_TIMEOUT_S 15
#define WARM_TIMEOUT_S  20 /* one screen, printed once: worth waiting for something to see */
#define ARGS_MAX        40

static const struct server_kind *const kinds[] = {&server_wtnode, &server_redis, &server_memcached};
static const struct load *const loads[] = {&load_shop, &load_report, &load_pages, &load_sessions};

#define SERVERS (sizeof(kinds) / sizeof(kinds[0]))
#define LOADS   (sizeof(loads) / sizeof(loads[0]))

struct demo {
	struct stage   stage;
	struct server  server[SERVERS];
	struct load_env env[LOADS];
	bool           recorded; /* the database is a recording: nothing can be loaded into it */
	struct load_progress *progress; /* of each load, shared with them */
};

/* A server that is not to be had is left out, and said so; true if it runs, or at least is none. */
static bool start_server(struct demo *d, unsigned i, struct err *err)
{
	const struct server_kind *kind = kinds[i];

	if (server_start(&d->server[i], kind, &d->stage, err)) {
		return true;
	}
	if (err->code != ERR_UNSUPPORTED) {
		return false;
	}
	fprintf(stderr, "demo: %s\n", err->msg);
	if (kind == &server_wtnode &&
		server_start(&d->server[i], &server_recorded, &d->stage, err)) {
		fprintf(stderr, "demo: a recording of a MongoDB node plays in its place\n");
		d->recorded = true;
	}
	return true;
}

static bool start_servers(struct demo *d, struct err *err)
{
	int64_t deadline = clock_mono_ns() + START_TIMEOUT_S * NS_PER_SEC;
	unsigned started = 0;

	for (unsigned i = 0; i < SERVERS; i++) {
		if (!start_server(d, i, err)) {
			return false;
		}
		started += d->server[i].child != NULL;
	}
	if (started == 0) {
		return err_set(err, ERR_UNSUPPORTED, "no server to show; run contrib/setup first");
	}
	for (unsigned i = 0; i < SERVERS; i++) {
		if (d->server[i].child &&
			!server_await(&d->server[i], &d->stage, deadline, err)) {
			return false;
		}
	}
	return true;
}

struct load_start {
	const struct load     *load;
	const struct load_env *env;
};

static int run_load(const void *arg)
{
	const struct load_start *start = arg;

	return start->load->run(start->env);
}

static bool start_loads(struct demo *d, struct err *err)
{
	d->progress = mmap(NULL, LOADS * sizeof(*d->progress), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (d->progress == MAP_FAILED) {
		d->progress = NULL;
		return err_sys(err, "no memory to share with the loads");
	}
	for (unsigned i = 0; i < LOADS; i++) {
		const struct load_start start = {loads[i], &d->env[i]};

		d->env[i] = (struct load_env){.mongodb = d->recorded ? "" : d->server[0].uri,
			.redis = d->server[1].uri, .memcached = d->server[2].uri,
			.progress = &d->progress[i],
			.after = i > 0 && load_shop.wanted(&d->env[0]) ? &d->progress[0] : NULL};
		if (loads[i]->wanted(&d->env[i]) && !stage_fork(&d->stage, STAGE_BACKGROUND,
			loads[i]->name, run_load, &start, err)) {
			return false;
		}
	}
	return true;
}

static bool all_warm(const struct demo *d)
{
	for (unsigned i = 0; i < LOADS; i++) {
		if (loads[i]->wanted(&d->env[i]) && !atomic_load(&d->progress[i].warm)) {
			return false;
		}
	}
	return true;
}

static void await_warm(struct demo *d)
{
	int64_t deadline = clock_mono_ns() + WARM_TIMEOUT_S * NS_PER_SEC;

	while (!all_warm(d) && !d->stage.stopping && clock_mono_ns() < deadline) {
		stage_wait(&d->stage, 100);
	}
}

/* ---- the screen ------------------------------------------------------------------------------ */

struct screen_args {
	char *v[ARGS_MAX + 1];
	int   n;
	char  text[ARGS_MAX][SERVER_URI_MAX + 32];
};

static void PRINTF_LIKE(2, 3) add(struct screen_args *a, const char *fmt, ...)
{
	va_list ap;

	if (a->n == ARGS_MAX) {
		return;
	}
	va_start(ap, fmt);
	vsnprintf(a->text[a->n], sizeof(a->text[0]), fmt, ap);
	va_end(ap);
	a->v[a->n] = a->text[a->n];
	a->v[++a->n] = NULL;
}

static void add_option(struct screen_args *a, const char *flag, const char *value)
{
	if (value) {
		add(a, "%s", flag);
		add(a, "%s", value);
	}
}

static void add_options(struct screen_args *a, const struct options *o, bool once)
{
	static const char *const formats[] = {[FORMAT_TEXT] = "text",
		[FORMAT_JSON] = "json",
		[FORMAT_CSV] = "csv",
		[FORMAT_OPENMETRICS] = "openmetrics"};

	if (once) {
		add(a, "--once");
	} else if (o->batch) {
		add(a, "--batch");
	}
	add(a, "--delay"), add(a, "%g", o->delay_s);
	if (o->count > 0) {
		add(a, "--count"), add(a, "%u", o->count);
	}
	if (o->format_set) {
		add(a, "--format"), add(a, "%s", formats[o->format]);
	}
	if (o->cols > 0 && o->rows > 0) {
		add(a, "--size"), add(a, "%dx%d", o->cols, o->rows);
	}
	add_option(a, "--theme", o->theme);
	add_option(a, "--record", o->record_file);
	add_option(a, "--config", o->config_file);
	add_option(a, "--script", o->script_file);
	add_option(a, "--log", o->log_file);
	if (o->ascii) {
		add(a, "--ascii");
	}
	if (o->no_color) {
		add(a, "--no-color");
	}
}

/* Runs it to its end; its exit code is ours. */
static int run_screen(struct demo *d, const struct options *o, bool once, struct err *err)
{
	struct screen_args a = {.n = 0};
	struct stage_child *screen;

	add(&a, "hotset");
	add_options(&a, o, once);
	for (unsigned i = 0; i < SERVERS; i++) {
		if (d->server[i].uri[0]) {
			add(&a, "%s=%s", server_name(d->server[i].kind), d->server[i].uri);
		}
	}
	add(&a, "proc:");
	screen = stage_exec(&d->stage, STAGE_FOREGROUND, "screen", "/proc/self/exe", a.v, err);
	if (!screen) {
		return -1;
	}
	while (screen->pid != 0 && !d->stage.stopping) {
		stage_wait(&d->stage, -1);
	}
	if (screen->pid != 0) {
		return 0; /* asked to end: the stage asks the screen */
	}
	if (WIFSIGNALED(screen->status)) {
		err_set(err, ERR_SYSTEM, "the screen ended by signal %d", WTERMSIG(screen->status));
		return -1;
	}
	return WEXITSTATUS(screen->status);
}

/* Servers and loads run until the stage closes: one that is gone has something to say. */
static void report_early_ends(const struct demo *d)
{
	char words[160];

	for (unsigned i = 0; i < d->stage.nchild; i++) {
		const struct stage_child *c = &d->stage.child[i];

		if (c->pid == 0 && strcmp(c->name, "screen") != 0) {
			stage_last_words(&d->stage, c->name, words, sizeof(words));
			fprintf(stderr, "demo: %s ended early (%s %d): %s\n", c->name,
				WIFSIGNALED(c->status) ? "signal" : "exit code",
				WIFSIGNALED(c->status) ? WTERMSIG(c->status) :
							 WEXITSTATUS(c->status),
				words[0] ? words : "it said nothing");
		}
	}
}

int lab_demo(const struct options *o)
{
	bool once = o->once || (!o->batch && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)));
	struct err err = {0};
	struct demo *d = calloc(1, sizeof(*d));
	int rc = -1;

	if (!d || !stage_open(&d->stage, &err)) {
		fprintf(stderr, "hotset: %s\n", d ? err.msg : "no memory");
		free(d);
		return 1;
	}
	fprintf(stderr, "demo: private servers in %s\n", d->stage.dir);
	if (start_servers(d, &err) && start_loads(d, &err)) {
		if (once) {
			await_warm(d);
		}
		rc = d->stage.stopping ? 0 : run_screen(d, o, once, &err);
	}
	if (d->stage.stopping) {
		rc = 0;
	} else if (rc >= 0) {
		report_early_ends(d);
	} else {
		fprintf(stderr, "hotset: %s\n", err.msg);
	}
	stage_close(&d->stage);
	if (d->progress) {
		munmap(d->progress, LOADS * sizeof(*d->progress));
	}
	free(d);
	return rc < 0 ? 1 : rc;
}
