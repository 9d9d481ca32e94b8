/*
 * Marks that the user sets in time, with a note: "deploy began". They belong to what is looked at
 * and not to the model: rules do not see them, and recordings, which hold samples only, do not
 * have them. UI thread; bounded, nothing is allocated.
 */
#ifndef HOTSET_MARKS_H
#define HOTSET_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#define MARKS_MAX     32 /* the oldest are forgotten */
#define MARK_TEXT_MAX 64 /* bytes of a note with its end */

struct mark {
	int64_t mono_ns, wall_ns;
	char    text[MARK_TEXT_MAX];  /* "mark" where none was given */
	char    label[MARK_TEXT_MAX]; /* as much of it as a graph has room for */
};
struct marks {
	unsigned    n;
	struct mark mark[MARKS_MAX]; /* the newest first, by their time */
};

void marks_add(struct marks *m, int64_t mono_ns, int64_t wall_ns, const char *text);
/* The i-th newest of those not after the time shown; NULL past the last. */
const struct mark *marks_get(const struct marks *m, unsigned i, int64_t until_mono_ns);
unsigned marks_count(const struct marks *m, int64_t until_mono_ns);

#endif
