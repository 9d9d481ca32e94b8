/*
 * Themes: the files say what is built in, errors name file and line, colours degrade sensibly,
 * and the text and picture backends say what the canvas holds.
 */
#include "hotset/theme.h"

#include <stdio.h>
#include <string.h>

#include "hotset/strbuf.h"
#include "support.h"

static const char *const theme_dirs[] = {"themes", NULL};

static void test_files_equal_the_built_in_themes(void **state)
{
	(void)state;
	for (unsigned i = 0; theme_builtin(i); i++) {
		struct theme built, file;
		struct err err;

		assert_true(theme_load(&built, theme_builtin(i), NULL, &err));
		assert_true(theme_load(&file, theme_builtin(i), theme_dirs, &err));
		assert_string_equal(built.name, file.name);
		for (unsigned r = 0; r < ROLE_COUNT; r++) {
			assert_int_equal(built.style[r].fg, file.style[r].fg);
			assert_int_equal(built.style[r].bg, file.style[r].bg);
			assert_int_equal(built.style[r].attr, file.style[r].attr);
		}
	}
}

static void test_every_file_loads_and_names_every_role(void **state)
{
	static const char *const names[] = {
		"default", "light", "mono", "colourblind", "high-contrast"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[64], *text;
		struct theme t;
		struct err err;

		assert_true(theme_load(&t, names[i], theme_dirs, &err));
		(void)snprintf(path, sizeof(path), "themes/%s.theme", names[i]);
		assert_true(theme_load(&t, path, NULL, &err));
		text = test_read_file(path, NULL);
		assert_non_null(text);
		for (unsigned r = 0; r < ROLE_COUNT; r++) {
			char line[32];

			(void)snprintf(line, sizeof(line), "\n%-12s = ", role_name((enum role)r));
			assert_non_null(strstr(text, line));
		}
		free(text);
	}
}

static void test_mono_has_no_colours_and_default_keeps_the_background(void **state)
{
	struct theme mono, plain;

	(void)state;
	theme_mono(&mono);
	theme_default(&plain);
	for (unsigned r = 0; r < ROLE_COUNT; r++) {
		assert_int_equal(mono.style[r].fg, THEME_COLOR_DEFAULT);
		assert_int_equal(mono.style[r].bg, THEME_COLOR_DEFAULT);
		assert_int_equal(plain.style[r].bg, THEME_COLOR_DEFAULT);
	}
}

static void test_parse(void **state)
{
	struct theme t;
	struct err err;

	(void)state;
	assert_true(theme_parse(&t,
		"# a comment\nwarn = yellow bold\nbar = #5fafff on default\ntitle = default bold "
		"underline\n"
		"selected = black on #ff8700 reverse\ndim = dim\n",
		"/somewhere/mine.theme", &err));
	assert_string_equal(t.name, "mine");
	assert_int_equal(t.style[ROLE_WARN].attr, ATTR_BOLD);
	assert_int_equal(t.style[ROLE_BAR].fg, 0x5fafff);
	assert_int_equal(t.style[ROLE_BAR].bg, THEME_COLOR_DEFAULT);
	assert_int_equal(t.style[ROLE_TITLE].attr, ATTR_BOLD | ATTR_UNDERLINE);
	assert_int_equal(t.style[ROLE_SELECTED].bg, 0xff8700);
	assert_int_equal(t.style[ROLE_DIM].attr, ATTR_DIM);
}

