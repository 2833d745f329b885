/* SPDX-License-Identifier: MIT */
/*
 * rows: cells of a model summed up by a key, in order: what a table shows.
 *
 * Every view is a query:
 *
 *	screen    TIME by app and cause, not idle       ns
 *	offcpu    TIME but SPENT_CPU_*, by stack...     ns, count, max, wakers
 *	cpu       TIME of SPENT_CPU_*                   ns, count: samples
 *	syscalls  CALLS by app and call                 count, errors, bytes, ns
 *	faults    FAULTS by app, the collector apart    count, bytes by kind
 *	cpu -e    COUNTED of one counter by app         events, count: samples
 *
 * Sums of rows are sums of cells: no query loses or doubles any.
 */
#ifndef PT_ROWS_H
#define PT_ROWS_H

#include "analysis/intern.h"
#include "analysis/model.h"
#include "base/compiler.h"
#include "base/err.h"

enum rows_by {
	BY_ALL,			/* one row */
	BY_APP,			/* the line it is charged to */
	BY_LINE,		/* the innermost line */
	BY_FUNC,		/* the innermost function */
	BY_STACK,
	BY_THREAD,
	BY_PROCESS,
	BY_AGE,			/* of the process, of faults */
};

struct rows;
struct row;

/* What more tells rows apart, and which cells count. */
struct rows_query {
	enum rows_by by;
	unsigned int kinds;	/* 1 << CELL_TIME... */
	bool by_cause;		/* in groups: spent_group() */
	bool by_call;
	bool by_gc;		/* faults while the collector ran apart */
	bool idle;		/* idle and unseen time as well, in rows of
				 * their own */
	bool hists;		/* keep how long each took */
	/* NULL: all. */
	bool (*wants)(const struct cell *c, const void *arg);
	const void *arg;
	/* What is largest goes first.  NULL: time, then count. */
	uint64_t (*order)(const struct rows *rows, const struct row *row,
			  const void *arg);
	const void *order_arg;
};

#define ROW_NO_FRAMES UINT32_MAX	/* a place: there is no Python frame */

struct row_faults {		/* sums over CELL_FAULTS */
	uint64_t kind[5];	/* by enum pt_fault_kind */
	uint64_t major, in_gc;
	uint64_t private_bytes;	/* of copies on write */
	uint64_t resident_bytes; /* of the others */
	uint64_t no_size;	/* of the others, how many have no bytes */
};

struct row {
	uint32_t key;		/* place, stack, thread, enum age; of BY_PROCESS
				 * the number of its address space; 0: unknown */
	uint8_t kind;
	uint8_t cause;		/* if by_cause */
	uint8_t state;		/* enum cell_state; TIME_BUSY but for idle */
	bool in_gc;		/* if by_gc */
	uint16_t call;		/* if by_call */
	struct sums is;
	struct row_faults faults;
	uint64_t estimate_ns;	/* part of is.ns */
	uint64_t kernel_ns;	/* likewise: on CPU in kernel mode */
	uint64_t kernel_events;	/* part of is.events */
	uint32_t nr;		/* of the row when it was made: for rows_detail */
	uint32_t kernel;	/* by BY_STACK: model_kernel() */
};

/* What the cells of a row have, each with its share. */
enum rows_detail {
	DETAIL_INNER,		/* innermost places */
	DETAIL_CALL,
	DETAIL_OBJECT,		/* 0: none */
	DETAIL_THREAD,
	DETAIL_WAKER,		/* enum pt_waker */
	DETAIL_WAKER_PLACE,	/* of tasks: the place they are charged to */
	DETAIL_WAKER_THREAD,
	DETAIL_HOLD,		/* struct doing: of those who had the lock */
	DETAIL_NR,
};

struct detail {
	uint32_t value;		/* the one with the largest share */
	uint64_t weight;	/* its share: ns, or the count without time */
	uint64_t all;		/* of all of them */
	uint32_t others;	/* how many there are beside it */
};

struct rows {
	struct row *row;
	uint32_t nr;
	struct row total;
	struct hist total_hist;		/* if asked for */
	struct hist *hist;		/* by row.nr */
	struct intern details;
	uint64_t *weights;
	uint32_t *next;			/* detail of the same row */
	struct detail (*detail)[DETAIL_NR];	/* by row.nr */
	uint32_t *first_detail;		/* likewise; 0: none */
};

int rows_make(struct rows *out, const struct analysis *a,
	      const struct rows_query *query, struct err *err) PT_MUST_CHECK;
void rows_free(struct rows *rows);

const struct detail *rows_detail(const struct rows *rows, const struct row *row,
				 enum rows_detail what);

/* All of them that have a value, the largest first; at most `size`; how many. */
size_t rows_details(const struct rows *rows, const struct row *row,
		    enum rows_detail what, struct detail *out, size_t size);

/* NULL without query.hists. */
const struct hist *rows_hist(const struct rows *rows, const struct row *row);

/* Does the cell count? */
bool rows_wants(const struct rows_query *query, const struct cell *cell);
/* Add a cell's sums, and what is special of its kind. */
void rows_add_cell(struct row *row, const struct cell *cell);

#endif /* PT_ROWS_H */
