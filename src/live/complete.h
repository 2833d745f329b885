/* SPDX-License-Identifier: MIT */
/*
 * complete: what the kernel half could not read of a code object is read from
 * the process, while it lives, or from the interpreter's file, where what is
 * frozen into it lies for good.
 */
#ifndef PT_COMPLETE_H
#define PT_COMPLETE_H

#include "live/known.h"
#include "live/queue.h"

/* Is a part of it still to be had? */
bool complete_is_needed(const struct pt_code *code);
/*
 * Queue the missing parts and the code object with their new states; what
 * cannot be had stays as it is.  -ENOMEM.
 */
int complete_code(struct known *k, const struct pt_code *code,
		  struct queue *out) PT_MUST_CHECK;

/*
 * Queue those of the missing parts that memory `m` of a process with image `img`
 * at `bias` has, and note in `code` that they were sent.  -ENOMEM.
 */
int complete_from_memory(const struct mem *m, const struct known_image *img,
			 uint64_t bias, struct pt_code *code,
			 struct queue *out) PT_MUST_CHECK;

#endif /* PT_COMPLETE_H */
