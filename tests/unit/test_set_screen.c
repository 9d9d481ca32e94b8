/*
 * A replica set where there is little room: who leads and who is in trouble is still there, and a
 * member that serves nothing does not claim that all is well.
 */
#include "support.h"

#include "hotset/clock.h"
#include "hotset/panel.h"
#include "hotset/strbuf.h"

#define MEMBERS 3
#define WHY     "the member is in STARTUP2: initial sync"

static const char *const names[MEMBERS] = {
	"mongo@10.20.30.41:27017", "mongo@10.20.30.42:27017", "mongo@10.20.30.43:27017"};

static void push(struct model *m, uint16_t i, const char *role, enum status status, int64_t second)
{
	struct sample *s = sample_create(i);

	assert_non_null(s);
	s->status = status;
	if (status == STATUS_LOADING)
		err_set(&s->err, ERR_LOADING, WHY);
	s->epoch = 1;
	s->mono_ns = s->wall_ns = (1000 + second) * NS_PER_SEC;
	snprintf(s->role, sizeof(s->role), "%s", role);
	sample_set_text(s, METRIC_MONGO_REPL_SET, "rs0", 3);
	sample_set_u64(s, METRIC_MONGO_CACHE_USED, 1 << 20);
	sample_set_u64(s, METRIC_MONGO_CACHE_MAX, 1 << 22);
	model_push(m, s);
}

/* The last member falls back into an initial sync. */
static struct model *make_set(void)
{
	struct model *m = model_create();

	assert_non_null(m);
	for (uint16_t i = 0; i < MEMBERS; i++) {
		assert_non_null(model_add(
			m, KIND_MONGO, names[i], names[i], names[i] + 6, HISTORY_STEPS));
		push(m, i, i ? "SECONDARY" : "PRIMARY", STATUS_OK, 0);
	}
	push(m, 2, "STARTUP2", STATUS_LOADING, 1);
	return m;
}

static char *draw(struct model *m, int w, int h)
{
	struct view_state s;
	struct strbuf text;
	struct canvas c;
	char *out;

	assert_true(canvas_init(&c, w, h));
	view_state_init(&s);
	strbuf_init(&text, 1 << 20);
	screen_draw(m, &s, &c);
	canvas_to_text(&c, &text);
	out = strdup(text.data);
	assert_non_null(out);
	strbuf_finish(&text);
	canvas_finish(&c);
	return out;
}

static void roles_and_the_one_in_trouble_stay_at_80_columns(void **state)
{
	struct model *m = make_set();
	char *screen = draw(m, 80, 24), *header;

	(void)state;
	assert_non_null(strstr(screen, "PRIMARY"));
	assert_non_null(strstr(screen, "SECONDARY"));
	header = strndup(screen, strcspn(screen, "\n"));
	assert_non_null(header);
	assert_non_null(strstr(header, names[2]));
	free(header);
	free(screen);
	model_destroy(m);
}

static void a_member_that_loads_says_so_in_its_block(void **state)
{
	struct model *m = make_set();
	char *screen = draw(m, 120, 50), *at = screen;
	unsigned said = 0;

	(void)state;
	while ((at = strstr(at, "initial sync")) != NULL) {
		said++;
		at++;
	}
	assert_true(said >= 2); /* the verdict line and the block */
	free(screen);
	model_destroy(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roles_and_the_one_in_trouble_stay_at_80_columns),
		cmocka_unit_test(a_member_that_loads_says_so_in_its_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
