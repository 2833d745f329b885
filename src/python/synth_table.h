/* SPDX-License-Identifier: MIT */
/*
 * synth_table: an interpreter's dispatch table, by what it looks like.
 *
 * 256 pointers to code in a row, in data that may be relocated.  There are
 * other such rows, but only in this one the opcodes that the version does not
 * use, and no others, all go to one place.
 */
#ifndef PT_SYNTH_TABLE_H
#define PT_SYNTH_TABLE_H

#include <stdint.h>

#include "base/err.h"
#include "python/opcodes.h"

struct elfimg;

struct synth_table {
	uint64_t vaddr;
	uint64_t handler[OPCODES_NR];
	/*
	 * Of a file without one: how many of the 256 are other than they have
	 * to be in the likest row whose pointers are all into one part of one
	 * function; 256: there is no such row.
	 */
	unsigned int wrong;
};

/*
 * The table of the version of `ops`.  0; -ENOENT: there is none, see `wrong`;
 * -EEXIST: there are several that differ; or another -errno.
 */
int synth_table_find(struct synth_table *out, struct elfimg *img,
		     const struct opcodes *ops) PT_MUST_CHECK;

#endif /* PT_SYNTH_TABLE_H */
