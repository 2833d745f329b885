/* SPDX-License-Identifier: MIT */
/*
 * which: the interpreter that a command, or a file, will turn out to run.
 *
 *	foo.py			#!/usr/bin/env python3
 *	/venv/bin/python3	a link to /usr/bin/python3.11
 *	~/.pyenv/shims/python	a shell script; the version is in a file
 *	/usr/local/bin/python3	needs libpython3.13.so.1.0: that is it
 *
 * Answers come from files alone, nothing is run.  What is loaded later by
 * dlopen(), or started by a shell script, no file tells: find.h does, once it
 * is mapped.
 */
#ifndef PT_WHICH_H
#define PT_WHICH_H

#include <sys/stat.h>

#include "base/err.h"
#include "python/pyimage.h"
#include "target/root.h"

struct which {
	char *exe;		/* the ELF file that exec will load, its name
				 * below the root */
	char *file;		/* that with the interpreter: exe or a library */
	int fd;			/* of `file`, for reading */
	struct stat st;
	struct pyimage image;
};

#define WHICH_NONE ((struct which){ .fd = -1 })

/*
 * For a command line (ends with NULL) of ours: found by PATH if argv[0] has no
 * slash.  `env`, as program or in a first line, is seen through.
 * A path that begins with /proc/PID/root/ is one of that root.
 *	-ENOENT, -EACCES	no such command, or it cannot be run
 *				ERR_NO_TARGET: exec would say the same
 *	-ENOEXEC		ERR_NOT_PYTHON, what it is instead
 *	-ENOTSUP		ERR_UNSUPPORTED: PyPy, ...
 * An interpreter that pytrace cannot walk is a result: image says so.
 */
int which_command(char *const argv[], struct which *out,
		  struct err *err) PT_MUST_CHECK;
/* For one file of ours, by path; not by PATH. */
int which_file(const char *path, struct which *out,
	       struct err *err) PT_MUST_CHECK;
/* For a path of another root. */
int which_in_root(const struct root *root, const char *path,
		  struct which *out, struct err *err) PT_MUST_CHECK;
void which_fini(struct which *w);
/* How much of a path is /proc/PID/root: 0, it is none of another root. */
size_t which_root_len(const char *path);

/* What PATH has for a name without a slash (to be freed), or NULL. */
char *which_path(const char *name);

#endif /* PT_WHICH_H */
