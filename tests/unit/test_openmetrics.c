/*
 * OpenMetrics: an exposition that a strict reader takes, whatever servers called their things:
 * families whole and once, base units, no line for what is not known.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/export.h"

#define LINES_MAX 20000

static struct sample *sample_at(int64_t mono_ns, uint16_t endpoint, uint64_t hits)
{
	struct sample *s = sample_create(endpoint);

	s->status = STATUS_OK;
	s->mono_ns = mono_ns;
	s->wall_ns = INT64_C(1796072400123) * NS_PER_MS + mono_ns;
	s->rtt_ns = 310000;
	s->epoch = 7;
	snprintf(s->product, sizeof(s->product), "redis");
	sample_set_u64(s, METRIC_REDIS_HITS_TOTAL, hits);
	sample_set_u64(s, METRIC_REDIS_MISSES_TOTAL, hits);
	sample_set_u64(s, METRIC_REDIS_MEM_USED, 915000);
	sample_set_u64(s, METRIC_REDIS_MEM_MAX, 9150000);
	sample_set_text(s, METRIC_REDIS_MEM_POLICY, "a\"b\\c", 5);
	return s;
}

static struct model *two_redis(void)
{
	struct model *m = model_create();

	assert_non_null(model_add(m, KIND_REDIS, "redis@\"h\":1", "n", "h:1", 60));
	assert_non_null(model_add(m, KIND_REDIS, "redis@h:2", "o", "h:2", 60));
	for (int64_t t = 1; t <= 2; t++)
		for (uint16_t e = 0; e < 2; e++)
			model_push(m, sample_at(t * NS_PER_SEC, e, (uint64_t)t * 100));
	return m;
}

static char *exposition(const struct model *m)
{
	struct strbuf b;

	strbuf_init(&b, 8u << 20);
	export_openmetrics(&b, m);
	assert_false(b.full);
	char *text = strdup(b.data);
	strbuf_finish(&b);
	assert_non_null(text);
	return text;
}

static void has(const char *text, const char *line)
{
	const char *at = strstr(text, line);

	if (!at || (at != text && at[-1] != '\n'))
		fail_msg("no line begins with '%s'", line);
}

static void values_are_in_base_units(void **state)
{
	(void)state;
	struct model *m = two_redis();
	char *text = exposition(m);

	has(text, "# TYPE hotset_redis_mem_used_bytes gauge\n# UNIT hotset_redis_mem_used_bytes bytes\n");
	has(text, "hotset_redis_mem_used_bytes{endpoint=\"redis@\\\"h\\\":1\"} 915000\n");
	has(text, "hotset_redis_mem_fill_ratio{endpoint=\"redis@h:2\"} 0.1\n");
	has(text, "hotset_redis_hits_per_second{endpoint=\"redis@h:2\"} 100\n");
	has(text, "# TYPE hotset_redis_hits counter\n");
	has(text, "hotset_redis_hits_total{endpoint=\"redis@h:2\"} 200\n");
	has(text, "hotset_redis_hit_ratio{endpoint=\"redis@h:2\"} 0.5\n");
	has(text, "hotset_redis_mem_policy_info{endpoint=\"redis@h:2\",value=\"a\\\"b\\\\c\"} 1\n");
	has(text, "hotset_endpoint_status{endpoint=\"redis@h:2\",hotset_endpoint_status=\"ok\"} 1\n");
	has(text, "hotset_endpoint_status{endpoint=\"redis@h:2\",hotset_endpoint_status=\"tls\"} 0\n");
	assert_null(strstr(text, "hotset_redis_ops")); /* not sent: no line */
	free(text);
	model_destroy(m);
}

static void what_is_late_has_no_value(void **state)
{
	(void)state;
	struct model *m = two_redis();

	model_tick(m, 600 * NS_PER_SEC, INT64_C(1796072400123) * NS_PER_MS + 600 * NS_PER_SEC);
	char *text = exposition(m);
	assert_null(strstr(text, "hotset_redis_mem_used_bytes"));
	has(text, "hotset_endpoint_status{endpoint=\"redis@h:2\",hotset_endpoint_status=\"waiting\"} 1\n");
	has(text, "# TYPE hotset_verdict gauge\n");
	has(text, "hotset_verdict{endpoint=\"redis@h:2\",code=\"endpoint.stale\"} 2\n");
	free(text);
	model_destroy(m);
}

static bool is_name(const char *s, size_t len)
{
	return len > 0 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_") >= len;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A family is declared once and its samples follow its declaration; no series is there twice. */
static void families_are_whole_and_once(void **state)
{
	(void)state;
	struct model *m = two_redis();
	char *text = exposition(m), *save = NULL, *family = NULL;
	static char *series[LINES_MAX], *families[LINES_MAX];
	unsigned n = 0, nf = 0;

	assert_int_equal(strcmp(text + strlen(text) - 6, "# EOF\n"), 0);
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "# TYPE ", 7) == 0) {
			family = line + 7;
			*strchr(family, ' ') = '\0';
			assert_true(is_name(family, strlen(family)));
			families[nf++] = family;
		} else if (line[0] != '#') {
			char *brace = strchr(line, '{'), *value = strrchr(line, ' ');

			assert_non_null(family);
			assert_true(brace && value > brace && n < LINES_MAX);
			assert_true(is_name(line, (size_t)(brace - line)));
			assert_int_equal(strncmp(line, family, strlen(family)), 0);
			*value = '\0';
			series[n++] = line;
		}
	}
	assert_true(n > 20);
	qsort(series, n, sizeof(*series), by_text);
	qsort(families, nf, sizeof(*families), by_text);
	for (unsigned i = 1; i < n; i++)
		assert_string_not_equal(series[i - 1], series[i]);
	for (unsigned i = 1; i < nf; i++)
		assert_string_not_equal(families[i - 1], families[i]);
	model_destroy(m);
	free(text);
}

/* Of all metrics there are, also those that this model does not show: no two share a family. */
static void no_two_metrics_share_a_family(void **state)
{
	(void)state;
	static char names[METRIC_COUNT][128], *sorted[METRIC_COUNT];
	unsigned n = 0;

	for (enum kind k = 0; k < KIND_COUNT; k++) {
		struct model *m = model_create();
		struct sample *s = sample_create(0);
		enum metric_id id, end;

		assert_non_null(model_add(m, k, "e", "e", "e", 60));
		s->status = STATUS_OK;
		s->mono_ns = NS_PER_SEC;
		s->wall_ns = INT64_C(1796072400123) * NS_PER_MS;
		for (metric_range(k, &id, &end); id < end; id++) {
			if (metric_desc(id)->sem == SEM_INFO)
				sample_set_text(s, id, "x", 1);
			else
				sample_set_u64(s, id, 1);
		}
		model_push(m, s);
		char *text = exposition(m);
		for (char *p = text; (p = strstr(p, "# TYPE hotset_")); p++)
			if (sscanf(p, "# TYPE %127s", names[n]) == 1 &&
				!strstr(names[n], "hotset_endpoint") && !strstr(names[n], "hotset_verdict"))
				n++;
		free(text);
		model_destroy(m);
	}
	assert_true(n > 100);
	for (unsigned i = 0; i < n; i++)
		sorted[i] = names[i];
	qsort(sorted, n, sizeof(*sorted), by_text);
	for (unsigned i = 1; i < n; i++)
		assert_string_not_equal(sorted[i - 1], sorted[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_in_base_units),
		cmocka_unit_test(what_is_late_has_no_value),
		cmocka_unit_test(families_are_whole_and_once),
		cmocka_unit_test(no_two_metrics_share_a_family),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
