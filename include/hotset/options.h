/*
 * The command line, environment and configuration files, merged: flag > environment > user >
 * system.
 */
#ifndef HOTSET_OPTIONS_H
#define HOTSET_OPTIONS_H

#include "hotset/source.h"

enum command { COMMAND_LIVE, COMMAND_RECORD, COMMAND_REPLAY, COMMAND_INSPECT, COMMAND_CHECK,
	COMMAND_LAB, COMMAND_METRICS, COMMAND_HELP, COMMAND_VERSION, COMMAND_DEFAULT_CONFIG };
enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_OPENMETRICS };

#define OPTIONS_ARGS_MAX 512

struct options {
	enum command command;
	double       delay_s;     /* 0.1 and up, default 1 */
	unsigned     count;       /* 0: for ever */
	bool         once, batch;
	bool         format_set;
	enum format  format;
	int          cols, rows;  /* --size; 0: the terminal's, else 120x36 */
	char        *record_file; /* --record, -o */
	char        *at;
	double       speed;
	char        *theme;
	bool         ascii, no_color, markdown;
	bool         yes;         /* lab: also on a target that is not empty */
	char        *config_file, *credentials_file, *script_file, *log_file, *kind, *view;
	double       timeout_s;   /* default 5 */
	enum collections collections; /* of MongoDB */
	bool         probe;       /* time gets of our own at memcached */
	char        *probe_key;   /* and of this key; NULL: none */
	double       origin_ms;   /* of a refill of a cache; 0: not told */
	bool         no_targets;  /* none was given: discover */
	unsigned     nargs;       /* what is left: files, lab names */
	char        *args[OPTIONS_ARGS_MAX];
	unsigned     ntargets;
	struct target *targets;   /* owned */
};

/*
 * Parses argv; URIs in argv are overwritten with their redacted form once read. getenv-like lookup
 * so that tests pass their own. On failure err is ERR_USAGE with one line, and of o only `command`
 * is meaningful (for the exit code). Either way o needs no options_finish() after a failure.
 */
MUST_CHECK bool options_parse(struct options *o, int argc, char **argv,
	const char *(*env)(const char *name), struct err *err);
void options_finish(struct options *o);
extern const char options_help[];

#endif
