/* SPDX-License-Identifier: MIT */
/* open: the sources that read a file, for source_open() to choose from. */
#ifndef PT_OPEN_H
#define PT_OPEN_H

#include "event/inbuf.h"
#include "event/source.h"

/*
 * Each takes over `in` (leaves a closed one) when it succeeds; after a failure
 * it is the caller's still.
 */
int recfile_source(struct source **out, struct inbuf *in, struct err *err)
	PT_MUST_CHECK;
int text_source(struct source **out, struct inbuf *in, struct err *err)
	PT_MUST_CHECK;

#endif /* PT_OPEN_H */
