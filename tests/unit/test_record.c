/*
 * Recordings: what is written comes back exactly; a torn or damaged line costs itself and nothing
 * else; files of this version are read for ever, and what they hold beyond it is left out.
 */
#include "support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "hotset/clock.h"
#include "hotset/record.h"

static struct sample *full_sample(void)
{
	struct sample *s = sample_create(0);
	struct raw *row;
	struct err why;

	s->status = STATUS_PARTIAL;
	s->mono_ns = 123456789012345;
	s->wall_ns = INT64_C(1796072400123456789);
	s->rtt_ns = 310000;
	s->epoch = UINT64_MAX;
	err_set(&why, ERR_AUTH, "no privilege for \"CONFIG\" \\ 100 %%");
	s->err = why;
	snprintf(s->product, sizeof(s->product), "redis");
	snprintf(s->version, sizeof(s->version), "7.0.15 *deadbeef");
	sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, UINT64_MAX);
	sample_set_i64(s, METRIC_REDIS_MEM_FRAG_BYTES, -111149056);
	sample_set_f64(s, METRIC_REDIS_CPU_SYS_TOTAL, 0.1);
	sample_set_text(s, METRIC_REDIS_MEM_POLICY, "a \"quoted\" \\ | 1=2 \xE6\xB5\xB7", 22);
	sample_set_missing(s, METRIC_REDIS_MEM_MAX, REASON_NO_LIMIT);
	s->tables[TABLE_REDIS_CMD].asked = true;
	s->tables[TABLE_REDIS_DB].asked = true;
	s->tables[TABLE_REDIS_CMD].cut = true;
	row = sample_add_row(s, TABLE_REDIS_CMD);
	raw_set_text(s, &row[COL_REDIS_CMD_COMMAND], "host: |", 7);
	raw_set_u64(&row[COL_REDIS_CMD_CALLS], 9);
	row = sample_add_row(s, TABLE_REDIS_CMD);
	raw_set_text(s, &row[COL_REDIS_CMD_COMMAND], "get", 3);
	raw_set_f64(&row[COL_REDIS_CMD_USEC], 2.5);
	return s;
}

static struct model *one_redis(void)
{
	struct model *m = model_create();

	assert_non_null(model_add(m, KIND_REDIS, "redis@h:1", "the \"cache\"", "h:1", 10));
	m->ep[0]->interval_s = 0.5;
	return m;
}

/* Writes n samples (mono 1 s apart) of one endpoint. */
static void write_recording(const char *path, unsigned n)
{
	struct err err;
	struct model *m = one_redis();
	struct recorder *r = recorder_open(path, &err);

	assert_non_null(r);
	assert_true(recorder_endpoint(r, m->ep[0], &err));
	for (unsigned i = 0; i < n; i++) {
		struct sample *s = full_sample();
		s->mono_ns += (int64_t)i * NS_PER_SEC;
		sample_set_u64(s, METRIC_REDIS_KEYS, i);
		assert_true(recorder_sample(r, s, &err));
		sample_destroy(s);
	}
	assert_true(recorder_close(r, &err));
	model_destroy(m);
}

static void assert_same(const struct sample *s)
{
	struct sample *want = full_sample();
	const struct raw *row;

	assert_int_equal(s->status, want->status);
	assert_true(s->mono_ns == want->mono_ns && s->wall_ns == want->wall_ns);
	assert_true(s->rtt_ns == want->rtt_ns && s->epoch == want->epoch);
	assert_int_equal(s->err.code, want->err.code);
	assert_string_equal(s->err.msg, want->err.msg);
	assert_string_equal(s->version, want->version);
	assert_true(s->raw[METRIC_REDIS_HITS_TOTAL].u == UINT64_MAX);
	assert_int_equal(s->raw[METRIC_REDIS_MEM_FRAG_BYTES].type, RAW_I64);
	assert_true(s->raw[METRIC_REDIS_MEM_FRAG_BYTES].i == -111149056);
	assert_true(s->raw[METRIC_REDIS_CPU_SYS_TOTAL].f == 0.1);
	assert_string_equal(sample_text(s, METRIC_REDIS_MEM_POLICY),
		sample_text(want, METRIC_REDIS_MEM_POLICY));
	assert_int_equal(s->raw[METRIC_REDIS_MEM_MAX].why, REASON_NO_LIMIT);
	assert_int_equal(s->raw[METRIC_REDIS_MEM_USED].why, REASON_NOT_SENT);
	assert_true(s->tables[TABLE_REDIS_DB].asked);
	assert_int_equal(s->tables[TABLE_REDIS_DB].n, 0);
	assert_false(s->tables[TABLE_REDIS_SLOW].asked);
	assert_true(s->tables[TABLE_REDIS_CMD].cut);
	assert_int_equal(s->tables[TABLE_REDIS_CMD].n, 2);
	row = sample_row(s, TABLE_REDIS_CMD, 0);
	assert_string_equal(row[COL_REDIS_CMD_COMMAND].s, "host: |");
	assert_int_equal(row[COL_REDIS_CMD_CALLS].u, 9);
	assert_int_equal(row[COL_REDIS_CMD_FAILED].type, RAW_NONE);
	row = sample_row(s, TABLE_REDIS_CMD, 1);
	assert_true(row[COL_REDIS_CMD_USEC].f == 2.5);
	sample_destroy(want);
}

