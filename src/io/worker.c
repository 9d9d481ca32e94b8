/*
 * The source lives and dies in its thread: created, polled and destroyed there. A worker that is
 * still inside a library when the program ends is left alone, its memory with it: nobody can take
 * back what a blocked call may still write to.
 */
#include "hotset/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "hotset/clock.h"

#define STACK_SIZE (512ul * 1024) /* bytes; at most 50 KiB were seen in use, TLS included */

enum state { IDLE, REQUESTED, POLLING, ENDED };

struct worker {
	uint16_t endpoint;
	const struct target *target;
	struct source_options opts;
	struct mailbox *box;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state;
	bool stop;
	struct poll_request request;
};

/* Waits for a request; false when the worker is to stop. */
static bool next_request(struct worker *w, struct poll_request *out)
{
	bool stop;

	pthread_mutex_lock(&w->lock);
	while (!w->stop && w->state != REQUESTED)
		pthread_cond_wait(&w->changed, &w->lock);
	stop = w->stop;
	w->state = POLLING;
	*out = w->request;
	pthread_mutex_unlock(&w->lock);
	return !stop;
}

/* Under the lock, so that who takes the sample finds the worker idle. */
static void deliver(struct worker *w, struct sample *s)
{
	pthread_mutex_lock(&w->lock);
	if (s && !w->stop)
		mailbox_give(w->box, s);
	else
		sample_destroy(s);
	w->state = IDLE;
	pthread_mutex_unlock(&w->lock);
}

static void *run(void *arg)
{
	struct worker *w = arg;
	const struct source_ops *ops = w->target->ops;
	struct source *src = ops->create(w->target, &w->opts);
	struct poll_request request;

	while (next_request(w, &request)) {
		struct sample *s = sample_create(w->endpoint);

		if (s)
			ops->poll(src, &request, s);
		deliver(w, s);
	}
	ops->destroy(src);
	pthread_mutex_lock(&w->lock);
	w->state = ENDED;
	pthread_cond_broadcast(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void worker_free(struct worker *w)
{
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* The thread inherits a mask that blocks everything: signals belong to the UI thread. */
static int start_thread(struct worker *w)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&w->thread, &attr, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

struct worker *worker_start(uint16_t endpoint, const struct target *t,
	const struct source_options *o, struct mailbox *b, struct err *err)
{
	struct worker *w = calloc(1, sizeof(*w));
	pthread_condattr_t attr;
	int rc;

	if (!w) {
		err_set(err, ERR_SYSTEM, "no memory for a worker");
		return NULL;
	}
	w->endpoint = endpoint;
	w->target = t;
	w->opts = *o;
	w->box = b;
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&w->changed, &attr);
	pthread_condattr_destroy(&attr);
	rc = start_thread(w);
	if (rc == 0)
		return w;
	errno = rc;
	err_sys(err, "cannot start a thread");
	worker_free(w);
	return NULL;
}

bool worker_is_busy(const struct worker *w)
{
	struct worker *m = (struct worker *)(uintptr_t)w; /* only its lock changes */
	bool busy;

	pthread_mutex_lock(&m->lock);
	busy = m->state != IDLE;
	pthread_mutex_unlock(&m->lock);
	return busy;
}

bool worker_request(struct worker *w, const struct poll_request *r)
{
	bool idle;

	pthread_mutex_lock(&w->lock);
	idle = w->state == IDLE && !w->stop;
	if (idle) {
		w->state = REQUESTED;
		w->request = *r;
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
	return idle;
}

static void ask_to_stop(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
}

static bool wait_ended(struct worker *w, const struct timespec *until)
{
	bool ended;

	pthread_mutex_lock(&w->lock);
	while (w->state != ENDED &&
		pthread_cond_timedwait(&w->changed, &w->lock, until) != ETIMEDOUT)
		;
	ended = w->state == ENDED;
	pthread_mutex_unlock(&w->lock);
	return ended;
}

unsigned workers_stop(struct worker **w, unsigned n, int timeout_ms)
{
	struct timespec until;
	unsigned left = 0;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &until);
	ns = until.tv_nsec + timeout_ms * NS_PER_MS;
	until.tv_sec += (time_t)(ns / NS_PER_SEC);
	until.tv_nsec = (long)(ns % NS_PER_SEC);
	for (unsigned i = 0; i < n; i++)
		if (w[i])
			ask_to_stop(w[i]);
	for (unsigned i = 0; i < n; i++) {
		if (!w[i])
			continue;
		if (wait_ended(w[i], &until)) {
			pthread_join(w[i]->thread, NULL);
			worker_free(w[i]);
			w[i] = NULL;
		} else {
			left++;
		}
	}
	return left;
}
