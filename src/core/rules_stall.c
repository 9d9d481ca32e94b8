/*
 * Application threads that evict or wait for room in the cache: what a cache in trouble costs its
 * users. The time is summed over all threads, so it is measured in threads, and against those that
 * hold a ticket: MongoDB judges its own cache pressure by the same two.
 */
#include "rules_mongo.h"

#include <math.h>

#define WARN_PERCENT 10.0  /* of one thread's time */
#define CRIT_PERCENT 100.0 /* one thread does nothing else */
#define CRIT_OF_BUSY 50.0  /* and half of the time of the threads at work, where that is known */
#define BUSY_S       10u   /* of the mean number of tickets, which changes from poll to poll */

static double number(struct value v)
{
	return value_ok(v) ? v.v : (double)NAN;
}

/* Threads that work in the storage engine, the mean of the last seconds; NAN: unknown. */
static double busy_threads(const struct endpoint *ep)
{
	double reads, writes;

	if (!history_mean(ep->history, METRIC_MONGO_TICKETS_READ_OUT, ep->seen_mono_ns, BUSY_S, 1,
		    &reads) ||
		!history_mean(ep->history, METRIC_MONGO_TICKETS_WRITE_OUT, ep->seen_mono_ns, BUSY_S,
			1, &writes))
		return (double)NAN;
	return reads + writes;
}

/* "62 % of one thread's time", "2.4 threads' time" */
static void say_share(char *out, size_t cap, double percent)
{
	if (percent < CRIT_PERCENT)
		snprintf(out, cap, "%.0f %% of one thread's time", percent);
	else
		snprintf(out, cap, "the time of %.1f threads", percent / 100);
}

/* "; reads p50 0.2 ms, p95 3 ms"; "" without operations of that kind. */
static void say_latency(char *out, size_t cap, const char *what, struct value p50, struct value p95)
{
	char a[NUM_MAX], b[NUM_MAX];

	out[0] = '\0';
	if (value_ok(p50) && value_ok(p95))
		snprintf(out, cap, "; %s p50 %s, p95 %s", what,
			num_format(a, UNIT_USEC, p50.v, false),
			num_format(b, UNIT_USEC, p95.v, false));
}

/* "; tickets out: 3 read, 9 write, 12 queued" */
static void say_tickets(char *out, size_t cap, const struct frame *f)
{
	struct value reads = f->v[METRIC_MONGO_TICKETS_READ_OUT];
	struct value writes = f->v[METRIC_MONGO_TICKETS_WRITE_OUT];
	struct value queued = value_add(
		f->v[METRIC_MONGO_TICKETS_READ_QUEUED], f->v[METRIC_MONGO_TICKETS_WRITE_QUEUED]);
	int n;

	out[0] = '\0';
	if (!value_ok(reads) || !value_ok(writes))
		return;
	n = snprintf(out, cap, "; tickets out: %.0f read, %.0f write", reads.v, writes.v);
	if (value_ok(queued) && n > 0 && (size_t)n < cap)
		snprintf(out + n, cap - (size_t)n, ", %.0f queued", queued.v);
}

static bool above(const struct frame *f, enum metric_id level, enum metric_id trigger)
{
	return value_ok(f->v[level]) && value_ok(f->v[trigger]) && f->v[level].v > f->v[trigger].v;
}

/* Whom to look at: the share that makes them work, if it still does. */
static void say_next(const struct frame *f, struct finding *out)
{
	if (above(f, METRIC_MONGO_CACHE_DIRTY_FILL, METRIC_MONGO_CACHE_DIRTY_TRIGGER))
		finding_next(out, "Dirty pages are above their trigger: slow the writers (view 6) "
				  "or see why the disk takes them slowly (view 5).");
	else if (above(f, METRIC_MONGO_CACHE_UPDATES_FILL, METRIC_MONGO_CACHE_UPDATES_TRIGGER))
		finding_next(out, "Updates are above their trigger: look for a pinned timestamp "
				  "and for the writers (view 6).");
	else if (above(f, METRIC_MONGO_CACHE_FILL, METRIC_MONGO_CACHE_TRIGGER))
		finding_next(out, "The cache is above its trigger: see who reads (view 6).");
	else
		finding_next(out, "No share is above its trigger at this moment: see the writers "
				  "and readers in view 6.");
}

static enum level level_of(double percent, double busy)
{
	bool most = isnan(busy) || percent / fmax(1, busy) >= CRIT_OF_BUSY;

	return percent >= CRIT_PERCENT && most ? LEVEL_CRIT : LEVEL_WARN;
}

void rules_app_stall(const struct model *m, const struct endpoint *ep, struct finding *out)
{
	const struct frame *f = &ep->frame;
	struct value wait = f->v[METRIC_MONGO_CACHE_APP_WAIT];
	struct value evict = f->v[METRIC_MONGO_CACHE_APP_EVICT];
	double percent = fmax(value_or(wait, 0).v, value_or(evict, 0).v);
	double busy = busy_threads(ep);
	char share[48], evicting[40] = "", reads[80], writes[80], tickets[80];

	(void)m;
	if (percent < WARN_PERCENT)
		return;
	say_share(share, sizeof(share), percent);
	if (value_ok(evict))
		snprintf(evicting, sizeof(evicting), ", %.0f %% of it evicting",
			fmin(100, 100 * evict.v / percent));
	say_latency(reads, sizeof(reads), "reads", f->v[METRIC_MONGO_LAT_READS_P50],
		f->v[METRIC_MONGO_LAT_READS_P95]);
	say_latency(writes, sizeof(writes), "writes", f->v[METRIC_MONGO_LAT_WRITES_P50],
		f->v[METRIC_MONGO_LAT_WRITES_P95]);
	say_tickets(tickets, sizeof(tickets), f);
	finding_say(out, level_of(percent, busy),
		"application threads wait for the cache: %s%s%s%s%s", share, evicting, reads,
		writes, tickets);
	say_next(f, out);
	data_num(&out->data, "wait_percent", number(wait));
	data_num(&out->data, "evict_percent", number(evict));
	data_num(&out->data, "of_busy_percent", percent / fmax(1, busy));
	data_num(&out->data, "reads_p50_us", number(f->v[METRIC_MONGO_LAT_READS_P50]));
	data_num(&out->data, "reads_p95_us", number(f->v[METRIC_MONGO_LAT_READS_P95]));
	data_num(&out->data, "writes_p50_us", number(f->v[METRIC_MONGO_LAT_WRITES_P50]));
	data_num(&out->data, "writes_p95_us", number(f->v[METRIC_MONGO_LAT_WRITES_P95]));
	data_num(&out->data, "read_tickets", number(f->v[METRIC_MONGO_TICKETS_READ_OUT]));
	data_num(&out->data, "write_tickets", number(f->v[METRIC_MONGO_TICKETS_WRITE_OUT]));
}
