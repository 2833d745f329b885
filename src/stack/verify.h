/* SPDX-License-Identifier: MIT */
/*
 * verify: is the stack that calls and returns make the one that a walk finds?
 *
 * Compared at each kernel event of a thread whose stacks are known, code object
 * by code object; what either does not know is not compared.
 *
 * A frame is linked a moment before its probe is hit, and unlinked a moment after
 * that of its return; what the kernel sees in between is no difference: the frame
 * that a walk has more is the one that has just returned, or the one of the next
 * record.  A place of the interpreter's code at which a frame ends is hit after
 * that: the frame that a walk has less is the one that the next record ends.
 * One that is none of these differs, but for a generator that is suspended
 * as far as calls tell: an exception was thrown into it, and nothing has told
 * so yet, or passes it.
 */
#ifndef PT_VERIFY_H
#define PT_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "stack/codes.h"
#include "stack/shadow.h"
#include "stack/stacks.h"

#define VERIFY_TEXT 256

struct verified {
	uint64_t compared, differed;
	uint64_t untold;	/* of the compared: with a generator into which an
				 * exception was thrown, and no call told so, or
				 * that one passes */
	uint64_t unknown;	/* events with one stack, or an unsure one */
	struct pending *pending;	/* the next record of the thread decides */
	/* The first that differed, innermost first: "f < g < main". */
	uint64_t t;
	uint32_t tid;
	char walked[VERIFY_TEXT], kept[VERIFY_TEXT];
};

/* `def`: what was walked at `ev`; NULL: it is not known.  0 or -ENOMEM. */
int verify_stack(struct verified *v, const struct shadow *s, struct codes *c,
		 const struct pt_event *ev, const struct stack_def *def)
	PT_MUST_CHECK;

/* A PT_CALL or PT_RETURN comes; before it is fed. */
void verify_next(struct verified *v, const struct codes *c,
		 const struct pt_hdr *rec);
/* No record comes any more: what waits for one cannot be compared. */
void verify_finish(struct verified *v);
void verify_fini(struct verified *v);

#endif /* PT_VERIFY_H */
