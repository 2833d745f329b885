/* SPDX-License-Identifier: MIT */
/*
 * idle: is a thread waiting for work, or for something that it needs?
 *
 * A place where threads wait for work is a chain of patterns (stack/pattern.h),
 * innermost first: "threading.py:wait < queue.py:get < pool.py:run".  The first
 * must be the innermost frame.  '<': called by the next frame; '<<': called by
 * it through any number of frames that are not the application's.  A pattern
 * "*" is any frame.
 *
 * The caller has seen that the thread is in a call in which one can be idle
 * (spent_may_be_idle).
 */
#ifndef PT_IDLE_H
#define PT_IDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "stack/engine.h"

struct idle;

/* The shipped list. */
int idle_new(struct idle **out, struct err *err) PT_MUST_CHECK;
void idle_free(struct idle *list);	/* NULL is fine */

/* One more place (--idle-at).  ERR_USAGE for what is none. */
int idle_add(struct idle *list, const char *place, struct err *err)
	PT_MUST_CHECK;

/* Has the nr-th that was added been the place of any stack? */
bool idle_added_matched(const struct idle *list, size_t nr);

/* A stack without any Python frame is idle, too: a native thread waits. */
bool idle_matches(struct idle *list, const struct pystack *stack);

/* Why: the shipped words or the pattern; NULL: it is not idle. */
const char *idle_why(struct idle *list, const struct pystack *stack);

#endif /* PT_IDLE_H */
