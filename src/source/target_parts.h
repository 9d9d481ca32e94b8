/* What the files that parse targets share; sentences as in uri.h. */
#ifndef HOTSET_SOURCE_TARGET_PARTS_H
#define HOTSET_SOURCE_TARGET_PARTS_H

#include <bson/bson.h>

#include "hotset/source.h"

#include "uri.h"

#define TARGET_MONGO_PORT 27017

const char *target_decode_userinfo(const struct uri *u, struct target *t);
/* Copies a text; a long one keeps its beginning and its end, which both tell it apart. */
void target_shorten(char *out, size_t cap, const char *s);
/* Sets id and address. */
void target_set_address(struct target *t, const char *address);
void target_set_host_address(struct target *t); /* from host and port */

/* `text` is the whole of `u`. The sentence may be the driver's, which then lies in `error`. */
const char *target_parse_mongo(
	const char *text, const struct uri *u, struct target *t, bson_error_t *error);

#endif
