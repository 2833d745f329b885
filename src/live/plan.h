/* SPDX-License-Identifier: MIT */
/*
 * plan: what a trace would attach, written down instead of attached.
 *
 * A tracer that is opened with `dry` takes every step that a real one takes, but
 * loads nothing: whatever reaches attach.h is a row here.
 */
#ifndef PT_PLAN_H
#define PT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct plan_row {
	const char *program;	/* of the kernel half; static */
	char *what;		/* "sched_switch", "cpu-clock", a file's path */
	const char *way;	/* "tracepoint", "perf event", "uprobe" */
	uint32_t nr;		/* as many alike: perf events, one a CPU */
	/* of uprobes */
	uint64_t offset, semaphore;	/* in the file; 0: none */
	pid_t pid;		/* -1: every process that maps the file */
};

/* A zeroed struct is an empty plan. */
struct plan {
	struct plan_row *v;
	size_t nr, room;
};

/* One more; like the last one, it is counted there.  `what` is copied. */
int plan_add(struct plan *p, const struct plan_row *row,
	     struct err *err) PT_MUST_CHECK;
/* Rows that are uprobes, or that are not. */
size_t plan_count(const struct plan *p, bool uprobes);
/* Different files in which uprobes are. */
size_t plan_files(const struct plan *p);
void plan_fini(struct plan *p);

#endif /* PT_PLAN_H */
