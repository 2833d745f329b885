/* SPDX-License-Identifier: MIT */
/*
 * subject: pytrace's kernel half on one process, beside the floor, with a
 * thread that drains both rings every millisecond.
 *
 * All programs stay attached; which of them does anything is a flag.
 */
#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum mode {
	MODE_OFF,		/* everything attached, everything off */
	MODE_FLOOR,
	MODE_CALLS,		/* system calls without stacks */
	MODE_STACKS,		/* system calls with stacks */
	NR_MODES,
};

struct subject;

struct subject_counts {
	uint64_t calls;		/* records of system calls, of faults, or of
				 * Python calls and returns */
	uint64_t with_stack;	/* those whose stack is known */
	uint64_t others;	/* records of other kinds */
	uint64_t bytes;		/* of all of them */
	uint64_t lost;		/* counted by the kernel half */
	uint64_t cpu_ns;	/* of the thread that drains */
	uint64_t overhead_ns;	/* of the kernel half, by its own sampling */
};

/* For these events: 1 << PT_SYSCALL, ... */
int subject_open_for(struct subject **out, uint32_t events,
		     struct err *err) PT_MUST_CHECK;
/* Of Python calls none is wanted: each is left out by the kernel half, as by -F. */
int subject_open_refusing(struct subject **out, struct err *err) PT_MUST_CHECK;
/* For system calls; with `floor` false only pytrace's programs are loaded. */
int subject_open(struct subject **out, bool floor, struct err *err) PT_MUST_CHECK;
/* Trace `pid`, too; before subject_start(). */
int subject_add(struct subject *s, pid_t pid, struct err *err) PT_MUST_CHECK;
int subject_start(struct subject *s, struct err *err) PT_MUST_CHECK;
void subject_close(struct subject *s);	/* NULL is fine */

void subject_mode(struct subject *s, enum mode mode);
/* So far; waits until the rings are drained. */
int subject_count(struct subject *s, struct subject_counts *out,
		  struct err *err) PT_MUST_CHECK;
uint64_t subject_floor_records(struct subject *s);

#endif /* BENCH_SUBJECT_H */
