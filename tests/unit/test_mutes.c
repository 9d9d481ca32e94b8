/*
 * A muted verdict leads the screen no more, is counted in the same line, is still listed, and comes
 * back when it gets worse. And that a recording runs is in the first line, also on a small screen.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "hotset/clock.h"
#include "hotset/panel.h"
#include "hotset/strbuf.h"

static struct model *m;
static struct view_state s;
static int64_t now_s;

static int start(void **state)
{
	(void)state;
	m = model_create();
	view_state_init(&s);
	now_s = 1000;
	return m && model_add(m, KIND_REDIS, "redis@x", "x", "x", 600) ? 0 : -1;
}

static int stop(void **state)
{
	(void)state;
	model_destroy(m);
	return 0;
}

/* A memory that evicts nothing and is that full, of a replica whose link is down. */
static void push(uint64_t used)
{
	struct sample *p = sample_create(0);

	p->status = STATUS_OK;
	p->mono_ns = ++now_s * NS_PER_SEC;
	p->wall_ns = INT64_C(1764536400000000000) + p->mono_ns;
	p->epoch = 7;
	sample_set_u64(p, METRIC_REDIS_MEM_USED, used);
	sample_set_u64(p, METRIC_REDIS_MEM_MAX, 1000);
	sample_set_text(p, METRIC_REDIS_MEM_POLICY, "noeviction", 10);
	sample_set_text(p, METRIC_REDIS_REPL_LINK, "down", 4);
	model_push(m, p);
}

static void press(char32_t ch)
{
	(void)screen_key(m, &s, &(struct key){.code = KEYC_CHAR, .ch = ch});
}

static char *first_lines(int w)
{
	struct strbuf text;
	struct canvas c;

	assert_true(canvas_init(&c, w, 30));
	strbuf_init(&text, 1 << 20);
	screen_draw(m, &s, &c);
	canvas_to_text(&c, &text);
	char *end = strchr(strchr(text.data, '\n') + 1, '\n');
	char *lines = strndup(text.data, (size_t)(end - text.data));
	strbuf_finish(&text);
	canvas_finish(&c);
	assert_non_null(lines);
	return lines;
}

static void leads(const char *part, const char *count)
{
	char *lines = first_lines(100);

	if (!strstr(lines, part) || !strstr(lines, count))
		fail_msg("'%s' has not both '%s' and '%s'", lines, part, count);
	free(lines);
}

static void the_next_one_leads(void **state)
{
	(void)state;
	push(960);
	leads("memory is 96.0 % full", "+1 more [7]");
	press(U'!');
	leads("the link to the master is down", "1 muted [7]");
	press(U'!');
	leads("nothing to report", "2 muted [7]");
	press(U'!'); /* there is none left */
	leads("nothing to report", "2 muted [7]");
	push(970); /* it holds on at its level */
	leads("nothing to report", "2 muted [7]");
	push(1000);
	leads("memory is 100.0 % full", "1 muted [7]");
	press(U'!');
	leads("nothing to report", "2 muted [7]");
	assert_int_equal(m->nverdicts, 2); /* all are there for whoever asks */
}

static void no_more_than_there_is_room_for(void **state)
{
	static struct mutes many;
	struct verdict v = {.code = "x", .level = LEVEL_WARN};

	(void)state;
	for (v.endpoint = 0; v.endpoint < MUTES_MAX; v.endpoint++)
		assert_true(mutes_add(&many, &v));
	assert_false(mutes_add(&many, &v));
	assert_false(mutes_has(&many, &v));
	v.endpoint = 3;
	v.level = LEVEL_CRIT;
	assert_false(mutes_has(&many, &v));
	assert_true(mutes_add(&many, &v)); /* again, and worse */
	assert_true(mutes_has(&many, &v));
	assert_int_equal(many.n, MUTES_MAX);
}

static void a_recording_is_seen(void **state)
{
	char *lines;

	(void)state;
	push(100);
	lines = first_lines(40);
	assert_null(strstr(lines, "  rec"));
	free(lines);
	s.recording = true;
	lines = first_lines(40);
	assert_non_null(strstr(lines, "hotset  rec"));
	free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_next_one_leads, start, stop),
		cmocka_unit_test_setup_teardown(a_recording_is_seen, start, stop),
		cmocka_unit_test(no_more_than_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
