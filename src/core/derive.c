/*
 * Samples to frames. The tables of metrics and columns say what is copied (gauges, counters), what
 * is a rate, and what a kind's own function computes (calcs); nothing here knows a metric by name.
 *
 * Every counter keeps the value, time and server run of its last presence, because expensive parts
 * of a server are asked for less often than the rest: the rate then spans that time and carries it
 * as its age. Rows of tables are found again by a hash of their key cells.
 */
#include "hotset/derive.h"
#include "hotset/clock.h"
#include "hotset/text.h"

#include <math.h>

#define AGE_INTERVALS 1.5 /* a span longer than this many intervals is shown as an age */

struct counter_base {
	struct raw raw; /* RAW_NONE: never seen */
	int64_t mono_ns;
	uint64_t epoch;
};

struct row_base {
	uint64_t key;
	struct raw cells[TABLE_COLS_MAX];
};

/* The rows of a table when it was last asked for, sorted by key. */
struct table_base {
	bool seen, cut;
	unsigned n, cap;
	struct row_base *rows;
	int64_t mono_ns;
	uint64_t epoch;
};

struct derive {
	enum kind kind;
	bool one_dump;
	bool started;
	bool all_reset;  /* within this step */
	int64_t mono_ns; /* of the sample before */
	uint64_t epoch;  /* the last one known */
	struct counter_base counters[METRIC_COUNT];
	struct table_base tables[TABLE_COUNT];
};

/* Tables that list a row only once its counters have left zero: a new row counts from zero. */
static bool rows_start_at_zero(enum table_id t)
{
	return t == TABLE_MONGO_LATENCY || t == TABLE_REDIS_CMD || t == TABLE_REDIS_LATENCY ||
	       t == TABLE_MEMCACHED_SLAB;
}

struct derive *derive_create(enum kind kind)
{
	struct derive *d = calloc(1, sizeof(*d));

	if (d)
		d->kind = kind;
	return d;
}

void derive_destroy(struct derive *d)
{
	if (!d)
		return;
	for (unsigned t = 0; t < TABLE_COUNT; t++)
		free(d->tables[t].rows);
	free(d);
}

/* ---- differences ---- */

static bool is_number(const struct raw *r)
{
	return r->type == RAW_U64 || r->type == RAW_I64 || r->type == RAW_F64;
}

static bool same_run(uint64_t a, uint64_t b)
{
	return a == b || !a || !b; /* 0: the server does not say */
}

static uint64_t epoch_of(const struct derive *d, const struct sample *s)
{
	return s->epoch ? s->epoch : d->epoch;
}

/* Unsigned counters are subtracted as such: a double loses units above 2^53. */
static struct delta difference(const struct raw *cur, const struct raw *prev, double dt)
{
	struct delta delta = {.dt = dt, .why = REASON_OK};

	if (cur->type == RAW_U64 && prev->type == RAW_U64) {
		if (cur->u < prev->u)
			delta.why = REASON_RESET;
		else
			delta.d = (double)(cur->u - prev->u);
		return delta;
	}
	delta.d = raw_f64(cur) - raw_f64(prev);
	if (delta.d < 0)
		delta.why = REASON_RESET;
	else if (!isfinite(delta.d))
		delta.why = REASON_IMPLAUSIBLE;
	return delta;
}

static enum reason reason_of(const struct raw *r)
{
	if (r->type == RAW_TEXT)
		return REASON_TEXT;
	return r->why == REASON_OK ? REASON_NOT_SENT : (enum reason)r->why;
}

static struct delta since(const struct derive *d, const struct sample *s, const struct raw *cur,
	const struct raw *prev, int64_t prev_mono_ns, uint64_t prev_epoch)
{
	double dt = (double)(s->mono_ns - prev_mono_ns) / (double)NS_PER_SEC;

	if (!is_number(cur))
		return (struct delta){.why = reason_of(cur)};
	if (!is_number(prev))
		return (struct delta){.why = d->one_dump ? REASON_ONE_DUMP : REASON_FIRST};
	if (!same_run(epoch_of(d, s), prev_epoch))
		return (struct delta){.why = REASON_RESTARTED};
	if (d->all_reset)
		return (struct delta){.why = REASON_RESET};
	if (dt <= 0)
		return (struct delta){.why = REASON_FIRST};
	return difference(cur, prev, dt);
}

