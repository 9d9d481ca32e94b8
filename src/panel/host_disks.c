/* Reads and writes by device. */
#include "hotset/widgets.h"

#include "panels.h"

static const struct column columns[] = {
	{"device", COL_HOST_DISK_DEVICE, 12, true, 0, true},
	{"read", COL_HOST_DISK_READ, 10, false, 0, false},
	{"written", COL_HOST_DISK_WRITE, 10, false, 0, false},
};

static const struct table_view view = {
	.table = TABLE_HOST_DISK,
	.cols = columns,
	.n = 3,
	.sort = COL_HOST_DISK_READ,
	.cursor = -1,
	.empty = "no whole disk is visible here",
};

static struct extent measure(const struct panel_ctx *x, int w)
{
	int rows = (int)table_rows(x->ep, TABLE_HOST_DISK);

	(void)w;
	rows = rows < 1 ? 1 : rows > 100 ? 100 : rows;
	return (struct extent){4, rows < 5 ? 3 + rows : 8, rows + 3};
}

static void draw(const struct panel_ctx *x, struct canvas *c, struct rect r)
{
	struct pane p;

	pane_open(&p, x, c, r, "devices", NULL);
	pane_table(&p, &view);
	pane_close(&p);
}

const struct panel_ops panel_host_disks = {.name = "devices", .measure = measure, .draw = draw};
