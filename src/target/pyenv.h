/* SPDX-License-Identifier: MIT */
/* pyenv: the program behind one of pyenv's shims, from pyenv's own files. */
#ifndef PT_PYENV_H
#define PT_PYENV_H

#include "target/root.h"

/*
 * `text` is the beginning of the shell script `path`.  Returns the path that
 * the shim would exec (allocated), or NULL: not a shim, or its version is not
 * installed.  `system` asks for the next of that name by PATH: then *system is
 * set and NULL returned.
 */
char *pyenv_program(const struct root *root, const char *path,
		    const char *text, bool *system);

#endif /* PT_PYENV_H */
