#include "hotset/source.h"

#include <curl/curl.h>
#include <mongoc/mongoc.h>
#include <signal.h>
#include <stdlib.h>

#include "hotset/log.h"

/* The driver would write to stderr, which is the screen. */
static void on_mongoc_log(
	mongoc_log_level_t level, const char *domain, const char *message, void *arg)
{
	(void)arg;
	if (level <= MONGOC_LOG_LEVEL_INFO)
		log_write("%s %s: %s", mongoc_log_level_str(level), domain, message);
}

void source_quiet(void)
{
	mongoc_log_set_handler(on_mongoc_log, NULL);
}

/*
 * The driver of MongoDB looks names up in the worker's thread. By default a silent name server
 * would hold it for ten seconds and more, twice the time of a poll; a lost packet is asked for
 * again in the next poll anyway. What the user has set stands.
 */
#define RESOLVER_OPTIONS "timeout:2 attempts:1"

void source_global_init(void)
{
	signal(SIGPIPE, SIG_IGN);
	(void)setenv("RES_OPTIONS", RESOLVER_OPTIONS, 0);
	source_quiet();
	mongoc_init();
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

void source_global_finish(void)
{
	curl_global_cleanup();
	mongoc_cleanup();
}
