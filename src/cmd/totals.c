/* SPDX-License-Identifier: MIT */
/* totals: the account at the end of a run: nothing is lost in silence. */
#include "cmd/totals.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t unknown_stacks(const struct engine_totals *t)
{
	uint64_t unknown = 0;

	for (size_t i = 1; i < ARRAY_LEN(t->unknown); i++)
		unknown += t->unknown[i];
	return unknown;
}

/* Events of processes that are no Python are left out, not lost. */
static uint64_t really_lost(const struct engine_totals *t)
{
	return t->lost_all - t->lost[PT_LOSS_NOT_PYTHON];
}

bool totals_incomplete(const struct engine_totals *t)
{
	return unknown_stacks(t) || really_lost(t);
}

void totals_print(const struct engine_totals *t, uint64_t cost_ns, bool quiet)
{
	if (quiet && !totals_incomplete(t))
		return;
	fprintf(stderr, "pytrace: %" PRIu64 " calls, lost %" PRIu64
		", stacks unknown %" PRIu64, t->events, really_lost(t),
		unknown_stacks(t));
	for (uint32_t i = 1; i < ARRAY_LEN(t->lost); i++)
		if (t->lost[i])
			fprintf(stderr, "; %" PRIu64 " %s: %s", t->lost[i],
				i == PT_LOSS_NOT_PYTHON ? "left out" : "lost",
				engine_loss_words(i));
	for (uint32_t i = 1; i < ARRAY_LEN(t->unknown); i++)
		if (t->unknown[i])
			fprintf(stderr, "; %" PRIu64 " unknown: %s",
				t->unknown[i], engine_why_words(i));
	if (cost_ns)
		fprintf(stderr, "; kernel half ~%.1f ms", (double)cost_ns / 1e6);
	fputc('\n', stderr);
}
