/* SPDX-License-Identifier: MIT */
/* totals: the account at the end of a run: nothing is lost in silence. */
#include "cmd/totals.h"

#include <stdio.h>

#include "base/num.h"
#include "event/eventset.h"

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
	return unknown_stacks(t) || really_lost(t) || t->shed;
}

static void put_count(const char *before, uint64_t n, const char *after)
{
	char text[32];

	fprintf(stderr, "%s%s%s", before,
		num_grouped_text(n, text, sizeof(text)), after);
}

static const char *const kinds[] = {
	[PT_SYSCALL] = " system calls",
	[PT_FAULT] = " faults",
	[PT_OFFCPU] = " times off the CPU",
	[PT_SAMPLE] = " samples",
	[PT_TRACEPOINT] = " tracepoints",
};

/* "41,230 events: 40,000 system calls, 1,230 faults"; or of one kind "9 calls". */
static void put_events(const struct engine_totals *t, uint32_t types)
{
	const char *between = ": ";

	for (uint16_t i = 0; i < ARRAY_LEN(t->of_type); i++)
		if (t->of_type[i])
			types |= EVENTS_OF(i);
	if (types == EVENTS_SYSCALLS) {
		put_count("", t->events, " calls");
		return;
	}
	put_count("", t->events, " events");
	for (uint16_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (!kinds[i] || !(types & EVENTS_OF(i)))
			continue;
		put_count(between, t->of_type[i], kinds[i]);
		between = ", ";
	}
}

void totals_print(const struct engine_totals *t, uint32_t types,
		  uint64_t cost_ns, bool quiet)
{
	if (quiet && !totals_incomplete(t))
		return;
	fputs("pytrace: ", stderr);
	put_events(t, types);
	put_count(", lost ", really_lost(t), "");
	put_count(", stacks unknown ", unknown_stacks(t), "");
	for (uint32_t i = 1; i < ARRAY_LEN(t->lost); i++) {
		if (!t->lost[i])
			continue;
		put_count("; ", t->lost[i], i == PT_LOSS_NOT_PYTHON ?
			  " left out: " : " lost: ");
		fputs(engine_loss_words(i), stderr);
	}
	for (uint32_t i = 1; i < ARRAY_LEN(t->unknown); i++) {
		if (!t->unknown[i])
			continue;
		put_count("; ", t->unknown[i], " unknown: ");
		fputs(engine_why_words(i), stderr);
	}
	if (cost_ns)
		fprintf(stderr, "; kernel half ~%.1f ms", (double)cost_ns / 1e6);
	fputc('\n', stderr);
}

static void subtract(uint64_t *out, const uint64_t *now, const uint64_t *then,
		     size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		out[i] = now[i] - then[i];
}

void totals_since(struct engine_totals *out, const struct engine_totals *now,
		  const struct engine_totals *then)
{
	*out = *now;
	out->events -= then->events;
	out->with_stack -= then->with_stack;
	out->no_frames -= then->no_frames;
	out->lost_all -= then->lost_all;
	out->evicted -= then->evicted;
	subtract(out->of_type, now->of_type, then->of_type,
		 ARRAY_LEN(out->of_type));
	subtract(out->unknown, now->unknown, then->unknown,
		 ARRAY_LEN(out->unknown));
	subtract(out->lost, now->lost, then->lost, ARRAY_LEN(out->lost));
}
