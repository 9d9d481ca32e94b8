/*
 * What needs history: means over 10 s and times to the triggers here, the working set and the
 * evidence of the eviction state in files of their own.
 */
#include "hotset/knee.h"
#include "hotset/evidence.h"

#include <math.h>

#define MEAN_S       10u /* of the fill means */
#define SLOPE_S      30u /* window of the slopes */
#define SLOPE_MIN    10u /* present seconds that a slope needs */
#define SLOPE_SIGMAS 3.0 /* a slope below this many standard errors is flat */

static void set(struct frame *f, enum metric_id id, struct value v)
{
	f->v[id] = v;
}

/* ---- means and times to trigger ---- */

static void set_mean(
	const struct history *h, struct frame *f, enum metric_id of, enum metric_id out)
{
	double mean;

	if (!value_ok(f->v[of]))
		set(f, out, f->v[of]);
	else if (history_mean(h, of, f->sample->mono_ns, MEAN_S, 1, &mean))
		set(f, out, value_of(mean));
}

static void set_time_to_trigger(const struct history *h, struct frame *f, enum metric_id level,
	enum metric_id trigger, enum metric_id out)
{
	struct value room = value_sub(f->v[trigger], f->v[level]);
	double slope, error;

	if (!value_ok(room))
		set(f, out, room);
	else if (room.v <= 0)
		set(f, out, value_of(0));
	else if (!history_slope(h, level, f->sample->mono_ns, SLOPE_S, SLOPE_MIN, &slope, &error))
		set(f, out, value_none(REASON_NEEDS_HISTORY));
	else if (slope <= 0 || slope <= SLOPE_SIGMAS * error)
		set(f, out, value_none(REASON_FLAT));
	else
		set(f, out, value_of(room.v / slope));
}

static void estimate_knee(const struct history *h, struct frame *f)
{
	struct knee k;

	if (!value_ok(f->v[METRIC_MEMCACHED_PROBE_P50]))
		return;
	knee_find(h, f->sample->mono_ns, &k);
	f->v[METRIC_MEMCACHED_PROBE_KNEE_LOW] =
		k.why == REASON_OK ? value_of(k.low) : value_none(k.why);
	f->v[METRIC_MEMCACHED_PROBE_KNEE_HIGH] =
		k.why == REASON_OK ? value_of(k.high) : value_none(k.why);
}

void estimate_step(const struct history *h, struct frame *f)
{
	if (f->sample && history_kind(h) == KIND_MEMCACHED)
		estimate_knee(h, f);
	if (!f->sample || history_kind(h) != KIND_MONGO)
		return;
	set_mean(h, f, METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_FILL_MEAN);
	set_mean(h, f, METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_FILL_MEAN);
	set_mean(h, f, METRIC_MONGO_CACHE_UPDATES_FILL, METRIC_MONGO_CACHE_UPDATES_FILL_MEAN);
	set_time_to_trigger(h, f, METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TRIGGER,
		METRIC_MONGO_CACHE_TIME_TO_TRIGGER);
	set_time_to_trigger(h, f, METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TRIGGER,
		METRIC_MONGO_CACHE_DIRTY_TIME_TO_TRIGGER);
	set_time_to_trigger(h, f, METRIC_MONGO_CACHE_UPDATES_FILL,
		METRIC_MONGO_CACHE_UPDATES_TRIGGER, METRIC_MONGO_CACHE_UPDATES_TIME_TO_TRIGGER);
	estimate_collections(h, f);
	estimate_working_set(h, f);
	evidence_step(h, f);
	estimate_growth(h, f);
}
