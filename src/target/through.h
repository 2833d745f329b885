/* SPDX-License-Identifier: MIT */
/*
 * through: a process that /proc will not show us, looked at through the kernel
 * half.
 *
 * With CAP_BPF and CAP_PERFMON, and not CAP_SYS_PTRACE, /proc/PID/mem and exe
 * of another user's process are refused (before Linux 6.13 maps, too), and a
 * BPF iterator may read it all the same.  Who has one says so by through_set();
 * what was refused is then asked of it.
 */
#ifndef PT_THROUGH_H
#define PT_THROUGH_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct proc;
struct proc_text;

struct through_ops {
	/*
	 * A descriptor of an iterator over process `pid`, which answers as
	 * probes/reader_abi.h says; or -errno.
	 */
	int (*memory)(pid_t pid);
	int (*maps)(pid_t pid);
};

/* Before there are threads; NULL: nobody. */
void through_set(const struct through_ops *ops);

/* What makes an address space another one: a new process, a new program. */
struct through_id {
	uint64_t start;		/* of the process */
	uint64_t exec_id;
	uint64_t exe_ino;	/* of its executable; 0: it has none */
	dev_t exe_dev;
};

/*
 * The memory of `p`: a descriptor for through_read(), and who it is now.
 * -EACCES: nobody to ask; -ESRCH: it is gone.
 */
int through_open(const struct proc *p, struct through_id *id) PT_MUST_CHECK;
/*
 * All of `len` bytes at `addr`.  Only calls that are safe in a child of a
 * threaded process.  -EFAULT; -ESRCH: no longer `id`; else an errno.
 */
int through_read(int fd, const struct through_id *id, uint64_t addr, void *buf,
		 size_t len) PT_MUST_CHECK;
/* Its mappings, as the lines of /proc/PID/maps.  Errors as through_open(). */
int through_maps(const struct proc *p, struct proc_text *out) PT_MUST_CHECK;
/* Such lines of what the iterator wrote.  -EBADMSG, -ENOMEM. */
int through_format(const void *bytes, size_t len,
		   struct proc_text *out) PT_MUST_CHECK;

/* Is this what another way may have an answer for? */
static inline bool through_helps(int rc)
{
	return rc == -EACCES || rc == -EPERM;
}

#endif /* PT_THROUGH_H */
