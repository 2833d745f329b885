/* SPDX-License-Identifier: MIT */
/*
 * remote: the memory of a process, as a struct mem.
 *
 * Read by process_vm_readv(): a read of /proc/PID/mem faults without
 * FAULT_FLAG_KILLABLE (mm/memory.c: __access_remote_vm, locked is NULL), so that
 * one behind a FUSE server that hangs would keep us from ending, too.  But that
 * takes a number, which after an exec means another program.  So /proc/PID/mem
 * is opened once, which the kernel ties to the address space (fs/proc/base.c:
 * mem_open), and asked after each read whether that still lives.  (A vfork
 * child that execs is not noticed: its parent keeps the old one alive.)
 *
 * No read waits longer than REMOTE_MS (bounded.h says what for).
 */
#ifndef PT_REMOTE_H
#define PT_REMOTE_H

#include "base/err.h"
#include "base/mem.h"
#include "target/bounded.h"
#include "target/proc.h"

#define REMOTE_MS	500

struct remote {
	struct mem mem;		/* first: hand out &remote.mem */
	pid_t pid;
	int fd;			/* /proc/PID/mem */
	struct bounded *bounded;
};

/*
 * -EACCES, -EPERM (ERR_NOT_PERMITTED): ptrace access is refused; -ESRCH: gone,
 * or without memory.  Does not need `p` afterwards.  Must not move while open.
 *
 * Reads: -EFAULT not mapped or not readable; -ESRCH the address space is gone
 * (exit or exec); -ETIMEDOUT; -E2BIG more than 64 MiB at once.
 */
int remote_open(struct remote *r, const struct proc *p,
		struct err *err) PT_MUST_CHECK;
void remote_close(struct remote *r);

/* A remote that is not open. */
#define REMOTE_NONE ((struct remote){ .fd = -1 })

#endif /* PT_REMOTE_H */
