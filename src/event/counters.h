/* SPDX-License-Identifier: MIT */
/*
 * counters: events that the kernel or the processor counts, by the names that
 * perf has for them.
 */
#ifndef PT_COUNTERS_H
#define PT_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/err.h"

struct counter {
	const char *name;
	uint32_t type;		/* PERF_TYPE_HARDWARE or _SOFTWARE */
	uint64_t config;	/* PERF_COUNT_... */
	const char *instead;	/* what to ask for where there is no such one */
};

/*
 * By a word of -e: "cycles", "cycles:99", "cache-misses/10000"; NULL: none.  Of
 * several names for one event ("cs", "context-switches") the usual one is meant.
 */
const struct counter *counter_named(const char *word);

/* cpu-clock, task-clock: each event of it is a nanosecond. */
bool counter_is_clock(const struct counter *c);

/*
 * What the word says of its rate: samples a second, or one sample every so many
 * events.  Without: 49 a second of what the processor counts and of clocks, and
 * every event of what the kernel does.  ERR_USAGE for what is no rate.
 */
int counter_rate(const struct counter *c, const char *word, uint64_t *rate,
		 bool *is_period, struct err *err) PT_MUST_CHECK;

/* What perf calls it; "a counter" if it has no name here. */
const char *counter_of(uint32_t type, uint64_t config);

#endif /* PT_COUNTERS_H */
