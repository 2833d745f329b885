/* SPDX-License-Identifier: MIT */
/* stat: medians and quartiles of what was measured. */
#ifndef BENCH_STAT_H
#define BENCH_STAT_H

#include <stddef.h>

struct series {
	double *v;
	size_t nr, room;
};

struct spread {
	double q1, median, q3;
};

void series_add(struct series *s, double v);	/* aborts without memory */
struct spread series_spread(struct series *s);	/* sorts; zeroes if empty */
double series_max(const struct series *s);
void series_fini(struct series *s);

#endif /* BENCH_STAT_H */
