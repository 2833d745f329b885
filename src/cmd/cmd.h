/* SPDX-License-Identifier: MIT */
/* cmd: the subcommands, one file each.  Only this folder prints and exits. */
#ifndef PT_CMD_H
#define PT_CMD_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

struct subcommand {
	const char *name;
	const char *help;	/* one line */
	/*
	 * argv[0] is NAME, and argv[-1] what we were called.  Returns what to
	 * exit with: enum err_kind, or with a COMMAND what that exited with.
	 */
	int (*run)(int argc, char **argv);
};

extern const struct subcommand cmd_doctor;
extern const struct subcommand cmd_calls;
extern const struct subcommand cmd_cpu;
extern const struct subcommand cmd_dump;
extern const struct subcommand cmd_faults;
extern const struct subcommand cmd_offcpu;
extern const struct subcommand cmd_syscalls;
extern const struct subcommand cmd_probes;
extern const struct subcommand cmd_ps;
extern const struct subcommand cmd_record;
extern const struct subcommand cmd_summary;	/* without a view */
extern const struct subcommand cmd_trace;

/* Is there a subcommand of that name? */
bool cmd_has_view(const char *name);

/*
 * Print "pytrace: KIND: sentence" and the hint, indented, to stderr.  Returns
 * the exit code of its kind.  What a hostile name brought is printed as \x1b.
 */
int cmd_fail(const struct err *err);
/*
 * From now on cmd_fail() also writes {"type":"error",...} there; NULL: it does
 * not.
 */
void cmd_errors_as_json(FILE *out);

/* Options (options.c).  All ends in "pytrace: usage: ..." and exit 2. */

/* Whose options are parsed now; once, before the two below. */
void cmd_options_of(const char *view, char **argv);
/* "pytrace trace": that. */
const char *cmd_view(void);
/*
 * argp_parse() in our words; --help prints and exits 0.  `flags` are argp's.
 * `argp` has neither children nor a --help of its own.
 */
void cmd_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
	       void *input);
/* The sentence, where to find the options, and exit. */
_Noreturn void cmd_usage(const char *fmt, ...) PT_PRINTF(1, 2);

/*
 * Nobody reads the other end any more.  Not to be told from errno, which an
 * earlier write has had.
 */
bool cmd_pipe_is_closed(FILE *out);
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
