/* SPDX-License-Identifier: MIT */
/* interp: what an interpreter's memory says of it. */
#ifndef PT_INTERP_H
#define PT_INTERP_H

#include "target/find.h"

/*
 * For each that can be walked by what its file says: is it initialised, and
 * what does it say of its layout itself.  Sets walk, why and pt.
 */
void interps_ask_memory(struct target *t);

#endif /* PT_INTERP_H */
