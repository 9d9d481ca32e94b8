/* Where batch, --once, replay and inspect print: one frame after another in the chosen format. */
#ifndef HOTSET_APP_OUTPUT_H
#define HOTSET_APP_OUTPUT_H

#include "hotset/options.h"
#include "hotset/panel.h"

struct output {
	const struct options *o;
	bool                  header_done;
	bool                  closed; /* the reader went away: no error, the end */
};

/* The view that batch text shows and the screen starts with. */
void view_from_options(struct view_state *s, const struct options *o);
/* The size to draw at: --size, else the terminal's, else 120x36. */
void output_size(const struct options *o, int *w, int *h);
/*
 * Prints one frame: JSON as one line, CSV with its header once, text as the screen would be drawn.
 * false: the output is gone (closed) or cannot be written (err).
 */
MUST_CHECK bool output_frame(struct output *out, const struct model *m, const struct view_state *s,
	int64_t events_since_mono_ns, struct err *err);
/* Writes all of it to standard output. */
MUST_CHECK bool output_write(const char *data, size_t len, struct err *err);

#endif
