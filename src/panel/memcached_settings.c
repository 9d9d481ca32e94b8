/* The settings that decide what the cache does. Where there is little room the classes need it. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct column columns[] = {
	{"setting", COL_MEMCACHED_SETTING_NAME, 22, true, 0, false},
	{"value", COL_MEMCACHED_SETTING_VALUE, 12, true, 0, true},
};

static const struct table_view settings = {
	.table = TABLE_MEMCACHED_SETTING,
	.cols = columns,
	.n = sizeof(columns) / sizeof(columns[0]),
	.sort = -1,
	.cursor = -1,
	.empty = "the server told none",
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_MEMCACHED_SETTING);

	(void)w;
	if (rows == 0)
		return (struct extent){0};
	return (struct extent){rows < 6 ? rows + 3 : 9, rows < 6 ? rows + 3 : 9, rows + 3};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "settings", NULL);
	pane_table(&p, &settings);
	pane_close(&p);
}

const struct panel_ops panel_memcached_settings = {
	.name = "settings", .measure = measure, .draw = draw};