struct delta derive_delta(const struct derive_ctx *c, enum metric_id counter)
{
	const struct counter_base *base = &c->d->counters[counter];

	return since(c->d, c->s, &c->s->raw[counter], &base->raw, base->mono_ns, base->epoch);
}

static bool is_counter(enum metric_id id)
{
	return metric_table[id].sem == SEM_COUNTER;
}

/* CONFIG RESETSTAT and `stats reset` set all counters to zero; elsewhere each stands for itself. */
static bool resets_all(enum metric_id id)
{
	/* differences of counters: these may fall by a little when their parts are read apart */
	if (id == METRIC_MEMCACHED_HITS_TOTAL || id == METRIC_MEMCACHED_EXT_HITS_TOTAL)
		return false;
	return metric_table[id].kind == KIND_REDIS || metric_table[id].kind == KIND_MEMCACHED;
}

/*
 * Where one counter shows that all were reset, the others only seem to go on: one that has passed
 * its old value since would give too low a rate.
 */
static void notice_reset(struct derive *d, const struct derive_ctx *c)
{
	enum metric_id first, end;
	bool all = false;

	d->all_reset = false;
	metric_range(d->kind, &first, &end);
	for (enum metric_id id = first; id < end; id++)
		if (is_counter(id) && derive_delta(c, id).why == REASON_RESET) {
			c->f->reset = true;
			all |= resets_all(id);
		}
	d->all_reset = all;
}

static float age_of(const struct derive_ctx *c, double dt)
{
	double interval = c->f->interval_s;

	return interval > 0 && dt > AGE_INTERVALS * interval ? (float)dt : 0;
}

static struct value delta_value(const struct derive_ctx *c, struct delta delta, double v)
{
	if (delta.why != REASON_OK)
		return value_none(delta.why);

	struct value out = value_of(v);

	out.age_s = age_of(c, delta.dt);
	return out;
}

struct value derive_diff(const struct derive_ctx *c, enum metric_id counter)
{
	struct delta delta = derive_delta(c, counter);

	return delta_value(c, delta, delta.d);
}

static struct value rate_value(const struct derive_ctx *c, struct delta delta, double scale)
{
	return delta_value(c, delta, delta.why == REASON_OK ? delta.d / delta.dt * scale : 0);
}

/* ---- what the functions of a kind set ---- */

void derive_put(const struct derive_ctx *c, enum metric_id id, struct value v)
{
	c->f->v[id] = v;
}

void derive_set(const struct derive_ctx *c, enum metric_id id, double v)
{
	derive_put(c, id, value_of(v));
}

void derive_none(const struct derive_ctx *c, enum metric_id id, enum reason why)
{
	derive_put(c, id, value_none(why));
}

void derive_explain(const struct derive_ctx *c, enum metric_id id, enum reason why)
{
	if (c->f->v[id].why == REASON_NOT_SENT)
		derive_none(c, id, why);
}

void derive_ratio(const struct derive_ctx *c, enum metric_id id, struct value num, struct value den,
	double scale, enum reason zero_why)
{
	derive_put(c, id, value_ratio(num, den, scale, zero_why));
}

/* ---- metrics ---- */

static struct value number_value(const struct raw *r)
{
	return is_number(r) ? value_of(raw_f64(r)) : value_none(reason_of(r));
}

