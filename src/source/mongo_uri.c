/*
 * The driver would follow a set's URI to any of its members. Counters belong to one server, so each
 * endpoint connects directly, with what counts for a single server taken over: TLS, times, login.
 * What chooses among servers (the set's name, read preferences) is left behind.
 */
#include "mongo_uri.h"

#include <ctype.h>
#include <strings.h>

void mongo_uri_place(const char *host, unsigned port, char place[MONGO_PLACE_MAX])
{
	if (host[0] == '/')
		snprintf(place, MONGO_PLACE_MAX, "%s", host);
	else
		snprintf(place, MONGO_PLACE_MAX, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host,
			port);
}

/* Sockets are percent-encoded, and so is the zone of an IPv6 address. */
static mongoc_uri_t *uri_of_place(const char *place)
{
	static const char plain[] = "-._:[]";
	char text[3 * MONGO_PLACE_MAX + 48] = "mongodb://";
	size_t n = strlen(text);

	for (const char *p = place; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr(plain, *p))
			text[n++] = *p;
		else
			n += (size_t)snprintf(
				text + n, sizeof(text) - n, "%%%02X", (unsigned char)*p);
	}
	snprintf(text + n, sizeof(text) - n, "/?%s=true", MONGOC_URI_DIRECTCONNECTION);
	return mongoc_uri_new(text);
}

static bool is_of_one_server(const char *option)
{
	return strncasecmp(option, "tls", 3) == 0 ||
	       strcasecmp(option, MONGOC_URI_CONNECTTIMEOUTMS) == 0 ||
	       strcasecmp(option, MONGOC_URI_SOCKETTIMEOUTMS) == 0 ||
	       strcasecmp(option, MONGOC_URI_SERVERSELECTIONTIMEOUTMS) == 0;
}

static void copy_options(const mongoc_uri_t *from, mongoc_uri_t *to)
{
	const bson_t *options = mongoc_uri_get_options(from);
	bson_iter_t it;

	if (!bson_iter_init(&it, options))
		return;
	while (bson_iter_next(&it)) {
		const char *key = bson_iter_key(&it);

		if (!is_of_one_server(key))
			continue;
		if (BSON_ITER_HOLDS_BOOL(&it))
			mongoc_uri_set_option_as_bool(to, key, bson_iter_bool(&it));
		else if (BSON_ITER_HOLDS_INT32(&it))
			mongoc_uri_set_option_as_int32(to, key, bson_iter_int32(&it));
		else if (BSON_ITER_HOLDS_UTF8(&it))
			mongoc_uri_set_option_as_utf8(to, key, bson_iter_utf8(&it, NULL));
	}
	if (mongoc_uri_get_tls(from)) /* that of SRV is no option of the text */
		mongoc_uri_set_option_as_bool(to, MONGOC_URI_TLS, true);
}

static void copy_login(const mongoc_uri_t *from, mongoc_uri_t *to)
{
	const char *mechanism = mongoc_uri_get_auth_mechanism(from);
	const char *user = mongoc_uri_get_username(from);
	const char *password = mongoc_uri_get_password(from);
	bson_t properties;

	if (mechanism)
		mongoc_uri_set_auth_mechanism(to, mechanism);
	if (user)
		mongoc_uri_set_username(to, user);
	if (password)
		mongoc_uri_set_password(to, password);
	if (user || mechanism)
		mongoc_uri_set_auth_source(to, mongoc_uri_get_auth_source(from));
	if (mongoc_uri_get_mechanism_properties(from, &properties))
		mongoc_uri_set_mechanism_properties(to, &properties);
}

mongoc_uri_t *mongo_uri_direct(const mongoc_uri_t *from, const char *place, bool login)
{
	mongoc_uri_t *to = uri_of_place(place);

	if (!to)
		return NULL;
	copy_options(from, to);
	if (login)
		copy_login(from, to);
	return to;
}
