/* SPDX-License-Identifier: MIT */
/* pick: the cells whose stacks pass -F; each stack is looked at once. */
#ifndef PT_PICK_H
#define PT_PICK_H

#include "analysis/rows.h"
#include "report/filter.h"

struct pick {			/* begin with the first two, the rest 0 */
	const struct analysis *a;
	const struct filter *filter;	/* NULL: all pass */
	uint8_t *verdict;	/* of a stack: 1 no, 2 yes */
	uint32_t cap;
};

bool pick_passes(struct pick *p, uint32_t stack);
void pick_free(struct pick *p);

#endif /* PT_PICK_H */
