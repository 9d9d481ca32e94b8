/*
 * Tables that are not part of every poll: an endpoint keeps the rows of the last poll that asked
 * for them, with copies of their texts, since the sample that held them is gone by then.
 */
#include "hotset/model.h"

static size_t text_bytes(const struct frame_rows *rows, unsigned ncols)
{
	size_t bytes = 1;

	for (size_t i = 0; i < (size_t)rows->n * ncols; i++)
		if (rows->cells[i].text)
			bytes += strlen(rows->cells[i].text) + 1;
	return bytes;
}

static void copy_cells(struct kept_rows *k, const struct frame_rows *rows, unsigned ncols)
{
	char *at = k->texts;

	for (size_t i = 0; i < (size_t)rows->n * ncols; i++) {
		k->cells[i] = rows->cells[i];
		if (!rows->cells[i].text)
			continue;

		size_t len = strlen(rows->cells[i].text) + 1;

		memcpy(at, rows->cells[i].text, len);
		k->cells[i].text = at;
		at += len;
	}
}

static void forget(struct kept_rows *k)
{
	free(k->cells);
	free(k->texts);
	*k = (struct kept_rows){0};
}

static void keep_table(
	struct kept_rows *k, const struct frame_rows *rows, unsigned ncols, int64_t mono_ns)
{
	forget(k);
	if (rows->n) {
		k->cells = malloc((size_t)rows->n * ncols * sizeof(*k->cells));
		k->texts = malloc(text_bytes(rows, ncols));
		if (!k->cells || !k->texts) {
			forget(k);
			return;
		}
		copy_cells(k, rows, ncols);
	}
	k->n = rows->n;
	k->asked = true;
	k->mono_ns = mono_ns;
}

void kept_step(struct endpoint *ep)
{
	for (unsigned t = 0; t < TABLE_COUNT; t++)
		if (ep->frame.tables[t].asked)
			keep_table(&ep->kept[t], &ep->frame.tables[t], table_table[t].ncols,
				ep->seen_mono_ns);
}

void kept_finish(struct endpoint *ep)
{
	for (unsigned t = 0; t < TABLE_COUNT; t++)
		forget(&ep->kept[t]);
}

const struct cell_value *kept_row(const struct endpoint *ep, enum table_id t, unsigned row)
{
	return row < ep->kept[t].n ? &ep->kept[t].cells[(size_t)row * table_table[t].ncols] : NULL;
}
