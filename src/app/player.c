#include "player.h"

#include "hotset/clock.h"

#define GROUP_NS   (NS_PER_SEC / 2) /* samples of one tick come within so long */
#define PAUSE_MAX_NS (10 * NS_PER_SEC) /* longer gaps (a suspended machine) are cut to this */
#define GROUPS_PER_PUMP 512         /* at high speed, keys are looked at in between */

/* ---- groups ---- */

/* A group ends where an endpoint comes again, or where half a second passed. */
static bool find_groups(struct player *p, struct err *err)
{
	unsigned n = recording_count(p->rec), start = 0;
	bool seen[ENDPOINTS_MAX] = {false};

	p->ends = calloc(n, sizeof *p->ends);
	if (!p->ends)
		return err_set(err, ERR_SYSTEM, "no memory for the times of the recording");
	for (unsigned i = 0; i < n; i++) {
		uint16_t ep = recording_endpoint_of(p->rec, i);
		int64_t since = recording_mono(p->rec, i) - recording_mono(p->rec, start);

		if (i > start && (seen[ep] || since > GROUP_NS || since < -GROUP_NS)) {
			p->ends[p->ngroups++] = i;
			memset(seen, 0, sizeof seen);
			start = i;
		}
		seen[ep] = true;
	}
	p->ends[p->ngroups++] = n;
	return true;
}

static unsigned group_start(const struct player *p, unsigned group)
{
	return group == 0 ? 0 : p->ends[group - 1];
}

static int64_t group_mono(const struct player *p, unsigned group)
{
	return recording_mono(p->rec, p->ends[group] - 1);
}

static void push_group(struct player *p)
{
	for (unsigned i = group_start(p, p->pos); i < p->ends[p->pos]; i++) {
		struct sample *s = recording_sample(p->rec, i);

		if (s)
			model_push(p->model, s);
	}
	p->pos++;
}

static bool start_anew(struct player *p, struct err *err)
{
	struct model *m = model_create();

	if (!m)
		return err_set(err, ERR_SYSTEM, "no memory for the replay");
	if (!recording_endpoints(p->rec, m, err)) {
		model_destroy(m);
		return false;
	}
	model_destroy(p->model);
	m->origin_us = p->origin_us;
	p->model = m;
	p->pos = 0;
	return true;
}

/* ---- */

bool player_open(
	struct player *p, const char *path, double speed, double origin_us, struct err *err)
{
	*p = (struct player){.speed = speed, .origin_us = origin_us};
	p->rec = recording_open(path, err);
	if (p->rec && find_groups(p, err) && start_anew(p, err))
		return true;
	player_close(p);
	return false;
}

void player_close(struct player *p)
{
	recording_close(p->rec);
	model_destroy(p->model);
	free(p->ends);
	*p = (struct player){0};
}

bool player_seek(struct player *p, unsigned groups, struct err *err)
{
	if (groups < 1)
		groups = 1;
	if (groups > p->ngroups)
		groups = p->ngroups;
	if (groups < p->pos && !start_anew(p, err))
		return false;
	while (p->pos < groups)
		push_group(p);
	p->target = p->pos;
	return true;
}

bool player_at(const struct player *p, const char *at, unsigned *groups, struct err *err)
{
	int64_t wall, last = recording_wall(p->rec, recording_count(p->rec) - 1);
	unsigned n = 1;

	if (!clock_parse_at(at, last, &wall))
		return err_set(err, ERR_USAGE,
			"--at '%s' is neither RFC 3339, -10m nor HH:MM[:SS]", at);
	while (n < p->ngroups && recording_wall(p->rec, p->ends[n] - 1) <= wall)
		n++;
	*groups = n;
	return true;
}

int64_t player_previous_mono(const struct player *p)
{
	return p->pos < 2 ? INT64_MIN : group_mono(p, p->pos - 2) + 1;
}

/* ---- as a feed ---- */

static struct model *feed_model(void *ctx)
{
	return ((struct player *)ctx)->model;
}

/* From the group shown to the next one, as long as it took then, at our speed. */
static int64_t gap_ns(const struct player *p)
{
	int64_t gap = group_mono(p, p->pos) - group_mono(p, p->pos - 1);

	gap = gap < 0 ? 0 : gap > PAUSE_MAX_NS ? PAUSE_MAX_NS : gap;
	return (int64_t)((double)gap / p->speed);
}

static void play(struct player *p, bool on, int64_t now)
{
	p->playing = on && p->pos < p->ngroups;
	if (p->playing)
		p->due_ns = now + (p->pos > 0 ? gap_ns(p) : 0);
}

/* Going back may push an hour of samples again, so keys that wait share one way. */
static bool go_to_target(struct player *p, struct view_state *s)
{
	struct err err;

	if (p->target == p->pos)
		return false;
	if (!player_seek(p, p->target, &err)) {
		snprintf(s->message, sizeof s->message, "%.127s", err.msg);
		p->target = p->pos;
	}
	return true;
}

static bool feed_pump(void *ctx, struct view_state *s, int64_t mono_ns, int64_t wall_ns)
{
	struct player *p = ctx;
	bool moved = go_to_target(p, s);

	(void)wall_ns;
	for (int n = 0; n < GROUPS_PER_PUMP && p->playing && p->due_ns <= mono_ns; n++) {
		push_group(p);
		p->target = p->pos;
		moved = true;
		if (p->pos < p->ngroups) {
			p->due_ns += gap_ns(p);
			continue;
		}
		p->playing = false;
		s->paused = true;
		snprintf(s->message, sizeof s->message, "the end of the recording");
	}
	return moved;
}

static int64_t feed_due(void *ctx, int64_t now_ns)
{
	const struct player *p = ctx;

	(void)now_ns;
	return p->playing ? p->due_ns : INT64_MAX;
}

static bool feed_waits(void *ctx)
{
	(void)ctx;
	return false;
}

static bool aim(struct player *p, struct view_state *s, unsigned groups)
{
	p->playing = false;
	s->paused = true;
	p->target = groups < 1 ? 1 : groups > p->ngroups ? p->ngroups : groups;
	return true;
}

static bool feed_react(void *ctx, enum reaction r, struct view_state *s, int64_t mono_ns)
{
	struct player *p = ctx;

	switch (r) {
	case REACT_PAUSE:
		play(p, !s->paused, mono_ns);
		s->paused = !p->playing;
		return true;
	case REACT_STEP_BACK:
		return aim(p, s, p->target > 1 ? p->target - 1 : 1);
	case REACT_STEP_FORWARD:
		return aim(p, s, p->target + 1);
	case REACT_GO_FIRST:
		return aim(p, s, 1);
	case REACT_GO_LAST:
		return aim(p, s, p->ngroups);
	default:
		return false;
	}
}

struct feed player_feed(struct player *p)
{
	return (struct feed){p, -1, feed_model, feed_pump, feed_due, feed_waits, feed_react,
		NULL};
}
