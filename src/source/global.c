#include "hotset/source.h"

#include <curl/curl.h>
#include <mongoc/mongoc.h>
#include <signal.h>

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

void source_global_init(void)
{
	signal(SIGPIPE, SIG_IGN);
	source_quiet();
	mongoc_init();
	curl_global_init(CURL_GLOBAL_DEFAULT);
}

void source_global_finish(void)
{
	curl_global_cleanup();
	mongoc_cleanup();
}
