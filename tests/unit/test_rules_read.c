/* A cache that is too small and hides behind the page cache is called that, with its numbers. */
#include "support.h"

#include "hotset/clock.h"
#include "hotset/model.h"

#define PAGE     30000 /* bytes of one as read, compressed */
#define CODE     "mongo.read.masked_by_page_cache"
#define START_NS (1000 * NS_PER_SEC)

struct node {
	struct model *m;
	int64_t second;
	uint64_t pages, device, micros;
};

static void begin(struct node *n)
{
	*n = (struct node){.m = model_create()};
	assert_non_null(n->m);
	assert_non_null(model_add(n->m, KIND_MONGO, "mongo@x", "x", "x", HISTORY_STEPS));
}

/* A second in which so many pages came in, so many percent of their bytes from the device. */
static void run(struct node *n, unsigned seconds, unsigned pages, unsigned percent, unsigned us)
{
	for (; seconds; seconds--) {
		struct sample *s = sample_create(0);

		assert_non_null(s);
		n->pages += pages;
		n->device += (uint64_t)pages * PAGE / 100 * percent;
		n->micros += (uint64_t)pages * us;
		s->status = STATUS_OK;
		s->epoch = 1;
		s->mono_ns = START_NS + n->second * NS_PER_SEC;
		s->wall_ns = s->mono_ns;
		n->second++;
		sample_set_u64(s, METRIC_MONGO_CACHE_PAGES_READ_TOTAL, n->pages);
		sample_set_u64(s, METRIC_MONGO_BLOCK_BYTES_READ_TOTAL, n->pages * PAGE);
		sample_set_u64(s, METRIC_MONGO_READ_COUNT, n->pages);
		sample_set_u64(s, METRIC_MONGO_READ_TIME, n->micros);
		if (percent <= 100)
			sample_set_u64(s, METRIC_MONGO_READ_DEVICE_BYTES, n->device);
		else
			sample_set_missing(
				s, METRIC_MONGO_READ_DEVICE_BYTES, REASON_NOT_SAME_HOST);
		model_push(n->m, s);
	}
}

static const struct verdict *found(const struct node *n)
{
	for (unsigned i = 0; i < n->m->nverdicts; i++)
		if (strcmp(n->m->verdicts[i].code, CODE) == 0)
			return &n->m->verdicts[i];
	return NULL;
}

static void misses_from_the_page_cache_are_called_that(void **state)
{
	struct node n;

	(void)state;
	begin(&n);
	run(&n, 15, 400, 5, 12);
	assert_non_null(found(&n));
	assert_int_equal(found(&n)->level, LEVEL_INFO);
	assert_non_null(strstr(found(&n)->text, "5 % of what is read comes from the device"));
	assert_non_null(strstr(found(&n)->text, "12 µs a page"));
	assert_non_null(strstr(found(&n)->text, "not known yet"));
	model_destroy(n.m);
}

static void the_price_of_the_device_is_what_was_measured(void **state)
{
	struct node n;

	(void)state;
	begin(&n);
	run(&n, 20, 100, 95, 180);
	assert_null(found(&n)); /* the device serves */
	run(&n, 15, 400, 5, 12);
	assert_non_null(found(&n));
	assert_non_null(strstr(found(&n)->text, "180 µs when it served here"));
	model_destroy(n.m);
}

static void few_misses_or_no_proof_say_nothing(void **state)
{
	struct node n;

	(void)state;
	begin(&n);
	run(&n, 30, 10, 5, 12);
	assert_null(found(&n));
	run(&n, 30, 400, 101, 12); /* not provably this host */
	assert_null(found(&n));
	assert_int_equal(n.m->ep[0]->frame.v[METRIC_MONGO_READ_DEVICE_SHARE].why,
		REASON_NOT_SAME_HOST);
	model_destroy(n.m);
}

/* Readahead and the journal are read, too: more than the block manager asked for is no error. */
static void more_than_all_is_shown_as_such(void **state)
{
	struct node n;
	struct value share;

	(void)state;
	begin(&n);
	run(&n, 1, 100, 0, 12);
	n.device += (uint64_t)100 * PAGE * 2;
	run(&n, 1, 100, 0, 12);
	share = n.m->ep[0]->frame.v[METRIC_MONGO_READ_DEVICE_SHARE];
	assert_int_equal(share.why, REASON_OK);
	test_near(share.v, 200, 1e-9);
	model_destroy(n.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses_from_the_page_cache_are_called_that),
		cmocka_unit_test(the_price_of_the_device_is_what_was_measured),
		cmocka_unit_test(few_misses_or_no_proof_say_nothing),
		cmocka_unit_test(more_than_all_is_shown_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
