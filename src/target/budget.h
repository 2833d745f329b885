/* SPDX-License-Identifier: MIT */
/*
 * budget: has tracing cost more than it may?
 *
 * Pure: told running totals a few times a second, it says when to trace less.
 * What tracing costs the traced processes is held against their CPU time without
 * that, over half a second at least; what the tracer itself uses against half
 * a CPU.
 * Less than a fiftieth of a CPU is nothing to save on, whatever it is a share of,
 * and a cost that was timed a few times only is no measurement.
 */
#ifndef PT_BUDGET_H
#define PT_BUDGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <pytrace_abi.h>

struct budget_look {		/* totals so far, in ns */
	uint64_t now;		/* CLOCK_MONOTONIC */
	uint64_t cost;		/* run time of the kernel half */
	uint64_t timed;		/* how many of its runs that is from */
	uint64_t target;	/* CPU time of the traced processes */
	uint64_t own;		/* CPU time of this process */
};

#define BUDGET_OWN_PERCENT 50	/* of a CPU */

struct budget {			/* a zeroed struct has no limit */
	uint32_t percent;	/* of the target's CPU time; 0: no limit */
	uint32_t steps;		/* 1 << each PT_SHED_* that would help */
	uint64_t first_ns;	/* decide as early as that, once; 0: as ever */
	uint16_t step;		/* the last one taken */
	bool begun;
	struct budget_look since;
};

/*
 * True: take the step that *out says, whose numbers are filled in (not its
 * header, nor slower_ns).  PT_SHED_DETACH is the last one there is.
 */
bool budget_exceeded(struct budget *b, const struct budget_look *look,
		     struct pt_shed *out);

/* CPU time of a process so far, all its threads; false: it is gone. */
bool budget_cpu_of(pid_t pid, uint64_t *ns);
/* That of its children that have ended and been waited for, in clock ticks. */
uint64_t budget_children_of(pid_t pid);

#endif /* PT_BUDGET_H */
