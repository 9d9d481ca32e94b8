/* What one reply costs: to parse, to take into the model with its rules, and to draw. */
#include <hotset/clock.h>
#include <hotset/panel.h>
#include <hotset/parse.h>
#include <hotset/record.h>

#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "support.h"

#define RECORDING "docs/recordings/scan.rec.gz"
#define ROUNDS    2000
#define FRAMES    300

static double since_us(int64_t begin, int rounds)
{
	return (double)(clock_mono_ns() - begin) / 1e3 / rounds;
}

static void bench_redis(void)
{
	size_t len;
	char *text = test_fixture("cases/A01.info", &len);
	struct err err;
	int64_t begin = clock_mono_ns();

	for (int i = 0; i < ROUNDS; i++) {
		struct sample *s = sample_create(0);

		if (!s || !parse_redis_info(text, len, s, &err)) {
			fprintf(stderr, "A01.info: %s\n", s ? err.msg : "no memory");
		}
		sample_destroy(s);
	}
	bench_report("parse INFO of Redis", since_us(begin, ROUNDS), "us", 0);
	free(text);
}

static void bench_model(void)
{
	struct err err;
	struct recording *rec = recording_open(RECORDING, &err);
	struct model *m = model_create();
	struct view_state state;
	struct canvas c;
	unsigned n = 0;
	int64_t begin, read_ns = 0;

	if (!rec || !m || !recording_endpoints(rec, m, &err) || !canvas_init(&c, 120, 36)) {
		fprintf(stderr, "%s: %s\n", RECORDING, err.msg);
		return;
	}
	begin = clock_mono_ns();
	for (unsigned i = 0; i < recording_count(rec); i++) {
		int64_t at = clock_mono_ns();
		struct sample *s = recording_sample(rec, i);

		read_ns += clock_mono_ns() - at;
		if (s) {
			model_push(m, s);
			n++;
		}
	}
	bench_report("read a recorded sample", (double)read_ns / 1e3 / n, "us", 0);
	bench_report("derive, history and rules of a sample",
		since_us(begin + read_ns, (int)n), "us", 0);
	view_state_init(&state);
	for (enum view v = 0; v < VIEW_COUNT; v++) {
		char name[64];

		state.view = v;
		begin = clock_mono_ns();
		for (int i = 0; i < FRAMES; i++) {
			canvas_clear(&c);
			screen_draw(m, &state, &c);
		}
		snprintf(name, sizeof(name), "draw the %s view, 120x36", view_name(v));
		bench_report(name, since_us(begin, FRAMES), "us", 0);
	}
	canvas_finish(&c);
	model_destroy(m);
	recording_close(rec);
}

int main(void)
{
	bench_redis();
	bench_model();
	return 0;
}