static void derive_metrics(const struct derive_ctx *c)
{
	enum metric_id first, end;

	for (unsigned i = 0; i < METRIC_COUNT; i++)
		c->f->v[i] = value_none(REASON_NOT_SENT);
	metric_range(c->d->kind, &first, &end);
	for (enum metric_id id = first; id < end; id++) {
		const struct raw *raw = &c->s->raw[id];

		switch (metric_table[id].sem) {
		case SEM_GAUGE:
		case SEM_COUNTER:
			c->f->v[id] = number_value(raw);
			break;
		case SEM_RATE: /* of the counter that follows it */
			c->f->v[id] =
				rate_value(c, derive_delta(c, id + 1), metric_table[id].scale);
			break;
		case SEM_CALC:
		case SEM_INFO:
			c->f->v[id] = value_none(reason_of(raw));
			break;
		}
	}
}

static void remember_metrics(struct derive *d, const struct sample *s)
{
	enum metric_id first, end;

	metric_range(d->kind, &first, &end);
	for (enum metric_id id = first; id < end; id++)
		if (is_counter(id) && is_number(&s->raw[id]))
			d->counters[id] =
				(struct counter_base){s->raw[id], s->mono_ns, epoch_of(d, s)};
}

/* ---- tables ---- */

static uint64_t row_key(const struct table_desc *t, const struct raw *cells)
{
	uint64_t h = TEXT_HASH_INIT;

	for (unsigned i = 0; i < t->ncols; i++) {
		const struct raw *r = &cells[i];

		if (t->cols[i].sem != COL_KEY)
			continue;
		h = text_hash(h, &r->type, sizeof(r->type));
		if (r->type == RAW_TEXT)
			h = text_hash(h, r->s, strlen(r->s) + 1);
		else if (r->type != RAW_NONE)
			h = text_hash(h, &r->u, sizeof(r->u));
	}
	return h;
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct row_base *a = pa, *b = pb;

	return a->key < b->key ? -1 : a->key > b->key;
}

static const struct row_base *find_row(const struct table_base *b, uint64_t key)
{
	const struct row_base want = {.key = key};

	return b->n ? bsearch(&want, b->rows, b->n, sizeof(want), compare_rows) : NULL;
}

static struct delta cell_delta(const struct derive_ctx *c, enum table_id t,
	const struct row_base *row, const struct raw *cur, unsigned col)
{
	static const struct raw zero = {.type = RAW_U64}, none = {.type = RAW_NONE};
	const struct table_base *base = &c->d->tables[t];
	const struct raw *prev = &none;

	if (row)
		prev = &row->cells[col];
	else if (base->seen && !base->cut && rows_start_at_zero(t))
		prev = &zero;
	return since(c->d, c->s, cur, prev, base->mono_ns, base->epoch);
}

static struct cell_value derive_cell(const struct derive_ctx *c, enum table_id t,
	const struct row_base *row, const struct raw *cur, unsigned col)
{
	switch (table_table[t].cols[col].sem) {
	case COL_RATE:
		return (struct cell_value){rate_value(c, cell_delta(c, t, row, cur, col), 1), NULL};
	case COL_KEY:
	case COL_TEXT:
	case COL_GAUGE:
	case COL_CALC:
		break;
	}
	return (struct cell_value){number_value(cur), cur->type == RAW_TEXT ? cur->s : NULL};
}

static void derive_table(const struct derive_ctx *c, enum table_id t)
{
	const struct rows *rows = &c->s->tables[t];
	struct frame_rows *out = &c->f->tables[t];
	unsigned ncols = table_table[t].ncols;

	out->asked = rows->asked;
	if (!rows->n)
		return;
	out->cells = calloc((size_t)rows->n * ncols, sizeof(*out->cells));
	if (!out->cells)
		return;
	out->n = rows->n;
	for (unsigned i = 0; i < rows->n; i++) {
		const struct raw *cells = sample_row(c->s, t, i);
		const struct row_base *row =
			find_row(&c->d->tables[t], row_key(&table_table[t], cells));

		for (unsigned col = 0; col < ncols; col++)
			out->cells[(size_t)i * ncols + col] =
				derive_cell(c, t, row, &cells[col], col);
	}
}

