#include "engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_MAX 8192 /* bytes, with what the command line adds */
#define SNAPPY     "libwiredtiger_snappy.so"

/* A panic leaves an engine that only returns errors: stop at once, recovery repairs the rest. */
static int on_error(WT_EVENT_HANDLER *handler, WT_SESSION *session, int error, const char *message)
{
	struct engine_events *events = (struct engine_events *)handler;

	(void)session;
	fprintf(stderr, "wtnode: WiredTiger: %s\n", message);
	if (error == WT_PANIC) {
		_exit(1);
	}
	pthread_mutex_lock(&events->lock);
	if (events->listening && pthread_equal(events->thread, pthread_self())) {
		snprintf(events->text, sizeof(events->text), "%s", message);
	}
	pthread_mutex_unlock(&events->lock);
	return 0;
}

static void listen_to(struct engine_events *events, bool listening)
{
	pthread_mutex_lock(&events->lock);
	events->listening = listening;
	events->thread = pthread_self();
	if (listening) {
		events->text[0] = '\0';
	}
	pthread_mutex_unlock(&events->lock);
}

static uint64_t window_of(const struct engine *e)
{
	return (uint64_t)atomic_load(&e->window_s) << 32;
}

/* The next timestamp; the caller holds the lock. */
static uint64_t next_stamp(struct engine *e)
{
	uint64_t now = (uint64_t)time(NULL) << 32 | 1;

	e->newest = now > e->newest ? now : e->newest + 1;
	return e->newest;
}

/* The newest timestamp that no pending commit can precede; the caller holds the lock. */
static uint64_t all_committed(const struct engine *e)
{
	uint64_t stamp = e->newest;

	for (unsigned i = 0; i < OPS_SLOTS; i++) {
		if (e->pending[i] != 0 && e->pending[i] <= stamp) {
			stamp = e->pending[i] - 1;
		}
	}
	return stamp;
}

static int set_stamps(struct engine *e, uint64_t stable, uint64_t oldest)
{
	char config[96];

	snprintf(config, sizeof(config), "stable_timestamp=%" PRIx64 ",oldest_timestamp=%" PRIx64,
		stable, oldest);
	return e->wt->set_timestamp(e->wt, config);
}

/* One step of the stamper, with the lock held. */
static void move_stamps(struct engine *e)
{
	uint64_t stable = all_committed(e);
	uint64_t oldest = stable > window_of(e) ? stable - window_of(e) : e->oldest;

	oldest = oldest > e->oldest ? oldest : e->oldest;
	if (stable == e->stable && oldest == e->oldest) {
		return;
	}
	if (set_stamps(e, stable, oldest) == 0) {
		e->stable = stable;
		e->oldest = oldest;
	}
}

static void *stamper_main(void *arg)
{
	struct engine *e = arg;
	struct timespec when;

	pthread_mutex_lock(&e->lock);
	while (!e->stop) {
		move_stamps(e);
		clock_gettime(CLOCK_MONOTONIC, &when);
		when.tv_nsec += ENGINE_STAMP_MS * 1000000;
		if (when.tv_nsec >= 1000000000) {
			when.tv_nsec -= 1000000000;
			when.tv_sec++;
		}
		pthread_cond_timedwait(&e->wake, &e->lock, &when);
	}
	move_stamps(e);
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

static bool start_stamper(struct engine *e, struct fail *fail)
{
	pthread_condattr_t attr;
	int ret;

	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->wake, &attr);
	pthread_condattr_destroy(&attr);
	e->stable = e->oldest = next_stamp(e);
	ret = set_stamps(e, e->stable, e->oldest);
	if (ret != 0) {
		return fail_engine(fail, ret, "the first timestamps");
	}
	ret = pthread_create(&e->stamper, NULL, stamper_main, e);
	return ret == 0 ? true : fail_set(fail, FAIL_INTERNAL, "no thread: %s", strerror(ret));
}

static bool make_dir(const char *path, struct fail *fail)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST) {
		return fail_set(fail, FAIL_INTERNAL, "%.150s: %s", path, strerror(errno));
	}
	return true;
}

/* Whether the compressor, which is not part of the library, is installed. */
static bool have_snappy(void)
{
	void *handle = dlopen(SNAPPY, RTLD_LAZY);

	if (handle == NULL) {
		fprintf(stderr, "wtnode: no %s: going on without compression\n", SNAPPY);
		return false;
	}
	dlclose(handle);
	return true;
}

/* What mongod passes, but for the checkpoint every 10 s, so that a short lab sees some. */
static int open_wt(struct engine *e, const struct engine_options *opt)
{
	char config[CONFIG_MAX];

	int n = snprintf(config, sizeof(config),
		"create,cache_size=%" PRIu64
		",session_max=1000,statistics=(fast),config_base=false,"
		"eviction=(threads_min=4,threads_max=4),checkpoint=(wait=10,log_size=2GB),"
		"log=(enabled=true,archive=true,path=journal%s)%s%s%s%s",
		opt->cache_bytes, e->compressed ? ",compressor=snappy" : "",
		e->compressed ? ",extensions=[" SNAPPY "]" : "",
		opt->direct_io ? ",direct_io=[data]" : "", opt->config != NULL ? "," : "",
		opt->config != NULL ? opt->config : "");
	if (n < 0 || (size_t)n >= sizeof(config)) {
		return EINVAL;
	}
	logring_write(e->log, 'I', "STORAGE", LOGRING_OPENING, "initandlisten",
		"Opening WiredTiger", "config", config);
	return wiredtiger_open(opt->dbpath, &e->events.handler, config, &e->wt);
}

