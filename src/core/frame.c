/* Frames: their life, access to them, and arithmetic on values that keeps reasons and ages. */
#include "hotset/derive.h"

#include <math.h>

void frame_init(struct frame *f)
{
	*f = (struct frame){0};
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		f->v[i] = value_none(REASON_NO_ANSWER);
}

void frame_finish(struct frame *f)
{
	for (unsigned t = 0; t < TABLE_COUNT; t++) {
		free(f->tables[t].cells);
		f->tables[t] = (struct frame_rows){0};
	}
}

struct value frame_value(const struct frame *f, enum metric_id id)
{
	return f->v[id];
}

const char *frame_info(const struct frame *f, enum metric_id id)
{
	if (f->info[id])
		return f->info[id];
	return f->sample ? sample_text(f->sample, id) : NULL;
}

const struct cell_value *frame_row(const struct frame *f, enum table_id t, unsigned row)
{
	const struct frame_rows *rows = &f->tables[t];

	return row < rows->n ? rows->cells + (size_t)row * table_table[t].ncols : NULL;
}

struct value value_of(double v)
{
	return isfinite(v) ? (struct value){.v = v, .why = REASON_OK}
			   : value_none(REASON_IMPLAUSIBLE);
}

struct value value_none(enum reason why)
{
	return (struct value){.why = (uint8_t)why};
}

static struct value combine(struct value a, struct value b, double result)
{
	if (!value_ok(a))
		return value_none((enum reason)a.why);
	if (!value_ok(b))
		return value_none((enum reason)b.why);

	struct value v = value_of(result);

	v.age_s = a.age_s > b.age_s ? a.age_s : b.age_s;
	return v;
}

struct value value_add(struct value a, struct value b)
{
	return combine(a, b, a.v + b.v);
}

struct value value_sub(struct value a, struct value b)
{
	return combine(a, b, a.v - b.v);
}

struct value value_ratio(struct value num, struct value den, double scale, enum reason zero_why)
{
	if (value_ok(num) && value_ok(den) && den.v == 0)
		return value_none(zero_why);
	return combine(num, den, num.v / den.v * scale);
}

struct value value_or(struct value a, double instead)
{
	return value_ok(a) ? a : value_of(instead);
}
