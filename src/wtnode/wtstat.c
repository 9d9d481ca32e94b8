#include "wtstat.h"

#include "bsonx.h"

#define SECTION_MAX 64 /* bytes of a section's name */

/* The section being filled; name is empty between two. */
struct section {
	char name[SECTION_MAX];
	bson_t doc;
};

static void end_section(struct section *section, bson_t *out)
{
	if (section->name[0] != '\0') {
		bson_append_document_end(out, &section->doc);
		section->name[0] = '\0';
	}
}

/* Entries of one section follow each other in the cursor. */
static void add(struct section *section, bson_t *out, const char *desc, uint64_t value)
{
	const char *colon = strstr(desc, ": ");
	size_t len = colon == NULL ? SECTION_MAX : (size_t)(colon - desc);

	if (len == 0 || len >= SECTION_MAX || strncmp(desc, "LSM: ", 5) == 0) {
		return;
	}
	if (strncmp(section->name, desc, len) != 0 || section->name[len] != '\0') {
		end_section(section, out);
		memcpy(section->name, desc, len);
		section->name[len] = '\0';
		bson_append_document_begin(out, section->name, -1, &section->doc);
	}
	bsonx_append_int(&section->doc, colon + 2, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

int wtstat_append(WT_SESSION *session, const char *uri, bson_t *out)
{
	struct section section = {.name = ""};
	WT_CURSOR *cursor;
	const char *desc, *text;
	uint64_t value;
	int ret = session->open_cursor(session, uri, NULL, "statistics=(fast)", &cursor);

	if (ret != 0) {
		return ret;
	}
	while ((ret = cursor->next(cursor)) == 0 &&
		(ret = cursor->get_value(cursor, &desc, &text, &value)) == 0) {
		add(&section, out, desc, value);
	}
	end_section(&section, out);
	cursor->close(cursor);
	return ret == WT_NOTFOUND ? 0 : ret;
}

int wtstat_get(WT_SESSION *session, const char *uri, int key, int64_t *value)
{
	WT_CURSOR *cursor;
	const char *desc, *text;
	uint64_t v = 0;
	int ret = session->open_cursor(session, uri, NULL, "statistics=(fast)", &cursor);

	if (ret != 0) {
		return ret;
	}
	cursor->set_key(cursor, key);
	ret = cursor->search(cursor);
	if (ret == 0) {
		ret = cursor->get_value(cursor, &desc, &text, &v);
	}
	if (ret == 0) {
		*value = v > INT64_MAX ? INT64_MAX : (int64_t)v;
	}
	cursor->close(cursor);
	return ret;
}
