/* SPDX-License-Identifier: MIT */
/*
 * opcodes: the bytecodes of CPython, by number, that begin and end a frame.
 *
 * A number is fixed within a minor version.  Those that a version does not use
 * tell its dispatch table from any other table.
 */
#ifndef PT_OPCODES_H
#define PT_OPCODES_H

#include <stdbool.h>
#include <stdint.h>

enum { OPCODES_NR = 256, OPCODES_EACH = 4 };

/* Lists end with 0, which is CACHE and none of these, or with their room. */
struct opcodes {
	uint16_t version;
	uint32_t unassigned[8];		/* a bit each */
	uint8_t entry[OPCODES_EACH];	/* RESUME and what it becomes */
	uint8_t yield[OPCODES_EACH];	/* YIELD_VALUE */
	uint8_t ret[OPCODES_EACH];	/* RETURN_VALUE, RETURN_CONST */
	uint8_t makes[OPCODES_EACH];	/* RETURN_GENERATOR */
	uint8_t jit[OPCODES_EACH];	/* ENTER_EXECUTOR */
};

/* Of a version from 3.11 (0x030b) on, or NULL: not known. */
const struct opcodes *opcodes_for(uint16_t version);

static inline bool opcodes_is_unassigned(const struct opcodes *o, uint8_t nr)
{
	return o->unassigned[nr / 32] >> nr % 32 & 1;
}

#endif /* PT_OPCODES_H */
