/* SPDX-License-Identifier: MIT */
/* synth_frames: what each version's bytecode does with frames, as sites. */
#ifndef PT_SYNTH_FRAMES_H
#define PT_SYNTH_FRAMES_H

#include "python/synth.h"
#include "python/synth_code.h"
#include "python/synth_table.h"

/*
 * Add the sites of an interpreter from 3.11 on, whose evaluator and its
 * dispatch table are these; that of its call is there already.
 */
int synth_frames_add(struct synth *out, const struct synth_code *code,
		     const struct synth_table *table,
		     const struct opcodes *ops, struct err *err) PT_MUST_CHECK;

#endif /* PT_SYNTH_FRAMES_H */
