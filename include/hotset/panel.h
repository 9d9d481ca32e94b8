/*
 * Panels, views and keys. A panel is a file in src/panel and a line in panels.c: it measures and
 * draws from a const model and knows no terminal. Drawing changes nothing and allocates nothing.
 */
#ifndef HOTSET_PANEL_H
#define HOTSET_PANEL_H

#include "hotset/browse.h"
#include "hotset/canvas.h"
#include "hotset/marks.h"
#include "hotset/mutes.h"
#include "hotset/model.h"

/* X(enum, key digit, name) */
#define VIEW_LIST(X)                                                                               \
	X(OVERVIEW, '1', "overview")                                                               \
	X(MONGO, '2', "mongo")                                                                     \
	X(REDIS, '3', "redis")                                                                     \
	X(MEMCACHED, '4', "memcached")                                                             \
	X(HOST, '5', "host")                                                                       \
	X(OPS, '6', "ops")                                                                         \
	X(EVENTS, '7', "events")

enum view {
#define X(name, key, word) VIEW_##name,
	VIEW_LIST(X)
#undef X
	VIEW_COUNT
};
const char *view_name(enum view v);
bool view_find(const char *name, enum view *out);

/* A line at the foot of the screen that takes what is typed. */
enum prompt {
	PROMPT_NONE,
	PROMPT_SEARCH, /* into the search of what is in front: the explanations, a table */
	PROMPT_MARK,   /* the note of a mark */
};

/* The overlay that says what the metrics of the view mean. */
struct explain {
	bool open;
	int  line;              /* the selected one */
	char search[SEARCH_MAX];
};

/* What the screen shows of the model. Changed by keys and browse_settle(); drawing reads it. */
struct view_state {
	enum view view;
	int       selected[KIND_COUNT]; /* endpoint shown in the view of its kind, -1: the first */
	int       cursor;          /* selected row of a view without tables to browse */
	unsigned  focus;           /* which table of the view has the cursor */
	struct browse   browse[BROWSE_TABLES];
	struct open_row open;      /* the overlay with the details of a row */
	struct explain  explain;
	enum prompt     prompt;
	struct marks    marks;     /* of the user, in time */
	struct mark     marking;   /* the one whose note is being typed */
	bool      help;            /* the help overlay is open */
	int       scroll;          /* first line shown of the help */
	int       lines;           /* of the screen when it was drawn last, 0 before */
	struct mutes    mutes;     /* verdicts that lead no more */
	bool      recording;       /* since --record, or the key r */
	bool      hot_keys;        /* a look for hot keys at the Redis in view */
	bool      paused;
	bool      replay;          /* times come from a recording */
	double    replay_speed;
	char      replay_file[64];
	int       columns_s;       /* seconds per step of graphs; braille has two steps a cell */
	double    interval_s;
	char      message[128];    /* one line for the user, shown instead of the keys; "" none */
	const char *theme_name;
	bool      local_time;      /* clock in the local zone; UTC otherwise (tests, docs) */
};
void view_state_init(struct view_state *s);

/* Whom a panel shows, and how. */
struct panel_ctx {
	const struct model      *m;
	const struct view_state *s;
	const struct endpoint   *ep; /* NULL: about all endpoints, or there is none */
};

/* Heights of a panel: below min it says nothing useful, above max it has nothing to add. */
struct extent {
	int min_h, want_h, max_h; /* min_h 0: the panel has nothing to show here */
};
#define EXTENT_ANY 1000 /* max_h of panels that use all the space there is */

struct sheet;

struct panel_ops {
	const char *name;
	unsigned wants;  /* enum want: what is asked for only while this panel is in view */
	const struct sheet *sheet; /* bars, figures, a graph (widgets.h); else NULL and: */
	/* Heights, its border included, at the width w. */
	struct extent (*measure)(const struct panel_ctx *x, int w);
	/* Draws itself with its border into r. */
	void (*draw)(const struct panel_ctx *x, struct canvas *c, struct rect r);
};

struct extent panel_measure(const struct panel_ops *ops, const struct panel_ctx *x, int w);
void panel_draw(const struct panel_ops *ops, const struct panel_ctx *x, struct canvas *c,
	struct rect r);

