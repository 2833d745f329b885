/* SPDX-License-Identifier: MIT */
/* output: where a report goes, and how it ends there. */
#ifndef PT_OUTPUT_H
#define PT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/opts.h"
#include "stack/engine.h"

struct output {
	FILE *file;		/* NULL: not begun */
};

/* Without -o: stderr beside a command, which has stdout to itself. */
FILE *output_default(const struct opts *o);
int output_open(struct output *out, const struct opts *o,
		struct err *err) PT_MUST_CHECK;
bool output_failed(const struct output *out);	/* and that was said */

/*
 * Flush and close; with --json write the last line, `end` (whose type is 0 if
 * the stream had none) with what is to be exited with.  Errors are printed.
 * Returns what to exit with, `code` at best.
 */
int output_close(struct output *out, const struct opts *o,
		 const struct pt_end *end, const struct engine_totals *totals,
		 int code);

#endif /* PT_OUTPUT_H */
