/* SPDX-License-Identifier: MIT */
/* shebang: which program a script asks for in its first line. */
#ifndef PT_SHEBANG_H
#define PT_SHEBANG_H

#include <stdbool.h>
#include <stddef.h>

#define SHEBANG_BYTES	256	/* all that the kernel reads (BINPRM_BUF_SIZE) */

struct shebang {
	char program[SHEBANG_BYTES];	/* "/usr/bin/env" */
	char arg[SHEBANG_BYTES];	/* the rest of the line, one argument;
					 * "" if there is none */
};

/*
 * Parse the first bytes of a file as the kernel does (fs/binfmt_script.c).
 * False: not a script, or one that cannot be run.
 */
bool shebang_parse(const char *bytes, size_t len, struct shebang *out);

/*
 * The program that env(1) will run: the first of `args` (NULL-terminated, env's
 * own name not included) that is neither an option nor NAME=VALUE; NULL if there
 * is none.  `buf` may be used for it: it lies there or in `args`.
 */
const char *shebang_env_program(const char *const *args, char *buf,
				size_t size);

#endif /* PT_SHEBANG_H */
