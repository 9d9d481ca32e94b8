/* `stats settings`: what decides what the cache does is kept, the rest and what is no line is not. */
#include "support.h"

#include <string.h>

#include "hotset/parse.h"

static void what_matters_is_kept(void **state)
{
	static const char text[] =
		"STAT maxbytes 67108864\r\nSTAT maxconns 1024\r\nSTAT tcpport 11211\r\n"
		"STAT evictions on\r\nSTAT ext_path /a path/with blanks:1G\r\nSTAT inter \r\n"
		"STAT slab_automove 1\x1b[2J\r\nnonsense\r\nSTAT\r\nSTAT ext_item_age\r\nEND\r\n";
	static const char *const want[][2] = {{"maxconns", "1024"}, {"evictions", "on"},
		{"ext_path", "/a path/with blanks:1G"}, {"slab_automove", "1\xef\xbf\xbd[2J"},
		{"ext_item_age", ""}};
	struct sample *s = sample_create(0);

	(void)state;
	parse_memcached_settings(text, strlen(text), s);
	assert_true(s->tables[TABLE_MEMCACHED_SETTING].asked);
	assert_int_equal(s->tables[TABLE_MEMCACHED_SETTING].n, 5);
	for (unsigned i = 0; i < 5; i++) {
		const struct raw *row = sample_row(s, TABLE_MEMCACHED_SETTING, i);
		const struct raw *value = &row[COL_MEMCACHED_SETTING_VALUE];

		assert_string_equal(row[COL_MEMCACHED_SETTING_NAME].s, want[i][0]);
		assert_string_equal(value->type == RAW_TEXT ? value->s : "", want[i][1]);
	}
	sample_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_matters_is_kept)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
