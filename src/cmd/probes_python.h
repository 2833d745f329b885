/* SPDX-License-Identifier: MIT */
/* probes_python: what is known of a file's probes because it is a Python. */
#ifndef PT_PROBES_PYTHON_H
#define PT_PROBES_PYTHON_H

#include "cmd/probes.h"
#include "python/pyimage.h"

struct probes_python {
	struct pyimage image;
	char subject[512];	/* "CPython 3.11.2" */
};

/*
 * If the file is an interpreter, put what it is, and what that really does with
 * its probes, into `view`, which points into `py` then; else false.
 */
bool probes_python_view(const struct probes_file *f, struct probes_python *py,
			struct probes_view *view);
/* The same of an image that is known. */
void probes_python_set(const struct pyimage *image, struct probes_python *py,
		       struct probes_view *view);

/*
 * Print the probes of the interpreter that a file of ours will run, if that is
 * another file: what a script asks for, what a program is linked with.  JSON:
 * first an "interpreter" object.  0; -ENOENT: there is none, or it is the file
 * itself; or the error of which_file().
 */
int probes_print_interpreter(FILE *out, const char *path, bool offsets,
			     bool json, struct err *err) PT_MUST_CHECK;

#endif /* PT_PROBES_PYTHON_H */
