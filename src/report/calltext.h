/* SPDX-License-Identifier: MIT */
/*
 * calltext: the flow of calls, indented by depth.
 *
 *	-> handle  shop/web.py:10
 *	  -> get  shop/cache.py:20
 *	  <- get <0.000123 s>
 *	<- handle raises <≥0.004 s>
 */
#ifndef PT_CALLTEXT_H
#define PT_CALLTEXT_H

#include <stdio.h>

#include "stack/engine.h"

/* Without a newline. */
void calltext_put(FILE *out, const struct moment_step *ms);

#endif /* PT_CALLTEXT_H */
