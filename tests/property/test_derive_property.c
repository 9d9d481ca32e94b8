/*
 * For any sequence of samples, however damaged: no value is NaN or infinite, no rate is negative,
 * every missing value has a reason, and the order in which a parser filled a sample is irrelevant.
 * Rules, history and estimates run along and must bear it, too.
 */
#include "hotset/model.h"
#include "support.h"

#include <math.h>

#define ROUNDS 60
#define STEPS  40

static bool one_in(uint64_t *seed, unsigned n)
{
	return test_random(seed) % n == 0;
}

/* Numbers of all sizes, with a taste for the edges. */
static uint64_t any_u64(uint64_t *seed)
{
	switch (test_random(seed) % 6) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX - test_random(seed) % 3;
	case 2:
		return UINT64_C(1) << (test_random(seed) % 64);
	default:
		return test_random(seed) >> (test_random(seed) % 60);
	}
}

static void set_any(struct sample *s, enum metric_id id, uint64_t *seed)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e-300, -0.0, 0.5};
	uint64_t v = any_u64(seed);

	switch (test_random(seed) % 8) {
	case 0:
		break;
	case 1:
		sample_set_missing(s, id, REASON_NOT_ASKED);
		break;
	case 2:
		sample_set_f64(s, id, odd[v % 8]);
		break;
	case 3:
		sample_set_i64(s, id, (int64_t)v);
		break;
	case 4:
		sample_set_text(s, id, "COLLSCAN", 8);
		break;
	default: /* mostly counters that grow a little */
		sample_set_u64(s, id, one_in(seed, 5) ? v : (uint64_t)s->mono_ns / 1000 + v % 1000);
		break;
	}
}

static void add_any_rows(struct sample *s, enum table_id t, uint64_t *seed)
{
	unsigned n = (unsigned)(test_random(seed) % 5);

	s->tables[t].asked = !one_in(seed, 3);
	for (unsigned i = 0; i < n && s->tables[t].asked; i++) {
		struct raw *row = sample_add_row(s, t);

		assert_non_null(row);
		for (unsigned c = 0; c < table_table[t].ncols; c++) {
			if (table_table[t].cols[c].sem == COL_KEY)
				raw_set_u64(&row[c], test_random(seed) % 4);
			else if (one_in(seed, 3))
				raw_set_f64(&row[c], (double)any_u64(seed));
			else if (one_in(seed, 3))
				raw_set_text(s, &row[c], "COLLSCAN", 8);
			else
				raw_set_u64(&row[c], any_u64(seed));
		}
	}
}

static struct sample *any_sample(enum kind kind, int64_t mono_ns, bool backwards, uint64_t seed)
{
	struct sample *s = sample_create(0);
	enum metric_id first, end;
	unsigned n;

	assert_non_null(s);
	metric_range(kind, &first, &end);
	n = end - first;
	s->mono_ns = s->wall_ns = mono_ns;
	s->status = STATUS_OK;
	s->epoch = seed % 7 == 0 ? 0 : 1 + seed % 11 / 10;
	for (unsigned i = 0; i < n; i++) {
		unsigned at = backwards ? n - 1 - i : i;
		uint64_t own = seed ^ (at + 1) * UINT64_C(0x9e3779b97f4a7c15);

		set_any(s, first + at, &own);
	}
	for (unsigned t = 0; t < TABLE_COUNT; t++) {
		uint64_t own = seed ^ (t + 99) * UINT64_C(0x9e3779b97f4a7c15);

		if (table_table[t].kind == kind)
			add_any_rows(s, (enum table_id)t, &own);
	}
	return s;
}

static void check_value(struct value v, bool rate, const char *name)
{
	if (v.why >= REASON_COUNT)
		fail_msg("%s: reason %u", name, v.why);
	if (!value_ok(v))
		return;
	if (!isfinite(v.v) || !isfinite(v.age_s) || v.age_s < 0)
		fail_msg("%s is %g, age %g", name, v.v, (double)v.age_s);
	if (rate && v.v < 0)
		fail_msg("%s is %g per second", name, v.v);
}

static void check_frame(const struct frame *f, enum kind kind)
{
	enum metric_id first, end;

	metric_range(kind, &first, &end);
	for (enum metric_id id = first; id < end; id++)
		check_value(f->v[id], metric_table[id].sem == SEM_RATE, metric_table[id].name);
	for (unsigned t = 0; t < TABLE_COUNT; t++) {
		const struct table_desc *desc = &table_table[t];

		for (unsigned i = 0; i < f->tables[t].n * desc->ncols; i++)
			check_value(f->tables[t].cells[i].num,
				desc->cols[i % desc->ncols].sem == COL_RATE, desc->name);
	}
}

static void check_model(const struct model *m, int64_t mono_ns)
{
	for (unsigned i = 0; i < m->nverdicts; i++) {
		const struct verdict *v = &m->verdicts[i];

		assert_true(v->level > LEVEL_OK && v->text[0] && v->next[0]);
		assert_true(i == 0 || m->verdicts[i - 1].level >= v->level);
		for (unsigned k = 0; k < v->data.n; k++)
			assert_true(isfinite(v->data.d[k].num));
	}
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		float held = history_at(m->ep[0]->history, id, mono_ns);

		assert_true(isnan(held) || isfinite(held));
	}
}

static void any_samples_give_sane_frames(void **state)
{
	uint64_t seed = 20261130;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		enum kind kind = (enum kind)(round % KIND_COUNT);
		struct model *m = model_create();
		int64_t now = INT64_C(1000000000) * (int64_t)(test_random(&seed) % 1000);

		assert_non_null(m);
		assert_non_null(model_add(m, kind, "x", "x", "x", 120));
		for (unsigned step = 0; step < STEPS; step++) {
			if (one_in(&seed, 12))
				now += INT64_C(3600000000000);
			else if (!one_in(&seed, 12))
				now += (int64_t)(test_random(&seed) % 2000000000);
			model_push(m, any_sample(kind, now, false, test_random(&seed)));
			check_frame(&m->ep[0]->frame, kind);
			check_model(m, now);
		}
		model_destroy(m);
	}
}

static void assert_same_value(struct value a, struct value b)
{
	assert_int_equal(a.why, b.why);
	assert_memory_equal(&a.v, &b.v, sizeof(a.v));
}

static void the_order_of_filling_is_irrelevant(void **state)
{
	uint64_t seed = 4711;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		enum kind kind = (enum kind)(round % KIND_COUNT);
		struct derive *d[2] = {derive_create(kind), derive_create(kind)};
		struct sample *held[2] = {NULL, NULL};
		struct frame f[2];

		frame_init(&f[0]);
		frame_init(&f[1]);
		for (int64_t step = 0; step < 6; step++) {
			uint64_t own = test_random(&seed);

			for (unsigned k = 0; k < 2; k++) {
				struct sample *s = any_sample(kind, step * 1000000000, k == 1, own);

				derive_step(d[k], s, false, &f[k]);
				sample_destroy(held[k]);
				held[k] = s;
			}
			for (unsigned id = 0; id < METRIC_COUNT; id++)
				assert_same_value(f[0].v[id], f[1].v[id]);
		}
		for (unsigned k = 0; k < 2; k++) {
			frame_finish(&f[k]);
			derive_destroy(d[k]);
			sample_destroy(held[k]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_samples_give_sane_frames),
		cmocka_unit_test(the_order_of_filling_is_irrelevant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
