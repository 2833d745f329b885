/* SPDX-License-Identifier: MIT */
/*
 * calls: what functions cost, from the steps of their calls.
 *
 * A row is a function, a thread or a process; a node of the tree a function as
 * it was called by those above it.  What is counted is what has ended: of a run
 * that was cut (it ran when it was first seen, or its end was not) the time is a
 * lower bound, and where records were lost it may be of several.
 *
 * Pure.  Beyond opts.memory new rows and nodes are put together: CALLS_OTHERS.
 */
#ifndef PT_CALLS_H
#define PT_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/hist.h"
#include "base/compiler.h"
#include "base/err.h"
#include "stack/engine.h"

enum calls_by { CALLS_FUNC, CALLS_THREAD, CALLS_PROCESS };

struct calls_opts {
	enum calls_by by;
	bool tree;		/* nodes, too: of functions */
	size_t memory;		/* bytes; 0: 256 MiB */
	/* Which functions are counted; NULL: all.  Of the tree: and what they call. */
	bool (*wants)(void *arg, const struct frame *func);
	void *arg;
};

struct call_sums {
	uint64_t calls;		/* those that ran when first seen, too: */
	uint64_t seeded;
	uint64_t resumes;	/* after a yield, by a throw, too */
	uint64_t made;		/* generators */
	uint64_t raised;	/* left by an exception */
	uint64_t cut, gaps;	/* time is a lower bound; may be of several */
	uint64_t total_ns;	/* recursion counted once */
	uint64_t cut_ns;	/* of that, of runs that were cut */
	uint64_t self_ns;	/* without what it called */
	uint64_t off_ns;	/* of the total, off the CPU */
	uint64_t aside_ns;	/* of the total, while another greenlet ran */
	uint64_t suspended_ns;	/* of generators, between their runs */
	uint64_t sys_ns, syscalls, faults, majors;	/* of the total */
	uint64_t max_ns;	/* of one run */
	bool max_cut;		/* that one was cut */
};

#define CALLS_OTHERS	0	/* index of the row of what found no room */

struct call_row {
	/* The function (NULL: not known), or "" for a thread or process */
	const char *func, *file;
	size_t func_len, file_len;
	int def;
	enum origin origin;
	uint32_t pid, tid;	/* of a thread; of a process tid is 0 */
	char comm[17];
	struct call_sums is;
	struct hist hist;	/* of whole runs: each from begin to end */
};

#define CALLS_ROOT	0

struct call_node {
	uint32_t parent;	/* of the root: itself */
	uint32_t row;		/* its function; of the root: CALLS_OTHERS */
	uint32_t depth;		/* of the root: 0 */
	struct call_sums is;
};

/* What the stream says of itself. */
struct calls_about {
	uint64_t first_t, last_t;	/* of steps */
	int64_t realtime_offset;
	bool has_clock, has_begin;	/* a PT_META, a PT_BEGIN came */
	uint32_t events;	/* traced: of PT_BEGIN */
	uint32_t pid;		/* of the first process with calls */
	char exe[256], python[64];
	uint32_t told_by;	/* a bit for each enum pt_calls_by of a process */
	uint32_t nr_threads;
	uint32_t nr_processes;
	struct call_sums all;	/* total_ns: with Python on the stack */
};

struct calls;

int calls_new(struct calls **out, const struct calls_opts *opts,
	      struct err *err) PT_MUST_CHECK;
void calls_free(struct calls *c);	/* NULL is fine */

/* All moments of a stream; steps are counted.  Fails only without memory. */
int calls_add(struct calls *c, const struct moment *m, struct err *err)
	PT_MUST_CHECK;
int calls_add_step(struct calls *c, const struct moment_step *ms,
		   struct err *err) PT_MUST_CHECK;

const struct calls_about *calls_about(const struct calls *c);
/* Row 0 is CALLS_OTHERS, and empty if all found room. */
const struct call_row *calls_rows(const struct calls *c, uint32_t *nr);
/* Parents come before their children; node 0 is the root. */
const struct call_node *calls_nodes(const struct calls *c, uint32_t *nr);

/* Off the CPU and aside; never more than the time. */
uint64_t calls_cpu_ns(const struct call_sums *s);

#endif /* PT_CALLS_H */
