/* SPDX-License-Identifier: MIT */
/* faults: a traced page fault against one that is not, by turns. */
#include <errno.h>

#include "bench.h"
#include "pytrace_abi.h"
#include "subject.h"

#define PAGES	256		/* of a block: what the kernel has at hand */
#define WARM_UP	5		/* rounds that do not count */

/* The limits of the ratio, by how the frames of a version lie in memory. */
static double limit(uint32_t hexversion)
{
	return hexversion >= 0x030b0000 ? 1.3 : 1.5;
}

/* ns of the thread's own time for each fault. */
static int touch(struct work *w, int depth, double *ns, struct err *err)
{
	uint64_t out[2];
	int rc = work_tell(w, err, "touch %d %d", depth, PAGES);

	if (!rc)
		rc = work_hear(w, out, err);
	if (rc)
		return rc;
	*ns = (double)out[0] / PAGES;
	return 0;
}

static int measure(const struct bench *b, struct work *w, struct subject *s,
		   struct series by_mode[2], struct err *err)
{
	int rc = 0;

	for (int i = 0; !rc && i < 2 * (b->rounds + WARM_UP); i++) {
		int traced = (i + i / 2) & 1;	/* who goes first changes */
		double ns;

		subject_mode(s, traced ? MODE_STACKS : MODE_OFF);
		rc = touch(w, b->depth, &ns, err);
		if (!rc && i >= 2 * WARM_UP)
			series_add(&by_mode[traced], ns);
	}
	subject_mode(s, MODE_OFF);
	return rc;
}

/* All that was to be recorded has been. */
static int check(const struct bench *b, struct subject *s, struct err *err)
{
	uint64_t least = (uint64_t)PAGES * (uint64_t)b->rounds;
	struct subject_counts c;
	int rc = subject_count(s, &c, err);

	if (!rc && (c.lost || c.with_stack < least))
		rc = err_set(err, -EIO, "of %llu faults %llu were recorded with "
			     "their stack, %llu were lost",
			     (unsigned long long)least,
			     (unsigned long long)c.with_stack,
			     (unsigned long long)c.lost);
	return rc;
}

static void print_row(uint32_t hexversion, const struct spread *off,
		      const struct spread *on)
{
	double ratio = on->median / off->median;
	char version[16];

	printf("%-6s %7.0f (%5.0f-%5.0f) %7.0f (%5.0f-%5.0f)  %5.2f %6.1f %s\n",
	       version_text(hexversion, version), off->median, off->q1, off->q3,
	       on->median, on->q1, on->q3, ratio, limit(hexversion),
	       verdict(ratio <= limit(hexversion)));
}

int bench_faults(const struct bench *b, struct err *err)
{
	struct series by_mode[2] = { 0 };
	struct subject *s = NULL;
	struct spread off, on;
	struct work w;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %21s %21s  %5s %6s\n", "python", "fault, all off",
		       "traced", "ratio", "limit");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = work_pin(&w, 0, err);
	if (!rc)
		rc = subject_open_for(&s, 1u << PT_FAULT, err);
	if (!rc)
		rc = subject_add(s, w.pid, err);
	if (!rc)
		rc = subject_start(s, err);
	if (!rc)
		rc = measure(b, &w, s, by_mode, err);
	if (!rc)
		rc = check(b, s, err);
	off = series_spread(&by_mode[0]);
	on = series_spread(&by_mode[1]);
	if (!rc)
		print_row(w.hexversion, &off, &on);
	series_fini(&by_mode[0]);
	series_fini(&by_mode[1]);
	subject_close(s);
	work_stop(&w);
	return rc;
}
