/*
 * A file of keys, one per line, fed through the normal input path: names as tmux has them (Up,
 * PageDown, Tab, Enter, Escape, Space, F1, C-l) or a single character. ":wait TEXT" waits until the
 * screen shows the text, ":sleep SECONDS" waits, ":dump FILE" writes the screen (as text, or as
 * .svg, .ansi or .snap by its name). '#' begins a comment line.
 */
#ifndef HOTSET_APP_SCRIPT_H
#define HOTSET_APP_SCRIPT_H

#include "loop.h"

struct script;

/* base: the terminal below, NULL: none, and the program ends with the script. */
struct script *script_open(const char *path, const struct loop_screen *base,
	const struct loop_clock *clock, const struct theme *theme, int w, int h, struct err *err);
void script_close(struct script *s); /* NULL is fine */
/* The script in front of the terminal and of the clock. */
struct loop_screen script_screen(struct script *s);
struct loop_clock  script_clock(struct script *s);
/* A line that failed: err says which. */
MUST_CHECK bool script_ok(const struct script *s, struct err *err);
bool script_key(const char *name, struct key *out);

#endif
