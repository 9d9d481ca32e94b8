/* Figures in columns, bars with their thresholds, and the panels that are made of them alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "hotset/num.h"
#include "hotset/text.h"
#include "hotset/widgets.h"

/* ---- fields ------------------------------------------------------------------------------------
 */

#define GRID_COLUMNS 6
#define GRID_GAP     2

/* Cells that almost any value of the unit fits into. */
static int unit_width(enum metric_unit u)
{
	switch (u) {
	case UNIT_BYTES_PER_SEC:
		return 10;
	case UNIT_BYTES:
	case UNIT_SEC:
	case UNIT_MSEC_PER_SEC:
		return 8;
	default:
		return 7;
	}
}

static const char *field_label(const struct field *f)
{
	return f->label ? f->label : metric_desc(f->id)->label;
}

struct grid {
	int columns;
	int label_w[GRID_COLUMNS], value_w[GRID_COLUMNS];
	int w; /* all columns and the gaps between them */
};

static struct grid grid_of(const struct field *f, unsigned n, int columns)
{
	struct grid g = {.columns = columns, .w = (columns - 1) * GRID_GAP};

	for (unsigned i = 0; i < n; i++) {
		int k = (int)i % columns, l = text_width(field_label(&f[i]));
		int v = unit_width(metric_desc(f[i].id)->unit);

		g.label_w[k] = l > g.label_w[k] ? l : g.label_w[k];
		g.value_w[k] = v > g.value_w[k] ? v : g.value_w[k];
	}
	for (int k = 0; k < columns; k++)
		g.w += g.label_w[k] + 1 + g.value_w[k];
	return g;
}

/* The fewest lines, and then the fewest columns; a single column gives way in its values. */
static struct grid fit_grid(const struct field *f, unsigned n, int w)
{
	struct grid g;

	for (unsigned columns = n < GRID_COLUMNS ? n : GRID_COLUMNS; columns > 1; columns--) {
		unsigned lines = (n + columns - 1) / columns, even = (n + lines - 1) / lines;

		g = grid_of(f, n, (int)even);
		if (g.w <= w)
			return g;
	}
	g = grid_of(f, n, 1);
	if (g.w > w)
		g.value_w[0] -= g.w - w;
	g.w = w;
	return g;
}

int fields_lines(const struct field *f, unsigned n, int w)
{
	int columns;

	if (n == 0)
		return 0;
	columns = fit_grid(f, n, w - 4).columns;
	return ((int)n + columns - 1) / columns;
}

void pane_fields(struct pane *p, const struct field *f, unsigned n, int max_lines)
{
	struct grid g;
	int spare, x = p->in.x;

	if (n == 0)
		return;
	g = fit_grid(f, n, p->in.w);
	spare = g.columns > 1 ? (p->in.w - g.w) / g.columns : 0;
	for (unsigned i = 0; i < n && max_lines > 0 && pane_left(p) > 0; i++) {
		int k = (int)i % g.columns;

		(void)canvas_text_fit(p->c, x, p->y, p->in.w, field_label(&f[i]), ROLE_LABEL, 0);
		if (g.value_w[k] >= 3)
			pane_figure(p, x + g.label_w[k] + 1, p->y, g.value_w[k], field_label(&f[i]),
				metric_desc(f[i].id)->unit, pane_value(p, f[i].id));
		x += g.label_w[k] + 1 + g.value_w[k] + GRID_GAP + spare;
		if (k == g.columns - 1 || i + 1 == n) {
			x = p->in.x;
			p->y++;
			max_lines--;
		}
	}
}

/* ---- bars --------------------------------------------------------------------------------------
 */

#define BAR_LABEL_W 8
#define BAR_VALUE_W 8

static double number_or_nan(const struct pane *p, enum metric_id id)
{
	struct value v;

	if (id == METRIC_COUNT)
		return NAN;
	v = pane_value(p, id);
	return value_ok(v) ? v.v : NAN;
}

static double bar_scale(const struct pane *p, const struct bar *b, double trigger)
{
	if (b->scale > 0)
		return b->scale;
	if (isfinite(trigger) && trigger > 0)
		return 1.2 * trigger;
	return 2 * number_or_nan(p, b->scale_id);
}

