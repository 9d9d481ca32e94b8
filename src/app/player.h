/*
 * A recording as a feed of the screen loop. Samples of one tick belong together: play, step and
 * seek move by such groups. The view clock is the samples' own.
 */
#ifndef HOTSET_APP_PLAYER_H
#define HOTSET_APP_PLAYER_H

#include "hotset/record.h"
#include "loop.h"

struct player {
	struct recording *rec;
	struct model     *model;
	unsigned          ngroups;
	unsigned         *ends;    /* ngroups: one past the last sample of each */
	unsigned          pos;     /* groups that the model has seen */
	unsigned          target;  /* where keys asked to go; pump goes there, once for many keys */
	double            speed;
	double            origin_us; /* of --origin-ms, 0: not told */
	bool              playing;
	int64_t           due_ns;  /* when the next group is to be shown, on the real clock */
};

MUST_CHECK bool player_open(
	struct player *p, const char *path, double speed, double origin_us, struct err *err);
void player_close(struct player *p);
/*
 * Moves to where `groups` of them (1 to ngroups) have been seen. Forward pushes what lies between;
 * backward starts anew, since neither rules nor history can be undone.
 */
MUST_CHECK bool player_seek(struct player *p, unsigned groups, struct err *err);
/* The position of "--at": the last group not after that time; 1 when all are. */
MUST_CHECK bool player_at(const struct player *p, const char *at, unsigned *groups,
	struct err *err);
/* Time of the group before the present one, for the events of the interval. */
int64_t player_previous_mono(const struct player *p);
struct feed player_feed(struct player *p);

#endif
