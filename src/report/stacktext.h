/* SPDX-License-Identifier: MIT */
/* stacktext: a Python stack in lines of text. */
#ifndef PT_STACKTEXT_H
#define PT_STACKTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stack/appframe.h"

struct stacktext_opts {
	size_t indent;		/* columns */
	const char *lead;	/* before the first line; NULL: nothing */
	bool whole;		/* else the application frame and two callers */
	bool lasti;		/* app.py:42+36 */
	bool defs;		/* where functions are defined: of calls */
	struct app_rule *app;	/* NULL: by the origin of files */
};

/*
 * "shop/rates.py:31 fetch < Cache._refresh < Cache.get": the frame that
 * the stack is charged to (stack/appframe.h) and its callers, or each frame on a line.  What is unknown
 * says why in brackets; a stack that was not asked for says nothing.
 */
void stacktext_put(FILE *out, const struct pystack *st,
		   const struct stacktext_opts *opts);

#endif /* PT_STACKTEXT_H */
