/*
 * Workers and their mailbox: one request outstanding at most, every sample arrives once, a worker
 * inside a long call disturbs neither the others nor the end of the program. Silent under the
 * thread sanitizer.
 */
#include "support.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "hotset/clock.h"
#include "hotset/worker.h"

#define WORKERS 5

/* ---- a source that obeys the test ---- */

struct source {
	const struct target *target;
};

static atomic_int created, destroyed, masked;
static atomic_bool stuck, release_stuck;

static struct source *toy_create(const struct target *t, const struct source_options *o)
{
	struct source *s = malloc(sizeof(*s));
	sigset_t mask;

	(void)o;
	assert_non_null(s);
	s->target = t;
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	if (sigismember(&mask, SIGINT) && sigismember(&mask, SIGWINCH) &&
		sigismember(&mask, SIGTERM))
		atomic_fetch_add(&masked, 1);
	atomic_fetch_add(&created, 1);
	return s;
}

static void toy_poll(struct source *s, const struct poll_request *r, struct sample *out)
{
	(void)r;
	while (s->target->port == 1 && !atomic_load(&release_stuck)) {
		atomic_store(&stuck, true);
		poll(NULL, 0, 1);
	}
	out->status = STATUS_OK;
	out->mono_ns = clock_mono_ns();
}

/* At once, and nothing beyond the usual. */
static const struct poll_request now;

static void toy_destroy(struct source *s)
{
	atomic_fetch_add(&destroyed, 1);
	free(s);
}

static const struct source_ops toy = {
	.name = "toy", .create = toy_create, .poll = toy_poll, .destroy = toy_destroy};

/* ---- tests ---- */

struct setup {
	struct mailbox *box;
	struct target targets[WORKERS];
	struct worker *w[WORKERS];
};

static void begin(struct setup *s)
{
	struct source_options o = {.interval_s = 1, .timeout_s = 1};
	struct err err;

	atomic_store(&created, 0);
	atomic_store(&destroyed, 0);
	atomic_store(&masked, 0);
	atomic_store(&stuck, false);
	atomic_store(&release_stuck, false);
	s->box = mailbox_create(&err);
	assert_non_null(s->box);
	for (unsigned i = 0; i < WORKERS; i++) {
		s->targets[i] = (struct target){.ops = &toy};
		s->w[i] = worker_start((uint16_t)i, &s->targets[i], &o, s->box, &err);
		assert_non_null(s->w[i]);
	}
}

static bool wait_mail(struct setup *s, int ms)
{
	struct pollfd p = {.fd = mailbox_fd(s->box), .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

static void every_request_is_answered_once(void **state)
{
	struct setup s;
	unsigned got[WORKERS] = {0}, sent[WORKERS] = {0}, all = 0;

	(void)state;
	begin(&s);
	for (unsigned i = 0; i < WORKERS; i++)
		sent[i] += worker_request(s.w[i], &now);
	while (all < WORKERS * 200) {
		struct sample *x;

		assert_true(wait_mail(&s, 10000));
		while ((x = mailbox_take(s.box)) != NULL) {
			unsigned i = x->endpoint;

			assert_int_equal(x->status, STATUS_OK);
			sample_destroy(x);
			got[i]++;
			all++;
			assert_int_equal(got[i], sent[i]);
			/* who takes the sample finds its worker idle */
			assert_false(worker_is_busy(s.w[i]));
			if (got[i] < 200)
				sent[i] += worker_request(s.w[i], &now);
		}
	}
	assert_false(wait_mail(&s, 0));
	assert_int_equal(workers_stop(s.w, WORKERS, 10000), 0);
	assert_null(s.w[0]);
	mailbox_destroy(s.box);
	assert_int_equal(atomic_load(&destroyed), WORKERS);
	assert_int_equal(atomic_load(&masked), WORKERS);
}

static void one_request_at_a_time(void **state)
{
	struct setup s;

	(void)state;
	begin(&s);
	s.targets[0].port = 1; /* published by the lock of the request */
	assert_true(worker_request(s.w[0], &now));
	assert_true(worker_is_busy(s.w[0]));
	assert_false(worker_request(s.w[0], &now));
	atomic_store(&release_stuck, true);
	assert_true(wait_mail(&s, 10000));
	sample_destroy(mailbox_take(s.box));
	assert_null(mailbox_take(s.box));
	assert_int_equal(workers_stop(s.w, WORKERS, 10000), 0);
	mailbox_destroy(s.box);
}

static bool is_stuck(void *arg)
{
	(void)arg;
	return atomic_load(&stuck);
}

/* A stuck worker is left behind within the time, the others end; its sample goes nowhere. */
static void a_stuck_worker_does_not_hold_up_the_end(void **state)
{
	struct setup s;
	int64_t begin_ns;

	(void)state;
	begin(&s);
	s.targets[2].port = 1;
	for (unsigned i = 0; i < WORKERS; i++)
		worker_request(s.w[i], &now);
	for (unsigned n = 0; n < WORKERS - 1; n++) {
		struct sample *x;

		while ((x = mailbox_take(s.box)) == NULL)
			assert_true(wait_mail(&s, 10000));
		assert_int_not_equal(x->endpoint, 2);
		sample_destroy(x);
	}
	assert_true(test_wait(is_stuck, NULL, 10000)); /* not merely slow to start */
	begin_ns = clock_mono_ns();
	assert_int_equal(workers_stop(s.w, WORKERS, 200), 1);
	assert_true(clock_mono_ns() - begin_ns < 5 * NS_PER_SEC);
	assert_non_null(s.w[2]);
	assert_null(s.w[3]);
	atomic_store(&release_stuck, true);
	assert_int_equal(workers_stop(s.w, WORKERS, 10000), 0);
	assert_null(mailbox_take(s.box));
	mailbox_destroy(s.box);
}

static void what_is_left_in_the_mailbox_is_freed(void **state)
{
	struct err err;
	struct mailbox *b = mailbox_create(&err);

	(void)state;
	assert_non_null(b);
	for (uint16_t i = 0; i < 600; i++) /* more than there can be */
		mailbox_give(b, sample_create(i));
	for (uint16_t i = 0; i < 100; i++) {
		struct sample *x = mailbox_take(b);

		assert_int_equal(x->endpoint, i);
		sample_destroy(x);
	}
	mailbox_give(b, sample_create(7));
	mailbox_destroy(b);
	mailbox_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_is_answered_once),
		cmocka_unit_test(one_request_at_a_time),
		cmocka_unit_test(a_stuck_worker_does_not_hold_up_the_end),
		cmocka_unit_test(what_is_left_in_the_mailbox_is_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
