/*
 * Gives the terminal back when the program dies of a signal: raw bytes and tcsetattr only, both
 * safe in a signal handler; then the signal takes its usual course.
 */
#ifndef HOTSET_TERM_RESCUE_H
#define HOTSET_TERM_RESCUE_H

#include <stddef.h>
#include <termios.h>

#define RESCUE_BYTES_MAX 256

/* From here on a fatal signal restores `modes` and writes `bytes` to fd. */
void rescue_arm(int fd, const struct termios *modes, const char *bytes, size_t len);
void rescue_disarm(void); /* the handlers stay, and do nothing but re-raise */

#endif
