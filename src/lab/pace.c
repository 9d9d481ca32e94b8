#include "load.h"

#include <math.h>
#include <time.h>
#include "hotset/clock.h"

#define TICK_MS     10
#define BACKLOG_SEC 0.1 /* what is caught up with, at most */

void load_sleep_ms(int ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * NS_PER_MS};

	nanosleep(&ts, NULL);
}

void load_await(const struct load_env *env)
{
	while (env->after && !atomic_load(&env->after->warm)) {
		load_sleep_ms(50);
	}
}

void pace_init(struct pace *p, double per_sec)
{
	*p = (struct pace){.per_sec = per_sec, .last_ns = clock_mono_ns()};
}

unsigned pace_wait(struct pace *p)
{
	unsigned n;

	do {
		int64_t now;

		load_sleep_ms(TICK_MS);
		now = clock_mono_ns();
		p->due += p->per_sec * (double)(now - p->last_ns) / (double)NS_PER_SEC;
		p->due = fmin(p->due, fmax(1, p->per_sec * BACKLOG_SEC));
		p->last_ns = now;
	} while (p->due < 1);
	n = (unsigned)p->due;
	p->due -= n;
	return n;
}

uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

uint32_t rng_skewed(struct rng *r, uint32_t n)
{
	double u = (double)(rng_next(r) >> 11) * 0x1p-53;

	return (uint32_t)(u * u * u * n);
}
