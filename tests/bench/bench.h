/* A measured figure is one line of JSON; tests/bench/run makes the table of them. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdio.h>

/* budget: what product and manual promise as the most, 0 where there is no promise. */
static inline void bench_report(const char *name, double value, const char *unit, double budget)
{
	printf("{\"name\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"", name, value, unit);
	if (budget > 0) {
		printf(",\"budget\":%g,\"within\":%s", budget, value <= budget ? "true" : "false");
	}
	printf("}\n");
	fflush(stdout);
}

#endif
