/*
 * Golden screens: whole screens of the scenes, as glyphs and roles. SNAP_UPDATE=1 rewrites them;
 * whoever does that looks at the difference as a picture.
 */
#include <stdio.h>
#include <string.h>

#include "hotset/panel.h"
#include "hotset/strbuf.h"
#include "scene.h"
#include "support.h"

#define SNAP_MAX (1u << 20) /* bytes of one snapshot */

struct shot {
	const char *name;
	struct model *(*scene)(void);
	enum view view;
	int w, h;
	bool ascii, help, paused;
};

static struct model *scene_first(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	for (int k = 0; k < KIND_COUNT; k++)
		(void)scene_add(m, (enum kind)k);
	scene_run(m, 1);
	return m;
}

/* Before the scan, with an estimate of the working set (whose conditions are not ours to meet). */
static struct model *scene_calm(void)
{
	struct model *m = model_create();
	struct frame *f;

	assert_non_null(m);
	(void)scene_add(m, KIND_MONGO);
	(void)scene_add(m, KIND_HOST);
	scene_run(m, SCENE_SCAN_AT);
	f = &m->ep[0]->frame;
	f->v[METRIC_MONGO_WS_RATIO] = (struct value){.v = 2.1};
	f->v[METRIC_MONGO_WS_LOW] = (struct value){.v = 1.9};
	f->v[METRIC_MONGO_WS_HIGH] = (struct value){.v = 2.3};
	f->info[METRIC_MONGO_WS_KIND] = "uniform-equivalent";
	return m;
}

static struct model *scene_stale(void)
{
	struct model *m = scene_node();
	struct model kept = *m;

	scene_wait(m, 12);
	m->nverdicts = kept.nverdicts; /* what the rules said meanwhile is theirs to test */
	memcpy(m->verdicts, kept.verdicts, sizeof(m->verdicts));
	m->nevents = kept.nevents;
	m->event_head = kept.event_head;
	memcpy(m->events, kept.events, sizeof(m->events));
	return m;
}

static struct model *scene_errors(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	for (int k = 0; k < KIND_COUNT; k++)
		(void)scene_add(m, (enum kind)k);
	scene_fail(m, m->ep[0], 1, STATUS_AUTH,
		"authentication failed for user monitor: check the password");
	scene_fail(m, m->ep[1], 0, STATUS_REFUSED,
		"no connection to 127.0.0.1:6379: connection refused");
	scene_fail(m, m->ep[2], 0, STATUS_PROTOCOL,
		"127.0.0.1:11211 answered with HTTP, not with memcached");
	m->ep[3]->asked_mono_ns = m->mono_ns;
	scene_wait(m, 4);
	m->nverdicts = m->nevents = m->nskipped = 0;
	return m;
}

static struct model *scene_empty(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	scene_wait(m, 1);
	return m;
}

static struct model *scene_fleet(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	for (int i = 0; i < 12; i++)
		(void)snprintf(scene_add(m, (enum kind)(i % KIND_COUNT))->name, NAME_MAX_LEN,
			"%s-%d", kind_name((enum kind)(i % KIND_COUNT)), i / KIND_COUNT + 1);
	scene_run(m, 10);
	scene_fail(m, m->ep[5], 0.5, STATUS_TIMEOUT, "no answer within 5 s");
	m->nverdicts = m->nevents = m->nskipped = 0;
	scene_conclude(m);
	return m;
}

