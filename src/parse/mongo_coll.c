/* Collections: which of them to ask for statistics, and what these say of each table. */
#include "hotset/parse.h"

#include "bdoc.h"
#include "hotset/text.h"

#define INDEXES_MAX 64u /* the server allows no more for a collection */

/*
 * Views answer collStats with an error each time, so only what holds data is asked for. The
 * server's own collections are left out; a time series is one through its own name, its
 * system.buckets collection would count twice.
 */
bool parse_mongo_has_stats(const char *name, const char *type)
{
	if (strncmp(name, "system.", 7) == 0)
		return false;
	return !*type || strcmp(type, "collection") == 0 || strcmp(type, "timeseries") == 0;
}

/* The statistics of one table, which are those of a collection's records or of one index. */
static const struct source_of_cell {
	const char *path;
	unsigned col;
	bool add; /* to what the column has */
} stats[] = {
	{"cache.bytes currently in the cache", COL_MONGO_COLL_BYTES_IN_CACHE, false},
	{"cache.pages read into cache", COL_MONGO_COLL_PAGES_READ, false},
	{"cache.pages requested from the cache", COL_MONGO_COLL_REQUESTED, false},
	{"cache.unmodified pages evicted", COL_MONGO_COLL_EVICTED, false},
	{"cache.modified pages evicted", COL_MONGO_COLL_EVICTED, true},
	{"cursor.next calls", COL_MONGO_COLL_NEXT, false},
	{"cursor.search calls", COL_MONGO_COLL_SEARCH, false},
	{"cursor.search near calls", COL_MONGO_COLL_SEARCH, true},
};

static void take_count(const bson_t *doc, const char *name, struct raw *cell)
{
	bson_iter_t it;
	uint64_t n;

	if (!bson_iter_init_find(&it, doc, name))
		return;
	if (bdoc_count(&it, &n))
		raw_set_u64(cell, n);
	else
		cell->why = REASON_IMPLAUSIBLE;
}

/* `sizes` holds the table's size under the name size_key. */
static void take_table(const bson_t *table, const char *ns, const char *index, const bson_t *sizes,
	const char *size_key, struct sample *out)
{
	struct raw *row = sample_add_row(out, TABLE_MONGO_COLL);
	char name[256];

	if (!row)
		return;
	text_sanitize(name, sizeof(name), ns, strlen(ns));
	raw_set_text(out, &row[COL_MONGO_COLL_NS], name, strlen(name));
	text_sanitize(name, sizeof(name), index, strlen(index));
	raw_set_text(out, &row[COL_MONGO_COLL_INDEX], name, strlen(name));
	take_count(sizes, size_key, &row[COL_MONGO_COLL_SIZE]);
	for (size_t i = 0; i < sizeof(stats) / sizeof(stats[0]); i++) {
		struct raw *cell = &row[stats[i].col];
		bson_iter_t it;
		uint64_t n;

		if (!bdoc_find(table, stats[i].path, &it))
			continue;
		if (!bdoc_count(&it, &n))
			*cell = (struct raw){.type = RAW_NONE, .why = REASON_IMPLAUSIBLE};
		else if (!stats[i].add)
			raw_set_u64(cell, n);
		else if (cell->type == RAW_U64)
			raw_set_u64(cell, cell->u + n);
	}
}

static void take_indexes(const bson_t *doc, const char *ns, struct sample *out)
{
	bson_t sizes = BSON_INITIALIZER, table;
	bson_iter_t found, it;

	if (bdoc_find(doc, "indexSizes", &found) && !bdoc_view(&found, &sizes))
		bson_init(&sizes);
	if (!bdoc_find(doc, "indexDetails", &found) || !BSON_ITER_HOLDS_DOCUMENT(&found) ||
		!bson_iter_recurse(&found, &it))
		return;
	for (unsigned n = 0; n < INDEXES_MAX && bson_iter_next(&it); n++)
		if (BSON_ITER_HOLDS_DOCUMENT(&it) && bdoc_view(&it, &table))
			take_table(&table, ns, bson_iter_key(&it), &sizes, bson_iter_key(&it), out);
}

void parse_mongo_coll_stats(const bson_t *doc, const char *ns, struct sample *out)
{
	bson_iter_t it;
	bson_t table;

	out->tables[TABLE_MONGO_COLL].asked = true;
	if (!bdoc_find(doc, "wiredTiger", &it) || !bdoc_view(&it, &table))
		return; /* a view, or a collection that does not exist */
	take_table(&table, ns, "", doc, "size", out);
	take_indexes(doc, ns, out);
}

void parse_mongo_coll_levels(const bson_t *doc, const char *ns, struct sample *out)
{
	struct rows *rows = &out->tables[TABLE_MONGO_COLL];
	unsigned first = rows->n;

	parse_mongo_coll_stats(doc, ns, out);
	for (unsigned i = first; i < rows->n; i++) {
		struct raw *row = &rows->cells[(size_t)i * COL_MONGO_COLL_COUNT];

		for (size_t k = 0; k < sizeof(stats) / sizeof(stats[0]); k++)
			if (stats[k].col != COL_MONGO_COLL_BYTES_IN_CACHE)
				row[stats[k].col] = (struct raw){
					.type = RAW_NONE, .why = REASON_NOT_ASKED};
	}
}
