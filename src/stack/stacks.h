/* SPDX-License-Identifier: MIT */
/* stacks: frames by stack id, as PT_STACK defines them. */
#ifndef PT_STACKS_H
#define PT_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include <pytrace_abi.h>

#include "base/compiler.h"

struct stacks;

struct stack_def {
	uint32_t nr, omitted;
	uint8_t why;			/* enum pt_why */
	const struct pt_frame *frames;
};

struct stacks *stacks_new(void);
void stacks_free(struct stacks *s);	/* NULL is fine */

/* A later definition of an id replaces the earlier one.  0 or -ENOMEM. */
int stacks_define(struct stacks *s, const struct pt_stack *rec) PT_MUST_CHECK;

/* NULL if not (or no longer) known; good until the next define or evict. */
const struct stack_def *stacks_find(struct stacks *s, uint64_t id);

size_t stacks_memory(const struct stacks *s);
/* Give up stacks not used for longest until `memory` is kept; their number. */
size_t stacks_evict(struct stacks *s, size_t memory);

#endif /* PT_STACKS_H */
