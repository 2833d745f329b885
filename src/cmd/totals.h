/* SPDX-License-Identifier: MIT */
/* totals: the account at the end of a run: nothing is lost in silence. */
#ifndef PT_TOTALS_H
#define PT_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/engine.h"

/* Something was lost, or a stack is unknown: what --strict is about. */
bool totals_incomplete(const struct engine_totals *t);
/*
 * One line on stderr: the events, by kind if `types` (EVENTS_OF each) asked for
 * more than one; `cost_ns` of the kernel half, 0: not known.  `quiet` hides it,
 * but not what is incomplete.
 */
void totals_print(const struct engine_totals *t, uint32_t types,
		  uint64_t cost_ns, bool quiet);

/* What came since `then`, of which `now` is a later state. */
void totals_since(struct engine_totals *out, const struct engine_totals *now,
		  const struct engine_totals *then);

#endif /* PT_TOTALS_H */
