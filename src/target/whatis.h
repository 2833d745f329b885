/* SPDX-License-Identifier: MIT */
/* whatis: the words for a process that is not Python. */
#ifndef PT_WHATIS_H
#define PT_WHATIS_H

#include "base/err.h"
#include "target/maps.h"
#include "target/proc.h"

/*
 * Say in `err` (ERR_NOT_PYTHON, or ERR_UNSUPPORTED for a Python that is not
 * CPython) what the process is instead; returns -ENOEXEC or -ENOTSUP.
 */
int whatis_process(const struct proc *p, const struct maps *maps,
		   struct err *err);
/* "Java", "a shell", ... of a file's name; NULL: nothing known. */
const char *whatis_name(const char *path);
/* Is a name one of PyPy's or GraalPy's: a Python, but not CPython? */
const char *whatis_other_python(const char *path);

#endif /* PT_WHATIS_H */
