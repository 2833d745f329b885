/* SPDX-License-Identifier: MIT */
/* probes_pid: the USDT notes of the interpreters in a process. */
#ifndef PT_PROBES_PID_H
#define PT_PROBES_PID_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Print each interpreter that process `pid` has mapped, as the file that it has
 * mapped, with what its version really does with its probes; JSON: first an
 * "interpreter" object.  Also those that cannot be walked.  Errors as those of
 * target_find().
 */
int probes_pid(FILE *out, pid_t pid, bool offsets, bool json,
	       struct err *err) PT_MUST_CHECK;

#endif /* PT_PROBES_PID_H */
