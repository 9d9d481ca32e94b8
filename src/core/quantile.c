#include "quantile.h"

#include <stdlib.h>

static int compare(const void *pa, const void *pb)
{
	const struct bucket *a = pa, *b = pb;

	return a->from < b->from ? -1 : a->from > b->from;
}

void quantile_sort(struct bucket *b, unsigned n)
{
	qsort(b, n, sizeof(*b), compare);
}

double quantile(const struct bucket *b, unsigned n, double total, double q)
{
	double want = q * total, seen = 0;

	for (unsigned i = 0; i < n; i++) {
		if (b[i].count > 0 && seen + b[i].count >= want)
			return b[i].from + (want - seen) / b[i].count * (b[i].to - b[i].from);
		seen += b[i].count;
	}
	return b[n - 1].to; /* rounding left a rest */
}
