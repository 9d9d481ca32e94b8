/*
 * A sample owns one arena, a list of blocks that grows in front: texts never move, and rows of a
 * table are one array that is replaced by a larger one (the old one stays in the arena; doubling
 * bounds the waste to the size of the last array).
 */
#include "hotset/sample.h"
#include "hotset/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 4096u

struct arena_block {
	struct arena_block *next;
	size_t              used, cap; /* of this block */
	size_t              total;     /* of this block and all older ones */
	max_align_t         data[];
};

static void *arena_alloc(struct sample *s, size_t len)
{
	size_t align = _Alignof(max_align_t);
	len = (len + align - 1) / align * align;
	struct arena_block *b = s->arena;
	if (!b || b->cap - b->used < len) {
		size_t cap = len > BLOCK_BYTES ? len : BLOCK_BYTES;
		size_t total = (b ? b->total : 0) + cap;
		if (total > SAMPLE_ARENA_MAX)
			return NULL;
		b = malloc(sizeof(*b) + cap);
		if (!b)
			return NULL;
		*b = (struct arena_block){.next = s->arena, .cap = cap, .total = total};
		s->arena = b;
	}
	void *p = (char *)b->data + b->used;
	b->used += len;
	return p;
}

static const char *const status_words[STATUS_COUNT] = {
#define X(name, word) [STATUS_##name] = word,
	STATUS_LIST(X)
#undef X
};

const char *status_word(enum status s)
{
	return status_words[s];
}

bool status_find(const char *word, enum status *out)
{
	for (unsigned i = 0; i < STATUS_COUNT; i++)
		if (strcmp(status_words[i], word) == 0) {
			*out = (enum status)i;
			return true;
		}
	return false;
}

enum status status_from_err(enum err_code code)
{
	switch (code) {
	case ERR_NONE:
		return STATUS_OK;
	case ERR_TIMEOUT:
		return STATUS_TIMEOUT;
	case ERR_REFUSED:
		return STATUS_REFUSED;
	case ERR_DNS:
		return STATUS_DNS;
	case ERR_TLS:
		return STATUS_TLS;
	case ERR_AUTH:
		return STATUS_AUTH;
	case ERR_LOADING:
		return STATUS_LOADING;
	case ERR_PROTOCOL:
	case ERR_LIMIT:
		return STATUS_PROTOCOL;
	case ERR_UNSUPPORTED:
		return STATUS_UNSUPPORTED;
	case ERR_USAGE:
	case ERR_SYSTEM:
	case ERR_FORMAT:
		break;
	}
	return STATUS_ERROR;
}

struct sample *sample_create(uint16_t endpoint)
{
	struct sample *s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->endpoint = endpoint;
	s->status = STATUS_WAITING;
	s->rtt_ns = -1;
	for (unsigned i = 0; i < METRIC_COUNT; i++)
		s->raw[i].why = REASON_NOT_SENT;
	return s;
}

void sample_destroy(struct sample *s)
{
	if (!s)
		return;
	for (struct arena_block *b = s->arena, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(s);
}

void raw_set_u64(struct raw *r, uint64_t v)
{
	*r = (struct raw){.type = RAW_U64, .u = v};
}

void raw_set_f64(struct raw *r, double v)
{
	if (isfinite(v))
		*r = (struct raw){.type = RAW_F64, .f = v};
	else
		*r = (struct raw){.type = RAW_NONE, .why = REASON_IMPLAUSIBLE};
}

void raw_set_text(struct sample *owner, struct raw *r, const char *text, size_t len)
{
	char clean[SAMPLE_TEXT_MAX + 1];
	size_t n = text_sanitize(clean, sizeof(clean), text, len);
	char *copy = n ? arena_alloc(owner, n + 1) : NULL;
	if (!copy) {
		*r = (struct raw){.type = RAW_NONE, .why = REASON_NOT_SENT};
		return;
	}
	memcpy(copy, clean, n + 1);
	*r = (struct raw){.type = RAW_TEXT, .s = copy};
}

double raw_f64(const struct raw *r)
{
	switch (r->type) {
	case RAW_U64:
		return (double)r->u;
	case RAW_I64:
		return (double)r->i;
	case RAW_F64:
		return r->f;
	default:
		return (double)NAN;
	}
}

void sample_set_u64(struct sample *s, enum metric_id id, uint64_t v)
{
	raw_set_u64(&s->raw[id], v);
}

void sample_set_i64(struct sample *s, enum metric_id id, int64_t v)
{
	s->raw[id] = (struct raw){.type = RAW_I64, .i = v};
}

void sample_set_f64(struct sample *s, enum metric_id id, double v)
{
	raw_set_f64(&s->raw[id], v);
}

void sample_set_text(struct sample *s, enum metric_id id, const char *text, size_t len)
{
	raw_set_text(s, &s->raw[id], text, len);
}

void sample_set_missing(struct sample *s, enum metric_id id, enum reason why)
{
	s->raw[id] = (struct raw){.type = RAW_NONE, .why = (uint8_t)why};
}

void sample_explain_missing(struct sample *s, enum kind k, enum reason why)
{
	enum metric_id first, end;
	metric_range(k, &first, &end);
	for (enum metric_id i = first; i < end; i++)
		if (s->raw[i].type == RAW_NONE && s->raw[i].why == REASON_NOT_SENT)
			s->raw[i].why = (uint8_t)why;
}

void sample_fail(struct sample *s, enum status status, const struct err *err)
{
	s->status = status;
	s->err = *err;
}

bool sample_has(const struct sample *s, enum metric_id id)
{
	return s->raw[id].type != RAW_NONE;
}

double sample_f64(const struct sample *s, enum metric_id id)
{
	double v = raw_f64(&s->raw[id]);
	return isnan(v) ? 0 : v;
}

const char *sample_text(const struct sample *s, enum metric_id id)
{
	return s->raw[id].type == RAW_TEXT ? s->raw[id].s : NULL;
}

static bool grow_rows(struct sample *s, struct rows *t, unsigned ncols)
{
	unsigned cap = t->cap ? t->cap * 2 : 8;
	struct raw *cells = arena_alloc(s, sizeof(*cells) * cap * ncols);
	if (!cells)
		return false;
	if (t->n)
		memcpy(cells, t->cells, sizeof(*cells) * t->n * ncols);
	t->cells = cells;
	t->cap = cap;
	return true;
}

struct raw *sample_add_row(struct sample *s, enum table_id id)
{
	struct rows *t = &s->tables[id];
	unsigned ncols = table_table[id].ncols;
	t->asked = true;
	if (t->n >= TABLE_ROWS_MAX || (t->n == t->cap && !grow_rows(s, t, ncols))) {
		t->cut = true;
		return NULL;
	}
	struct raw *row = t->cells + (size_t)t->n++ * ncols;
	for (unsigned i = 0; i < ncols; i++)
		row[i] = (struct raw){.type = RAW_NONE, .why = REASON_NOT_SENT};
	return row;
}

const struct raw *sample_row(const struct sample *s, enum table_id t, unsigned row)
{
	return s->tables[t].cells + (size_t)row * table_table[t].ncols;
}