static void test_errors_name_file_and_line(void **state)
{
	static const struct {
		const char *text, *line, *word;
	} rows[] = {
		{"warn = yellow\nwrn = red\n", "x.theme line 2", "wrn"},
		{"warn = yelow\n", "x.theme line 1", "yelow"},
		{"\n\nwarn = #12345\n", "x.theme line 3", "#12345"},
		{"warn = #12345g\n", "x.theme line 1", "#12345g"},
		{"warn = red on\n", "x.theme line 1", "on"},
		{"warn = red on bold\n", "x.theme line 1", "bold"},
		{"warn = red blue\n", "x.theme line 1", "blue"},
		{"warn =\n", "x.theme line 1", ""},
		{"warn\n", "x.theme line 1", ""},
		{"[colours]\nwarn = red\n", "x.theme line 2", "colours"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct theme t = {.name = "untouched"};
		struct err err = {ERR_NONE, 0, ""};

		assert_false(theme_parse(&t, rows[i].text, "x.theme", &err));
		assert_string_equal(t.name, "untouched");
		assert_int_equal(err.code, ERR_FORMAT);
		assert_non_null(strstr(err.msg, rows[i].line));
		assert_non_null(strstr(err.msg, rows[i].word));
	}
}

static void test_load_fails_with_a_remedy(void **state)
{
	struct theme t;
	struct err err;

	(void)state;
	assert_false(theme_load(&t, "nonesuch", theme_dirs, &err));
	assert_non_null(strstr(err.msg, "nonesuch"));
	assert_non_null(strstr(err.msg, "default"));
	assert_false(theme_load(&t, "./nonesuch.theme", NULL, &err));
	assert_non_null(strstr(err.msg, "nonesuch.theme"));
}

static void test_fewer_colours(void **state)
{
	(void)state;
	assert_int_equal(theme_to_256(0x000000), 16);
	assert_int_equal(theme_to_256(0xffffff), 231);
	assert_int_equal(theme_to_256(0x5fafff), 75);
	assert_int_equal(theme_to_256(0x767676), 243);
	assert_int_equal(theme_to_8(0xff5f5f), 1);
	assert_int_equal(theme_to_8(0x00af5f), 2);
	assert_int_equal(theme_to_8(0xd78700), 3);
	assert_int_equal(theme_to_8(0x0000ee), 4);
	assert_int_equal(theme_to_8(0x808080), 7);
	assert_int_equal(theme_to_8(0x101010), 0);
}

static void draw_sample(struct canvas *c)
{
	assert_true(canvas_init(c, 14, 2));
	(void)canvas_text(c, 0, 0, "a<b & 海 ⣿█", ROLE_WARN, 0);
	(void)canvas_text(c, 0, 1, "│┃─", ROLE_DEFAULT, 0);
}

static void test_ansi(void **state)
{
	struct canvas c;
	struct theme t;
	struct strbuf b;

	(void)state;
	draw_sample(&c);
	theme_mono(&t);
	strbuf_init(&b, 4096);
	canvas_to_ansi(&c, &t, &b);
	assert_string_equal(b.data, "\033[0;1ma<b & 海 ⣿█\033[0m   \n│┃─           \n");
	strbuf_clear(&b);
	theme_default(&t);
	canvas_to_ansi(&c, &t, &b);
	assert_non_null(strstr(b.data, "\033[0;1;38;5;172m"));
	strbuf_finish(&b);
	canvas_finish(&c);
}

static void test_svg(void **state)
{
	struct canvas c;
	struct theme t;
	struct strbuf b;

	(void)state;
	draw_sample(&c);
	theme_default(&t);
	strbuf_init(&b, 1 << 16);
	canvas_to_svg(&c, &t, false, &b);
	assert_memory_equal(b.data, "<svg ", 5);
	assert_string_equal(b.data + b.len - 7, "</svg>\n");
	assert_non_null(strstr(b.data, "<tspan x=\"12 20 28\">a&lt;b</tspan>"));
	assert_non_null(strstr(b.data, ">&amp;</tspan>"));
	assert_non_null(strstr(b.data, ">海</tspan>"));
	assert_null(strstr(b.data, "⣿")); /* drawn as dots */
	assert_null(strstr(b.data, "│"));
	assert_non_null(strstr(b.data, "#d78700"));
	assert_false(b.full);
	strbuf_finish(&b);
	canvas_finish(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_equal_the_built_in_themes),
		cmocka_unit_test(test_every_file_loads_and_names_every_role),
		cmocka_unit_test(test_mono_has_no_colours_and_default_keeps_the_background),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_errors_name_file_and_line),
		cmocka_unit_test(test_load_fails_with_a_remedy),
		cmocka_unit_test(test_fewer_colours),
		cmocka_unit_test(test_ansi),
		cmocka_unit_test(test_svg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
