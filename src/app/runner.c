#include "runner.h"

#include "hotset/clock.h"
#include "signals.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define GRACE_NS (NS_PER_SEC / 2) /* what an answer may be late beyond its deadline */

void complain(const struct err *err)
{
	if (err->code != ERR_NONE)
		fprintf(stderr, "hotset: %s\n", err->msg);
}

bool runner_open(struct runner *r, const struct options *o, bool all_parts, struct err *err)
{
	*r = (struct runner){0};
	r->signal_fd = signals_open(err);
	if (r->signal_fd < 0)
		return false;
	if (fleet_open(&r->fleet, o, all_parts, clock_mono_ns(), err))
		return true;
	close(r->signal_fd);
	return false;
}

static int timeout_ms(int64_t ns)
{
	int64_t ms = (ns + NS_PER_MS - 1) / NS_PER_MS;

	return ms < 0 ? 0 : ms > INT_MAX ? INT_MAX : (int)ms;
}

static void take_signals(struct runner *r)
{
	int sig;

	while ((sig = signals_take(r->signal_fd)) != 0) {
		if (signals_is_end(sig))
			r->interrupted = true;
		else if (sig == SIGTSTP)
			raise(SIGSTOP);
	}
}

bool runner_wait(struct runner *r, int64_t until_ns, int enough, struct err *err)
{
	for (;;) {
		struct pollfd fds[] = {
			{.fd = mailbox_fd(r->fleet.mail), .events = POLLIN},
			{.fd = r->signal_fd, .events = POLLIN},
		};
		int64_t now = clock_mono_ns();

		fleet_take(&r->fleet, now, err);
		if (err->code != ERR_NONE)
			return false;
		take_signals(r);
		if (r->interrupted || now >= until_ns ||
			(int)fleet_pending(&r->fleet) <= enough)
			return true;
		if (poll(fds, 2, timeout_ms(until_ns - now)) < 0 && errno != EINTR)
			return err_sys(err, "cannot wait for answers");
	}
}

/* It has given what --once prints: two samples, or a first one without data. */
static bool is_done(const struct endpoint *ep)
{
	return ep->polls >= 2 || (ep->polls == 1 && !status_has_data(ep->status));
}

/*
 * Those that answer are asked on while others hang, so that what is printed in the end is fresh and
 * spans one delay; those that gave nothing are not asked again. True when all are done.
 */
static bool stop_failed(struct fleet *f)
{
	bool all_done = true;

	for (unsigned i = 0; i < f->model->n; i++) {
		const struct endpoint *ep = f->model->ep[i];

		all_done = all_done && is_done(ep);
		if (is_done(ep) && !status_has_data(ep->status))
			f->schedules[i].due_ns = INT64_MAX;
	}
	return all_done;
}

bool runner_once(struct runner *r, const struct options *o, struct err *err)
{
	struct fleet *f = &r->fleet;
	int64_t start = clock_mono_ns(), timeout_ns = f->timeout_ns + GRACE_NS;
	int64_t delay_ns = (int64_t)(o->delay_s * (double)NS_PER_SEC);
	int64_t limit = start + delay_ns + 2 * timeout_ns;

	for (;;) {
		int64_t now = clock_mono_ns(), next;

		if (stop_failed(f) || r->interrupted || now >= limit)
			return true;
		fleet_ask(f, now);
		next = fleet_next_due(f);
		/* up to the next answer: it says when its endpoint is due again */
		int enough = (int)fleet_pending(f) - 1;
		if (!runner_wait(r, next < limit ? next : limit,
			    enough < 0 ? RUNNER_WHOLE_TIME : enough, err))
			return false;
	}
}

int runner_close(struct runner *r, int code, const struct err *err)
{
	struct err closing;

	complain(err);
	fflush(stdout);
	if (!fleet_close(&r->fleet, &closing))
		_exit(code); /* a thread is inside a library that does not come back */
	complain(&closing);
	close(r->signal_fd);
	return closing.code != ERR_NONE && code == 0 ? 1 : code;
}
