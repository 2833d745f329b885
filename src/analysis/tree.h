/* SPDX-License-Identifier: MIT */
/*
 * tree: cells of a model along their stacks, outermost frame first.
 *
 * Node 0 is the root.  What a node `is` sums over all that went through it, so
 * that it is its own cells (`self`) and its children, exactly; the root is the
 * total of the table of the same query.
 */
#ifndef PT_TREE_H
#define PT_TREE_H

#include "analysis/rows.h"

enum node_kind {
	NODE_ROOT,
	NODE_PLACE,
	NODE_UNKNOWN,		/* stack not known */
	NODE_NO_FRAMES,		/* a thread without Python frames */
	NODE_CALLERS_UNKNOWN,	/* the rest of the stack is not known */
	NODE_LEFT_OUT,		/* frames in the middle of a deep stack */
	NODE_KERNEL,		/* a function of the kernel: a string */
	/* leaves, where the query tells them apart */
	NODE_CAUSE,		/* enum spent */
	NODE_CALL,		/* spent_call() */
	NODE_FAULT,		/* enum pt_fault_kind */
};

struct node {
	enum node_kind kind;
	uint32_t value;		/* place, cause, call... */
	uint32_t parent;
	uint32_t child, next;	/* the first, the next sibling; 0: none */
	uint32_t depth;
	struct row is;
	struct sums self;
};

struct tree {
	struct node *node;
	uint32_t nr;
};

/* Siblings in the order of the query.  query->by is of no matter. */
int tree_make(struct tree *out, const struct analysis *a,
	      const struct rows_query *query, struct err *err) PT_MUST_CHECK;
void tree_free(struct tree *tree);

#endif /* PT_TREE_H */
