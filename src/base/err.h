/* SPDX-License-Identifier: MIT */
/*
 * err: a failure as one sentence, written where it is understood.
 *
 * A function that can fail returns 0 or a negative errno and, for the reader,
 * leaves a sentence in the `struct err` its caller lent it: lower case, no full
 * stop, what failed on which object, then why.  Only src/cmd/ prints it, so the
 * sentence may be lost, tested or put into JSON, but never printed twice.
 *
 * `kind` is what the program exits with (CLI: "Errors and exit codes").
 */
#ifndef PT_ERR_H
#define PT_ERR_H

#include "base/compiler.h"

enum err_kind {
	ERR_NONE = 0,
	ERR_FAILED = 1,		/* internal, or an operation that should not fail */
	ERR_USAGE = 2,
	ERR_NO_TARGET = 3,
	ERR_NOT_PYTHON = 4,
	ERR_UNSUPPORTED = 5,
	ERR_NOT_PERMITTED = 6,
	ERR_KERNEL = 7,
	ERR_OUTPUT = 8,
	ERR_INPUT = 9,
	ERR_INCOMPLETE = 10,
	ERR_NOTHING = 11,
	ERR_BUDGET = 12,
	ERR_CONFLICT = 13,
};

struct err {
	enum err_kind kind;
	char text[512];		/* the sentence; cut, never overrun */
	char hint[512];		/* what is so and what to do: lines, may be "" */
};

/* The word of `kind` as it is printed: "not-permitted", "usage", ... */
const char *err_kind_name(enum err_kind kind);

/*
 * Write the sentence and return `rc`, so that `return err_set(...)` reads well.
 * `err` may be NULL.  The kind is ERR_FAILED unless err_kind() says otherwise.
 */
int err_set(struct err *err, int rc, const char *fmt, ...) PT_PRINTF(3, 4);
/* The same with a kind. */
int err_kind(struct err *err, enum err_kind kind, int rc, const char *fmt, ...)
	PT_PRINTF(4, 5);
/* Put "what: " in front of the sentence that is there; kind and hint stay. */
int err_wrap(struct err *err, int rc, const char *fmt, ...) PT_PRINTF(3, 4);
/* Add a line to the hint. */
void err_hint(struct err *err, const char *fmt, ...) PT_PRINTF(2, 3);

#endif /* PT_ERR_H */
