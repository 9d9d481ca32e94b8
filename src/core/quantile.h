/* Quantiles of a histogram whose buckets are known and whose values within a bucket are not. */
#ifndef HOTSET_QUANTILE_H
#define HOTSET_QUANTILE_H

struct bucket {
	double from, to; /* the values of the bucket */
	double count;    /* or any weight in proportion to it */
};

void quantile_sort(struct bucket *b, unsigned n);
/*
 * The value below which a share q (0 to 1) of the total lies, interpolated within its bucket. The
 * buckets are sorted, and total is the sum of their counts, above 0.
 */
double quantile(const struct bucket *b, unsigned n, double total, double q);

#endif
