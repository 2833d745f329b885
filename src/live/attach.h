/* SPDX-License-Identifier: MIT */
/* attach: one program to one place, with a sentence when it is refused. */
#ifndef PT_ATTACH_H
#define PT_ATTACH_H

#include <stdint.h>
#include <sys/types.h>

#include <bpf/libbpf.h>

#include "base/err.h"
#include "live/plan.h"

/*
 * From here on all that is attached is written down in `plan`; NULL: it is not.
 * With `only` that is all that happens: it counts as done, with links that are
 * NULL and descriptors that lead nowhere.
 */
void attach_note_in(struct plan *plan, bool only);

/* A tracepoint program to its tracepoint. */
int attach_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
		      struct err *err) PT_MUST_CHECK;
/* A program that is made for no one tracepoint to the one of this name. */
int attach_raw_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			  const char *name, struct err *err) PT_MUST_CHECK;
/*
 * The same by the kernel's number of the tracepoint, with its fields for
 * context; the program gets `cookie`.  `name` is for people.
 */
int attach_perf_tracepoint(struct bpf_link **out, const struct bpf_program *prog,
			   const char *name, uint64_t id, uint64_t cookie,
			   struct err *err) PT_MUST_CHECK;
/*
 * A raw tracepoint whose program gets `cookie`; the link's descriptor, or
 * -errno: -EINVAL from a kernel before 6.10, which has no such cookies.
 */
int attach_raw_cookie(const struct bpf_program *prog, const char *name,
		      uint64_t cookie, struct err *err) PT_MUST_CHECK;
/*
 * Where a uprobe goes: in the file open as `fd`, at offsets in it.  The kernel
 * counts the semaphore up while the probe is there, and down however we end.
 */
struct probe_place {
	int fd;
	pid_t pid;		/* -1: every process that maps the file */
	uint64_t offset;
	uint64_t semaphore;	/* 0: none */
};

/* The program gets `cookie`. */
int attach_uprobe(struct bpf_link **out, const struct bpf_program *prog,
		  const struct probe_place *at, uint64_t cookie,
		  struct err *err) PT_MUST_CHECK;

/*
 * The same by a uprobe_multi link, of a copy of the program that is loaded for
 * it: where perf_event_open() is refused.  Returns the link's descriptor, or
 * -errno with a sentence.
 */
int attach_uprobe_multi(const struct bpf_program *prog,
			const struct probe_place *at, uint64_t cookie,
			struct err *err) PT_MUST_CHECK;

struct perf_event_attr;

/*
 * To a perf event, of all that runs on one CPU; the program gets `cookie`.
 */
int attach_event(struct bpf_link **out, const struct bpf_program *prog,
		 struct perf_event_attr *attr, int cpu, uint64_t cookie,
		 struct err *err) PT_MUST_CHECK;

#endif /* PT_ATTACH_H */