static void draw_ladder(
	struct pane *p, int x, int w, struct value v, double scale, double target, double trigger)
{
	chart_ladder(p->c, x, p->y, w, v, scale, target, trigger);
	if (p->stale)
		canvas_recolor(p->c, (struct rect){x, p->y, w, 1}, ROLE_DIM, 0);
}

void pane_bar(struct pane *p, const struct bar *b)
{
	double target = number_or_nan(p, b->target), trigger = number_or_nan(p, b->trigger);
	struct value v = pane_value(p, b->id);
	bool above = value_ok(v) && isfinite(trigger) && v.v > trigger && !p->stale;
	int x = p->in.x + BAR_LABEL_W + BAR_VALUE_W + 2,
	    w = p->in.w - (BAR_LABEL_W + BAR_VALUE_W + 2);
	char buf[VALUE_TEXT_MAX];

	if (pane_left(p) == 0)
		return;
	(void)canvas_text_fit(p->c, p->in.x, p->y, BAR_LABEL_W, b->label, ROLE_LABEL, 0);
	value_text(buf, metric_desc(b->id)->unit, v, p->c->ascii);
	canvas_text_right(p->c, x - 2, p->y, BAR_VALUE_W, buf,
		!value_ok(v) || p->stale ? ROLE_DIM
		: above                  ? ROLE_CRIT
					 : ROLE_VALUE,
		0);
	if (above)
		(void)canvas_text(p->c, x - 2, p->y, level_symbol(LEVEL_CRIT), ROLE_CRIT, 0);
	if (value_ok(v))
		draw_ladder(p, x, w, v, bar_scale(p, b, trigger), target, trigger);
	else if (v.why != REASON_NOT_SET) /* which stands there already */
		(void)canvas_text_fit(
			p->c, x, p->y, w, reason_text((enum reason)v.why), ROLE_DIM, 0);
	p->y++;
}

/* ---- sheets ------------------------------------------------------------------------------------
 */

static struct extent sheet_measure(const struct sheet *sh, int w)
{
	int lines = (int)sh->nbars + sh->text_lines + fields_lines(sh->fields, sh->nfields, w);
	bool graph = sh->graph != METRIC_COUNT;
	int least = (int)sh->nbars + (sh->nfields ? 1 : 0);

	return (struct extent){(least ? least : 1) + 2, lines + 2, lines + 2 + (graph ? 14 : 0)};
}

static void sheet_draw(
	const struct sheet *sh, const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	char note[NOTE_MAX];
	struct pane p;

	pane_open(&p, x, c, r, sh->title, sh->note ? sh->note(x, note, c->ascii) : NULL);
	for (unsigned i = 0; i < sh->nbars; i++)
		pane_bar(&p, &sh->bars[i]);
	if (sh->text && !sh->text_last && pane_left(&p) > 0)
		sh->text(&p);
	pane_fields(&p, sh->fields, sh->nfields, pane_left(&p));
	if (sh->text && sh->text_last) /* as many of its lines as there is room for */
		sh->text(&p);
	if (sh->graph != METRIC_COUNT)
		pane_graph(&p, sh->graph, sh->role, CAPTION_LINE, pane_left(&p));
	pane_close(&p);
}

struct extent panel_measure(const struct panel_ops *ops, const struct panel_ctx *x, int w)
{
	return ops->sheet ? sheet_measure(ops->sheet, w) : ops->measure(x, w);
}

void panel_draw(
	const struct panel_ops *ops, const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	if (ops->sheet)
		sheet_draw(ops->sheet, x, c, r);
	else
		ops->draw(x, c, r);
}

const char *note_of(char buf[NOTE_MAX], struct value part, struct value whole, bool ascii)
{
	char a[NUM_MAX], b[NUM_MAX];
	const char *unit_a, *unit_b;

	buf[0] = '\0';
	if (!value_ok(part) || !value_ok(whole))
		return buf;
	unit_a = strchr(num_format(a, UNIT_BYTES, part.v, ascii), ' ');
	unit_b = strchr(num_format(b, UNIT_BYTES, whole.v, ascii), ' ');
	(void)snprintf(buf, NOTE_MAX, "%.*s of %s",
		(int)(unit_a && unit_b && strcmp(unit_a, unit_b) == 0 ? (size_t)(unit_a - a)
								      : strlen(a)),
		a, b);
	return buf;
}
