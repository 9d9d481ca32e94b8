#include "hotset/fields.h"

#include <string.h>

#include "hotset/num.h"

#define TWO_63 9223372036854775808.0

const struct field *field_find(const struct field *table, size_t n, struct span key)
{
	for (size_t i = 0; i < n; i++)
		if (span_is(key, table[i].key))
			return &table[i];
	return NULL;
}

struct raw field_none(enum reason why)
{
	return (struct raw){.type = RAW_NONE, .why = (uint8_t)why};
}

static struct raw from_u64(uint64_t u, enum field_type type)
{
	if (type == FIELD_REAL)
		return (struct raw){.type = RAW_F64, .f = (double)u};
	if (u <= INT64_MAX)
		return (struct raw){.type = RAW_U64, .u = u};
	if (type == FIELD_SIGNED)
		return (struct raw){.type = RAW_I64, .i = -(int64_t)(UINT64_MAX - u) - 1};
	return field_none(REASON_IMPLAUSIBLE);
}

static struct raw from_f64(double f, enum field_type type)
{
	if (f >= TWO_63 || f <= -TWO_63 || (f < 0 && type != FIELD_SIGNED))
		return field_none(REASON_IMPLAUSIBLE);
	if (type == FIELD_COUNT && (double)(uint64_t)f == f)
		return from_u64((uint64_t)f, type);
	return (struct raw){.type = RAW_F64, .f = f};
}

struct raw field_read(struct span value, enum field_type type)
{
	struct span v = span_trim(value);
	if (v.len == 0)
		return field_none(REASON_NOT_SENT);
	if (v.s[v.len - 1] == '%')
		v.len--;
	uint64_t u;
	int64_t i;
	double f;
	if (num_parse_u64(v.s, v.len, &u))
		return from_u64(u, type);
	if (num_parse_i64(v.s, v.len, &i))
		return type == FIELD_SIGNED ? (struct raw){.type = RAW_I64, .i = i} :
			field_none(REASON_IMPLAUSIBLE);
	if (num_parse_f64(v.s, v.len, &f))
		return from_f64(f, type);
	if (num_parse_size(v.s, v.len, &u))
		return from_u64(u, type);
	return field_none(REASON_TEXT);
}

void field_store(struct sample *out, const struct field *f, struct span value)
{
	struct span v = span_trim(value);
	if (v.len == 0 || sample_has(out, f->id))
		return;
	if (f->type == FIELD_TEXT)
		sample_set_text(out, f->id, v.s, v.len);
	else
		out->raw[f->id] = field_read(v, f->type);
}

struct raw field_minus(struct raw a, struct raw b)
{
	if (a.type == RAW_NONE)
		return a;
	if (b.type == RAW_NONE)
		return b;
	if (a.type != RAW_U64 || b.type != RAW_U64 || a.u < b.u)
		return field_none(REASON_IMPLAUSIBLE);
	return (struct raw){.type = RAW_U64, .u = a.u - b.u};
}

void field_lower_status(struct sample *out, enum status to, const struct err *err)
{
	bool lower = out->status == STATUS_WAITING || out->status == STATUS_OK ||
		(out->status == STATUS_PARTIAL && to != STATUS_PARTIAL);
	if (lower)
		sample_fail(out, to, err);
}
