/* SPDX-License-Identifier: MIT */
/* analysis_priv: what the files of the analysis share. */
#ifndef PT_ANALYSIS_PRIV_H
#define PT_ANALYSIS_PRIV_H

#include "analysis/analysis.h"
#include "analysis/chosen.h"
#include "analysis/clocks.h"
#include "analysis/files.h"
#include "analysis/idle.h"
#include "analysis/ledger.h"

#define THREADS_MAX	(UINT32_C(1) << 16)	/* beyond: "others" */
#define PROCESSES_MAX	(UINT32_C(1) << 12)
#define GROUPS_MAX	64
#define COUNTERS_MAX	64

struct group {			/* a control group, as first and last read */
	char *path;
	struct pt_cpustat first, last;
};

struct analysis {
	struct model model;
	struct ledger ledger;
	struct clocks clocks;
	struct files files;
	struct idle *idle;
	struct chosen chosen;
	struct thread_info *threads;
	struct process_info *processes;
	uint8_t *idle_stack;		/* of a stack: 1 no, 2 yes */
	uint32_t threads_cap, processes_cap, idle_cap;
	struct group groups[GROUPS_MAX];
	uint32_t nr_groups;
	struct counter_info counters[COUNTERS_MAX];
	uint64_t first;			/* begin of the trace; that of the model
					 * is of the interval */
	uint64_t unfinished_end;	/* of the waits that had no end */
	uint64_t charged;		/* events so far */
	bool kernel, sampled_kernel;	/* as in analysis_opts */
	bool began;			/* PT_BEGIN has come */
	bool failed;
};

/* lives.c: threads and processes come and go */
void tasks_of_moment(struct analysis *a, const struct moment *m);
struct clock *task_clock(struct analysis *a, const struct moment *m,
			 uint64_t since);
void task_end(struct analysis *a, struct clock *c, uint64_t end, bool cut);
struct process_info *task_process(struct analysis *a, uint32_t proc);

/* charge.c: an event's time, count and bytes to cells */
void charge_event(struct analysis *a, const struct moment *m);
void charge_time(struct analysis *a, const struct clock *c,
		 struct cell_key key, uint64_t ns);
uint32_t charge_stack(struct analysis *a, const struct moment *m);
/* Its stack in the kernel; 0: not asked for. */
uint32_t charge_kstack(struct analysis *a, const struct moment *m);
/*
 * A thread that has been blocked since `before` the trace, its stack unknown, in
 * a call in which threads wait for work: nobody can say whether it did.
 */
enum cell_state charge_state(struct analysis *a, const struct moment *m,
			     const struct spent_wait *w, uint32_t stack,
			     bool before);

/* charge_off.c: a PT_OFFCPU */
void charge_offcpu(struct analysis *a, const struct moment *m);

/* A thread has lived until then, and its account with it; it may live on. */
void task_book(struct analysis *a, struct clock *c, uint64_t end);

/* settle.c: sums at the end, and at that of an interval */
void settle(struct analysis *a);
void settle_interval(struct analysis *a, uint64_t t);

#endif /* PT_ANALYSIS_PRIV_H */
