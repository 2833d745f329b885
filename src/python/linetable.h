/* SPDX-License-Identifier: MIT */
/*
 * linetable: the line of an instruction, from the table of its code object.
 *
 * `table` is what Python calls co_lnotab (to 3.9) or co_linetable; the format
 * follows from the version.  Any bytes are borne: what cannot be read is no
 * line.
 */
#ifndef PT_LINETABLE_H
#define PT_LINETABLE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The line of the instruction at byte `lasti`, as frame.f_lineno has it; -1 if
 * the instruction has none (f_lineno is None).  A negative `lasti` is a frame
 * that has not begun: its line is the first.
 */
int linetable_line(uint16_t version, const uint8_t *table, size_t len,
		   int firstline, int lasti);

#endif /* PT_LINETABLE_H */
