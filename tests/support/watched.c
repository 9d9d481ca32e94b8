#include "watched.h"

#include "support.h"

#include "hotset/clock.h"

#define SLACK_S 0.15 /* for a machine that has other things to do */

void watch_begin(struct watched *w, const char *uri, double timeout_s)
{
	struct source_options o = {.interval_s = 1, .timeout_s = timeout_s};
	struct err err;

	*w = (struct watched){.timeout_s = timeout_s};
	if (!target_parse(uri, &w->target, &err))
		fail_msg("%s", err.msg);
	w->source = w->target.ops->create(&w->target, &o);
	assert_non_null(w->source);
}

const struct sample *watch_poll_slow(struct watched *w)
{
	int64_t begin = clock_mono_ns();

	sample_destroy(w->last);
	w->last = sample_create(0);
	assert_non_null(w->last);
	struct poll_request r = {begin + (int64_t)(w->timeout_s * 1e9), WANT_ALL};

	w->target.ops->poll(w->source, &r, w->last);
	w->took_s = (double)(clock_mono_ns() - begin) / 1e9;
	return w->last;
}

const struct sample *watch_poll(struct watched *w)
{
	watch_poll_slow(w);
	if (w->took_s > w->timeout_s * 1.2 + SLACK_S)
		fail_msg("the poll took %.3f s of %.3f s", w->took_s, w->timeout_s);
	return w->last;
}

void watch_end(struct watched *w)
{
	sample_destroy(w->last);
	w->target.ops->destroy(w->source);
	target_finish(&w->target);
}

void assert_status(const struct sample *s, enum status want)
{
	if (s->status != want)
		fail_msg("status is %s, not %s: %s", status_word(s->status), status_word(want),
			s->err.msg);
}

void assert_says(const struct sample *s, const char *part)
{
	if (!strstr(s->err.msg, part))
		fail_msg("'%s' does not say '%s'", s->err.msg, part);
}
