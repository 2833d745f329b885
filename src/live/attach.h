/* SPDX-License-Identifier: MIT */
/* attach: one program to one place, with a sentence when it is refused. */
#ifndef PT_ATTACH_H
#define PT_ATTACH_H

#include <stdint.h>
#include <sys/types.h>

#include <bpf/libbpf.h>

#include "base/err.h"

/* A tracepoint program to its tracepoint. */
int attach_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
		      struct err *err) PT_MUST_CHECK;
/* A program that is made for no one tracepoint to the one of this name. */
int attach_raw_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			  const char *name, struct err *err) PT_MUST_CHECK;
/*
 * The same by the kernel's number of the tracepoint, with its fields for
 * context; the program gets `cookie`.
 */
int attach_perf_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			   uint64_t id, uint64_t cookie,
			   struct err *err) PT_MUST_CHECK;
/*
 * A raw tracepoint whose program gets `cookie`; the link's descriptor, or
 * -errno: -EINVAL from a kernel before 6.10, which has no such cookies.
 */
int attach_raw_cookie(const struct bpf_program *prog, const char *name,
		      uint64_t cookie, struct err *err) PT_MUST_CHECK;
/*
 * A uprobe at file offset `offset` of the file open as `fd`; the program gets
 * `cookie`.  `pid` -1: in every process that maps the file.
 */
int attach_uprobe(struct bpf_link **out, const struct bpf_program *prog, int fd,
		  pid_t pid, uint64_t offset, uint64_t cookie,
		  struct err *err) PT_MUST_CHECK;

/*
 * The same by a uprobe_multi link, of a copy of the program that is loaded for
 * it: where perf_event_open() is refused.  Returns the link's descriptor, or
 * -errno with a sentence.
 */
int attach_uprobe_multi(const struct bpf_program *prog, int fd, pid_t pid,
			uint64_t offset, uint64_t cookie,
			struct err *err) PT_MUST_CHECK;

struct perf_event_attr;

/*
 * To a perf event, of all that runs on one CPU; the program gets `cookie`.
 */
int attach_event(struct bpf_link **out, const struct bpf_program *prog,
		 struct perf_event_attr *attr, int cpu, uint64_t cookie,
		 struct err *err) PT_MUST_CHECK;

#endif /* PT_ATTACH_H */
