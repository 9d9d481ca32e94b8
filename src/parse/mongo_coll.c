/* Collections: which of them to ask for statistics. */
#include "hotset/parse.h"

/*
 * Views answer collStats with an error each time, so only what holds data is asked for. The
 * server's own collections are left out; a time series is one through its own name, its
 * system.buckets collection would count twice.
 */
bool parse_mongo_has_stats(const char *name, const char *type)
{
	if (strncmp(name, "system.", 7) == 0)
		return false;
	return !*type || strcmp(type, "collection") == 0 || strcmp(type, "timeseries") == 0;
}