static bool reserve_rows(struct table_base *b, unsigned n)
{
	if (n <= b->cap)
		return true;

	struct row_base *rows = realloc(b->rows, n * sizeof(*rows));

	if (!rows)
		return false;
	b->rows = rows;
	b->cap = n;
	return true;
}

/* Two rows with one key cannot be told apart later: neither keeps a base. */
static void drop_ambiguous(struct table_base *b)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < b->n; i++) {
		bool like_before = i > 0 && b->rows[i - 1].key == b->rows[i].key;
		bool like_next = i + 1 < b->n && b->rows[i + 1].key == b->rows[i].key;

		if (like_before || like_next) {
			for (unsigned col = 0; col < TABLE_COLS_MAX; col++)
				b->rows[i].cells[col] = (struct raw){.type = RAW_NONE};
			if (like_before)
				continue;
		}
		b->rows[kept++] = b->rows[i];
	}
	b->n = kept;
}

static bool has_rates(const struct table_desc *t)
{
	for (unsigned col = 0; col < t->ncols; col++)
		if (t->cols[col].sem == COL_RATE)
			return true;
	return false;
}

static void remember_table(struct derive *d, const struct sample *s, enum table_id t)
{
	const struct table_desc *desc = &table_table[t];
	const struct rows *rows = &s->tables[t];
	struct table_base *b = &d->tables[t];

	if (!rows->asked || !has_rates(desc))
		return;
	b->n = 0;
	b->seen = reserve_rows(b, rows->n);
	if (!b->seen)
		return;
	for (unsigned i = 0; i < rows->n; i++) {
		const struct raw *cells = sample_row(s, t, i);
		struct row_base *row = &b->rows[b->n++];

		*row = (struct row_base){.key = row_key(desc, cells)};
		for (unsigned col = 0; col < desc->ncols; col++)
			if (desc->cols[col].sem == COL_RATE && is_number(&cells[col]))
				row->cells[col] = cells[col];
	}
	if (b->n)
		qsort(b->rows, b->n, sizeof(*b->rows), compare_rows);
	drop_ambiguous(b);
	b->cut = rows->cut;
	b->mono_ns = s->mono_ns;
	b->epoch = epoch_of(d, s);
}

/* ---- one step ---- */

static void begin_frame(const struct derive *d, const struct sample *s, struct frame *out)
{
	frame_finish(out);
	out->sample = s;
	out->interval_s = 0;
	if (d->started && s->mono_ns > d->mono_ns)
		out->interval_s = (double)(s->mono_ns - d->mono_ns) / (double)NS_PER_SEC;
	out->restarted = d->started && !same_run(s->epoch, d->epoch);
	out->reset = false;
	memset(out->info, 0, sizeof(out->info));
}

static void remember(struct derive *d, const struct sample *s)
{
	remember_metrics(d, s);
	for (unsigned t = 0; t < TABLE_COUNT; t++)
		if (table_table[t].kind == d->kind)
			remember_table(d, s, (enum table_id)t);
	d->epoch = epoch_of(d, s);
	d->mono_ns = s->mono_ns;
	d->started = true;
}

void derive_step(struct derive *d, const struct sample *s, bool one_dump, struct frame *out)
{
	static void (*const calc[KIND_COUNT])(const struct derive_ctx *c) = {
		[KIND_MONGO] = derive_mongo,
		[KIND_REDIS] = derive_redis,
		[KIND_MEMCACHED] = derive_memcached,
		[KIND_HOST] = derive_host,
	};
	const struct derive_ctx c = {d, s, out};

	d->one_dump = one_dump;
	begin_frame(d, s, out);
	notice_reset(d, &c);
	derive_metrics(&c);
	for (unsigned t = 0; t < TABLE_COUNT; t++)
		if (table_table[t].kind == d->kind)
			derive_table(&c, (enum table_id)t);
	calc[d->kind](&c);
	remember(d, s);
}
