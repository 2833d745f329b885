/* SPDX-License-Identifier: MIT */
/*
 * remote: the memory of a process, as a struct mem.
 *
 * Read by process_vm_readv(), which takes a number that after an exec means
 * another program.  So /proc/PID/mem is opened once, which the kernel ties to
 * the address space (fs/proc/base.c: mem_open), and asked after each read
 * whether that still lives.  (A vfork child that execs is not noticed: its
 * parent keeps the old one alive.)
 *
 * No read waits longer than REMOTE_MS: it is made by a child process (reader.h
 * says why), started by the first one, at about 15 us a read.
 *
 * Where /proc refuses, the kernel half is asked instead (through.h), if there
 * is one.
 */
#ifndef PT_REMOTE_H
#define PT_REMOTE_H

#include "base/err.h"
#include "base/mem.h"
#include "target/proc.h"
#include "target/reader.h"
#include "target/through.h"

#define REMOTE_MS	500

struct remote {
	struct mem mem;		/* first: hand out &remote.mem */
	pid_t pid;
	int fd;			/* /proc/PID/mem, or of through_open() */
	bool through;		/* the latter: read by the kernel half */
	struct through_id id;	/* of it */
	struct reader reader;
	unsigned int hung;	/* readers that were given up */
};

/*
 * -EACCES, -EPERM (ERR_NOT_PERMITTED): ptrace access is refused; -ESRCH: gone,
 * or without memory.  Does not need `p` afterwards.  Not for two threads at once.
 *
 * Reads: -EFAULT not mapped or not readable; -ESRCH the address space is gone
 * (exit or exec); -ETIMEDOUT; -E2BIG more than 64 MiB at once.
 */
int remote_open(struct remote *r, const struct proc *p,
		struct err *err) PT_MUST_CHECK;
void remote_close(struct remote *r);

/*
 * The command line: arguments, each ended by a NUL, as the process shows it (it
 * may have written another one over it).  What /proc/PID/cmdline has, without
 * its danger: that faults like /proc/PID/mem.  -ENOENT: it has none.
 */
int remote_cmdline(const struct remote *r, const struct proc_info *info,
		   struct proc_text *out) PT_MUST_CHECK;

/*
 * Pages that are not neighbours, up to READER_PAGES of READER_PAGE bytes, at the
 * price of one read: `take` gets each, NULL of one that cannot be read.
 * Errors: as those of reads.
 */
int remote_pages(struct remote *r, const uint64_t *addr, size_t nr,
		 void (*take)(size_t nr, const unsigned char *bytes, void *arg),
		 void *arg) PT_MUST_CHECK;

/* A remote that is not open. */
#define REMOTE_NONE ((struct remote){ .fd = -1, .reader = READER_NONE })

#endif /* PT_REMOTE_H */
