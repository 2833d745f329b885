/* SPDX-License-Identifier: MIT */
/* live: run a pipeline over live processes, from options to exit code. */
#ifndef PT_LIVE_H
#define PT_LIVE_H

#include "cmd/opts.h"
#include "cmd/pipeline.h"
#include "event/eventset.h"
#include "target/checks.h"

/*
 * Attach as the options say, feed `p` (whose source, end and stop are set
 * here), detach, and say on stderr what was traced and what was lost.  Errors
 * are printed.  `events` is what -e asks for, `argv` all that was typed, our name
 * first.  Returns what to exit with.
 */
int live_run(const struct opts *o, const struct eventset *events,
	     struct pipeline *p, char **argv);

/* The rows of this host, for doctor. */
void live_doctor(struct checks *c);

#endif /* PT_LIVE_H */
