/* The overlay with all that is known of one row: it follows the row, and stays when that ends. */
#include <stdio.h>
#include <string.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

#define LABEL_W       22 /* cells */
#define WIDTH         100
#define WRAPPED_LINES 3 /* of long texts, and that the row is gone */

void pane_labelled(struct pane *p, const char *label, enum role role, const char *text)
{
	int label_w = p->in.w < 3 * LABEL_W ? p->in.w / 3 : LABEL_W;
	struct rect all = p->in;

	if (pane_left(p) == 0)
		return;
	(void)canvas_text_fit(p->c, p->in.x, p->y, label_w, label, ROLE_LABEL, 0);
	p->in.x += label_w + 1;
	p->in.w -= label_w + 1;
	pane_wrap(p, role, text, pane_left(p));
	p->in = all;
}

static void draw_detail(struct pane *p, const struct table_view *v, const struct detail *d,
	const struct cell_value *cells)
{
	const struct col_desc *col = &table_table[v->table].cols[d->col];
	const struct cell_value *cell = &cells[d->col];
	enum role role = cell->text ? ROLE_DEFAULT : ROLE_VALUE;
	const char *text = cell->text;
	char buf[128], num[NUM_MAX];

	/* a name may have a better word; what else is missing has a reason */
	if (!text && !value_ok(cell->num) && col->sem == COL_KEY && v->stand_in)
		text = v->stand_in(cells, d->col);
	if (!text && !value_ok(cell->num)) {
		(void)snprintf(
			buf, sizeof(buf), "n/a: %s", reason_text((enum reason)cell->num.why));
		role = ROLE_DIM;
	} else if (!text && col->sem == COL_KEY) {
		(void)snprintf(buf, sizeof(buf), "%.0f", cell->num.v);
	} else if (!text) {
		(void)snprintf(buf, sizeof(buf), "%s",
			num_format(num, col->unit, cell->num.v, p->c->ascii));
	}
	pane_labelled(p, d->label, p->stale ? ROLE_DIM : role, text ? text : buf);
}

/* That the row is not there any more, and of when its figures are. */
static void draw_when(struct pane *p, const struct table_view *v, const struct open_row *o)
{
	char time[TIME_TEXT_MAX];

	if (o->gone)
		pane_printf(p, ROLE_WARN, "%s; as it was at %s", v->gone,
			time_text(time, o->seen_wall_ns, p->x->s));
}

static struct rect place(const struct canvas *c, const struct table_view *v)
{
	int w = c->w < WIDTH ? c->w : WIDTH;
	int h = (int)v->ndetails + WRAPPED_LINES + 1 + v->explain_lines + 2;

	h = h < c->h - 1 ? h : c->h - 1;
	return (struct rect){(c->w - w) / 2, (c->h - h) / 2, w, h};
}

void details_draw(const struct model *m, const struct view_state *s, struct canvas *c)
{
	const struct table_view *v = view_table(s, s->open.table);
	struct panel_ctx x = {m, s, NULL};
	struct cell_value cells[TABLE_COLS_MAX];
	struct rect r;
	struct pane p;
	enum kind k;
	bool stale;

	if (!v || !view_kind(s->view, &k))
		return;
	x.ep = view_endpoint(m, s, k);
	r = place(c, v);
	open_row_cells(&s->open, v->table, cells);
	canvas_fill(c, r, U' ', ROLE_DEFAULT);
	pane_open(&p, &x, c, r, v->what, "Esc closes  y copies");
	stale = p.stale;
	p.stale = stale || s->open.gone;
	draw_when(&p, v, &s->open);
	for (unsigned i = 0; i < v->ndetails; i++)
		draw_detail(&p, v, &v->details[i], cells);
	if (v->explain && pane_left(&p) > 1) {
		p.y++;
		v->explain(&p, cells);
	}
	p.stale = stale; /* the border speaks of the server, not of the row */
	pane_close(&p);
}
