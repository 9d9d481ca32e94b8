/* An endpoint that never gave figures: its state in words, the reason, and what to do. */
#include "hotset/widgets.h"

#include "panels.h"

static struct extent measure(const struct panel_ctx *x, int w)
{
	(void)x;
	(void)w;
	return (struct extent){3, 8, 8};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	const struct endpoint *ep = x->ep;
	enum level level = status_level(ep->status);
	char state[STATE_TEXT_MAX];
	struct pane p;

	pane_open(&p, x, c, r, ep->name, kind_title(ep->kind));
	pane_printf(&p, level_role(level), "%s %s", level_symbol(level),
		endpoint_state(state, x->m, ep));
	pane_text(&p, ROLE_LABEL, ep->address);
	pane_wrap(&p, ROLE_DEFAULT, ep->err.msg, 3);
	pane_text(&p, ROLE_DIM, status_advice(ep->status));
	pane_close(&p);
}

const struct panel_ops panel_silent = {.name = "state", .measure = measure, .draw = draw};
