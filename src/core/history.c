/*
 * One ring of floats per metric, all with the same head; NaN is a gap. A ring is allocated when its
 * metric first has a value, so what a server never sends costs nothing.
 */
#include "hotset/history.h"

#include <math.h>

#define GAP_INTERVALS 2.5 /* an interval this many times the usual one is a gap, not a slow poll   \
			   */
#define AGE_FILL_MAX 60.0 /* seconds that a value of a rarely asked part may cover */

struct history {
	enum kind kind;
	enum metric_id first, end;
	unsigned steps;
	bool started;
	int64_t head;    /* the newest step */
	int64_t mono_ns; /* of the newest frame */
	double usual_s;  /* interval of the frames before, 0: unknown */
	double span_s;   /* what the newest frame covers, 0: just its own step */
	float **rings;   /* end - first of them, NULL until needed */
};

struct history *history_create(enum kind kind, unsigned steps)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->kind = kind;
	metric_range(kind, &h->first, &h->end);
	h->steps = steps ? steps : 1;
	h->rings = calloc(h->end - h->first, sizeof(*h->rings));
	if (!h->rings) {
		free(h);
		return NULL;
	}
	return h;
}

void history_destroy(struct history *h)
{
	if (!h)
		return;
	for (unsigned i = 0; i < h->end - h->first; i++)
		free(h->rings[i]);
	free(h->rings);
	free(h);
}

enum kind history_kind(const struct history *h)
{
	return h->kind;
}

unsigned history_steps(const struct history *h)
{
	return h->steps;
}

size_t history_bytes(const struct history *h)
{
	size_t bytes = sizeof(*h) + (h->end - h->first) * sizeof(*h->rings);

	for (unsigned i = 0; i < h->end - h->first; i++)
		if (h->rings[i])
			bytes += h->steps * sizeof(float);
	return bytes;
}

/* ---- steps ---- */

static int64_t step_of(int64_t mono_ns)
{
	int64_t step = mono_ns / HISTORY_STEP_NS;

	return mono_ns % HISTORY_STEP_NS < 0 ? step - 1 : step;
}

static unsigned slot_of(const struct history *h, int64_t step)
{
	int64_t slot = step % (int64_t)h->steps;

	return (unsigned)(slot < 0 ? slot + h->steps : slot);
}

static bool step_is_held(const struct history *h, int64_t step)
{
	return h->started && step <= h->head && step > h->head - (int64_t)h->steps;
}

static void clear_ring(float *ring, unsigned from, unsigned n, unsigned steps)
{
	for (unsigned i = 0; i < n; i++)
		ring[(from + i) % steps] = NAN;
}

/* Makes `step` the newest one. A clock that went back past the ring's length starts anew. */
static void advance(struct history *h, int64_t step)
{
	int64_t ahead = h->started ? step - h->head : h->steps;

	if (h->started && ahead <= 0 && step_is_held(h, step))
		return;
	if (ahead < 0 || ahead > (int64_t)h->steps)
		ahead = h->steps;

	unsigned from = slot_of(h, step - ahead + 1);

	for (unsigned i = 0; i < h->end - h->first; i++)
		if (h->rings[i])
			clear_ring(h->rings[i], from, (unsigned)ahead, h->steps);
	h->head = step;
	h->started = true;
}

static float *ring_of(const struct history *h, enum metric_id id)
{
	return id >= h->first && id < h->end ? h->rings[id - h->first] : NULL;
}

static float *need_ring(struct history *h, enum metric_id id)
{
	if (id < h->first || id >= h->end)
		return NULL;

	float **ring = &h->rings[id - h->first];

	if (!*ring) {
		*ring = malloc(h->steps * sizeof(**ring));
		if (*ring)
			clear_ring(*ring, 0, h->steps, h->steps);
	}
	return *ring;
}

void history_put_one(
	struct history *h, enum metric_id id, int64_t mono_ns, double span_s, struct value v)
{
	int64_t last = step_of(mono_ns), first = last;

	advance(h, last);
	if (!value_ok(v) || !isfinite((float)v.v)) /* a gap is what was not written */
		return;

	float *ring = need_ring(h, id);

	if (!ring)
		return;
	if (span_s > 0) {
		double limit = (double)h->steps;

		first = step_of(mono_ns - (int64_t)((span_s < limit ? span_s : limit) * 1e9)) + 1;
	}
	if (first > last)
		first = last;
	for (int64_t step = first; step <= last; step++)
		if (step_is_held(h, step))
			ring[slot_of(h, step)] = (float)v.v;
}

