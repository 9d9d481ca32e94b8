/*
 * One recording, three ways: through the queue that workers fill, through replay (also stepping
 * backward), and pushed without either. All give the same cells on every view and the same JSON,
 * at every moment; the program's own --once prints the same.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/app/fleet.h"
#include "../../src/app/player.h"
#include "hotset/export.h"
#include "hotset/strbuf.h"
#include "program.h"

#define FILE_NAME "tests/fixtures/rec/v1-scan.rec"

struct picture {
	struct canvas cells[VIEW_COUNT];
	char         *json;
};

static void take_picture(const struct model *m, struct picture *p)
{
	struct view_state s;
	struct strbuf b;

	view_state_init(&s);
	s.replay = true;
	for (unsigned v = 0; v < VIEW_COUNT; v++) {
		assert_true(canvas_init(&p->cells[v], 120, 36));
		s.view = (enum view)v;
		screen_draw(m, &s, &p->cells[v]);
	}
	strbuf_init(&b, 8u << 20);
	export_json(&b, m, INT64_MIN);
	p->json = strbuf_take(&b);
	strbuf_finish(&b);
}

static void free_picture(struct picture *p)
{
	for (unsigned v = 0; v < VIEW_COUNT; v++)
		canvas_finish(&p->cells[v]);
	free(p->json);
}

static void assert_same(const struct picture *a, const struct picture *b)
{
	for (unsigned v = 0; v < VIEW_COUNT; v++)
		assert_true(canvas_equal(&a->cells[v], &b->cells[v]));
	assert_string_equal(a->json, b->json);
}

/* Pushed one by one: the pictures after each group of the recording. */
static struct picture *headless(struct player *p)
{
	struct picture *pictures = calloc(p->ngroups, sizeof(*pictures));
	struct model *m = model_create();
	struct err err;
	unsigned i = 0;

	assert_non_null(pictures);
	assert_true(recording_endpoints(p->rec, m, &err));
	for (unsigned g = 0; g < p->ngroups; g++) {
		for (; i < p->ends[g]; i++)
			model_push(m, recording_sample(p->rec, i));
		take_picture(m, &pictures[g]);
	}
	model_destroy(m);
	return pictures;
}

static struct player open_player(void)
{
	struct player p;
	struct err err;

	if (!player_open(&p, FILE_NAME, 1, 0, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(p.ngroups, 30);
	return p;
}

static void free_pictures(struct picture *pictures, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free_picture(&pictures[i]);
	free(pictures);
}

static void replay_draws_what_was_pushed(void **state)
{
	(void)state;
	struct player p = open_player();
	struct picture *want = headless(&p), got;
	struct err err;

	for (unsigned g = 0; g < p.ngroups; g++) {
		assert_true(player_seek(&p, g + 1, &err));
		take_picture(p.model, &got);
		assert_same(&got, &want[g]);
		free_picture(&got);
	}
	free_pictures(want, p.ngroups);
	player_close(&p);
}

static void stepping_back_is_having_been_there(void **state)
{
	(void)state;
	static const unsigned way[] = {30, 29, 28, 14, 15, 13, 1, 2, 30, 1, 0, 99};
	struct player p = open_player();
	struct picture *want = headless(&p), got;
	struct err err;

	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		unsigned at = way[i] < 1 ? 1 : way[i] > p.ngroups ? p.ngroups : way[i];

		assert_true(player_seek(&p, way[i], &err));
		assert_int_equal(p.pos, at);
		take_picture(p.model, &got);
		assert_same(&got, &want[at - 1]);
		free_picture(&got);
	}
	free_pictures(want, p.ngroups);
	player_close(&p);
}

/* The live way: mailbox, fleet, and the view clock ticking at the time of the newest sample. */
static void live(bool paused_in_between)
{
	struct player p = open_player();
	struct picture *want = headless(&p), got;
	struct fleet f = {.model = model_create(), .held = calloc(FLEET_HELD_MAX, sizeof(void *))};
	struct err err;
	unsigned i = 0;

	f.mail = mailbox_create(&err);
	assert_non_null(f.mail);
	assert_true(recording_endpoints(p.rec, f.model, &err));
	for (unsigned g = 0; g < p.ngroups; g++) {
		if (paused_in_between && g % 7 == 2)
			fleet_set_paused(&f, true);
		for (; i < p.ends[g]; i++)
			mailbox_give(f.mail, recording_sample(p.rec, i));
		fleet_take(&f, recording_mono(p.rec, i - 1), &err);
		assert_int_equal(err.code, ERR_NONE);
		if (f.paused && g % 7 != 6 && g + 1 < p.ngroups)
			continue; /* the picture is frozen; what came is not lost */
		if (f.paused)
			fleet_set_paused(&f, false);
		model_tick(f.model, recording_mono(p.rec, i - 1), recording_wall(p.rec, i - 1));
		take_picture(f.model, &got);
		assert_same(&got, &want[g]);
		free_picture(&got);
	}
	assert_true(fleet_close(&f, &err));
	free_pictures(want, p.ngroups);
	player_close(&p);
}

static void the_live_queue_draws_the_same(void **state)
{
	(void)state;
	live(false);
}

static void a_pause_loses_nothing(void **state)
{
	(void)state;
	live(true);
}

static void the_program_prints_the_same(void **state)
{
	(void)state;
	struct player p = open_player();
	struct canvas c;
	struct strbuf b;
	struct view_state s;
	struct err err;

	assert_true(player_seek(&p, p.ngroups, &err));
	view_state_init(&s);
	s.replay = s.paused = true;
	snprintf(s.replay_file, sizeof(s.replay_file), "v1-scan.rec");
	assert_true(canvas_init(&c, 100, 30));
	screen_draw(p.model, &s, &c);
	strbuf_init(&b, 1u << 20);
	canvas_to_text(&c, &b);
	struct run r = program_run("replay " FILE_NAME " --once --size 100x30", NULL, 20000);
	assert_int_equal(r.code, 0);
	assert_string_equal(r.out, b.data);
	program_free(&r);
	strbuf_clear(&b);
	export_json(&b, p.model, player_previous_mono(&p));
	strbuf_putc(&b, '\n');
	r = program_run("replay " FILE_NAME " --once --format json", NULL, 20000);
	assert_string_equal(r.out, b.data);
	program_free(&r);
	strbuf_finish(&b);
	canvas_finish(&c);
	player_close(&p);
}

/* "--at": the last moment not after it; times before the first sample show the first. */
static void a_time_finds_its_moment(void **state)
{
	(void)state;
	struct player p = open_player();
	struct err err;
	unsigned at;

	assert_true(player_at(&p, "2026-11-30T21:00:10.900Z", &at, &err));
	assert_true(recording_wall(p.rec, p.ends[at - 1] - 1) <= INT64_C(1796072410900000000));
	assert_true(recording_wall(p.rec, p.ends[at] - 1) > INT64_C(1796072410900000000));
	assert_true(player_at(&p, "-10m", &at, &err));
	assert_int_equal(at, 1);
	assert_true(player_at(&p, "23:59:59", &at, &err));
	assert_int_equal(at, p.ngroups);
	assert_false(player_at(&p, "yesterday", &at, &err));
	player_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_draws_what_was_pushed),
		cmocka_unit_test(stepping_back_is_having_been_there),
		cmocka_unit_test(the_live_queue_draws_the_same),
		cmocka_unit_test(a_pause_loses_nothing),
		cmocka_unit_test(the_program_prints_the_same),
		cmocka_unit_test(a_time_finds_its_moment),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