static const struct shot shots[] = {
	{"node-overview-80x24", scene_node, VIEW_OVERVIEW, 80, 24, .ascii = false},
	{"node-overview-120x36", scene_node, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"node-overview-200x50", scene_node, VIEW_OVERVIEW, 200, 50, .ascii = false},
	{"node-overview-40x12", scene_node, VIEW_OVERVIEW, 40, 12, .ascii = false},
	{"node-overview-20x5", scene_node, VIEW_OVERVIEW, 20, 5, .ascii = false},
	{"node-overview-ascii-80x24", scene_node, VIEW_OVERVIEW, 80, 24, .ascii = true},
	{"node-overview-paused-120x36", scene_node, VIEW_OVERVIEW, 120, 36, .paused = true},
	{"node-calm-120x36", scene_calm, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"node-stale-120x36", scene_stale, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"node-mongo-120x36", scene_node, VIEW_MONGO, 120, 36, .ascii = false},
	{"node-ops-120x36", scene_node, VIEW_OPS, 120, 36, .ascii = false},
	{"node-redis-80x24", scene_node, VIEW_REDIS, 80, 24, .ascii = false},
	{"demo-overview-80x24", scene_demo, VIEW_OVERVIEW, 80, 24, .ascii = false},
	{"demo-overview-120x36", scene_demo, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"demo-overview-200x50", scene_demo, VIEW_OVERVIEW, 200, 50, .ascii = false},
	{"demo-overview-40x12", scene_demo, VIEW_OVERVIEW, 40, 12, .ascii = false},
	{"demo-overview-ascii-120x36", scene_demo, VIEW_OVERVIEW, 120, 36, .ascii = true},
	{"demo-first-80x24", scene_first, VIEW_OVERVIEW, 80, 24, .ascii = false},
	{"demo-first-redis-80x24", scene_first, VIEW_REDIS, 80, 24, .ascii = false},
	{"demo-errors-80x24", scene_errors, VIEW_OVERVIEW, 80, 24, .ascii = false},
	{"demo-errors-mongo-80x24", scene_errors, VIEW_MONGO, 80, 24, .ascii = false},
	{"demo-redis-120x36", scene_demo, VIEW_REDIS, 120, 36, .ascii = false},
	{"demo-redis-80x24", scene_demo, VIEW_REDIS, 80, 24, .ascii = false},
	{"demo-memcached-120x36", scene_demo, VIEW_MEMCACHED, 120, 36, .ascii = false},
	{"demo-memcached-80x24", scene_demo, VIEW_MEMCACHED, 80, 24, .ascii = false},
	{"demo-host-120x36", scene_demo, VIEW_HOST, 120, 36, .ascii = false},
	{"demo-events-120x36", scene_demo, VIEW_EVENTS, 120, 36, .ascii = false},
	{"demo-help-100x30", scene_demo, VIEW_OVERVIEW, 100, 30, .help = true},
	{"fleet-overview-120x36", scene_fleet, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"fleet-overview-80x24", scene_fleet, VIEW_OVERVIEW, 80, 24, .ascii = false},
	{"demo-first-120x36", scene_first, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"demo-first-200x50", scene_first, VIEW_OVERVIEW, 200, 50, .ascii = false},
	{"demo-first-40x12", scene_first, VIEW_OVERVIEW, 40, 12, .ascii = false},
	{"node-stale-80x24", scene_stale, VIEW_OVERVIEW, 80, 24, .ascii = false},
	{"node-stale-200x50", scene_stale, VIEW_OVERVIEW, 200, 50, .ascii = false},
	{"node-stale-40x12", scene_stale, VIEW_OVERVIEW, 40, 12, .ascii = false},
	{"demo-errors-120x36", scene_errors, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"demo-errors-200x50", scene_errors, VIEW_OVERVIEW, 200, 50, .ascii = false},
	{"demo-errors-40x12", scene_errors, VIEW_OVERVIEW, 40, 12, .ascii = false},
	{"empty-overview-120x36", scene_empty, VIEW_OVERVIEW, 120, 36, .ascii = false},
	{"empty-overview-200x50", scene_empty, VIEW_OVERVIEW, 200, 50, .ascii = false},
	{"empty-overview-40x12", scene_empty, VIEW_OVERVIEW, 40, 12, .ascii = false},
	{"demo-mongo-80x24", scene_demo, VIEW_MONGO, 80, 24, .ascii = false},
	{"demo-ops-80x24", scene_demo, VIEW_OPS, 80, 24, .ascii = false},
	{"demo-host-80x24", scene_demo, VIEW_HOST, 80, 24, .ascii = false},
	{"demo-events-80x24", scene_demo, VIEW_EVENTS, 80, 24, .ascii = false},
	{"empty-overview-80x24", scene_empty, VIEW_OVERVIEW, 80, 24, .ascii = false},
};

static void draw(const struct shot *sh, struct strbuf *out)
{
	struct model *m = sh->scene();
	struct view_state s;
	struct canvas c;

	view_state_init(&s);
	s.view = sh->view;
	s.help = sh->help;
	s.paused = sh->paused;
	assert_true(canvas_init(&c, sh->w, sh->h));
	c.ascii = sh->ascii;
	screen_draw(m, &s, &c);
	strbuf_init(out, SNAP_MAX);
	canvas_to_snapshot(&c, out);
	assert_false(out->full);
	canvas_finish(&c);
	model_destroy(m);
}

static void write_snap(const char *path, const struct strbuf *b)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(b->data, 1, b->len, f), b->len);
	assert_int_equal(fclose(f), 0);
}

/* The first line that differs: enough to see what it is about; the file drawn shows the rest. */
static void say_difference(const char *name, const char *want, const char *got)
{
	unsigned line = 1;

	while (*want && *got) {
		size_t n = strcspn(want, "\n"), k = strcspn(got, "\n");

		if (n != k || memcmp(want, got, n) != 0)
			break;
		want += n + (want[n] == '\n');
		got += k + (got[k] == '\n');
		line++;
	}
	print_error("%s.snap line %u\n  golden: %.*s\n  drawn:  %.*s\n", name, line,
		(int)strcspn(want, "\n"), want, (int)strcspn(got, "\n"), got);
}

static void test_screen(void **state)
{
	const struct shot *sh = *state;
	const char *update = getenv("SNAP_UPDATE");
	char path[128], drawn[256], *golden;
	struct strbuf b;
	bool same;

	(void)snprintf(path, sizeof(path), "tests/snapshot/%s.snap", sh->name);
	draw(sh, &b);
	if (update && strcmp(update, "1") == 0)
		write_snap(path, &b);
	golden = test_read_file(path, NULL);
	same = golden && strcmp(golden, b.data) == 0;
	if (!same) {
		(void)snprintf(drawn, sizeof(drawn), "%s/%s.snap", test_build_dir(), sh->name);
		write_snap(drawn, &b);
		say_difference(sh->name, golden ? golden : "", b.data);
	}
	free(golden);
	strbuf_finish(&b);
	assert_true(same);
}

int main(void)
{
	enum { N = sizeof(shots) / sizeof(shots[0]) };
	struct CMUnitTest tests[N];
	struct shot copies[N];

	memcpy(copies, shots, sizeof(shots));
	for (int i = 0; i < N; i++)
		tests[i] = (struct CMUnitTest){shots[i].name, test_screen, NULL, NULL, &copies[i]};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
