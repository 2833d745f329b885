/* SPDX-License-Identifier: MIT */
/* stacktext: a Python stack in lines of text. */
#ifndef PT_STACKTEXT_H
#define PT_STACKTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stack/engine.h"

struct stacktext_opts {
	size_t indent;		/* columns */
	const char *lead;	/* before the first line; NULL: nothing */
	bool whole;		/* else the application frame and two callers */
	bool lasti;		/* app.py:42+36 */
};

/*
 * "shop/rates.py:31 fetch < Cache._refresh < Cache.get": the innermost frame of
 * the application and its callers, or each frame on a line.  What is unknown
 * says why in brackets; a stack that was not asked for says nothing.
 */
void stacktext_put(FILE *out, const struct pystack *st,
		   const struct stacktext_opts *opts);

#endif /* PT_STACKTEXT_H */
