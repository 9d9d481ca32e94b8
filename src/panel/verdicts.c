/* Everything that holds now, each sentence in full with what to do next. */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

static struct extent measure(const struct panel_ctx *x, int w)
{
	int lines = 0;

	for (unsigned i = 0; i < x->m->nverdicts; i++)
		lines += 2 + text_lines(x->m->verdicts[i].text, w - 6);
	lines += (int)x->m->nskipped;
	if (lines == 0)
		lines = 1;
	return (struct extent){lines > 6 ? 8 : lines + 2, lines + 2, lines + 2};
}

static void draw_verdict(struct pane *p, const struct verdict *v)
{
	const struct endpoint *ep = p->x->m->ep[v->endpoint];
	char since[TIME_TEXT_MAX];
	struct rect in = p->in;
	int x = p->in.x;

	if (pane_left(p) == 0)
		return;
	x += canvas_printf(p->c, x, p->y, level_role(v->level), 0, "%s %s  ",
		level_symbol(v->level), level_word(v->level));
	x += canvas_printf(p->c, x, p->y, kind_role(ep->kind), 0, "%s  ", ep->name);
	x += canvas_printf(p->c, x, p->y, ROLE_LABEL, 0, "%s  ", v->code);
	(void)canvas_printf(p->c, x, p->y, ROLE_DIM, 0, "since %s",
		time_text(since, v->since_wall_ns, p->x->s));
	p->y++;
	p->in.x += 2;
	p->in.w -= 2;
	pane_wrap(p, ROLE_DEFAULT, v->text, 8);
	if (v->next[0])
		pane_printf(p, ROLE_DIM, "→ %s", v->next);
	p->in = in;
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	const struct model *m = x->m;
	struct pane p;

	pane_open(&p, x, c, r, "what holds now", NULL);
	for (unsigned i = 0; i < m->nverdicts; i++)
		draw_verdict(&p, &m->verdicts[i]);
	if (m->nverdicts == 0)
		pane_text(&p, ROLE_DIM, "nothing to report");
	for (unsigned i = 0; i < m->nskipped; i++)
		pane_printf(&p, ROLE_DIM, "not judged: %s on %s: %s", m->skipped[i].code,
			m->ep[m->skipped[i].endpoint]->name, m->skipped[i].reason);
	pane_close(&p);
}

const struct panel_ops panel_verdicts = {.name = "verdicts", .measure = measure, .draw = draw};
