/*
 * Tables that can be walked, sorted and searched. What the user chose is a struct browse for each
 * table of the view: keys change it, drawing reads it. A row is known by its KEY columns, so that
 * it stays selected while rows come, go and change places. UI thread; nothing is allocated.
 */
#ifndef HOTSET_BROWSE_H
#define HOTSET_BROWSE_H

#include "hotset/model.h"

#define BROWSE_TABLES 2  /* of one view */
#define SEARCH_MAX    64 /* bytes of a search with its end */

struct view_state;
struct table_view;

struct browse {
	uint64_t key;      /* of the selected row; 0: the first, whichever it is */
	int      line;     /* where that row stood last */
	unsigned sort;     /* how many columns on from the table's own sort column */
	bool     reverse;
	char     search[SEARCH_MAX]; /* rows without it are hidden; "" none are */
};

/* The row whose details are open, as it was when it was last there. */
struct open_row {
	bool          open;
	bool          gone;          /* it is not in the table any more */
	uint64_t      key;
	unsigned      table;         /* of the view: view_table() */
	int64_t       seen_wall_ns;
	struct value  num[TABLE_COLS_MAX];
	char          text[TABLE_COLS_MAX][SAMPLE_TEXT_MAX]; /* "" where there is none */
};

/* Rows in the order and choice in which they are shown. */
struct row_order {
	unsigned n, all; /* shown, and with those that the search hides */
	uint16_t row[TABLE_ROWS_MAX];
};
/* b NULL: the table's own order, all rows. ep may be NULL. */
void rows_order(const struct endpoint *ep, const struct table_view *v, const struct browse *b,
	struct row_order *out);
/* The identity of a row, never 0. */
uint64_t row_key(enum table_id t, const struct cell_value *cells);
/* The line on which the cursor is: the selected row, or where it was. -1 without rows. */
int browse_line(const struct endpoint *ep, const struct table_view *v, const struct browse *b,
	const struct row_order *o);
/* Index in v->cols of the column sorted by, -1 if none is; *falling: the largest first. */
int browse_column(const struct table_view *v, const struct browse *b, bool *falling);

/* The i-th table of the present view, NULL past the last (src/panel/panels.c). */
const struct table_view *view_table(const struct view_state *s, unsigned i);

/* Back to the first row of the first table; sort and search stay. */
void browse_reset(struct view_state *s);
/*
 * Takes in what the model has now: where the selected row stands, which one has taken the place of
 * one that is gone, and the figures of the opened row. Before each frame and each key.
 */
void browse_settle(const struct model *m, struct view_state *s);

/* ---- keys; each returns whether anything changed ---- */

/* By so many rows; a step of one leads from the end of a table into the next one. */
bool browse_move(const struct model *m, struct view_state *s, int by);
bool browse_focus(struct view_state *s, unsigned table);
bool browse_sort(struct view_state *s);
bool browse_reverse(struct view_state *s);
bool browse_open(const struct model *m, struct view_state *s);
bool browse_close(struct view_state *s);
/* Shows all rows again. */
bool browse_clear(struct view_state *s);

/*
 * The opened or else the selected row on one line: "name=value" by tabs, figures in full, without
 * control characters. False when there is no row.
 */
#define ROW_LINE_MAX 4096 /* bytes; what is longer is cut between two columns */
bool browse_copy(const struct model *m, const struct view_state *s, char buf[ROW_LINE_MAX]);

/* Cells of the opened row. */
void open_row_cells(const struct open_row *o, enum table_id t,
	struct cell_value out[TABLE_COLS_MAX]);

#endif