bool engine_open(struct engine *e, const struct engine_options *opt, struct fail *fail)
{
	char journal[4096];

	memset(e, 0, sizeof(*e));
	e->events.handler.handle_error = on_error;
	pthread_mutex_init(&e->events.lock, NULL);
	e->log = opt->log;
	atomic_store(&e->window_s, opt->window_s);
	int n = snprintf(journal, sizeof(journal), "%s/journal", opt->dbpath);
	if (n < 0 || (size_t)n >= sizeof(journal)) {
		return fail_set(fail, FAIL_BAD_VALUE, "the path is too long");
	}
	if (!make_dir(opt->dbpath, fail) || !make_dir(journal, fail)) {
		return false;
	}
	e->compressed = have_snappy();
	int ret = open_wt(e, opt);
	if (ret != 0) {
		return fail_engine(fail, ret, "cannot open WiredTiger");
	}
	if (!start_stamper(e, fail)) {
		e->wt->close(e->wt, NULL);
		return false;
	}
	return true;
}

bool engine_close(struct engine *e, struct fail *fail)
{
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	pthread_cond_signal(&e->wake);
	pthread_mutex_unlock(&e->lock);
	pthread_join(e->stamper, NULL);
	pthread_cond_destroy(&e->wake);
	pthread_mutex_destroy(&e->lock);
	int ret = e->wt->close(e->wt, NULL);
	pthread_mutex_destroy(&e->events.lock);
	return ret == 0 ? true : fail_engine(fail, ret, "closing WiredTiger");
}

/* What follows the name of the method; before it are the time, the process and the thread. */
static const char *own_words(const char *text)
{
	static const char method[] = "WT_CONNECTION.reconfigure: ";
	const char *at = strstr(text, method);

	return at == NULL ? text : at + strlen(method);
}

bool engine_reconfigure(
	struct engine *e, const char *config, const char *context, struct fail *fail)
{
	logring_write(e->log, 'I', "STORAGE", LOGRING_RECONFIGURING, context,
		"Reconfiguring WiredTiger", "config", config);
	listen_to(&e->events, true);
	int ret = e->wt->reconfigure(e->wt, config);
	listen_to(&e->events, false);
	if (ret == 0) {
		return true;
	}
	const char *words = own_words(e->events.text);
	fail_set(fail, FAIL_BAD_VALUE, "WiredTiger reconfiguration failed with error code (%d): %s",
		ret, words[0] != '\0' ? words : wiredtiger_strerror(ret));
	logring_write(e->log, 'E', "STORAGE", LOGRING_RECONFIGURE_FAILED, context,
		"WiredTiger reconfiguration failed", "error", fail->msg);
	return false;
}

int engine_session(struct engine *e, WT_SESSION **session)
{
	return e->wt->open_session(e->wt, NULL, "isolation=snapshot", session);
}

int engine_commit(struct engine *e, WT_SESSION *session, unsigned slot)
{
	char config[64];
	uint64_t stamp;

	pthread_mutex_lock(&e->lock);
	stamp = e->pending[slot] = next_stamp(e);
	pthread_mutex_unlock(&e->lock);
	snprintf(config, sizeof(config), "commit_timestamp=%" PRIx64, stamp);
	int ret = session->commit_transaction(session, config);
	pthread_mutex_lock(&e->lock);
	e->pending[slot] = 0;
	pthread_mutex_unlock(&e->lock);
	return ret;
}

/* Whether history at that time can be read; the caller holds the lock. */
static bool readable(struct engine *e, uint64_t stamp, struct fail *fail)
{
	if (stamp > e->newest) {
		return fail_set(fail, FAIL_INVALID_OPTIONS,
			"readConcern atClusterTime value must not be greater than the current "
			"clusterTime");
	}
	if (stamp < e->oldest) {
		atomic_fetch_add(&e->too_old, 1);
		return fail_set(fail, FAIL_SNAPSHOT_TOO_OLD,
			"Read timestamp Timestamp(%u, %u) is older than the oldest available "
			"timestamp.",
			(unsigned)(stamp >> 32), (unsigned)(stamp & UINT32_MAX));
	}
	return true;
}

bool engine_begin_at(struct engine *e, WT_SESSION *session, uint64_t *stamp, struct fail *fail)
{
	char config[64];
	int ret = 0;

	/* Under the lock, so that the oldest timestamp does not pass it before it is pinned. */
	pthread_mutex_lock(&e->lock);
	uint64_t at = *stamp == 0 ? all_committed(e) : *stamp;
	bool ok = readable(e, at, fail);
	if (ok) {
		snprintf(config, sizeof(config), "read_timestamp=%" PRIx64, at);
		ret = session->begin_transaction(session, config);
	}
	pthread_mutex_unlock(&e->lock);
	if (!ok) {
		return false;
	}
	*stamp = at;
	return ret == 0 ? true : fail_engine(fail, ret, "beginning a transaction");
}

uint64_t engine_newest(struct engine *e)
{
	pthread_mutex_lock(&e->lock);
	uint64_t newest = e->newest;
	pthread_mutex_unlock(&e->lock);
	return newest;
}

uint64_t engine_tick(struct engine *e)
{
	pthread_mutex_lock(&e->lock);
	uint64_t stamp = next_stamp(e);
	pthread_mutex_unlock(&e->lock);
	return stamp;
}

void engine_stamps(struct engine *e, uint64_t *stable, uint64_t *oldest)
{
	pthread_mutex_lock(&e->lock);
	*stable = e->stable;
	*oldest = e->oldest;
	pthread_mutex_unlock(&e->lock);
}
