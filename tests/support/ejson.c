#include "ejson.h"

#include <zlib.h>

#include "hotset/parse.h"
#include "support.h"

#define FILE_MAX_BYTES (1 << 20)

bson_t *test_ejson(const char *text)
{
	struct err err = {0};
	bool is_array;
	bson_t *doc = parse_ejson(text, strlen(text), &is_array, &err);

	if (!doc)
		fail_msg("%s", err.msg);
	return doc;
}

char *test_ejson_text(const char *name)
{
	char path[256];
	char *text = malloc(FILE_MAX_BYTES + 1);
	gzFile file; /* reads plain files as well */
	int len;

	snprintf(path, sizeof(path), "tests/fixtures/%s", name);
	file = gzopen(path, "rb");
	assert_non_null(text);
	assert_non_null(file);
	len = gzread(file, text, FILE_MAX_BYTES);
	assert_in_range(len, 1, FILE_MAX_BYTES - 1);
	gzclose(file);
	text[len] = '\0';
	return text;
}

bson_t *test_ejson_fixture(const char *name)
{
	char *text = test_ejson_text(name);
	bson_t *doc = test_ejson(text);

	free(text);
	return doc;
}

void test_subdocument(const bson_t *doc, const char *path, bson_t *out)
{
	bson_iter_t top, it;
	const uint8_t *data = NULL;
	uint32_t len = 0;

	assert_true(bson_iter_init(&top, doc));
	assert_true(bson_iter_find_descendant(&top, path, &it));
	if (BSON_ITER_HOLDS_ARRAY(&it))
		bson_iter_array(&it, &len, &data);
	else
		bson_iter_document(&it, &len, &data);
	assert_non_null(data);
	assert_true(bson_init_static(out, data, len));
}
