/* SPDX-License-Identifier: MIT */
/*
 * calls: a traced Python call, and one that -F leaves out, against the floor, by
 * turns: an empty program on the same two probes, which is ours while it is
 * switched off.
 */
#include <errno.h>

#include "bench.h"
#include "pytrace_abi.h"
#include "subject.h"

#define CALLS	3946		/* of a block: two of fib(15) */
#define WARM_UP	5		/* rounds that do not count */

static int open_all(struct subject **out, struct err *err)
{
	return subject_open_for(out, 1u << PT_CALL, err);
}

static const struct way {
	const char *name;
	int (*open)(struct subject **out, struct err *err);
	double limit;
	bool sends;
} ways[] = {
	{ "traced", open_all, 1.3, true },
	{ "left out by -F", subject_open_refusing, 1.07, false },
};

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

/*
 * All that was to be recorded has been: each call and its return; of what is
 * left out no more than came before it was known.
 */
static int check(const struct bench *b, struct subject *s,
		 const struct way *way, struct err *err)
{
	uint64_t all = 2 * (uint64_t)CALLS * (uint64_t)b->rounds;
	struct subject_counts c;
	int rc = subject_count(s, &c, err);
	bool right = way->sends ? c.calls >= all : c.calls < all / 10;

	if (!rc && (c.lost || !right))
		rc = err_set(err, -EIO, "%s: of %llu calls and returns %llu were "
			     "recorded, %llu lost", way->name,
			     (unsigned long long)all,
			     (unsigned long long)c.calls,
			     (unsigned long long)c.lost);
	return rc;
}

static void print_row(uint32_t hexversion, const struct way *way,
		      const struct spread *none, const struct spread *off,
		      const struct spread *on)
{
	double ratio = on->median / off->median;
	char version[16];

	printf("%-6s %-14s %7.0f %7.0f (%5.0f-%5.0f) %7.0f (%5.0f-%5.0f)  "
	       "%5.3f %6.2f %s\n", version_text(hexversion, version), way->name,
	       none->median, off->median, off->q1, off->q3, on->median, on->q1,
	       on->q3, ratio, way->limit, verdict(ratio <= way->limit));
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

static int one_way(const struct bench *b, struct work *w,
		   const struct way *way, const struct spread *without,
		   struct err *err)
{
	struct series by_mode[2] = { 0 };
	struct subject *s = NULL;
	struct spread off, on;
	int rc = way->open(&s, err);

	if (!rc)
		rc = subject_add(s, w->pid, err);
	if (!rc)
		rc = subject_start(s, err);
	if (!rc)
		rc = measure(b, w, s, by_mode, err);
	if (!rc)
		rc = check(b, s, way, err);
	off = series_spread(&by_mode[0]);
	on = series_spread(&by_mode[1]);
	if (!rc)
		print_row(w->hexversion, way, without, &off, &on);
	series_fini(&by_mode[0]);
	series_fini(&by_mode[1]);
	subject_close(s);
	return rc;
}

int bench_calls(const struct bench *b, struct err *err)
{
	struct series none = { 0 };
	struct spread without;
	struct work w;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %-14s %7s %21s %21s  %5s %6s\n", "python", "call",
		       "no probes", "floor", "this", "ratio", "limit");
		return 0;
	}
	rc = work_start(&w, b->argv, err);
	if (!rc)
		rc = work_pin(&w, 0, err);
	if (!rc)
		rc = untraced(b, &w, &none, err);
	without = series_spread(&none);
	for (size_t i = 0; !rc && i < ARRAY_LEN(ways); i++)
		rc = one_way(b, &w, &ways[i], &without, err);
	series_fini(&none);
	work_stop(&w);
	return rc;
}
