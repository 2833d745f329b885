/* SPDX-License-Identifier: MIT */
/*
 * trace: one line an event, and under it the Python code that made it.
 *
 *	14:02:31.004118 813 pool-0_2  recvfrom(14<tcp 10.0.3.7:443>, ...) = 1448 <3.041 s>
 *	                              shop/rates.py:31 fetch < Cache._refresh < Cache.get
 *	-- lost 212 events (ring full), 0.3 % so far --
 *
 * Writes to the stream it is given and nothing else; flushing is the caller's.
 */
#ifndef PT_TRACE_H
#define PT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "report/sysargs.h"
#include "stack/appframe.h"

struct trace_opts {
	struct sysargs_opts args;
	bool whole_stacks;	/* -k; else the application frame and two
				 * callers */
	bool lasti;		/* app.py:42+36 */
	bool utc;		/* else local time */
	bool color;		/* failed calls red, losses yellow */
	bool events_only;	/* no lines for processes that exec or exit */
	bool no_stacks;		/* the line alone */
	bool kernel;		/* where in the kernel it was, too */
	struct app_rule *app;	/* --app; NULL: by the origin of files */
};

struct trace;

int trace_new(struct trace **out, FILE *f, const struct trace_opts *opts,
	      struct err *err) PT_MUST_CHECK;	/* opts may be NULL: all 0 */
void trace_free(struct trace *t);		/* NULL is fine; not the file */

/*
 * Print what a moment has to say, if anything.  -EPIPE, -ENOSPC... with
 * ERR_OUTPUT when the stream refuses it.
 */
int trace_moment(struct trace *t, const struct moment *m, struct err *err)
	PT_MUST_CHECK;

/* A line for what began, ended or made a generator (report/calltext.h). */
int trace_step(struct trace *t, const struct moment_step *ms, struct err *err)
	PT_MUST_CHECK;

/* Count an event that is not shown: percentages of losses are of all. */
void trace_skip(struct trace *t, const struct moment *m);

#endif /* PT_TRACE_H */