static void round_trip(const char *name)
{
	char path[512];
	char *dir = test_dir_create();
	struct err err;
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	write_recording(path, 3);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_null(recorder_open(path, &err)); /* never overwrites */
	assert_non_null(strstr(err.msg, "exists"));

	struct recording *r = recording_open(path, &err);
	assert_non_null(r);
	assert_int_equal(recording_count(r), 3);
	assert_int_equal(recording_damaged(r), 0);
	assert_true(recording_mono(r, 1) - recording_mono(r, 0) == NS_PER_SEC);
	struct model *m = model_create();
	assert_true(recording_endpoints(r, m, &err));
	assert_int_equal(m->n, 1);
	assert_string_equal(m->ep[0]->id, "redis@h:1");
	assert_string_equal(m->ep[0]->name, "the \"cache\"");
	assert_true(m->ep[0]->interval_s == 0.5);
	struct sample *s = recording_sample(r, 0);
	assert_non_null(s);
	assert_same(s);
	sample_destroy(s);
	assert_null(recording_sample(r, 3));
	model_destroy(m);
	recording_close(r);
	test_dir_remove(dir);
}

static void what_is_written_comes_back(void **state)
{
	(void)state;
	round_trip("a.rec");
}

static void packed_as_well(void **state)
{
	(void)state;
	round_trip("a.rec.gz");
}

static void rewrite(const char *path, const char *data, size_t len)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* At every length that the file may be cut to, the whole lines before the cut count, no more. */
static void a_torn_file_keeps_what_is_whole(void **state)
{
	(void)state;
	char path[512];
	char *dir = test_dir_create();
	size_t len;
	struct err err;

	snprintf(path, sizeof(path), "%s/a.rec", dir);
	write_recording(path, 4);
	char *all = test_read_file(path, &len);
	for (size_t cut = 0; cut <= len; cut += 37) {
		unsigned samples = 0;

		for (const char *p = all; p && p < all + cut;
			p = memchr(p, '\n', (size_t)(all + cut - p))) {
			p += *p == '\n';
			const char *end = memchr(p, '\n', (size_t)(all + cut - p));
			samples += end && p[0] == 'S';
			if (!end)
				break;
		}
		rewrite(path, all, cut);
		struct recording *r = recording_open(path, &err);
		if (samples == 0) {
			assert_null(r);
			continue;
		}
		assert_non_null(r);
		assert_int_equal(recording_count(r), samples);
		recording_close(r);
	}
	free(all);
	test_dir_remove(dir);
}

static void a_damaged_line_never_happened(void **state)
{
	(void)state;
	char path[512];
	char *dir = test_dir_create();
	size_t len;
	struct err err;

	snprintf(path, sizeof(path), "%s/a.rec", dir);
	write_recording(path, 3);
	char *all = test_read_file(path, &len);
	char *second = strstr(strstr(all, "\nS ") + 1, "\nS ");
	second[20] ^= 1;
	rewrite(path, all, len);
	struct recording *r = recording_open(path, &err);
	assert_non_null(r);
	assert_int_equal(recording_count(r), 2);
	assert_int_equal(recording_damaged(r), 1);
	struct sample *s = recording_sample(r, 1);
	assert_int_equal(s->raw[METRIC_REDIS_KEYS].u, 2);
	sample_destroy(s);
	recording_close(r);
	free(all);
	test_dir_remove(dir);
}

static void other_files_are_refused_by_name(void **state)
{
	(void)state;
	char path[512];
	char *dir = test_dir_create();
	struct err err;

	snprintf(path, sizeof(path), "%s/x", dir);
	assert_null(recording_open(path, &err));
	assert_non_null(strstr(err.msg, path));
	rewrite(path, "", 0);
	assert_null(recording_open(path, &err));
	rewrite(path, "# Server\r\nredis_version:7.0.15\r\n", 32);
	assert_null(recording_open(path, &err));
	assert_non_null(strstr(err.msg, "no recording"));
	rewrite(path, "#hotset-rec 2 *00000000\n", 24);
	assert_null(recording_open(path, &err));
	assert_non_null(strstr(err.msg, "newer"));
	test_dir_remove(dir);
}

