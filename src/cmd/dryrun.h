/* SPDX-License-Identifier: MIT */
/* dryrun: what a trace would attach, for whom, until when, at what price. */
#ifndef PT_DRYRUN_H
#define PT_DRYRUN_H

#include "cmd/opts.h"
#include "event/eventset.h"
#include "live/session.h"

/*
 * The plan of a session that was opened with tracer.dry, to standard output, as
 * text or with --json an object a line (the last, "end", is the caller's).
 * `limit`: what it may cost, in percent; 0: no limit.
 */
int dryrun_put(const struct opts *o, const struct eventset *events,
	       uint32_t limit, const struct session *s, struct err *err) PT_MUST_CHECK;

#endif /* PT_DRYRUN_H */