/* A view is made of panels, in the order in which they are kept when space is short. */
struct view_item {
	const struct panel_ops *ops;
	const struct endpoint  *ep;
	int                     min_w;
	bool                    half; /* may stand beside the next half one */
};
#define VIEW_ITEMS_MAX 32
/* What the present view is made of (src/panel/panels.c); returns how many. */
unsigned view_build(const struct model *m, const struct view_state *s,
	struct view_item out[VIEW_ITEMS_MAX]);
/* What the present view needs beyond what every poll asks for: bits of enum want. */
unsigned view_wants(const struct model *m, const struct view_state *s);
/* Rows that `cursor` can stand on in the present view; 0 where there is none. */
int view_rows(const struct model *m, const struct view_state *s);
/* The endpoint of a kind that is looked at: the selected one, else the first; NULL: none. */
const struct endpoint *view_endpoint(const struct model *m, const struct view_state *s,
	enum kind k);
/* The kind of endpoints that a view is about; false for views about all. */
bool view_kind(enum view v, enum kind *out);
/* Opens the endpoint under the cursor, if the view is a list of endpoints. */
bool view_open(const struct model *m, struct view_state *s);

/* Draws the whole screen: header, verdict lines, the view's panels, footer; overlays on top. */
void screen_draw(const struct model *m, const struct view_state *s, struct canvas *c);
void help_draw(const struct model *m, const struct view_state *s, struct canvas *c);
/* Lines that the help has beyond those that a screen of h lines shows. */
int  help_hidden(int h);
/* Metrics that the explanations list; *all: also those that the search hides. */
unsigned explain_count(const struct model *m, const struct view_state *s, unsigned *all);
bool explain_move(const struct model *m, struct view_state *s, int by);
void explain_draw(const struct model *m, const struct view_state *s, struct canvas *c);
void details_draw(const struct model *m, const struct view_state *s, struct canvas *c);

/* ---- layout, pure integers: places n panels in r, dropping what does not fit ---- */
#define LAYOUT_ITEMS_MAX VIEW_ITEMS_MAX
struct layout_item {
	struct extent size;
	int           min_w; /* at least so many cells wide */
	bool          half;  /* may share a row with the next half item when r is wide enough */
};
/*
 * out[i] gets the place of item i, w == 0 when it was dropped (later items are dropped first).
 * Places are inside r, not empty and do not overlap. Returns how many were placed.
 */
unsigned layout_place(const struct layout_item *items, unsigned n, struct rect r, struct rect *out);

/* ---- keys ---- */
enum reaction { REACT_NONE, REACT_REDRAW, REACT_QUIT, REACT_REFRESH, REACT_SUSPEND, REACT_RESIZE,
	REACT_STEP_BACK, REACT_STEP_FORWARD, REACT_GO_FIRST, REACT_GO_LAST, REACT_INTERVAL,
	REACT_PAUSE, REACT_THEME, REACT_REPAINT, REACT_COPY, REACT_RECORD };
enum key_code {
	KEYC_NONE, KEYC_CHAR, KEYC_UP, KEYC_DOWN, KEYC_LEFT, KEYC_RIGHT, KEYC_PGUP, KEYC_PGDN,
	KEYC_HOME, KEYC_END, KEYC_TAB, KEYC_BACKTAB, KEYC_ENTER, KEYC_ESC, KEYC_F1, KEYC_RESIZE,
	KEYC_CTRL_C, KEYC_CTRL_L, KEYC_CTRL_Z, KEYC_BACKSPACE, KEYC_EOF
};
struct key {
	enum key_code code;
	char32_t      ch; /* for KEYC_CHAR */
};
/*
 * Applies a key to the state; an unknown key does nothing. What the state cannot do is the app's:
 * REFRESH repaints everything and polls at once, REPAINT repaints without a poll, INTERVAL means
 * that interval_s was changed, PAUSE that paused was, COPY hands browse_copy() to the terminal,
 * RECORD begins or ends a recording.
 */
enum reaction screen_key(const struct model *m, struct view_state *s, const struct key *k);
/* One key while the prompt is open (src/ui/prompt.c). */
enum reaction prompt_key(const struct model *m, struct view_state *s, const struct key *k);
void prompt_draw(const struct model *m, const struct view_state *s, struct canvas *c);

/* One line of the help screen, the footer and the manual. */
struct binding {
	const char *keys, *text;
	const char *footer; /* in a word or two; NULL: not in the footer */
	bool        table;  /* of views with tables to browse, and before others there */
};
extern const struct binding screen_bindings[]; /* end: keys NULL */

#endif
