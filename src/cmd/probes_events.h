/* SPDX-License-Identifier: MIT */
/*
 * probes_events: probes as lines for uprobe_events, which
 * pytrace-perf-probe(1) registers; see uprobedef.h.
 *
 * Before those of each file there is a comment, whose words are separated by
 * tabs and may be "-":
 *
 *	#file PATH DEV:INODE BUILD-ID SUBJECT
 *	#verdict sdt_python/function__entry WHAT-IT-REALLY-DOES
 *
 * PATH is one by which our kernel finds that file, with uprobedef_put_path().
 * A file that is no interpreter has no SUBJECT.
 */
#ifndef PT_PROBES_EVENTS_H
#define PT_PROBES_EVENTS_H

#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

/* Of all interpreters in a process.  Errors as those of target_find(). */
int probes_events_pid(FILE *out, pid_t pid, struct err *err) PT_MUST_CHECK;
/* Of a file, or of the interpreter that it runs. */
int probes_events_file(FILE *out, const char *path,
		       struct err *err) PT_MUST_CHECK;

#endif /* PT_PROBES_EVENTS_H */
