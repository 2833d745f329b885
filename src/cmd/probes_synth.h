/* SPDX-License-Identifier: MIT */
/* probes_synth: where synthetic probes on calls can be put, or why not. */
#ifndef PT_PROBES_SYNTH_H
#define PT_PROBES_SYNTH_H

#include <stdbool.h>
#include <stdio.h>

#include "cmd/probes.h"
#include "python/pyimage.h"

/*
 * Print what the interpreter in `f`, which is `image`, has of them; JSON: one
 * "synthetic" object, then a "place" object for each.  Having none is no error.
 */
int probes_synth(FILE *out, const struct probes_file *f,
		 const struct pyimage *image, bool offsets, bool json,
		 struct err *err) PT_MUST_CHECK;

#endif /* PT_PROBES_SYNTH_H */
