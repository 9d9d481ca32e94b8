#include "kinds.h"

#include <strings.h>

const struct source_ops *const source_kinds[] = {
	&source_mongo,
	&source_redis,
	&source_memcached,
	&source_proc,
	&source_http,
	NULL,
};

const struct source_ops *source_find_scheme(const char *scheme, size_t len)
{
	for (const struct source_ops *const *k = source_kinds; *k; k++)
		for (const char *const *s = (*k)->schemes; *s; s++)
			if (strlen(*s) == len && strncasecmp(*s, scheme, len) == 0)
				return *k;
	return NULL;
}
