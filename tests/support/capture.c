#include "capture.h"

#include <zlib.h>

#include "hotset/clock.h"
#include "hotset/parse.h"
#include "support.h"

#define DOCUMENT_MAX (1 << 20) /* bytes; the captures' documents have about 60 KiB */

struct capture {
	gzFile file;
	uint8_t *data;
	bson_t doc;
};

struct capture *capture_open(const char *path)
{
	gzFile file = gzopen(path, "rb");
	struct capture *c;

	if (!file)
		return NULL;
	c = aligned_alloc(_Alignof(struct capture), sizeof(*c)); /* bson_t asks for 128 bytes */
	assert_non_null(c);
	c->file = file;
	c->data = malloc(DOCUMENT_MAX);
	assert_non_null(c->data);
	return c;
}

void capture_close(struct capture *c)
{
	if (!c)
		return;
	gzclose(c->file);
	free(c->data);
	free(c);
}

const bson_t *capture_next(struct capture *c)
{
	uint32_t len;
	int got = gzread(c->file, c->data, 4);

	if (got == 0)
		return NULL;
	assert_int_equal(got, 4);
	memcpy(&len, c->data, 4);
	len = BSON_UINT32_FROM_LE(len);
	assert_in_range(len, 5, DOCUMENT_MAX);
	assert_int_equal(gzread(c->file, c->data + 4, len - 4), len - 4);
	assert_true(bson_init_static(&c->doc, c->data, len));
	return &c->doc;
}

/* A view of the document or array in a field of doc. */
static void view_field(const bson_t *doc, const char *name, bson_t *out)
{
	bson_iter_t it;
	const uint8_t *data = NULL;
	uint32_t len = 0;

	assert_true(bson_iter_init_find(&it, doc, name));
	if (BSON_ITER_HOLDS_ARRAY(&it))
		bson_iter_array(&it, &len, &data);
	else
		bson_iter_document(&it, &len, &data);
	assert_non_null(data);
	assert_true(bson_init_static(out, data, len));
}

double capture_time(const bson_t *doc)
{
	bson_iter_t it;

	assert_true(bson_iter_init_find(&it, doc, "t"));
	return bson_iter_as_double(&it);
}

static void add_operations(const bson_t *doc, struct sample *s)
{
	bson_iter_t it;
	bson_t ops;

	view_field(doc, "currentOp", &ops);
	s->tables[TABLE_MONGO_OP].asked = true;
	assert_true(bson_iter_init(&it, &ops));
	while (bson_iter_next(&it)) {
		const uint8_t *data;
		uint32_t len;
		bson_t op;

		bson_iter_document(&it, &len, &data);
		assert_true(bson_init_static(&op, data, len));
		parse_mongo_current_op(&op, s);
	}
}

/* Every fifth document has it. */
static void add_collection(const bson_t *doc, struct sample *s)
{
	bson_iter_t it;
	bson_t stats;

	if (!bson_iter_init_find(&it, doc, "collStats") || !BSON_ITER_HOLDS_DOCUMENT(&it))
		return;
	view_field(doc, "collStats", &stats);
	parse_mongo_coll_stats(&stats, "l21a.items", s);
}

struct sample *capture_sample(const bson_t *doc, int64_t base_mono_ns, int64_t base_wall_ns)
{
	static const struct mongo_thresholds_in no_config = {
		.startup_config = "", .runtime_config = "", .readable = true};
	int64_t since = (int64_t)(capture_time(doc) * (double)NS_PER_SEC);
	struct sample *s = sample_create(0);
	struct err err;
	bson_t status;

	assert_non_null(s);
	s->status = STATUS_OK;
	s->mono_ns = base_mono_ns + since;
	s->wall_ns = base_wall_ns + since;
	s->rtt_ns = NS_PER_MS;
	view_field(doc, "serverStatus", &status);
	if (!parse_mongo_status(&status, s, &err))
		fail_msg("%s", err.msg);
	s->epoch = 1; /* one run, which its hello would say */
	s->start_s = 0;
	add_operations(doc, s);
	add_collection(doc, s);
	parse_mongo_thresholds(&no_config, s);
	return s;
}

void capture_apply(struct sample *s, const struct capture_params *p)
{
	sample_set_u64(s, METRIC_MONGO_PINNED_WINDOW, p->window_s);
	sample_set_u64(s, METRIC_MONGO_PINNED_LIMIT, p->limit_s);
	snprintf(s->role, sizeof(s->role), "%s", p->role ? p->role : "standalone");
	if (p->role)
		sample_set_u64(s, METRIC_MONGO_REPL_MAJORITY_LAG, p->majority_lag_s);
}

void capture_drop_ops(struct sample *s)
{
	s->tables[TABLE_MONGO_OP].asked = false;
	s->tables[TABLE_MONGO_OP].n = 0;
}
