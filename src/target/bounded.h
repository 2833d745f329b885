/* SPDX-License-Identifier: MIT */
/*
 * bounded: do something that may block for ever, and wait only so long for it.
 *
 * Files of a process can be on a network that is gone; whoever reads them
 * sleeps, and no signal but a fatal one wakes him.  So another thread does it.
 * If it does not come back in time it is given up: it stays asleep, costs a
 * stack, and dies with us.  (What not even SIGKILL wakes has to be done by
 * another process: reader.h, mounts.h.)
 */
#ifndef PT_BOUNDED_H
#define PT_BOUNDED_H

#include <stdbool.h>

#include "base/compiler.h"

/* A thread that waits for work; started by the first job. */
struct bounded;

struct bounded *bounded_new(void);	/* NULL: out of memory */
/* Stops it.  One that hangs is given up.  NULL is fine. */
void bounded_free(struct bounded *b);

/*
 * Call run(job) in that thread and wait for it: 0, or -ETIMEDOUT when it has
 * not returned within `ms`; then it may still be running, `job` is no longer
 * the caller's, and drop(job) is called when it does return.  So `job` must own
 * all that it touches.  After a time-out the next call starts another thread,
 * up to a few; then each is -ETIMEDOUT at once.  -EAGAIN: no thread; `job`
 * stays the caller's.
 *
 * Not for two threads at once with the same `b`.
 */
int bounded_run(struct bounded *b, void (*run)(void *job),
		void (*drop)(void *job), void *job,
		unsigned int ms) PT_MUST_CHECK;

/* Jobs of `b` that were given up. */
unsigned int bounded_hung(const struct bounded *b);

#endif /* PT_BOUNDED_H */
