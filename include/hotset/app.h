/* The subcommands. Each returns the process' exit code and prints its own one-line error. */
#ifndef HOTSET_APP_H
#define HOTSET_APP_H

#include "hotset/options.h"

int app_main(int argc, char **argv);

int app_live(const struct options *o);    /* the screen; batch when stdout is no terminal */
int app_batch(const struct options *o);   /* --once, --batch */
int app_record(const struct options *o);
int app_replay(const struct options *o);
int app_inspect(const struct options *o);
int app_check(const struct options *o);
int app_lab(const struct options *o);     /* src/lab/ */
int app_metrics(const struct options *o);

#endif
