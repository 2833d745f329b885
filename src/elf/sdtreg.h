/* SPDX-License-Identifier: MIT */
/* sdtreg: registers by the names that assemblers use, for each machine. */
#ifndef PT_SDTREG_H
#define PT_SDTREG_H

#include "elf/sdtarg.h"

#define SDTREG_NONE ((struct sdtreg){ .slot = -1 })

/*
 * The register called by these `len` bytes, without a '%' before it; false when
 * `machine` has none of that name among those that the kernel hands out.
 */
bool sdtreg_find(unsigned int machine, const char *name, size_t len,
		 struct sdtreg *out);
/* A floating-point or vector register, which the kernel does not hand out? */
bool sdtreg_is_vector(unsigned int machine, const char *name, size_t len);
/* A register that always reads as zero (xzr, wzr). */
bool sdtreg_is_zero(unsigned int machine, const char *name, size_t len);

#endif /* PT_SDTREG_H */
