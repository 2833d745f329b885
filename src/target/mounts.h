/* SPDX-License-Identifier: MIT */
/*
 * mounts: which files of a process may not answer when they are touched.
 *
 * A FUSE server that has taken a request and does not answer it holds the
 * caller in a sleep that not even SIGKILL ends (fs/fuse/dev.c:
 * request_wait_answer).  /proc/PID/mountinfo tells where one may be, without
 * touching it.
 */
#ifndef PT_MOUNTS_H
#define PT_MOUNTS_H

#include "target/maps.h"
#include "target/proc.h"

/*
 * Set `may_hang` of each file in `maps` that is on FUSE, or on a mount that is
 * not listed (any more).
 */
void mounts_mark(struct maps *maps, const struct proc *p);

/*
 * Does the file of `m` answer: can another process, which is given up if it
 * hangs, read all of it within a second?
 */
bool mounts_answers(const struct map *m, const struct proc *p);

#endif /* PT_MOUNTS_H */