/* A disk that is full is reported once; recording is over, the program and the file are not. */
static void a_full_disk_is_said_once(void **state)
{
	(void)state;
	char path[512];
	char *dir = test_dir_create();
	struct rlimit old, small;
	struct err err;
	unsigned errors = 0, written = 0;

	snprintf(path, sizeof(path), "%s/a.rec", dir);
	struct model *m = one_redis();
	struct recorder *r = recorder_open(path, &err);
	struct sample *s = full_sample();
	assert_non_null(r);
	assert_true(recorder_endpoint(r, m->ep[0], &err));
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 8192;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	for (unsigned i = 0; i < 100; i++) {
		if (recorder_sample(r, s, &err))
			written += errors == 0;
		else
			errors++;
	}
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(errors, 1);
	assert_true(recorder_close(r, &err));
	struct recording *back = recording_open(path, &err);
	assert_non_null(back);
	assert_true(written > 0 && recording_count(back) >= written);
	recording_close(back);
	sample_destroy(s);
	model_destroy(m);
	test_dir_remove(dir);
}

static void an_old_file_is_read_for_ever(void **state)
{
	(void)state;
	struct err err;
	struct recording *r = recording_open("tests/fixtures/rec/v1-scan.rec", &err);
	struct model *m = model_create();

	assert_non_null(r);
	assert_int_equal(recording_count(r), 66);
	assert_int_equal(recording_damaged(r), 0);
	assert_true(recording_endpoints(r, m, &err));
	assert_int_equal(m->n, 3);
	assert_int_equal(m->ep[0]->kind, KIND_MONGO);
	struct sample *s = recording_sample(r, recording_count(r) - 1);
	assert_int_equal(s->endpoint, 1);
	assert_int_equal(s->raw[METRIC_REDIS_MEM_USED].u, 92900000);
	assert_int_equal(s->raw[METRIC_REDIS_HITS_TOTAL].u, 69120);
	assert_string_equal(sample_row(s, TABLE_REDIS_CMD, 0)[COL_REDIS_CMD_COMMAND].s, "get");
	sample_destroy(s);
	model_destroy(m);
	recording_close(r);
}

/* Metrics, columns, tables, line types and reasons that this version does not know. */
static void what_is_unknown_is_left_out(void **state)
{
	(void)state;
	struct err err;
	struct recording *r = recording_open("tests/fixtures/rec/v1-future.rec", &err);

	assert_non_null(r);
	assert_int_equal(recording_count(r), 3);
	assert_int_equal(recording_damaged(r), 0);
	struct sample *s = recording_sample(r, 0);
	assert_int_equal(s->endpoint, 0);
	assert_string_equal(s->version, "99.1 \\ \"beta\"");
	assert_int_equal(s->raw[METRIC_REDIS_MEM_USED].u, 1000);
	assert_true(s->raw[METRIC_REDIS_HITS_TOTAL].u == UINT64_MAX);
	assert_null(strchr(sample_text(s, METRIC_REDIS_ROLE), 27)); /* a recording is hostile too */
	assert_int_equal(s->raw[METRIC_REDIS_MEM_MAX].why, REASON_NO_LIMIT);
	assert_false(sample_has(s, METRIC_REDIS_UPTIME)); /* a text under the name of a number */
	assert_int_equal(s->tables[TABLE_REDIS_CMD].n, 2);
	assert_int_equal(sample_row(s, TABLE_REDIS_CMD, 1)[COL_REDIS_CMD_CALLS].u, 7);
	sample_destroy(s);
	s = recording_sample(r, 1);
	assert_int_equal(s->status, STATUS_TIMEOUT);
	assert_string_equal(s->err.msg, "no answer within 5 s");
	sample_destroy(s);
	s = recording_sample(r, 2);
	assert_true(s->raw[METRIC_REDIS_HITS_TOTAL].i == -3);
	assert_false(sample_has(s, METRIC_REDIS_MEM_MAX));
	sample_destroy(s);
	recording_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_comes_back),
		cmocka_unit_test(packed_as_well),
		cmocka_unit_test(a_torn_file_keeps_what_is_whole),
		cmocka_unit_test(a_damaged_line_never_happened),
		cmocka_unit_test(other_files_are_refused_by_name),
		cmocka_unit_test(a_full_disk_is_said_once),
		cmocka_unit_test(an_old_file_is_read_for_ever),
		cmocka_unit_test(what_is_unknown_is_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
