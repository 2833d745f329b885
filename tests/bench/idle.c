/* SPDX-License-Identifier: MIT */
/*
 * idle: what it costs to be traced without making system calls, and to make
 * them beside one who is traced.
 */
#include "bench.h"
#include "subject.h"

#define ATTACHES	10
#define SPIN_BLOCKS	40
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

/* Attached to before, attached, and after: the ratio. */
static int spin_ratio(struct work *w, double *out, struct err *err)
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
	*out = 2 * with / (before + after);
	return rc;
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

static void print(struct work *w, struct series *ratio, struct series *off,
		  struct series *added)
{
	struct spread r = series_spread(ratio), o = series_spread(off);
	struct spread a = series_spread(added);
	char version[16];

	printf("%-6s %6.3f (%5.3f-%5.3f) %12.0f %8.0f (%4.0f-%4.0f)\n",
	       version_text(w->hexversion, version), r.median, r.q1, r.q3,
	       o.median, a.median, a.q1, a.q3);
}

int bench_idle(const struct bench *b, struct err *err)
{
	struct series ratio = { 0 }, off = { 0 }, added = { 0 };
	struct work w, neighbour = { 0 };
	double r;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %20s %12s %20s\n", "python", "attached, no calls",
		       "other's call", "+ while we trace");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = work_start(&neighbour, b->argv, err);
	for (int i = 0; !rc && i < ATTACHES; i++) {
		rc = spin_ratio(&w, &r, err);
		if (!rc)
			series_add(&ratio, r);
	}
	if (!rc)
		rc = beside(b, &w, &neighbour, &off, &added, err);
	if (!rc)
		print(&w, &ratio, &off, &added);
	work_stop(&neighbour);
	work_stop(&w);
	series_fini(&ratio);
	series_fini(&off);
	series_fini(&added);
	return rc;
}
