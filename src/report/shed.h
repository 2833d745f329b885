/* SPDX-License-Identifier: MIT */
/* shed: what a trace over its budget has left out, in words. */
#ifndef PT_SHED_H
#define PT_SHED_H

#include <stdint.h>
#include <stdio.h>

#include <pytrace_abi.h>

/* "stacks", "calls", ... for programs; NULL for a step that is none. */
const char *shed_step_key(uint32_t step);
/* "no stacks of system calls that do not block"; never NULL. */
const char *shed_step_words(uint32_t step);

/*
 * "tracing took ~31 % of the target's CPU time in 1.0 s (limit 25 %): from here
 * on ..." without an end of line.
 */
void shed_put(FILE *out, const struct pt_shed *shed);

#endif /* PT_SHED_H */
