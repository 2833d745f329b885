/* SPDX-License-Identifier: MIT */
/* cause: why a thread was not on a CPU, as far as it can be told. */
#include "stack/cause.h"

#include <string.h>

#include "event/syscalls.h"

/* futex, futex_time64 of i386, futex_wait... of Linux 6.7 */
bool cause_is_futex(uint8_t abi, uint32_t nr)
{
	const struct syscall_def *def = syscall_find(abi, nr);

	return def && !strncmp(def->name, "futex", 5);
}

bool cause_is_gil(const struct process *p, uint8_t abi, uint32_t nr,
		  uint64_t addr)
{
	if (!p || !p->nr_gil || !cause_is_futex(abi, nr))
		return false;
	for (uint32_t i = 0; i < p->nr_gil; i++)
		if (addr >= p->gil[i].from && addr < p->gil[i].to)
			return true;
	return false;
}

enum cause cause_of(const struct process *p, const struct pt_offcpu *off)
{
	switch ((enum pt_off_reason)off->reason) {
	case PT_OFF_UNKNOWN:
		break;
	case PT_OFF_PREEMPTED:
		return CAUSE_PREEMPTED;
	case PT_OFF_SYSCALL:
		if (cause_is_gil(p, off->abi, off->nr, off->args[0]))
			return CAUSE_GIL;
		return cause_is_futex(off->abi, off->nr) ? CAUSE_FUTEX :
							   CAUSE_SYSCALL;
	case PT_OFF_FAULT:
		return CAUSE_FAULT;
	case PT_OFF_STOPPED:
		return CAUSE_STOPPED;
	}
	return CAUSE_UNKNOWN;
}
