/* SPDX-License-Identifier: MIT */
/* cause: why a thread was not on a CPU, as far as it can be told. */
#ifndef PT_CAUSE_H
#define PT_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "stack/engine.h"

enum cause {
	CAUSE_UNKNOWN,
	CAUSE_PREEMPTED,
	CAUSE_GIL,		/* a futex of the process's GIL */
	CAUSE_FUTEX,		/* any other: a lock, a queue, an event */
	CAUSE_SYSCALL,		/* any other system call */
	CAUSE_FAULT,
	CAUSE_STOPPED,
};

/* What made it wait; `p`, its process, may be NULL (not known). */
enum cause cause_of(const struct process *p, const struct pt_offcpu *off);

/* Is this one of the calls that wait at, or wake, a futex? */
bool cause_is_futex(uint8_t abi, uint32_t nr);
/*
 * Is it that, and the futex at `addr`, its first argument, the GIL of `p`?
 * Good for a PT_SYSCALL as well.
 */
bool cause_is_gil(const struct process *p, uint8_t abi, uint32_t nr,
		  uint64_t addr);

#endif /* PT_CAUSE_H */
