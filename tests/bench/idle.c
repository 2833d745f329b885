/* SPDX-License-Identifier: MIT */
/*
 * idle: what it costs to be traced without making system calls, and to make
 * them beside one who is traced.
 */
#include <math.h>

#include "bench.h"
#include "subject.h"

#define ATTACHES	12
#define SPIN_BLOCKS	60
#define SPIN		20000

/* Median of blocks of pure Python. */
static int spin(struct work *w, double *out, struct err *err)
{
	struct series s = { 0 };
	uint64_t ns[2];
	int rc = 0;

	for (int i = 0; !rc && i < SPIN_BLOCKS; i++) {
		rc = work_tell(w, err, "spin %d", SPIN);
		if (!rc)
			rc = work_hear(w, ns, err);
		if (!rc)
			series_add(&s, (double)ns[1]);
	}
	*out = series_spread(&s).median;
	series_fini(&s);
	return rc;
}

static int attach(struct subject **s, pid_t pid, struct err *err)
{
	int rc = subject_open(s, false, err);

	if (!rc)
		rc = subject_add(*s, pid, err);
	if (!rc)
		rc = subject_start(*s, err);
	return rc;
}

struct ratios {
	struct series with;	/* attached to, by before and after */
	struct series without;	/* after by before: how still it is here */
};

static int spin_ratio(struct work *w, struct ratios *out, struct err *err)
{
	double before, with = 0, after;
	struct subject *s = NULL;
	int rc;

	rc = spin(w, &before, err);
	if (!rc)
		rc = attach(&s, w->pid, err);
	if (!rc)
		rc = spin(w, &with, err);
	subject_close(s);
	if (!rc)
		rc = spin(w, &after, err);
	if (rc)
		return rc;
	series_add(&out->with, 2 * with / (before + after));
	series_add(&out->without, after / before);
	return 0;
}

/* The neighbour's calls while w is traced and while nothing is attached. */
static int beside(const struct bench *b, struct work *w, struct work *neighbour,
		  struct series *off, struct series *added, struct err *err)
{
	struct subject *s = NULL;
	struct block block;
	double base = 0;
	int rc = attach(&s, w->pid, err);

	for (int i = 0; !rc && i < 2 * b->rounds; i++) {
		subject_mode(s, i & 1 ? MODE_STACKS : MODE_OFF);
		rc = work_calls(neighbour, b->depth, b->calls, &block, err);
		if (rc)
			break;
		if (i & 1)
			series_add(added, block.cpu - base);
		else
			series_add(off, base = block.cpu);
	}
	subject_close(s);
	return rc;
}

/* As far from 1 as the same without us, or nearer than a hundredth. */
static bool is_one(const struct spread *with, const struct spread *without)
{
	double noise = (without->q3 - without->q1) / 2;

	return fabs(with->median - 1) <= (noise > 0.01 ? noise : 0.01);
}

static void print(struct work *w, struct ratios *r, struct series *off,
		  struct series *added)
{
	struct spread with = series_spread(&r->with);
	struct spread without = series_spread(&r->without);
	struct spread o = series_spread(off), a = series_spread(added);
	char version[16];

	printf("%-6s %5.3f (%5.3f-%5.3f) %5.3f (%5.3f-%5.3f) %12.0f "
	       "%8.0f (%4.0f-%4.0f)  1.00: %s\n",
	       version_text(w->hexversion, version), with.median, with.q1,
	       with.q3, without.median, without.q1, without.q3, o.median,
	       a.median, a.q1, a.q3, verdict(is_one(&with, &without)));
}

int bench_idle(const struct bench *b, struct err *err)
{
	struct ratios ratios = { 0 };
	struct series off = { 0 }, added = { 0 };
	struct work w, neighbour = { 0 };
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %19s %19s %12s %20s\n", "python",
		       "attached, no calls", "not attached",
		       "other's call", "+ while we trace");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = work_start(&neighbour, b->argv, err);
	for (int i = 0; !rc && i < ATTACHES; i++)
		rc = spin_ratio(&w, &ratios, err);
	if (!rc)
		rc = beside(b, &w, &neighbour, &off, &added, err);
	if (!rc)
		print(&w, &ratios, &off, &added);
	work_stop(&neighbour);
	work_stop(&w);
	series_fini(&ratios.with);
	series_fini(&ratios.without);
	series_fini(&off);
	series_fini(&added);
	return rc;
}
