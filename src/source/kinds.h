/* The sources, for the table in kinds.c. */
#ifndef HOTSET_SOURCE_KINDS_H
#define HOTSET_SOURCE_KINDS_H

#include "hotset/source.h"

extern const struct source_ops source_mongo, source_redis, source_memcached, source_proc,
	source_http;

#endif
