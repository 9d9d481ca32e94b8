/* An endpoint that never gave figures: its state in words, the reason, and what to do. */
#include <stdio.h>

#include "hotset/panels.h"
#include "hotset/widgets.h"

static const char *advice(enum status s)
{
	switch (s) {
	case STATUS_WAITING: return "the screen goes on; figures appear with the first answer";
	case STATUS_LOADING: return "the server is starting; figures appear when it is ready";
	case STATUS_TIMEOUT: return "is it reachable from here? try: hotset --timeout 20";
	case STATUS_REFUSED: return "is it running, and does it listen on this address?";
	case STATUS_DNS: return "check the host's name in the target";
	case STATUS_TLS: return "see ?tlsCAFile= in hotset(1); a plain port needs a plain scheme";
	case STATUS_AUTH: return "give a user: redis://user@host, or --credentials FILE";
	case STATUS_PROTOCOL: return "is this the port of that kind of server?";
	case STATUS_UNSUPPORTED: return "watch the servers behind it instead";
	default: return "see --log FILE for details";
	}
}

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
	pane_printf(&p, level_role(level), "%s %s", level_symbol(level), endpoint_state(state, x->m, ep));
	pane_text(&p, ROLE_LABEL, ep->address);
	pane_wrap(&p, ROLE_DEFAULT, ep->err.msg, 3);
	pane_text(&p, ROLE_DIM, advice(ep->status));
	pane_close(&p);
}

const struct panel_ops panel_silent = {.name = "state", .measure = measure, .draw = draw};
