/*
 * What panels are made of: a frame whose lines are filled from the top, figures in steady columns,
 * and one way to say that a figure is missing. A pane notes every missing figure that it draws and
 * states the reasons on its lower border.
 */
#ifndef HOTSET_WIDGETS_H
#define HOTSET_WIDGETS_H

#include "hotset/chart.h"
#include "hotset/panel.h"

#define PANE_MISSING_MAX 8

struct pane {
	const struct panel_ctx *x;
	struct canvas          *c;
	struct rect             frame, in; /* in: inside of the border and its blank columns */
	struct rect             old_clip;
	int                     y;       /* the next free line */
	int                     title_w; /* cells of the upper border that the title takes */
	bool                    stale; /* figures are old: drawn dim */
	unsigned                nmissing;
	struct {
		const char *label;
		uint8_t     why;
	} missing[PANE_MISSING_MAX];
	int axis; /* seconds a cell of the time axis on the lower border, 0: none */
};

/* Opens a frame; note may be NULL. Its endpoint, if any, is x->ep. */
void pane_open(struct pane *p, const struct panel_ctx *x, struct canvas *c, struct rect r,
	const char *title, const char *note);
/* Writes on the lower border what is missing, how old it is and the time axis; ends the clip. */
void pane_close(struct pane *p);
int  pane_left(const struct pane *p); /* lines that are still free */
/* One line of text, cut to the width. */
void pane_text(struct pane *p, enum role role, const char *text);
void pane_printf(struct pane *p, enum role role, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Text over several lines, broken between words; at most max_lines of them. */
void pane_wrap(struct pane *p, enum role role, const char *text, int max_lines);
/* A label and its text, which may take several lines beside it. */
void pane_labelled(struct pane *p, const char *label, enum role role, const char *text);
/* Bytes of the next line of s: at most w cells, broken at a blank where there is one. */
size_t text_line(const char *s, int w);
/* Lines that s takes at that width, as pane_wrap() breaks it. */
int text_lines(const char *s, int w);

/* ---- figures ---- */

/* Of the pane's endpoint, or of the host for a host's metric; NO_ANSWER where there is none. */
struct value pane_value(const struct pane *p, enum metric_id id);
/* A metric of an endpoint that is not part of every poll: its last value of the last minute. */
struct value endpoint_value(const struct endpoint *ep, enum metric_id id);
const char  *pane_info(const struct pane *p, enum metric_id id); /* "" if there is none */
/* The text of a value: its number with its unit, "not set" or "n/a". Returns buf. */
#define VALUE_TEXT_MAX 32
const char *value_text(char buf[VALUE_TEXT_MAX], enum metric_unit unit, struct value v, bool ascii);

/* Right-aligned in w cells; a missing one is "n/a" and noted under its label. */
void pane_figure(struct pane *p, int x, int y, int w, const char *label, enum metric_unit unit,
	struct value v);

struct field {
	const char    *label; /* NULL: the metric's own */
	enum metric_id id;
};
/* Figures with their labels in as many equal columns as fit, at most max_lines lines. */
void pane_fields(struct pane *p, const struct field *f, unsigned n, int max_lines);
/* Lines that pane_fields() needs for n fields in a frame of width w. */
int fields_lines(const struct field *f, unsigned n, int w);

struct bar {
	const char    *label;
	enum metric_id id;
	enum metric_id target, trigger; /* METRIC_COUNT: none */
	double         scale;           /* upper end; 0: 1.2 times the trigger */
	enum metric_id scale_id;        /* without scale and trigger: twice this metric's value */
};
void pane_bar(struct pane *p, const struct bar *b);

enum caption {
	CAPTION_NONE,
	CAPTION_LINE,   /* a line of its own above the graph */
	CAPTION_BORDER, /* at the right of the upper border */
};
/*
 * A graph of the metric's history over the lines that are left (at most max_h), the events of the
 * endpoint as marks, and the time axis on the lower border.
 */
void pane_graph(struct pane *p, enum metric_id id, enum role role, enum caption caption, int max_h);

/* ---- a panel that is a list of bars, some text, a list of figures and a graph ---- */
#define NOTE_MAX 64
struct sheet {
	const char         *title;
	/* at the right of the upper border; or NULL */
	const char       *(*note)(const struct panel_ctx *x, char buf[NOTE_MAX], bool ascii);
	const struct bar   *bars;
	unsigned            nbars;
	void              (*text)(struct pane *p); /* draws at most text_lines lines; or NULL */
	int                 text_lines;
	bool                text_last; /* below the figures */
	const struct field *fields;
	unsigned            nfields;
	enum metric_id      graph; /* METRIC_COUNT: none */
	enum role           role;  /* of the graph */
};
/* "423 of 512 MiB", with both units where they differ; "" where one is missing. */
const char *note_of(char buf[NOTE_MAX], struct value part, struct value whole, bool ascii);

/* ---- tables ---- */

struct column {
	const char *head;
	unsigned    col;   /* of the table's description */
	int         w;     /* cells */
	bool        text;  /* left-aligned */
	uint8_t     drop;  /* 0: always shown; the highest goes first when the width is short */
	bool        grows; /* takes of the width that is left over, up to twice its own */
};
/* A line of a row's details. */
struct detail {
	const char *label;
	unsigned    col;
};
struct table_view {
	enum table_id        table;
	const struct column *cols;
	unsigned             n;
	int                  sort;   /* column to sort by, the largest first; -1: as they came */
	int                  cursor; /* selected line of a table that is not browsed, -1 none */
	/* Of a row: what is marked stands first in the table's own order. Or NULL. */
	enum level         (*level)(const struct endpoint *ep, const struct cell_value *cells);
	const char          *empty;  /* said when the table is there and has no rows */
	enum metric_id about; /* an info that says which rows there are, or why none; 0: none */

	/* of tables to browse (browse.h) */
	const char          *what;   /* one row: "operation" */
	const char          *gone;   /* said of an opened row that is not there any more */
	/* Shown instead of a missing cell; NULL: nothing better is known. Or NULL. */
	const char        *(*stand_in)(const struct cell_value *cells, unsigned col);
	const struct detail *details;
	unsigned             ndetails;
	/* Lines below the details: what the row means. Or NULL. */
	void               (*explain)(struct pane *p, const struct cell_value *cells);
	int                  explain_lines; /* at most, at 80 columns */
};
/* The table's rows from the frame of the pane's endpoint. */
void pane_table(struct pane *p, const struct table_view *v);
/* A whole panel with the table: with cursor, sort and search in the view that browses it. */
void panel_browse(const struct panel_ctx *x, struct canvas *c, struct rect r, const char *title,
	const struct table_view *v);
unsigned table_rows(const struct endpoint *ep, enum table_id t); /* 0 without an endpoint */
/* "3", or "3, 5 s ago" where the table is older than the newest figures; "" without rows. */
const char *table_note(char buf[NOTE_MAX], const struct endpoint *ep, enum table_id t);
#define TABLE_COLUMNS_MAX 12
struct table_fit {
	int w[TABLE_COLUMNS_MAX]; /* cells, 0: left out */
	int gap;                  /* between columns */
};
/*
 * Which columns fit into w. The gap is 2, in dense tables 1 before a column is left out; `sorted`
 * (-1 none) stays and gets room for its mark.
 */
void table_fit(const struct column *cols, unsigned n, int w, bool dense, int sorted,
	struct table_fit *out);
/* The line of column heads, from cell x on; the sorted one is marked. */
void table_head(struct pane *p, const struct column *cols, unsigned n, const struct table_fit *fit,
	int x, int sorted, bool falling);
/* The first row to show of n, so that the cursor is among the `lines` shown. */
int table_first(int cursor, int n, int lines);

/* ---- words and symbols ---- */

const char *kind_title(enum kind k); /* "MongoDB", "Redis", ... */
enum role   kind_role(enum kind k);
enum role   level_role(enum level l);
const char *level_symbol(enum level l); /* "✓", "●", "⚠", "✖" */
/* The level of an endpoint: what rules found, or that it does not answer. */
enum level endpoint_level(const struct model *m, const struct endpoint *ep);
enum level status_level(enum status s);
const char *status_advice(enum status s); /* what to do about it; "" for ok */
/* "ok", "auth", "waiting 4 s", "stale 12 s": the state in words. */
#define STATE_TEXT_MAX 48
const char *endpoint_state(char buf[STATE_TEXT_MAX], const struct model *m,
	const struct endpoint *ep);
/* True once the endpoint ever gave figures. */
bool endpoint_has_data(const struct endpoint *ep);
/* The i-th endpoint of a kind, NULL past the end. */
const struct endpoint *model_of_kind(const struct model *m, enum kind k, unsigned i);
/* "14:03:22", UTC unless the state asks for local time. Returns buf. */
#define TIME_TEXT_MAX 32
const char *time_text(char buf[TIME_TEXT_MAX], int64_t wall_ns, const struct view_state *s);

#endif
