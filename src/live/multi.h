/* SPDX-License-Identifier: MIT */
/*
 * multi: uprobes by a uprobe_multi link, made by bpf(2) itself.
 *
 * Kernels patched since July 2025 (CVE-2025-38466) ask for CAP_SYS_ADMIN where
 * a uprobe is made by perf_event_open(); this link, of 6.6 and later, wants
 * CAP_BPF and CAP_PERFMON.  libbpf has a call for it from 1.3 on.
 */
#ifndef PT_MULTI_H
#define PT_MULTI_H

#include <stdint.h>
#include <sys/types.h>

/* What a program is loaded for (expected_attach_type): BPF_TRACE_UPROBE_MULTI. */
#define MULTI_ATTACH_TYPE 48

/*
 * A link of program `prog`, loaded for MULTI_ATTACH_TYPE, at file offset
 * `offset` of `path`, in process `pid` (-1: all that map the file).  The kernel
 * counts up the semaphore at file offset `semaphore` while it is there; 0: it has
 * none.  Returns its
 * descriptor, which takes the probe away when it is closed, or -errno: -EINVAL
 * from a kernel that has no such link.
 */
int multi_attach(int prog, const char *path, uint64_t offset,
		 uint64_t semaphore, uint64_t cookie, pid_t pid);

#endif /* PT_MULTI_H */
