/* SPDX-License-Identifier: MIT */
/* kallsyms: the kernel's functions, by address. */
#ifndef PT_KALLSYMS_H
#define PT_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

struct kallsyms;

/*
 * Those of `f`, as /proc/kallsyms has them.  -EACCES (ERR_NOT_PERMITTED): it
 * hides the addresses; -ENOMEM; -EIO.
 */
int kallsyms_read(struct kallsyms **out, FILE *f, struct err *err) PT_MUST_CHECK;
void kallsyms_free(struct kallsyms *k);		/* NULL is fine */

/* The function at or before an address; "": none. */
const char *kallsyms_name(const struct kallsyms *k, uint64_t addr);

#endif /* PT_KALLSYMS_H */
