/*
 * The order of the numbers is that of the document, in depth: doubles, integers, booleans and dates
 * count as one, timestamps as two (seconds, increment), everything else as none. Differences are
 * varints; a zero is followed by how many more there are, across columns.
 */
#include "hotset/ftdc.h"

#include "bdoc.h"

#include <stdlib.h>
#include <zlib.h>

#define DEPTH_MAX   32 /* of documents in documents */
#define VARINT_MAX  10 /* bytes */
#define LENGTH_SIZE 4

/* ---- the numbers of a document ---- */

/* How many numbers a field is; 0 also for documents, which hold their own. */
static unsigned width_of(const bson_iter_t *it)
{
	switch (bson_iter_type(it)) {
	case BSON_TYPE_DOUBLE:
	case BSON_TYPE_INT32:
	case BSON_TYPE_INT64:
	case BSON_TYPE_BOOL:
	case BSON_TYPE_DATE_TIME:
	case BSON_TYPE_DECIMAL128:
		return 1;
	case BSON_TYPE_TIMESTAMP:
		return 2;
	default:
		return 0;
	}
}

/* Fractions are cut off, as the server did before it took the differences. */
static uint64_t first_number(const bson_iter_t *it)
{
	uint32_t seconds, increment;
	double v;

	switch (bson_iter_type(it)) {
	case BSON_TYPE_DOUBLE:
		v = bson_iter_double(it);
		return v > -9.2e18 && v < 9.2e18 ? (uint64_t)(int64_t)v : 0;
	case BSON_TYPE_BOOL:
		return bson_iter_bool(it);
	case BSON_TYPE_DATE_TIME:
		return (uint64_t)bson_iter_date_time(it);
	case BSON_TYPE_TIMESTAMP:
		bson_iter_timestamp(it, &seconds, &increment);
		return seconds;
	default:
		return (uint64_t)bson_iter_as_int64(it);
	}
}

struct numbers {
	uint64_t *v; /* NULL: only counted */
	unsigned n;
};

static void take_number(struct numbers *out, uint64_t v)
{
	if (out->v)
		out->v[out->n] = v;
	out->n++;
}

static bool take_numbers(bson_iter_t *it, unsigned depth, struct numbers *out)
{
	while (bson_iter_next(it)) {
		uint32_t seconds, increment;
		bson_iter_t sub;

		if (out->n + 2 > FTDC_METRICS_MAX || depth == DEPTH_MAX)
			return false;
		if (BSON_ITER_HOLDS_DOCUMENT(it) || BSON_ITER_HOLDS_ARRAY(it)) {
			if (!bson_iter_recurse(it, &sub) || !take_numbers(&sub, depth + 1, out))
				return false;
		} else if (width_of(it)) {
			take_number(out, first_number(it));
			if (BSON_ITER_HOLDS_TIMESTAMP(it)) {
				bson_iter_timestamp(it, &seconds, &increment);
				take_number(out, increment);
			}
		}
	}
	return true;
}

static bool count_numbers(const bson_t *doc, struct numbers *out)
{
	bson_iter_t it;

	out->n = 0;
	return bson_iter_init(&it, doc) && take_numbers(&it, 0, out);
}

/* ---- unpacking ---- */

struct bytes {
	const uint8_t *p, *end;
};

static uint32_t read_length(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return BSON_UINT32_FROM_LE(v);
}

static bool read_u32(struct bytes *in, uint32_t *out)
{
	if (in->end - in->p < LENGTH_SIZE)
		return false;
	*out = read_length(in->p);
	in->p += LENGTH_SIZE;
	return true;
}

static bool read_varint(struct bytes *in, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < VARINT_MAX && in->p < in->end; i++) {
		uint8_t byte = *in->p++;

		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80)) {
			*out = v;
			return true;
		}
	}
	return false;
}

/* Differences into values: column by column, the first value of each being there already. */
static bool add_differences(struct bytes *in, struct ftdc_chunk *c)
{
	uint64_t zeros = 0;

	for (unsigned m = 0; m < c->metrics; m++) {
		uint64_t *column = c->values + (size_t)m * c->samples;

		for (unsigned i = 1; i < c->samples; i++) {
			uint64_t difference = 0;

			if (zeros)
				zeros--;
			else if (!read_varint(in, &difference) ||
				 (!difference && !read_varint(in, &zeros)))
				return false;
			column[i] = column[i - 1] + difference; /* modulo 2^64, as it was made */
		}
	}
	return zeros == 0;
}

static bool fill_values(struct bytes *in, struct ftdc_chunk *c)
{
	struct numbers first = {calloc(c->metrics + 1, sizeof(uint64_t)), 0};
	bool ok = first.v && count_numbers(c->reference, &first);

	c->values = ok ? calloc((size_t)c->metrics * c->samples + 1, sizeof(uint64_t)) : NULL;
	for (unsigned m = 0; c->values && m < c->metrics; m++)
		c->values[(size_t)m * c->samples] = first.v[m];
	ok = c->values && add_differences(in, c);
	free(first.v);
	return ok;
}

