/*
 * MongoDB's diagnostic data against what an independent decoder made of the same files: every value
 * of every column at every sample. And chunks that are damaged, which are refused or make sense.
 */
#include "support.h"

#include "ejson.h"
#include "hotset/ftdc.h"

#include <bson/bson.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define ROOT      "tests/fixtures/ftdc/"
#define ROW_MAX 8192
#define COLUMNS   32
#define UNPACKED  (1u << 20) /* bytes; those of the fixtures have about 100 KiB */

/* ---- the other decoder's table ---- */

struct table {
	FILE *f;
	unsigned n;
	char *path[COLUMNS];
	char head[ROW_MAX], line[ROW_MAX];
};

static void open_table(struct table *t, const char *name)
{
	char path[256], *rest;

	memset(t, 0, sizeof(*t));
	snprintf(path, sizeof(path), ROOT "%s.csv", name);
	t->f = fopen(path, "r");
	assert_non_null(t->f);
	assert_non_null(fgets(t->head, sizeof(t->head), t->f));
	rest = t->head;
	while (rest && t->n < COLUMNS)
		t->path[t->n++] = strsep(&rest, ",\r\n");
	while (t->n && !*t->path[t->n - 1]) /* the end of the line */
		t->n--;
}

static bool find(const bson_t *doc, const char *path, bson_iter_t *it)
{
	bson_iter_t root;

	return bson_iter_init(&root, doc) && bson_iter_find_descendant(&root, path, it);
}

static long long number_at(const bson_t *doc, const char *path)
{
	bson_iter_t it;

	if (!find(doc, path, &it))
		fail_msg("no %s", path);
	switch (bson_iter_type(&it)) {
	case BSON_TYPE_DATE_TIME:
		return bson_iter_date_time(&it);
	case BSON_TYPE_DOUBLE:
		return (long long)bson_iter_double(&it);
	default:
		return (long long)bson_iter_as_int64(&it);
	}
}

static void check_row(struct table *t, const bson_t *doc)
{
	char *rest = t->line;

	if (!fgets(t->line, sizeof(t->line), t->f))
		fail_msg("more samples than rows");
	for (unsigned i = 0; i < t->n; i++) {
		const char *cell = strsep(&rest, ",\r\n");

		assert_non_null(cell);
		if (!*cell) { /* the server did not send it then */
			bson_iter_t it;

			assert_false(find(doc, t->path[i], &it));
			continue;
		}
		if (strtoll(cell, NULL, 10) != number_at(doc, t->path[i]))
			fail_msg("%s is %lld, not %s", t->path[i], number_at(doc, t->path[i]),
				cell);
	}
}

/* ---- the files ---- */

static int is_metrics(const struct dirent *d)
{
	return strncmp(d->d_name, "metrics.", 8) == 0;
}

struct reader {
	struct table *table;
	long long last;
	unsigned samples;
};

static void read_chunk(struct reader *r, const uint8_t *data, uint32_t len)
{
	struct ftdc_chunk c;
	struct err err;

	if (!ftdc_unpack(data, len, &c, &err))
		fail_msg("%s", err.msg);
	for (unsigned i = 0; i < c.samples; i++) {
		bson_t *doc = ftdc_sample(&c, i);

		assert_non_null(doc);
		if (number_at(doc, "start") > r->last) { /* the interim file repeats some */
			r->last = number_at(doc, "start");
			r->samples++;
			check_row(r->table, doc);
		}
		bson_destroy(doc);
	}
	ftdc_finish(&c);
}

/* Calls fn for the data of each chunk in the file. */
static void each_chunk(const char *path, void (*fn)(struct reader *, const uint8_t *, uint32_t),
	struct reader *r)
{
	size_t len, at = 0;
	char *file = test_read_file(path, &len);
	bson_t doc;
	bson_iter_t it;
	int32_t n;

	assert_non_null(file);
	while (len - at >= sizeof(n)) {
		const uint8_t *data;
		uint32_t size;

		memcpy(&n, file + at, sizeof(n));
		if (n < 5 || (size_t)n > len - at)
			break;
		assert_true(bson_init_static(&doc, (const uint8_t *)file + at, (size_t)n));
		at += (size_t)n;
		if (!bson_iter_init_find(&it, &doc, "data"))
			continue;
		bson_iter_binary(&it, NULL, &size, &data);
		fn(r, data, size);
	}
	free(file);
}

