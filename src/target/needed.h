/* SPDX-License-Identifier: MIT */
/* needed: the interpreter in a program or in the libraries it is linked with. */
#ifndef PT_NEEDED_H
#define PT_NEEDED_H

#include "target/which.h"

/*
 * Look into the ELF file `exe`, open as `fd`, and then breadth-first into what
 * it needs, as the dynamic loader will find it.  Fills all of `out` but `exe`.
 * -ENOENT, without a sentence: there is none.
 */
int needed_find(const struct root *root, const char *exe, int fd,
		const char *library_path, struct which *out,
		struct err *err) PT_MUST_CHECK;

#endif /* PT_NEEDED_H */
