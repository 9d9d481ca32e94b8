/*
 * A stampede as a real Redis 7.0.15 counted it, recorded once a second: 60 clients read one key at
 * 300/s in all and 200/s go to others; the key expired after 25 s each time and its origin took
 * 300 ms. The clients' own log of the third expiry, the first with a base line: 60 requests.
 */
#include "program.h"
#include "support.h"

#include <string.h>

#define FILE_NAME "tests/fixtures/rec/stampede.rec.gz"

static void it_is_found_with_the_clients_own_number(void **state)
{
	struct run r = program_run(
		"replay " FILE_NAME " --once --origin-ms 300 --format json", NULL, 20000);

	(void)state;
	assert_int_equal(r.code, 0);
	assert_non_null(
		strstr(r.out, "stampede: 60 requests missed and went to the origin when 1 key "
			      "went; 1 would have been enough; R x D = at most 500/s x 300 ms = "
			      "150\""));
	program_free(&r);
}

static void without_a_time_of_the_origin_there_is_no_product(void **state)
{
	struct run r = program_run("replay " FILE_NAME " --once --format json", NULL, 20000);

	(void)state;
	assert_non_null(strstr(r.out, "1 would have been enough\""));
	assert_non_null(strstr(r.out, "\"redis.stampede.origin\":null"));
	assert_non_null(strstr(r.out, "\"redis.stampede.origin\":\"watch its database, or give "
				      "--origin-ms\""));
	program_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_found_with_the_clients_own_number),
		cmocka_unit_test(without_a_time_of_the_origin_there_is_no_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
