/* SPDX-License-Identifier: MIT */
/*
 * calls: a traced Python call against the floor, by turns: an empty program on
 * the same two probes, which is ours while it is switched off.
 */
#include <errno.h>

#include "bench.h"
#include "pytrace_abi.h"
#include "subject.h"

#define CALLS	3946		/* of a block: two of fib(15) */
#define WARM_UP	5		/* rounds that do not count */
#define LIMIT	1.3

static int measure(const struct bench *b, struct work *w, struct subject *s,
		   struct series by_mode[2], struct err *err)
{
	int rc = 0;

	for (int i = 0; !rc && i < 2 * (b->rounds + WARM_UP); i++) {
		int traced = (i + i / 2) & 1;	/* who goes first changes */
		struct block block;

		subject_mode(s, traced ? MODE_CALLS : MODE_OFF);
		rc = work_block(w, "functions", b->depth, CALLS, &block, err);
		if (!rc && i >= 2 * WARM_UP)
			series_add(&by_mode[traced], block.cpu);
	}
	subject_mode(s, MODE_OFF);
	return rc;
}

/* All that was to be recorded has been: each call and its return. */
static int check(const struct bench *b, struct subject *s, struct err *err)
{
	uint64_t least = 2 * (uint64_t)CALLS * (uint64_t)b->rounds;
	struct subject_counts c;
	int rc = subject_count(s, &c, err);

	if (!rc && (c.lost || c.calls < least))
		rc = err_set(err, -EIO, "of %llu calls and returns %llu were "
			     "recorded, %llu lost", (unsigned long long)least,
			     (unsigned long long)c.calls,
			     (unsigned long long)c.lost);
	return rc;
}

static void print_row(uint32_t hexversion, const struct spread *none,
		      const struct spread *off, const struct spread *on)
{
	double ratio = on->median / off->median;
	char version[16];

	printf("%-6s %7.0f %7.0f (%5.0f-%5.0f) %7.0f (%5.0f-%5.0f)  %5.2f %6.2f "
	       "%s\n", version_text(hexversion, version), none->median,
	       off->median, off->q1, off->q3, on->median, on->q1, on->q3, ratio,
	       LIMIT, verdict(ratio <= LIMIT));
}

/* Before any probe is there. */
static int untraced(const struct bench *b, struct work *w, struct series *out,
		    struct err *err)
{
	struct block block;
	int rc = 0;

	for (int i = 0; !rc && i < b->rounds + WARM_UP; i++) {
		rc = work_block(w, "functions", b->depth, CALLS, &block, err);
		if (!rc && i >= WARM_UP)
			series_add(out, block.cpu);
	}
	return rc;
}

int bench_calls(const struct bench *b, struct err *err)
{
	struct series none = { 0 }, by_mode[2] = { 0 };
	struct spread without, off, on;
	struct subject *s = NULL;
	struct work w;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %7s %21s %21s  %5s %6s\n", "python", "no probes",
		       "floor", "traced", "ratio", "limit");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = work_pin(&w, 0, err);
	if (!rc)
		rc = untraced(b, &w, &none, err);
	if (!rc)
		rc = subject_open_for(&s, 1u << PT_CALL, err);
	if (!rc)
		rc = subject_add(s, w.pid, err);
	if (!rc)
		rc = subject_start(s, err);
	if (!rc)
		rc = measure(b, &w, s, by_mode, err);
	if (!rc)
		rc = check(b, s, err);
	without = series_spread(&none);
	off = series_spread(&by_mode[0]);
	on = series_spread(&by_mode[1]);
	if (!rc)
		print_row(w.hexversion, &without, &off, &on);
	series_fini(&none);
	series_fini(&by_mode[0]);
	series_fini(&by_mode[1]);
	subject_close(s);
	work_stop(&w);
	return rc;
}
