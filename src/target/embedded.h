/* SPDX-License-Identifier: MIT */
/* embedded: is the interpreter a guest in another program? */
#ifndef PT_EMBEDDED_H
#define PT_EMBEDDED_H

#include "target/maps.h"
#include "target/proc.h"

/*
 * `exe` is what /proc/PID/exe says (NULL: unknown).  A program with "python" in
 * its name is not a host of one, nor is one that does nothing but call
 * Py_BytesMain() of a library.
 */
bool embedded_in(const char *exe, const struct maps *maps,
		 const struct proc *p);

#endif /* PT_EMBEDDED_H */
