/* Signals as events: blocked in every thread and read from a descriptor. */
#ifndef HOTSET_APP_SIGNALS_H
#define HOTSET_APP_SIGNALS_H

#include "hotset/err.h"

/*
 * Blocks the signals that end, stop, continue or resize the program (those that were ignored at
 * start stay ignored: nohup) and ignores SIGPIPE. Before threads start. Returns a descriptor that
 * is readable when one came, -1 on failure.
 */
int signals_open(struct err *err);
/* The number of the next signal, 0 when there is none. */
int signals_take(int fd);
/* It asks the program to end: SIGINT, SIGTERM, SIGHUP. */
bool signals_is_end(int sig);

#endif