static void check_directory(const char *name)
{
	struct table t;
	struct reader r = {.table = &t};
	char path[600];
	struct dirent **names;
	int n;

	open_table(&t, name);
	snprintf(path, sizeof(path), ROOT "%s", name);
	n = scandir(path, &names, is_metrics, alphasort);
	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), ROOT "%s/%s", name, names[i]->d_name);
		each_chunk(path, read_chunk, &r);
		free(names[i]);
	}
	free(names);
	assert_true(r.samples > 10);
	if (fgets(t.line, sizeof(t.line), t.f))
		fail_msg("%s: more rows than %u samples", name, r.samples);
	fclose(t.f);
}

static void every_value_is_that_of_the_other_decoder(void **state)
{
	static const char *const names[] = {"idle", "hold", "writes", "crashed", "base"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		check_directory(names[i]);
}

/* ---- roles ---- */

/* Only who has neither a set nor the name of a router is a standalone. */
static void the_role_is_what_the_data_say(void **state)
{
	static const struct {
		const char *status, *set, *role;
	} c[] = {
		{"process: 'mongod'", "", "standalone"},
		{"process: 'mongos'", "", "mongos"},
		{"process: 'mongod', repl: {setName: 's', secondary: true}", "", "SECONDARY"},
		{"process: 'mongod', repl: {setName: 's', secondary: true}",
			", replSetGetStatus: {myState: 1, set: 's', ok: 1}", "PRIMARY"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct sample *s = sample_create(0);
		char text[400];
		struct err err;
		bson_t *doc;

		snprintf(text, sizeof(text),
			"{start: {$date: {$numberLong: '1700000000000'}}, "
			"serverStatus: {%s, version: '5.0.7', pid: 7, ok: 1}%s}",
			c[i].status, c[i].set);
		doc = test_ejson(text);
		assert_non_null(s);
		if (!parse_ftdc(doc, NULL, s, &err))
			fail_msg("%s: %s", text, err.msg);
		assert_string_equal(s->role, c[i].role);
		sample_destroy(s);
		bson_destroy(doc);
	}
}

/* ---- damage ---- */

static uint8_t whole[UNPACKED];
static size_t whole_len;

static void keep_first(struct reader *r, const uint8_t *data, uint32_t len)
{
	uLongf got = sizeof(whole);

	if (r->samples++)
		return;
	assert_int_equal(uncompress(whole, &got, data + 4, len - 4), Z_OK);
	whole_len = got;
}

static void load_chunk(void)
{
	struct reader r = {.samples = 0};

	each_chunk(ROOT "idle/metrics.2026-11-30T21-03-14Z-00000", keep_first, &r);
	assert_true(whole_len > 1000);
}

/* Packs the bytes as a chunk and unpacks it; what is accepted must give its samples. */
static bool survives(const uint8_t *bytes, size_t len)
{
	static uint8_t packed[UNPACKED + 1024];
	uLongf got = sizeof(packed) - 4;
	uint32_t size = (uint32_t)len;
	struct ftdc_chunk c;
	struct err err;
	bson_t *doc;

	memcpy(packed, &size, 4);
	assert_int_equal(compress2(packed + 4, &got, bytes, len, 1), Z_OK);
	if (!ftdc_unpack(packed, got + 4, &c, &err)) {
		assert_true(err.msg[0]);
		return false;
	}
	doc = ftdc_sample(&c, c.samples - 1);
	if (doc)
		bson_destroy(doc);
	assert_null(ftdc_sample(&c, c.samples));
	ftdc_finish(&c);
	return true;
}

static void a_cut_chunk_is_refused(void **state)
{
	(void)state;
	load_chunk();
	assert_true(survives(whole, whole_len));
	for (size_t len = 0; len < whole_len; len += 1 + len / 50)
		assert_false(survives(whole, len));
}

static void damage_is_refused_or_makes_sense(void **state)
{
	uint64_t seed = 7;

	(void)state;
	load_chunk();
	for (unsigned n = 0; n < 500; n++) {
		size_t at = (size_t)(test_random(&seed) % whole_len);
		uint8_t was = whole[at];

		whole[at] = (uint8_t)test_random(&seed);
		(void)survives(whole, whole_len);
		whole[at] = was;
	}
}

static void impossible_sizes_are_refused(void **state)
{
	static const uint8_t huge[] = {0xff, 0xff, 0xff, 0x7f, 1, 2, 3, 4}, tiny[] = {1, 2};
	struct ftdc_chunk c;
	struct err err;

	(void)state;
	assert_false(ftdc_unpack(huge, sizeof(huge), &c, &err));
	assert_false(ftdc_unpack(tiny, sizeof(tiny), &c, &err));
	assert_false(ftdc_unpack(tiny, 0, &c, &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_is_that_of_the_other_decoder),
		cmocka_unit_test(the_role_is_what_the_data_say),
		cmocka_unit_test(a_cut_chunk_is_refused),
		cmocka_unit_test(damage_is_refused_or_makes_sense),
		cmocka_unit_test(impossible_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
