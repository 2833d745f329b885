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
 * One line on stderr; `cost_ns` of the kernel half, 0: not known.  `quiet`
 * hides it, but not what is incomplete.
 */
void totals_print(const struct engine_totals *t, uint64_t cost_ns, bool quiet);

#endif /* PT_TOTALS_H */
