/* SPDX-License-Identifier: MIT */
/* cost: a traced system call against the floor, and at several depths. */
#include "modes.h"

/* The limits of the ratio, by how the frames of a version lie in memory. */
static double limit(uint32_t hexversion)
{
	return hexversion >= 0x030b0000 ? 1.7 : 3.5;
}

static void print_spread(const struct spread *s)
{
	printf(" %7.0f (%5.0f-%5.0f)", s->median, s->q1, s->q3);
}

int bench_cost(const struct bench *b, struct err *err)
{
	struct modes m;
	char version[16];
	double ratio;
	int rc;

	if (!b->argv[0]) {
		printf("%-6s %21s %21s %21s %21s  %5s %6s\n", "python",
		       "call, all off", "+ floor", "+ without stack",
		       "+ with stack", "ratio", "limit");
		return 0;
	}
	rc = modes_measure(b, &m, err);
	if (rc)
		return rc;
	ratio = m.cost[MODE_STACKS].median / m.cost[MODE_FLOOR].median;
	printf("%-6s", version_text(m.hexversion, version));
	for (int i = 0; i < NR_MODES; i++)
		print_spread(&m.cost[i]);
	printf("  %5.2f %6.1f %s\n", ratio, limit(m.hexversion),
	       verdict(ratio <= limit(m.hexversion)));
	return 0;
}

int bench_depth(const struct bench *b, struct err *err)
{
	static const int depths[] = { 1, 5, 20, 100, 512 };
	char version[16];

	if (!b->argv[0]) {
		printf("%-6s %6s %21s %21s %8s\n", "python", "frames",
		       "+ without stack", "+ with stack", "walk");
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
		struct bench deep = *b;
		struct modes m;
		int rc;

		deep.depth = depths[i];
		deep.rounds = b->rounds / 5 + 1;
		deep.calls = b->calls / (1 + depths[i] / 50);
		rc = modes_measure(&deep, &m, err);
		if (rc)
			return err_wrap(err, rc, "%d frames", depths[i]);
		printf("%-6s %6d", version_text(m.hexversion, version),
		       depths[i]);
		print_spread(&m.cost[MODE_CALLS]);
		print_spread(&m.cost[MODE_STACKS]);
		printf(" %8.0f\n", m.cost[MODE_STACKS].median -
				   m.cost[MODE_CALLS].median);
	}
	return 0;
}