/*
 * How much of the past a frame speaks for: its interval, unless that is far longer than the usual
 * one. Two long ones in a row are the new usual.
 */
static void note_interval(struct history *h, const struct frame *f)
{
	double interval = f->interval_s;

	if (h->started && f->sample->mono_ns == h->mono_ns)
		return; /* the same frame again */
	h->mono_ns = f->sample->mono_ns;
	h->span_s = h->usual_s > 0 && interval > GAP_INTERVALS * h->usual_s ? 0 : interval;
	h->usual_s = interval;
}

static bool is_stored(enum metric_sem sem)
{
	return sem == SEM_GAUGE || sem == SEM_RATE || sem == SEM_CALC;
}

void history_put(struct history *h, const struct frame *f)
{
	if (!f->sample)
		return;
	note_interval(h, f);
	for (enum metric_id id = h->first; id < h->end; id++) {
		struct value v = f->v[id];
		double span = h->span_s;

		if (!is_stored(metric_table[id].sem))
			continue;
		if (v.age_s > 0)
			span = v.age_s < AGE_FILL_MAX ? (double)v.age_s : AGE_FILL_MAX;
		history_put_one(h, id, f->sample->mono_ns, span, v);
	}
}

/* ---- reading ---- */

float history_at(const struct history *h, enum metric_id id, int64_t mono_ns)
{
	const float *ring = ring_of(h, id);
	int64_t step = step_of(mono_ns);

	return ring && step_is_held(h, step) ? ring[slot_of(h, step)] : NAN;
}

unsigned history_window(
	const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n, float *out)
{
	const float *ring = ring_of(h, id);
	int64_t first = step_of(mono_ns) - n + 1;
	unsigned present = 0;

	for (unsigned i = 0; i < n; i++) {
		bool held = ring && step_is_held(h, first + i);

		out[i] = held ? ring[slot_of(h, first + i)] : NAN;
		if (!isnan(out[i]))
			present++;
	}
	return present;
}

#define WINDOW_MAX 600u /* steps that the statistics below look back at most */

static unsigned read_window(const struct history *h, enum metric_id id, int64_t mono_ns,
	unsigned *n, float out[WINDOW_MAX])
{
	if (*n > WINDOW_MAX)
		*n = WINDOW_MAX;
	return history_window(h, id, mono_ns, *n, out);
}

bool history_mean(const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n,
	unsigned min_count, double *out)
{
	float w[WINDOW_MAX];
	unsigned present = read_window(h, id, mono_ns, &n, w);
	double sum = 0;

	if (!present || present < min_count)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!isnan(w[i]))
			sum += (double)w[i];
	*out = sum / present;
	return true;
}

static int compare_floats(const void *pa, const void *pb)
{
	const float *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

bool history_median(const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n,
	unsigned min_count, double *out)
{
	float w[WINDOW_MAX];
	unsigned present = read_window(h, id, mono_ns, &n, w), kept = 0;

	if (!present || present < min_count)
		return false;
	for (unsigned i = 0; i < n; i++)
		if (!isnan(w[i]))
			w[kept++] = w[i];
	qsort(w, kept, sizeof(*w), compare_floats);
	*out = ((double)w[(kept - 1) / 2] + (double)w[kept / 2]) / 2;
	return true;
}

bool history_slope(const struct history *h, enum metric_id id, int64_t mono_ns, unsigned n,
	unsigned min_count, double *slope, double *stderr_out)
{
	float w[WINDOW_MAX];
	unsigned present = read_window(h, id, mono_ns, &n, w);
	double mx = 0, my = 0, sxx = 0, sxy = 0, rss = 0;

	if (present < 3 || present < min_count)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (isnan(w[i]))
			continue;
		mx += (double)i / present;
		my += (double)w[i] / present;
	}
	for (unsigned i = 0; i < n; i++) {
		if (isnan(w[i]))
			continue;
		sxx += (i - mx) * (i - mx);
		sxy += (i - mx) * ((double)w[i] - my);
	}
	*slope = sxy / sxx;
	for (unsigned i = 0; i < n; i++) {
		double rest = isnan(w[i]) ? 0 : (double)w[i] - my - *slope * (i - mx);

		rss += rest * rest;
	}
	*stderr_out = sqrt(rss / (present - 2) / sxx);
	return true;
}
