/* Configuration files and credentials. */
#ifndef HOTSET_APP_CONFIG_H
#define HOTSET_APP_CONFIG_H

#include "hotset/source.h"

#define CONFIG_TARGETS_MAX 512

struct config {
	bool     has_delay, has_timeout, has_ascii, has_collections;
	double   delay_s, timeout_s;
	bool     ascii;
	enum collections collections;
	char    *theme, *view;
	unsigned ntargets;
	char    *targets[CONFIG_TARGETS_MAX]; /* "name=URI" */
};

extern const char config_default[]; /* what --default-config prints */

/* "on", "off", "auto" */
bool config_collections(const char *word, enum collections *out);

/*
 * Reads a file over what c holds already: its keys win, its targets replace the earlier ones. A
 * file that does not exist is fine unless `required`. An error names file and line.
 */
MUST_CHECK bool config_read(struct config *c, const char *path, bool required, struct err *err);
void config_finish(struct config *c);

/* Sets user and password of the targets that a credentials file names; it must be private. */
MUST_CHECK bool credentials_read(const char *path, struct target *t, unsigned n, struct err *err);
/* From the environment: REDISCLI_AUTH for Redis, HOTSET_PASSWORD where a user is named. */
void credentials_from_env(struct target *t, unsigned n, const char *(*env)(const char *name));
/* Asks on the terminal for passwords of targets that name a user and have none. */
MUST_CHECK bool credentials_prompt(struct target *t, unsigned n, struct err *err);

#endif
