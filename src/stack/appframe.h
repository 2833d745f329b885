/* SPDX-License-Identifier: MIT */
/*
 * appframe: which frame of a stack is the application's: the one that tables
 * charge and that trace shows.
 */
#ifndef PT_APPFRAME_H
#define PT_APPFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/engine.h"

/* What the user says of it; a zeroed struct goes by the origin of files. */
struct app_rule {
	const char *const *glob;	/* --app: files of the application */
	size_t nr;
	uint64_t matched;	/* bit i: the i-th of them was a file; of 64 */
};

bool app_is(struct app_rule *rule, const struct frame *frame);

/*
 * The innermost of the application; of a stack without, the outermost of an
 * installed library, else of the standard one but for how threads and modules
 * are started, else the outermost.  An index; `st` has frames.
 */
uint32_t app_frame(struct app_rule *rule, const struct pystack *st);

#endif /* PT_APPFRAME_H */
