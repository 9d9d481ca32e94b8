/* Documents of tests, from files and from text, in Extended JSON. */
#ifndef TESTS_EJSON_H
#define TESTS_EJSON_H

#include <bson/bson.h>

/* Parses text, which must be good; the caller destroys the result with bson_destroy(). */
bson_t *test_ejson(const char *text);
/* The same of a file under tests/fixtures/; gunzips if its name ends in .gz. */
bson_t *test_ejson_fixture(const char *name);
/* The file's text, unzipped and NUL-terminated; the caller frees it. */
char *test_ejson_text(const char *name);
/* The document at a path of doc ("2.reply"), a view into it; fails the test if there is none. */
void test_subdocument(const bson_t *doc, const char *path, bson_t *out);

#endif
