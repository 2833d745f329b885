/* SPDX-License-Identifier: MIT */
/* calls_priv: rows, and the tree that is made of them. */
#ifndef PT_CALLS_PRIV_H
#define PT_CALLS_PRIV_H

#include "analysis/calls.h"
#include "analysis/intern.h"
#include "stack/table.h"

/* A run that goes on, and where it is in the tree. */
struct open_run {
	uint64_t id;		/* of its steps */
	uint32_t node;
	UT_hash_handle hh;
	struct open_run *next_free;
};

struct child_key {
	uint32_t parent, row;
};

struct child {			/* of a node, by its function */
	struct child_key key;
	uint32_t node;
	UT_hash_handle hh;
};

struct calls {
	struct calls_opts opts;
	struct calls_about about;
	struct intern names;	/* functions; ids of threads, processes */
	struct intern seen;	/* threads and processes, to be counted */
	struct call_row *row;	/* by the number of `names`; 0: others */
	uint32_t nr, cap;
	size_t memory;		/* of all but `names` */
	/* the tree */
	struct call_node *node;
	uint32_t nr_nodes, cap_nodes;
	struct child *children;
	struct open_run *runs, *free_runs;
};

bool calls_full(const struct calls *c);
void calls_sum(struct call_sums *s, const struct step *step, bool outermost);

/* `row`: of its function.  0 or -ENOMEM. */
int calls_tree_add(struct calls *c, const struct step *step, uint32_t row,
		   bool wanted) PT_MUST_CHECK;
int calls_tree_new(struct calls *c) PT_MUST_CHECK;
void calls_tree_free(struct calls *c);

#endif /* PT_CALLS_PRIV_H */
