/*
 * Dumps as people send them: with a shell's greeting and prompt around the document, and PSI files
 * whose name alone says of what they are, by whole words.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define LIMIT_MS 20000

static void assert_gives(const char *input, const char *part)
{
	struct run r = program_run("inspect --format json -", input, LIMIT_MS);

	if (r.code != 0 || !strstr(r.out, part))
		fail_msg("%d, '%s', no %s in '%.600s'", r.code, r.err, part, r.out);
	program_free(&r);
}

#define DOCUMENT                                                                                   \
	"{\n\t\"version\" : \"4.2.25\",\n\t\"process\" : \"mongod\",\n"                            \
	"\t\"connections\" : { \"current\" : NumberLong(42), \"available\" : 58 },\n"              \
	"\t\"ok\" : 1\n}\n"

static void a_shell_around_the_document_is_left_out(void **state)
{
	(void)state;
	static const char fill[] = "\"mongo.conn.fill\":42";

	assert_gives(DOCUMENT, fill);
	assert_gives("rs0:PRIMARY> db.serverStatus()\n" DOCUMENT "rs0:PRIMARY> \n", fill);
	assert_gives("MongoDB shell version v4.2.25\nconnecting to: mongodb://127.0.0.1:27017\n"
		     "Implicit session: session { \"id\" : UUID(\"0\") }\r\n" DOCUMENT "bye", fill);
	assert_gives("\xEF\xBB\xBF" DOCUMENT, fill);
}

static void psi_files_are_known_by_their_names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *part;
		int code;
	} files[] = {
		{"io", "\"host.psi.io.some_total\":5", 0},
		{"pressure-io.txt", "\"host.psi.io.some_total\":5", 0},
		{"production.psi", "\"host.psi.mem.some_total\":5", 0},
		{"memory", "\"host.psi.mem.some_total\":5", 0},
		{"cpu.pressure", "", 1},
	};
	char *dir = test_dir_create(), path[512], line[600];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fputs("some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n", f);
		fclose(f);
		snprintf(line, sizeof(line), "inspect --format json %s", path);
		struct run r = program_run(line, NULL, LIMIT_MS);
		if (r.code != files[i].code || !strstr(r.out, files[i].part))
			fail_msg("%s: %d, '%s'", files[i].name, r.code, r.err);
		program_free(&r);
	}
	test_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shell_around_the_document_is_left_out),
		cmocka_unit_test(psi_files_are_known_by_their_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
