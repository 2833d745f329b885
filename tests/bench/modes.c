/* SPDX-License-Identifier: MIT */
/* modes: blocks of the workload in each mode by turns. */
#include "modes.h"

#include <errno.h>

#define WARM_UP 2		/* rounds that do not count */

static int one_round(const struct bench *b, struct work *w, struct subject *s,
		     int first, double ns[NR_MODES], struct err *err)
{
	for (int i = 0; i < NR_MODES; i++) {
		enum mode mode = (enum mode)((first + i) % NR_MODES);
		struct block block;
		int rc;

		subject_mode(s, mode);
		rc = work_calls(w, b->depth, b->calls, &block, err);
		if (rc)
			return rc;
		ns[mode] = block.cpu;
	}
	subject_mode(s, MODE_OFF);
	return 0;
}

static void add_round(struct series sums[NR_MODES], const double ns[NR_MODES])
{
	series_add(&sums[MODE_OFF], ns[MODE_OFF]);
	for (int m = MODE_OFF + 1; m < NR_MODES; m++)
		series_add(&sums[m], ns[m] - ns[MODE_OFF]);
}

/* All that was to be recorded has been. */
static int check(const struct bench *b, struct subject *s, struct err *err)
{
	uint64_t each = (uint64_t)b->calls * (uint64_t)(b->rounds + WARM_UP);
	struct subject_counts c;
	int rc = subject_count(s, &c, err);

	if (rc)
		return rc;
	if (c.lost || c.calls < 2 * each || c.with_stack < each ||
	    subject_floor_records(s) < each)
		return err_set(err, -EIO,
			       "of %llu calls a mode %llu were recorded in two, "
			       "%llu with their stack, %llu by the floor; "
			       "%llu were lost",
			       (unsigned long long)each,
			       (unsigned long long)c.calls,
			       (unsigned long long)c.with_stack,
			       (unsigned long long)subject_floor_records(s),
			       (unsigned long long)c.lost);
	return 0;
}

static int measure(const struct bench *b, struct work *w, struct subject *s,
		   struct series sums[NR_MODES], struct err *err)
{
	double ns[NR_MODES];
	int rc;

	rc = subject_add(s, w->pid, err);
	if (!rc)
		rc = subject_start(s, err);
	for (int i = 0; !rc && i < b->rounds + WARM_UP; i++) {
		rc = one_round(b, w, s, i, ns, err);
		if (!rc && i >= WARM_UP)
			add_round(sums, ns);
	}
	return rc ? rc : check(b, s, err);
}

int modes_measure(const struct bench *b, struct modes *out, struct err *err)
{
	struct series sums[NR_MODES] = { 0 };
	struct subject *s = NULL;
	struct work w;
	int rc;

	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = work_pin(&w, 0, err);
	if (!rc)
		rc = subject_open(&s, true, err);
	if (!rc)
		rc = measure(b, &w, s, sums, err);
	out->hexversion = w.hexversion;
	for (int m = 0; m < NR_MODES; m++) {
		out->cost[m] = series_spread(&sums[m]);
		series_fini(&sums[m]);
	}
	subject_close(s);
	work_stop(&w);
	return rc;
}
