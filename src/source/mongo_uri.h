/* URIs of one server, made from URIs of many. */
#ifndef HOTSET_SOURCE_MONGO_URI_H
#define HOTSET_SOURCE_MONGO_URI_H

#include <mongoc/mongoc.h>
#include <stdbool.h>

#define MONGO_PLACE_MAX 272 /* bytes of "host:port", "[address]:port" or the path of a socket */

void mongo_uri_place(const char *host, unsigned port, char place[MONGO_PLACE_MAX]);
/*
 * A URI of the server at `place` alone, with the TLS options and bounds of `from`, and with its
 * login if wanted. NULL: no memory. The caller destroys it.
 */
mongoc_uri_t *mongo_uri_direct(const mongoc_uri_t *from, const char *place, bool login);

#endif
