/* SPDX-License-Identifier: MIT */
/* child: a tool that runs beside the workload, and what it cost. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct child {
	pid_t pid;
	int says;		/* its stderr, through a pipe */
};

/* Started with stdin and stdout at /dev/null. */
int child_start(struct child *c, char *const argv[], struct err *err) PT_MUST_CHECK;
bool child_runs(const struct child *c);

struct child_end {
	double cpu;		/* seconds */
	long peak_kb;		/* resident */
	char said[4096];	/* the first of what it wrote to stderr */
};

/* Interrupt it as a person would, and wait for it. */
void child_stop(struct child *c, struct child_end *end);
/* Wait for its own end. */
void child_wait(struct child *c, struct child_end *end);
/* Is there such a command on PATH (or at a path)? */
bool child_exists(const char *name);

#endif /* BENCH_CHILD_H */