static bool read_chunk(struct bytes in, struct ftdc_chunk *c)
{
	struct numbers counted = {NULL, 0};
	uint32_t len, metrics, differences;

	if (in.end - in.p < LENGTH_SIZE)
		return false;
	len = read_length(in.p);
	if (len < 5 || len > (size_t)(in.end - in.p))
		return false;
	c->reference = bson_new_from_data(in.p, len);
	in.p += len;
	if (!c->reference || !bson_validate(c->reference, BSON_VALIDATE_NONE, NULL) ||
		!read_u32(&in, &metrics) || !read_u32(&in, &differences) ||
		!count_numbers(c->reference, &counted) || counted.n != metrics ||
		differences >= FTDC_SAMPLES_MAX ||
		metrics > FTDC_VALUES_MAX / (differences + 1))
		return false;
	c->metrics = metrics;
	c->samples = differences + 1;
	return fill_values(&in, c);
}

bool ftdc_unpack(const uint8_t *data, size_t len, struct ftdc_chunk *out, struct err *err)
{
	struct ftdc_chunk c = {0};
	uint8_t *text;
	uLongf got;

	if (len < LENGTH_SIZE || read_length(data) > FTDC_UNPACKED_MAX)
		return err_set(err, ERR_FORMAT, "a chunk of impossible size");
	got = read_length(data);
	text = malloc(got + 1);
	if (!text)
		return err_set(err, ERR_SYSTEM, "no memory for a chunk");
	if (uncompress(text, &got, data + LENGTH_SIZE, (uLong)(len - LENGTH_SIZE)) != Z_OK ||
		!read_chunk((struct bytes){text, text + got}, &c)) {
		free(text);
		ftdc_finish(&c);
		return err_set(err, ERR_FORMAT, "a damaged chunk");
	}
	free(text);
	*out = c;
	return true;
}

void ftdc_finish(struct ftdc_chunk *c)
{
	if (c->reference)
		bson_destroy(c->reference);
	free(c->values);
	*c = (struct ftdc_chunk){0};
}

/* ---- a sample as a document ---- */

struct filler {
	const struct ftdc_chunk *c;
	unsigned sample, at; /* which number comes next */
};

static uint64_t next_number(struct filler *f)
{
	return f->c->values[(size_t)f->at++ * f->c->samples + f->sample];
}

static bool append_number(bson_t *out, const char *key, const bson_iter_t *it, struct filler *f)
{
	uint64_t v = next_number(f);

	switch (bson_iter_type(it)) {
	case BSON_TYPE_DOUBLE: /* the first one with its fraction */
		return bson_append_double(out, key, -1,
			f->sample ? (double)(int64_t)v : bson_iter_double(it));
	case BSON_TYPE_BOOL:
		return bson_append_bool(out, key, -1, v != 0);
	case BSON_TYPE_DATE_TIME:
		return bson_append_date_time(out, key, -1, (int64_t)v);
	case BSON_TYPE_TIMESTAMP:
		return bson_append_timestamp(
			out, key, -1, (uint32_t)v, (uint32_t)next_number(f));
	default:
		return bson_append_int64(out, key, -1, (int64_t)v);
	}
}

static bool fill(bson_iter_t *it, bson_t *out, struct filler *f)
{
	while (bson_iter_next(it)) {
		const char *key = bson_iter_key(it);
		bson_iter_t inner;
		bson_t sub;
		bool ok;

		if (width_of(it)) {
			ok = append_number(out, key, it, f);
		} else if (BSON_ITER_HOLDS_DOCUMENT(it) && bson_iter_recurse(it, &inner)) {
			ok = bson_append_document_begin(out, key, -1, &sub) &&
			     fill(&inner, &sub, f) && bson_append_document_end(out, &sub);
		} else if (BSON_ITER_HOLDS_ARRAY(it) && bson_iter_recurse(it, &inner)) {
			ok = bson_append_array_begin(out, key, -1, &sub) && fill(&inner, &sub, f) &&
			     bson_append_array_end(out, &sub);
		} else {
			ok = bson_append_iter(out, key, -1, it);
		}
		if (!ok)
			return false;
	}
	return true;
}

bson_t *ftdc_sample(const struct ftdc_chunk *c, unsigned i)
{
	struct filler f = {c, i, 0};
	bson_t *out = bson_new();
	bson_iter_t it;

	if (i < c->samples && bson_iter_init(&it, c->reference) && fill(&it, out, &f))
		return out;
	bson_destroy(out);
	return NULL;
}
