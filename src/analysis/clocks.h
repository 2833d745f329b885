/* SPDX-License-Identifier: MIT */
/*
 * clocks: the time of each thread that is alive in the trace.
 *
 * A thread's time is cut into pieces that never overlap: off the CPU, in the
 * kernel on the CPU, and the rest.  What a stream says twice, or out of order,
 * is clipped; so the pieces of a thread sum to its life.
 */
#ifndef PT_CLOCKS_H
#define PT_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Off the CPU for `dur` in all, between two times. */
struct clock_span {
	uint64_t from, to, dur;
};

struct clock_entry;

/* One of the last times off the CPU, for those who waited for this thread. */
struct clock_piece {
	uint64_t from, to;
	uint64_t addr;		/* of the futex, if it waited for a lock */
	uint32_t doing;		/* number in the ledger */
};

#define CLOCK_PIECES 16

struct clock {
	uint32_t tid, pid, proc;
	uint32_t thread;	/* number in the model */
	uint64_t born;		/* or when the interval began */
	uint64_t oldest;	/* when it was born, if `cut`: */
	bool cut;		/* an interval has ended */
	bool settled;		/* no earlier birth is believed any more */
	uint64_t booked;	/* nothing begins before: the end of the last
				 * piece */
	uint64_t last;		/* it was alive then */
	uint64_t kernel_end;	/* of the last span of kernel mode */
	uint64_t off_ns, kernel_ns;
	uint32_t open;		/* cell of a wait that had no end; 0: none */
	bool seen;		/* by more than its name */
	bool announced;		/* born when its record says; else it may have
				 * been there earlier */
	bool by_exec;		/* began as a program not yet understood */
	bool gil;		/* its last wait was for the GIL, and timed out: */
	uint32_t gil_cell;
	uint64_t gil_ns;	/* so long so far */
	struct clock_piece piece[CLOCK_PIECES];	/* a ring */
	uint32_t nr_pieces;	/* ever; the next goes to its remainder */
	/* times off the CPU that end behind kernel_end */
	struct clock_span *off;
	uint32_t nr_off, cap_off;
};

/* Off the CPU from `t` for `dur`: what of it is new, from *t on. */
uint64_t clock_off(struct clock *c, uint64_t *t, uint64_t dur);

/*
 * In the kernel from `t` for `dur` (a system call, a fault): how much of it was
 * on the CPU and is not booked yet.
 */
uint64_t clock_kernel(struct clock *c, uint64_t t, uint64_t dur);

struct clocks {			/* a zeroed struct is an empty one */
	struct clock_entry *table;
};

void clocks_free(struct clocks *all);
struct clock *clocks_find(const struct clocks *all, uint32_t tid);
struct clock *clocks_add(struct clocks *all, uint32_t tid); /* NULL: no memory */
void clocks_drop(struct clocks *all, struct clock *c);
/* Any of them; NULL: there is none. */
struct clock *clocks_first(const struct clocks *all);
struct clock *clocks_next(const struct clock *c);

#endif /* PT_CLOCKS_H */
