/* SPDX-License-Identifier: MIT */
/* sdtoperand: one operand in the assembler syntax of its machine. */
#ifndef PT_SDTOPERAND_H
#define PT_SDTOPERAND_H

#include "elf/sdtarg.h"

/*
 * Parse arg->operand into place, registers, value and symbol.  NULL, or the
 * reason why it is of no use, after which those fields mean nothing.
 */
const char *sdtoperand_parse(unsigned int machine, struct sdtarg *arg);

#endif /* PT_SDTOPERAND_H */
