/*
 * A recording may come from anybody: whatever its lines hold, with checksums that fit, it is read
 * without harm, and what comes out keeps the promises of samples, frames and JSON.
 */
#include "support.h"

#include <bson/bson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "hotset/export.h"
#include "hotset/record.h"
#include "hotset/strbuf.h"

#define ROUNDS 150
#define LINES  70 /* of the fixture: the declarations and some samples */

/* Writes the fixture with some bytes of it changed and every checksum right. */
static void write_mutant(const char *path, const char *text, uint64_t *seed)
{
	FILE *f = fopen(path, "wb");
	char line[65536];

	assert_non_null(f);
	for (unsigned n = 0; n < LINES && *text; n++) {
		size_t len = strcspn(text, "\n");
		size_t body = len - 10; /* " *" and the checksum */

		assert_true(len > 10 && len < sizeof(line));
		memcpy(line, text, body);
		for (unsigned k = n > 0 && test_random(seed) % 3 == 0 ? 4 : 0; k > 0; k--) {
			static const char pool[] = "0123456789 =:|\"\\!+-ifSMTEx\x01\xff*";
			line[test_random(seed) % body] =
				pool[test_random(seed) % (sizeof(pool) - 1)];
		}
		fprintf(f, "%.*s *%08lx\n", (int)body, line,
			crc32(crc32(0, NULL, 0), (const Bytef *)line, (uInt)body));
		text += len + 1;
	}
	assert_int_equal(fclose(f), 0);
}

static void assert_sane(const struct sample *s)
{
	assert_true(s->status < STATUS_COUNT);
	for (enum metric_id id = 0; id < METRIC_COUNT; id++) {
		const struct raw *r = &s->raw[id];

		assert_true(r->type <= RAW_TEXT);
		if (r->type == RAW_NONE)
			assert_true(r->why < REASON_COUNT);
		if (r->type == RAW_F64)
			assert_true(isfinite(r->f));
		if (r->type == RAW_TEXT)
			for (const char *p = r->s; *p; p++)
				assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	}
	for (enum table_id t = 0; t < TABLE_COUNT; t++)
		assert_true(s->tables[t].n <= TABLE_ROWS_MAX);
}

static void read_all(const char *path)
{
	struct err err;
	struct recording *r = recording_open(path, &err);
	struct model *m = model_create();
	struct strbuf b;
	bson_error_t error;

	if (!r) {
		assert_true(err.msg[0] != '\0');
		model_destroy(m);
		return;
	}
	assert_true(recording_endpoints(r, m, &err));
	for (unsigned i = 0; i < recording_count(r); i++) {
		struct sample *s = recording_sample(r, i);
		if (!s)
			continue;
		assert_sane(s);
		model_push(m, s);
	}
	strbuf_init(&b, 64u << 20);
	export_json(&b, m, INT64_MIN);
	bson_t *doc = bson_new_from_json((const uint8_t *)b.data, (ssize_t)b.len, &error);
	if (!doc)
		fail_msg("%s", error.message);
	bson_destroy(doc);
	strbuf_finish(&b);
	model_destroy(m);
	recording_close(r);
}

static void a_hostile_recording_does_no_harm(void **state)
{
	(void)state;
	size_t len;
	char path[512];
	char *dir = test_dir_create(), *text = test_fixture("rec/v1-scan.rec", &len);
	uint64_t seed = 20261130;

	snprintf(path, sizeof(path), "%s/mutant.rec", dir);
	for (unsigned i = 0; i < ROUNDS; i++) {
		write_mutant(path, text, &seed);
		read_all(path);
	}
	free(text);
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hostile_recording_does_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
