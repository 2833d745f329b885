/* SPDX-License-Identifier: MIT */
/*
 * resolved: stacks whose frames have been looked up, so that the next event on
 * the same stack need not: a service has few stacks, and many events on each.
 *
 * A direct-mapped cache of bounded size.  What it hands out is good until the
 * next keep, drop or change of the code objects (codes_changes()).
 */
#ifndef PT_RESOLVED_H
#define PT_RESOLVED_H

#include <stdint.h>

#include "stack/engine.h"

struct resolved;

struct resolved *resolved_new(void);	/* NULL: out of memory */
void resolved_free(struct resolved *r);	/* NULL is fine */

/* As it was kept, if the code objects have not changed since; or NULL. */
const struct pystack *resolved_find(struct resolved *r, uint64_t id,
				    uint64_t changes);
/* Keep a copy, if that is worth it and there is memory. */
void resolved_keep(struct resolved *r, uint64_t id, uint64_t changes,
		   const struct pystack *st);
void resolved_drop(struct resolved *r, uint64_t id);

/*
 * Ids that were found since this was last asked of them, one a call, 0 at the
 * end.  Begin with *at = 0.
 */
uint64_t resolved_used(struct resolved *r, uint32_t *at);

#endif /* PT_RESOLVED_H */
