/* A view without an endpoint of its kind says how to add one. */
#include <stdio.h>

#include "hotset/widgets.h"

#include "panels.h"

struct lack {
	const char *title, *what, *how;
};

static struct lack lack_of(enum view v)
{
	switch (v) {
	case VIEW_MONGO:
	case VIEW_OPS:
		return (struct lack){"MongoDB", "no MongoDB is watched",
			"hotset mongodb://127.0.0.1:27017   or: hotset lab, which starts an "
			"embedded node"};
	case VIEW_REDIS:
		return (struct lack){
			"Redis", "no Redis is watched", "hotset redis://127.0.0.1:6379"};
	case VIEW_MEMCACHED:
		return (struct lack){"memcached", "no memcached is watched",
			"hotset memcached://127.0.0.1:11211"};
	case VIEW_HOST:
		return (struct lack){"host", "no host is watched",
			"hotset proc:   or a node_exporter: hotset http://host:9100/metrics"};
	default:
		return (struct lack){"hotset", "nothing is watched",
			"hotset mongodb://host redis://host memcached://host proc:   (hotset "
			"--help lists all)"};
	}
}

static struct extent measure(const struct panel_ctx *x, int w)
{
	(void)x;
	(void)w;
	return (struct extent){3, 6, 6};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct lack l = lack_of(x->s->view);
	struct pane p;

	pane_open(&p, x, c, r, l.title, NULL);
	pane_text(&p, ROLE_DEFAULT, l.what);
	pane_text(&p, ROLE_DIM, "add one on the command line:");
	pane_wrap(&p, ROLE_KEY, l.how, 3);
	pane_close(&p);
}

const struct panel_ops panel_lack = {.name = "lack", .measure = measure, .draw = draw};
