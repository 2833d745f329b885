/* SPDX-License-Identifier: MIT */
/* work: a Python that runs workload.py, told what to do through pipes. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct work {
	pid_t pid;		/* of the Python itself */
	uint32_t hexversion;	/* PY_VERSION_HEX */
	FILE *to, *from;
};

/* `argv`: the interpreter's command, then workload.py. */
int work_start(struct work *w, char *const argv[], struct err *err) PT_MUST_CHECK;
void work_stop(struct work *w);		/* a zeroed one is fine */
/* Keep it on one CPU, so that the caches are its own. */
int work_pin(const struct work *w, int cpu, struct err *err) PT_MUST_CHECK;

/* Give a command without waiting for its end. */
int work_tell(struct work *w, struct err *err, const char *fmt, ...)
	PT_PRINTF(3, 4) PT_MUST_CHECK;
/* Its answer: up to two numbers. */
int work_hear(struct work *w, uint64_t out[2], struct err *err) PT_MUST_CHECK;

/* ns a call, on the workload's own clocks. */
struct block {
	double wall;
	double cpu;		/* of its thread: without those that took its CPU */
};

/* `n` times what the command ("calls", "pong") does, from under `depth` frames. */
int work_block(struct work *w, const char *command, int depth, int n,
	       struct block *out, struct err *err) PT_MUST_CHECK;
/* System calls. */
int work_calls(struct work *w, int depth, int n, struct block *out,
	       struct err *err) PT_MUST_CHECK;

#endif /* BENCH_WORK_H */
