/* SPDX-License-Identifier: MIT */
/*
 * suspended: generators and coroutines between a yield and the next time they
 * run, by process and address of their frame.
 *
 * Bounded: beyond `max` the one that yielded longest ago is forgotten.
 */
#ifndef PT_SUSPENDED_H
#define PT_SUSPENDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct suspended_key {
	uint64_t frame;
	uint32_t proc, pad;
};

struct suspended {
	struct suspended_key key;
	uint64_t code;		/* 0: not known */
	uint64_t since;		/* its yield; 0: not seen */
};

struct suspended_table;

struct suspended_table *suspended_new(uint32_t max);
void suspended_free(struct suspended_table *t);	/* NULL is fine */

/* In place of what was known of that frame.  0 or -ENOMEM. */
int suspended_put(struct suspended_table *t, const struct suspended *what)
	PT_MUST_CHECK;
/* NULL: it is not known to be suspended.  Good until the next put or drop. */
const struct suspended *suspended_find(const struct suspended_table *t,
				       uint32_t proc, uint64_t frame);
/* Is any of that code object suspended?  Of any process: ids are of one. */
bool suspended_has_code(const struct suspended_table *t, uint64_t code);
void suspended_drop(struct suspended_table *t, uint32_t proc, uint64_t frame);

#endif /* PT_SUSPENDED_H */
