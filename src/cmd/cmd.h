/* SPDX-License-Identifier: MIT */
/* cmd: the subcommands, one file each.  Only this folder prints and exits. */
#ifndef PT_CMD_H
#define PT_CMD_H

#include "base/err.h"

struct subcommand {
	const char *name;
	const char *help;	/* one line */
	/*
	 * argv[0] is "pytrace NAME".  Returns what to exit with: enum err_kind,
	 * or with a COMMAND what that exited with.
	 */
	int (*run)(int argc, char **argv);
};

extern const struct subcommand cmd_dump;
extern const struct subcommand cmd_probes;
extern const struct subcommand cmd_ps;
extern const struct subcommand cmd_record;
extern const struct subcommand cmd_trace;

/*
 * Print "pytrace: KIND: sentence" and the hint, indented, to stderr.  Returns
 * the exit code of its kind.
 */
int cmd_fail(const struct err *err);

/*
 * Write out what stdout still holds.  Returns `code`, or ERR_OUTPUT, said on
 * stderr, when it cannot be written.  A closed pipe is not an error: the reader
 * has seen enough.
 */
int cmd_flush(int code);

/*
 * A write to a closed pipe fails instead of killing us, but a command that we
 * start must find the signal as we found it: give that back before it is
 * forked, and ignore it again afterwards.
 */
void cmd_ignore_sigpipe(void);
void cmd_restore_sigpipe(void);

#endif /* PT_CMD_H */
