/* SPDX-License-Identifier: MIT */
/*
 * machine: what a few instructions of x86-64 refer to.
 *
 * Some things about an interpreter are only in its machine code: which
 * variable a small function reads.  machine_follow() decodes a function from
 * its first instruction along every branch, for a few dozen instructions,
 * keeps the addresses that registers are given and says what is done with
 * them.  Nothing is run.  Calls are not followed.
 */
#ifndef PT_MACHINE_H
#define PT_MACHINE_H

#include <stdint.h>

#include "base/compiler.h"

struct elfimg;

enum machine_what {
	MACHINE_ADDRESS,	/* a register was given the number `value` */
	MACHINE_ARG32,		/* the 4 bytes at `value` became argument 1 */
	MACHINE_FS,		/* 8 bytes at fs + `offset` were read */
	MACHINE_CALL,		/* call, or jump out; argument 1 is `value` */
	MACHINE_VIA_CALL,	/* 8 bytes were read at `offset` from what such
				 * a call with argument `value` has returned */
};

struct machine_event {
	enum machine_what what;
	uint64_t value;		/* a vaddr where it is one of the file */
	int64_t offset;
};

/*
 * Follow the code at `vaddr` and hand each event to `each` until that returns
 * other than 0, which is then the result.  0 when the code is at an end, is
 * not code, or enough of it was seen.
 */
int machine_follow(struct elfimg *img, uint64_t vaddr,
		   int (*each)(const struct machine_event *ev, void *ctx),
		   void *ctx) PT_MUST_CHECK;

#endif /* PT_MACHINE_H */
