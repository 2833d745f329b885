/* SPDX-License-Identifier: MIT */
/*
 * price: what tracing is expected to cost, before anything was traced.
 *
 * As measured by make bench under 20 frames of CPython 3.11 (docs/BENCHMARKS.md:
 * cost, faults, switches), the last three by the kernel half's own clock on the
 * same machine, and 0.6 us for the breakpoint.  Other machines, versions and depths differ: it is marked ~, and what
 * it did cost is said at the end.
 */
#include "cmd/price.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/compiler.h"
#include "pytrace_abi.h"

enum { NAMED_TRACEPOINT = 32, NAMED_USDT };	/* beyond the types of records */

static const struct row {
	unsigned int bit;
	struct price price;
} rows[] = {
	{ PT_CALL, { "call", "a Python call", 2600 } },
	{ PT_SYSCALL, { "syscall", "a system call", 750 } },
	{ PT_FAULT, { "fault", "a page fault", 1300 } },
	{ PT_OFFCPU, { "offcpu", "a time off the CPU", 4500 } },
	{ PT_SAMPLE, { "sample", "a sample", 1300 } },
	{ NAMED_TRACEPOINT, { "tracepoint", "a tracepoint or counter", 5000 } },
	{ NAMED_USDT, { "usdt", "a USDT probe", 1900 } },
};

static bool is_usdt(const struct eventset_named *e)
{
	return e->kind == PT_NAMED_USDT || e->kind == PT_NAMED_GC ||
	       e->kind == PT_NAMED_IMPORT || e->kind == PT_NAMED_AUDIT ||
	       e->kind == PT_NAMED_LINE;
}

static bool has_named(const struct eventset *events, bool usdt)
{
	for (size_t i = 0; i < events->nr_named; i++)
		if (!events->named[i].out && is_usdt(&events->named[i]) == usdt)
			return true;
	return false;
}

static bool asked_for(const struct eventset *events, unsigned int bit)
{
	if (bit == NAMED_TRACEPOINT || bit == NAMED_USDT)
		return has_named(events, bit == NAMED_USDT);
	return events->types & EVENTS_OF(bit);
}

const struct price *price_next(const struct eventset *events,
			       const struct price *after)
{
	bool on = !after;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (on && asked_for(events, rows[i].bit))
			return &rows[i].price;
		on |= &rows[i].price == after;
	}
	return NULL;
}

const char *price_text(const struct eventset *events, uint64_t call_ns,
		       char *buf, size_t size)
{
	const struct price *p = NULL;
	size_t at = 0;

	buf[0] = '\0';
	while ((p = price_next(events, p))) {
		bool measured = call_ns && p == &rows[0].price;
		uint64_t ns = (measured ? call_ns : p->ns) + 50;
		int n = snprintf(buf + at, size - at, "%s~%" PRIu64 ".%" PRIu64
				 " us %s%s", at ? ", " : "", ns / 1000,
				 ns / 100 % 10, p->one, measured ? " (measured "
				 "here; every call of the process pays)" : "");

		if (n < 0 || (size_t)n >= size - at)
			break;
		at += (size_t)n;
	}
	return buf;
}
