/* SPDX-License-Identifier: MIT */
/* targets: whom the options mean, before and after they are traced. */
#ifndef PT_TARGETS_H
#define PT_TARGETS_H

#include "base/err.h"
#include "cmd/opts.h"

/* Nobody traces himself: an error if a pid or a thread is ours. */
int targets_check_self(const struct opts *o, struct err *err) PT_MUST_CHECK;

/*
 * The threads of -t: are there such, and are they of a process that is traced?
 * ERR_NO_TARGET, ERR_NOT_PERMITTED.
 */
int targets_check_threads(const struct opts *o, struct err *err) PT_MUST_CHECK;

/*
 * The processes that -a, --exe, --name, --cgroup, --unit and --container mean;
 * NULL if there is none of these.  To be freed.  ERR_USAGE, ERR_NO_TARGET.
 */
int targets_select(const struct opts *o, struct select **out,
		   struct err *err) PT_MUST_CHECK;

/*
 * The options that name the same targets again, for a next command: "-p 811
 * -f".  NULL: there are none that a shell would take as they are.
 */
const char *targets_again(const struct opts *o, char *buf, size_t size);

/*
 * Why a process may do nothing at all, as it is now: "process 7 is stopped
 * (state T): ..."; NULL: nothing is known that keeps it.  `lasting`: only what
 * somebody else must end, a stop or a debugger.
 */
const char *targets_why_still(pid_t pid, bool lasting, char *buf, size_t size);

#endif /* PT_TARGETS_H */
