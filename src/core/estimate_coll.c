/*
 * The working set by tables, a table being a collection's records or one index: the sum of
 * R / (1 - m) over those that are looked up, R being what a table holds of the cache and m the
 * pages read into it per lookup. It beats the totals where the cache holds what is not read any
 * more.
 *
 * The rows come with few polls, and fill breathes by ten points within a second: R is what a table
 * holds of the cache at its poll, times the mean fill over the fill at that poll.
 */
#include "hotset/history.h"

#include <math.h>

#define MAX_MISS  0.95
#define STEPS_MAX 600.0 /* seconds between two polls of the rows that are looked back on */
#define COVERED   0.8 /* of all pages read in: the tables that were sampled must account for it */

struct sum {
	double bytes, pages; /* pages read per second */
	double span_s;
};

static enum reason add_row(const struct cell_value *row, struct sum *sum)
{
	struct value bytes = row[COL_MONGO_COLL_BYTES_IN_CACHE].num;
	struct value pages = row[COL_MONGO_COLL_PAGES_READ].num;
	struct value lookups = row[COL_MONGO_COLL_SEARCH].num;
	struct value steps = row[COL_MONGO_COLL_NEXT].num;
	const char *index = row[COL_MONGO_COLL_INDEX].text;
	bool records = !index || !*index;

	if (!value_ok(bytes) || !value_ok(pages))
		return (enum reason)(value_ok(bytes) ? pages.why : bytes.why);
	if (!value_ok(lookups) || !value_ok(steps))
		return (enum reason)(value_ok(steps) ? lookups.why : steps.why);
	sum->pages += pages.v;
	sum->span_s = fmax(sum->span_s, (double)pages.age_s);
	if (records && steps.v > lookups.v)
		return REASON_SCAN_IN_WINDOW;
	if (lookups.v <= 0)
		return REASON_OK; /* at rest */
	if (pages.v >= MAX_MISS * lookups.v)
		return REASON_MISS_TOO_HIGH;
	sum->bytes += bytes.v / (1 - pages.v / lookups.v);
	return REASON_OK;
}

static enum reason add_rows(const struct frame *f, struct sum *sum)
{
	const struct frame_rows *rows = &f->tables[TABLE_MONGO_COLL];
	enum reason without = REASON_NOT_ASKED; /* why the tables without rates have none */
	bool any = false;

	for (unsigned i = 0; i < rows->n; i++) {
		enum reason why = add_row(frame_row(f, TABLE_MONGO_COLL, i), sum);

		if (why == REASON_NOT_ASKED || why == REASON_FIRST)
			without = why;
		else if (why != REASON_OK)
			return why;
		else
			any = true;
	}
	return any ? REASON_OK : without;
}

static bool is_covered(const struct history *h, const struct frame *f, const struct sum *sum)
{
	double span_s = sum->span_s > 0 ? sum->span_s : f->interval_s, all;
	unsigned steps = (unsigned)fmin(fmax(1, round(span_s)), STEPS_MAX);

	return history_mean(h, METRIC_MONGO_CACHE_PAGES_READ, f->sample->mono_ns, steps, 1, &all) &&
	       sum->pages >= COVERED * all;
}

void estimate_collections(const struct history *h, struct frame *f)
{
	struct value fill = f->v[METRIC_MONGO_CACHE_FILL];
	struct value mean = f->v[METRIC_MONGO_CACHE_FILL_MEAN], ratio;
	struct sum sum = {0};
	enum reason why = add_rows(f, &sum);

	if (why == REASON_OK && !is_covered(h, f, &sum))
		why = REASON_NOT_COVERED;
	ratio = why == REASON_OK ? value_ratio(value_of(sum.bytes * mean.v / fill.v),
					   f->v[METRIC_MONGO_CACHE_MAX], 1, REASON_IMPLAUSIBLE)
				 : value_none(why);
	ratio.age_s = (float)sum.span_s;
	f->v[METRIC_MONGO_WS_BY_COLLECTION] = ratio;
}
