/*
 * How Extended JSON and the mongo shell write the types that JSON lacks: wrapper objects such as
 * {"$numberLong": "5"}, and calls such as NumberLong("5").
 */
#ifndef HOTSET_EJSON_TYPES_H
#define HOTSET_EJSON_TYPES_H

#include <bson/bson.h>
#include <stdbool.h>

struct ejson_key {
	const char *s; /* no NUL within */
	int len;
};

/*
 * Appends what obj stands for; false if it has not exactly the shape of a wrapper, or impossible
 * contents, and so stands for itself.
 */
bool ejson_unwrap(bson_t *to, struct ejson_key key, const bson_t *obj);
/*
 * Appends the value of a call, args being a document of its arguments, "0", "1", ...; false if
 * there is no such call or if it cannot have these arguments.
 */
bool ejson_call(bson_t *to, struct ejson_key key, const char *name, const bson_t *args);
/* Appends int32 if the number fits, else int64, else double; false if s is no number. */
bool ejson_append_number(bson_t *to, struct ejson_key key, const char *s, size_t len);

#endif
