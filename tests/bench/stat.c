/* SPDX-License-Identifier: MIT */
/* stat: medians and quartiles of what was measured. */
#include "stat.h"

#include "base/compiler.h"

void series_add(struct series *s, double v)
{
	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		double *bigger = realloc(s->v, room * sizeof(*bigger));

		if (!bigger)
			abort();
		s->v = bigger;
		s->room = room;
	}
	s->v[s->nr++] = v;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Between two values in proportion, as most statistics programs do it. */
static double quantile(const struct series *s, double q)
{
	double at = q * (double)(s->nr - 1);
	size_t i = (size_t)at;

	if (i + 1 >= s->nr)
		return s->v[s->nr - 1];
	return s->v[i] + (at - (double)i) * (s->v[i + 1] - s->v[i]);
}

struct spread series_spread(struct series *s)
{
	struct spread r = { 0 };

	if (!s->nr)
		return r;
	qsort(s->v, s->nr, sizeof(*s->v), by_value);
	r.q1 = quantile(s, 0.25);
	r.median = quantile(s, 0.5);
	r.q3 = quantile(s, 0.75);
	return r;
}

double series_max(const struct series *s)
{
	double max = 0;

	for (size_t i = 0; i < s->nr; i++)
		if (s->v[i] > max)
			max = s->v[i];
	return max;
}

void series_fini(struct series *s)
{
	free(s->v);
	*s = (struct series){ 0 };
}
