/*
 * The terminal. src/term/curses.c is the only file that includes <curses.h>. term_close() restores
 * every mode that term_open() changed; a fatal signal restores with raw bytes only, then re-raises.
 */
#ifndef HOTSET_TERM_H
#define HOTSET_TERM_H

#include "hotset/panel.h"
#include "hotset/theme.h"

struct term;

/*
 * Opens the terminal of stdin and stdout. An unknown TERM falls back to xterm, vt100 or ansi with
 * a line in the log, or fails with one line that names TERM and a remedy; modes untouched then.
 */
struct term *term_open(const struct theme *t, bool ascii, struct err *err);
void term_close(struct term *t); /* NULL is fine */
int  term_fd(const struct term *t);
void term_size(const struct term *t, int *w, int *h); /* asks the kernel; never 0 */
void term_set_theme(struct term *t, const struct theme *theme);
/*
 * Shows the canvas; only what changed is sent. full: repaint everything (Ctrl-L). false: the
 * terminal is gone.
 */
MUST_CHECK bool term_show(struct term *t, const struct canvas *c, bool full);
/*
 * Hands a text to the terminal's clipboard (OSC 52); whether it takes it, it does not say. false:
 * nothing was sent, because the text is longer than TERM_COPY_MAX, the terminal takes no output
 * now, or its type is known to print such a sequence as text.
 */
#define TERM_COPY_MAX 8192 /* bytes */
MUST_CHECK bool term_copy(struct term *t, const char *text);
/* Reads one key without waiting; KEYC_NONE: there is none, KEYC_EOF: the terminal is gone. */
struct key term_key(struct term *t);
void term_suspend(struct term *t); /* Ctrl-Z: restores, stops the process, takes the screen again */
void term_resume(struct term *t);  /* after SIGCONT: the shell may have changed the modes */

/*
 * Sets LC_CTYPE, and nothing else, from the environment; a UTF-8 locale that is not installed
 * becomes C.UTF-8. Returns false when the terminal wants ASCII. Once, before threads start.
 */
bool term_locale(void);

#endif
